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

// SchemaLanguage is the Language of a schema corpus: its documents bring their grammar.
const SchemaLanguage = "schema"

// A Schema is a JSON schema of a corpus. The samples of a schema share it, so it is read only.
type Schema struct {
	// ID is unique in the corpus. The samples are called ID#0, ID#1 and so on, by their place in it.
	ID string
	// Group is the part of the corpus that it belongs to, by origin or kind; empty if there is none.
	Group string
	// Description is the corpus's text about it, often empty.
	Description string
	// Text is the JSON text: byte for byte that of a line of JSON Lines or of a file that is the
	// schema, and on one line (see appendOneLine) where it is a part of a larger file. A file that is
	// a schema may hold anything, JSON or not.
	Text []byte
	// Place is where the text begins, for messages: file:line:column.
	Place string
	// Grammar is set for a request with tools, whose Text is the request in JSON (package tools): the
	// language of its responses, in Lark's language. A JSON schema has none.
	Grammar []byte
}

// SchemaCounts says which schemas of a corpus were chosen.
type SchemaCounts struct {
	// Listed counts the source's schemas, Chosen those taken, Bare those of them without instances in
	// the corpus; BySize, ByFilter and ByLimit those left out and why.
	Listed   int `json:"listed"`
	Chosen   int `json:"chosen"`
	Bare     int `json:"without_instances"`
	BySize   int `json:"left_out_by_size"`
	ByFilter int `json:"left_out_by_filter"`
	ByLimit  int `json:"left_out_by_limit"`
	// Bytes is the size of the texts chosen.
	Bytes int64 `json:"bytes"`
}

// BySchema yields each schema of a schema corpus with its samples, a part of Samples and perhaps
// empty.
func (d *Dataset) BySchema() iter.Seq2[*Schema, []Sample] {
	return func(yield func(*Schema, []Sample) bool) {
		rest := d.Samples
		for _, schema := range d.Schemas {
			n := 0
			for n < len(rest) && rest[n].Schema == schema {
				n++
			}
			if !yield(schema, rest[:n:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// instances is a schema with its documents, in the source's order.
type instances struct {
	schema *Schema
	docs   []Document
	bare   bool // the source has no documents of it
}

// loadSchemas is Load for a schema corpus.
func loadSchemas(ctx context.Context, src Source, docs []Document, q Query) (*Dataset, error) {
	list, listed, err := bySchema(src, docs)
	if err != nil {
		return nil, err
	}
	if err := checkIDs(src, docs); err != nil {
		return nil, err
	}
	orderSchemas(list, q)
	counts := &SchemaCounts{Listed: len(list)}
	d := &Dataset{Provenance: Provenance{Info: src.Info(), Listed: listed, Schemas: counts}}
	s := selection{query: q, into: d}
	for i := range list {
		if err := s.considerSchema(ctx, &list[i]); err != nil {
			return nil, err
		}
	}
	if len(d.Schemas) == 0 {
		return nil, fmt.Errorf("%s: nothing was selected: of %d schemas, %d are outside the size bounds, %d were filtered out and %d are beyond the limit",
			src.Info().Name, counts.Listed, counts.BySize, counts.ByFilter, counts.ByLimit)
	}
	d.Provenance.SHA256 = sumSchemas(d)
	return d, d.noteSkipped(ctx, src)
}

// bySchema puts the documents of each schema together and counts them.
func bySchema(src Source, docs []Document) (list []instances, listed int, err error) {
	place := map[string]int{}
	for _, d := range docs {
		if d.Schema == nil {
			return nil, 0, fmt.Errorf("%s: document %q has no schema but others have one; a corpus is of one kind", src.Info().Name, d.ID)
		}
		at, seen := place[d.Schema.ID]
		if !seen {
			at = len(list)
			place[d.Schema.ID] = at
			list = append(list, instances{schema: d.Schema, bare: true})
		}
		if first := list[at].schema; first != d.Schema {
			return nil, 0, fmt.Errorf("%s: two schemas have the id %q, the first at %s; ids must be unique",
				cmp.Or(d.Schema.Place, src.Info().Name), d.Schema.ID, cmp.Or(first.Place, "an unknown place"))
		}
		if d.Read != nil {
			list[at].docs = append(list[at].docs, d)
			list[at].bare = false
			listed++
		}
	}
	return list, listed, nil
}

// orderSchemas sorts by the schemas' ids, or, for a sample, by a hash of seed and id.
func orderSchemas(list []instances, q Query) {
	slices.SortFunc(list, func(a, b instances) int { return cmp.Compare(a.schema.ID, b.schema.ID) })
	if !q.Sample {
		return
	}
	rank := make(map[string]uint64, len(list))
	for i := range list {
		rank[list[i].schema.ID] = draw(q.Seed, list[i].schema.ID)
	}
	slices.SortStableFunc(list, func(a, b instances) int { return cmp.Compare(rank[a.schema.ID], rank[b.schema.ID]) })
}

// considerSchema takes a schema with its instances, or counts why not.
func (s *selection) considerSchema(ctx context.Context, in *instances) error {
	p := &s.into.Provenance
	switch {
	case !s.sized(int64(len(in.schema.Text))):
		p.Schemas.BySize++
		p.BySize += len(in.docs)
		return nil
	case s.query.Limit > 0 && len(s.into.Schemas) >= s.query.Limit:
		p.Schemas.ByLimit++
		p.ByLimit += len(in.docs)
		return nil
	}
	before, samples := *p, len(s.into.Samples)
	// Within a schema only the negatives are bounded; sizes are checked as for any document.
	one := selection{query: Query{Negatives: s.query.Negatives, Keep: s.query.Keep, Progress: s.query.Progress}, into: s.into, read: s.read}
	for i := range in.docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := one.consider(&in.docs[i]); err != nil {
			return err
		}
	}
	s.read = one.read
	if s.query.KeepSchema != nil && !s.query.KeepSchema(in.schema, s.into.Samples[samples:]) {
		clear(s.into.Samples[samples:])
		s.into.Samples = s.into.Samples[:samples]
		*p = before
		p.ByFilter += len(in.docs)
		p.Schemas.ByFilter++
		return ctx.Err()
	}
	s.into.Schemas = append(s.into.Schemas, in.schema)
	p.Schemas.Chosen++
	p.Schemas.Bytes += int64(len(in.schema.Text))
	if in.bare {
		p.Schemas.Bare++
	}
	return ctx.Err()
}

// sumSchemas is the SHA-256 of a selection of schemas.
func sumSchemas(d *Dataset) string {
	h := sha256.New()
	number := func(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	put := func(b []byte) { number(len(b)); h.Write(b) }
	for schema, of := range d.BySchema() {
		put([]byte(schema.ID))
		put(schema.Text)
		number(len(of))
		for i := range of {
			put([]byte(of[i].ID))
			put(of[i].Content)
			verdict := byte(1)
			if of[i].Negative {
				verdict = 0
			}
			h.Write([]byte{verdict})
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
