// Package datasets finds the documents that drive a benchmark.
//
// A corpus is a Source: it lists its documents, each with an id, and reads one when asked. Where
// the documents lie is the source's business: embedded in the program (the samples), files matched
// by a glob, a directory, a zip archive, JSON Lines (optionally gzip-compressed), or a tree found
// on the machine (Go's own source, a JDK's src.zip, Python's library). Selection is the same for
// all of them and happens here: size bounds, a filter (usually "the grammar accepts it"), a limit,
// either the first ones by id or a sample drawn by a seed.
//
// A selection is reproducible: documents are ordered by id before anything is chosen, a sample is
// ordered by a hash of seed and id (so it does not change when other documents come and go), and
// the result's provenance carries a SHA-256 over the ids and contents chosen, in order.
//
// In a schema corpus the documents come with their grammar: each is an instance of a JSON schema
// that it shares with others. There a limit counts schemas, and what is chosen is a schema with its
// instances (schemas.go).
package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
)

// A Sample is one document.
type Sample struct {
	ID      string
	Content []byte
	// Negative is whether the document is not in its language; then a run passes if something in it
	// is refused.
	Negative bool
	// Mistake is where a negative is wrong, if that is known.
	Mistake *Mistake
	// Schema is what the document is an instance of (or, a negative, is not), the same pointer for all
	// instances of a schema. It is nil in a corpus of programs.
	Schema *Schema
	// Description is the corpus's text about the document, often empty.
	Description string
}

// A Mistake is a known place where a document cannot be continued: the first character of the
// lexeme that a left-to-right parser cannot take. Line and Column count from 1, Column in
// characters.
type Mistake struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	What   string `json:"mistake"`
}

// A Document is an entry of a source before it is read.
type Document struct {
	ID string
	// Place is where the document stands, for messages: file:line:column, or empty if the ID says it.
	Place string
	// Size in bytes, or -1 if it is only known once the document is read.
	Size     int64
	Negative bool
	Mistake  *Mistake
	// Schema and Description are those of Sample. A source gives all its documents a schema, or none.
	Schema      *Schema
	Description string
	// Read returns the content, which is the caller's. Its errors name the file. It is nil in the one
	// entry of a schema that has no instances, whose ID is the schema's.
	Read func() ([]byte, error)
}

// A Source is a corpus.
type Source interface {
	Info() Info
	// Documents lists the corpus, in any order, save that the instances of a schema keep theirs.
	// Errors name the file and, if there is one, the line.
	Documents(ctx context.Context) ([]Document, error)
}

