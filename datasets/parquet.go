package datasets

import "fmt"

// Parquet is how the Hugging Face hub hands data sets out, JSONSchemaBench among them. It is not read: the libraries that
// do weigh as much as a third of this program, with eight modules, to read two columns of text that the tools which
// fetched the file write as JSON Lines in one command. What is worth having is that command, where the file is met.

// parquetMagic is what a Parquet file begins with.
const parquetMagic = "PAR1"

// parquetError says what to do with a Parquet file, or a folder of them.
func parquetError(path string) error {
	return fmt.Errorf("%s is Parquet, which is not read; write it as JSON Lines, by DuckDB (COPY (FROM 'FILE.parquet') TO 'FILE.jsonl' (FORMAT json)) "+
		"or, in Python, load_dataset(NAME, SUBSET, split=SPLIT).to_json('FILE.jsonl') of the package datasets", path)
}
