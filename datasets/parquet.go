package datasets

import "fmt"

// The Hugging Face hub hands data sets out as Parquet, JSONSchemaBench among them. This package
// does not read it: a library for it has eight modules and a third of the size of this program, for
// two columns of text. The tools that fetched the file write it as JSON Lines in one command, which
// the error names.

// parquetMagic is what a Parquet file begins with.
const parquetMagic = "PAR1"

// parquetError says what to do with a Parquet file, or a folder of them.
func parquetError(path string) error {
	return fmt.Errorf("%s is Parquet, which is not read; write it as JSON Lines, by DuckDB (COPY (FROM 'FILE.parquet') TO 'FILE.jsonl' (FORMAT json)) "+
		"or, in Python, load_dataset(NAME, SUBSET, split=SPLIT).to_json('FILE.jsonl') of the package datasets", path)
}