// Info describes a corpus.
type Info struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Language is the embedded grammar that fits, SchemaLanguage if each document brings its own, or
	// empty if it is unknown.
	Language string `json:"language,omitempty"`
	Licence  string `json:"licence,omitempty"`
	// Where says where the documents come from: "embedded", or a path found on this machine. Empty
	// if the corpus is not to be had here; then Missing says what to do.
	Where   string `json:"where,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// A Query selects from a source.
type Query struct {
	// Limit is the largest number of positives, in a schema corpus that of schemas (with or without
	// instances; all positives of a chosen one are taken); 0 means all.
	Limit int
	// Negatives is the largest number of negatives, in a schema corpus that of each schema; -1 means
	// all.
	Negatives int
	// Sample draws the Limit at random by Seed instead of taking the first ids.
	Sample bool
	Seed   uint64
	// MinBytes and MaxBytes bound a document's size, in a schema corpus that of the schema's text and
	// not that of an instance; 0 means no bound.
	MinBytes, MaxBytes int64
	// Keep, if set, drops the positives it returns false for. A schema stays chosen without them.
	Keep func(content []byte) bool
	// KeepSchema, if set, drops the schemas of a schema corpus that it returns false for; it gets the
	// instances that were chosen.
	KeepSchema func(schema *Schema, of []Sample) bool
	// Progress, if set, is called after each document that was read.
	Progress func(read, kept int)
}

// A Dataset is the selection of a Query.
type Dataset struct {
	// Samples is in the order of the query; the instances of a schema are together, in the source's
	// order.
	Samples []Sample
	// Schemas is every schema that was chosen, in the same order, those without instances too. It is
	// empty in a corpus of programs.
	Schemas    []*Schema
	Provenance Provenance
}

// Provenance says what a dataset is made of.
type Provenance struct {
	Info
	// Listed counts the source's documents; BySize, ByFilter and ByLimit those left out and why.
	Listed   int `json:"listed"`
	BySize   int `json:"left_out_by_size"`
	ByFilter int `json:"left_out_by_filter"`
	ByLimit  int `json:"left_out_by_limit"`
	// Links are the symbolic links in a folder or archive whose names match or that lead to
	// folders: they are not followed, as they may lead anywhere.
	Links []string `json:"links_left_out,omitempty"`
	// Bytes is the size of the contents chosen.
	Bytes int64 `json:"bytes"`
	// Schemas says the same of the schemas, and is nil in a corpus of programs.
	Schemas *SchemaCounts `json:"schemas,omitempty"`
	// SHA256 is over the ids and contents chosen, each preceded by its length, in order; in a schema
	// corpus over each schema's id and text, the number of its instances, and for each its id, content
	// and verdict.
	SHA256 string `json:"sha256"`
}

// Notes are sentences about what a user may not expect of a selection, such as links that were not
// followed.
func (p *Provenance) Notes() []string {
	switch n := len(p.Links); n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("%s: the symbolic link %s is left out: links are not followed", p.Name, p.Links[0])}
	default:
		return []string{fmt.Sprintf("%s: %d symbolic links are left out, the first is %s: links are not followed", p.Name, n, p.Links[0])}
	}
}

// MaxDocumentBytes is the largest document, and the largest schema, that is read. A program of 16
// MiB is a hundred times the largest file of the corpora in use, and a schema of that size eight
// times the largest that is worth compiling; anything larger is data given by mistake, or a zip
// bomb.
const MaxDocumentBytes = 16 << 20

// MaxCorpusBytes bounds what is kept of a corpus: the documents that a query chooses, all of JSON
// Lines, whose lines cannot be read again, and all texts of a schema corpus, unpacked. The largest
// corpora in use, MaskBench's 10,000 schemas with their instances and the java.base module of a
// JDK, have about 100 MB. Tokens and what is measured take several times the text, so that five
// times those fill a common machine; an archive that unpacks to more was made to, or was not meant
// to be read whole.
const MaxCorpusBytes = 512 << 20

// corpusLimit is MaxCorpusBytes, but for tests that cannot read that much.
var corpusLimit int64 = MaxCorpusBytes

// Load selects documents from a source and reads them. An empty selection is an error: a benchmark
// over nothing would look like a success.
func Load(ctx context.Context, src Source, q Query) (*Dataset, error) {
	if o, ok := src.(ordered); ok && !q.Sample {
		listed, docs, err := o.inOrder(ctx)
		if err != nil {
			return nil, err
		}
		return choose(ctx, src, q, listed, docs)
	}
	docs, err := src.Documents(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(docs, func(d Document) bool { return d.Schema != nil }) {
		return loadSchemas(ctx, src, docs, q)
	}
	if err := checkIDs(src, docs); err != nil {
		return nil, err
	}
	order(docs, q)
	return choose(ctx, src, q, len(docs), slices.Values(docs))
}

// An ordered source can give its documents one by one, in the order of their ids, which are
// distinct. So of a table of millions of rows the first few cost little. It has no negatives.
type ordered interface {
	// inOrder is how many documents there are, and the documents.
	inOrder(ctx context.Context) (listed int, docs iter.Seq[Document], err error)
}

// maxListed bounds a list of documents, which take some 300 bytes each beside their texts.
const maxListed = 2_000_000

// choose reads documents in order and takes those that a query wants.
func choose(ctx context.Context, src Source, q Query, listed int, docs iter.Seq[Document]) (*Dataset, error) {
	d := &Dataset{Provenance: Provenance{Info: src.Info(), Listed: listed}}
	s := selection{query: q, into: d}
	_, positives := src.(ordered)
	seen := 0
	for doc := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if positives && s.full(&doc) { // and so of all others
			d.Provenance.ByLimit += listed - seen
			break
		}
		seen++
		if err := s.consider(&doc); err != nil {
			return nil, err
		}
	}
	if len(d.Samples) == 0 {
		return nil, fmt.Errorf("%s: nothing was selected: of %d documents, %d are outside the size bounds, %d were filtered out and %d are beyond the limit",
			src.Info().Name, d.Provenance.Listed, d.Provenance.BySize, d.Provenance.ByFilter, d.Provenance.ByLimit)
	}
	d.Provenance.SHA256 = sum(d.Samples)
	return d, d.noteSkipped(ctx, src)
}

// A linkSkipper is a source that leaves out symbolic links, and can say which.
type linkSkipper interface {
	skippedLinks(ctx context.Context) ([]string, error)
}

// noteSkipped records the symbolic links that were left out.
func (d *Dataset) noteSkipped(ctx context.Context, src Source) (err error) {
	if s, ok := src.(linkSkipper); ok {
		d.Provenance.Links, err = s.skippedLinks(ctx)
	}
	return err
}

// checkIDs refuses a source that names two documents alike: results are keyed by id.
func checkIDs(src Source, docs []Document) error {
	seen := make(map[string]string, len(docs))
	for i := range docs {
		d := &docs[i]
		first, twice := seen[d.ID]
		switch {
		case twice && d.Place != "":
			return fmt.Errorf("%s: two documents have the id %q, the first at %s; ids must be unique", d.Place, d.ID, first)
		case twice:
			return fmt.Errorf("%s: two documents have the id %q; ids must be unique", src.Info().Name, d.ID)
		}
		seen[d.ID] = d.Place
	}
	return nil
}

// order sorts documents by id, or, for a sample, by a hash of seed and id.
func order(docs []Document, q Query) {
	slices.SortFunc(docs, func(a, b Document) int { return cmp.Compare(a.ID, b.ID) })
	if !q.Sample {
		return
	}
	rank := make(map[string]uint64, len(docs))
	for i := range docs {
		rank[docs[i].ID] = draw(q.Seed, docs[i].ID)
	}
	slices.SortStableFunc(docs, func(a, b Document) int { return cmp.Compare(rank[a.ID], rank[b.ID]) })
}

// draw is a number that seed and id determine and that looks random.
func draw(seed uint64, id string) uint64 {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write([]byte(id))
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// selection applies a query to documents in order.
type selection struct {
	query               Query
	into                *Dataset
	positives, negative int
	read                int
}

func (s *selection) full(d *Document) bool {
	if d.Negative {
		return s.query.Negatives >= 0 && s.negative >= s.query.Negatives
	}
	return s.query.Limit > 0 && s.positives >= s.query.Limit
}

func (s *selection) consider(d *Document) error {
	p := &s.into.Provenance
	if s.full(d) {
		p.ByLimit++
		return nil
	}
	if d.Size >= 0 && !s.sized(d.Size) {
		p.BySize++
		return nil
	}
	content, err := d.Read()
	if err != nil {
		return err
	}
	s.read++
	switch {
	case !s.sized(int64(len(content))):
		p.BySize++
	case !d.Negative && s.query.Keep != nil && !s.query.Keep(content):
		p.ByFilter++
	case len(s.into.Samples) >= maxListed:
		return fmt.Errorf("%s: more than %d documents are chosen, the limit: have the setting limit take fewer", cmp.Or(d.Place, d.ID), maxListed)
	case p.Bytes+int64(len(content)) > corpusLimit:
		return fmt.Errorf("the documents chosen have more than %d bytes together, the limit; at %s, after %d others: "+
			"take fewer by limit:, leave out large ones by max_bytes:, or split the corpus", corpusLimit, cmp.Or(d.Place, d.ID), len(s.into.Samples))
	default:
		s.take(d, content)
	}
	if s.query.Progress != nil {
		s.query.Progress(s.read, len(s.into.Samples))
	}
	return nil
}

func (s *selection) sized(n int64) bool {
	return n >= s.query.MinBytes && (s.query.MaxBytes == 0 || n <= s.query.MaxBytes) && n <= MaxDocumentBytes
}

func (s *selection) take(d *Document, content []byte) {
	s.into.Samples = append(s.into.Samples, Sample{d.ID, content, d.Negative, d.Mistake, d.Schema, d.Description})
	s.into.Provenance.Bytes += int64(len(content))
	if d.Negative {
		s.negative++
	} else {
		s.positives++
	}
}

func sum(samples []Sample) string {
	h := sha256.New()
	put := func(b []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	for i := range samples {
		put([]byte(samples[i].ID))
		put(samples[i].Content)
	}
	return hex.EncodeToString(h.Sum(nil))
}
