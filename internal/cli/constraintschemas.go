package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/config"
	"gcdbench/harness/constraints"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/tokenizers"
)

// The part of 'gcdbench constraints' about JSON schemas.

const (
	embeddedSchemas = "schema-samples"
	finiteTimeout   = 10 * time.Second // of a schema's grammar and its engines
)

// schemaCorpus is what --corpus and --limit choose.
type schemaCorpus struct {
	name      string
	schemas   []*datasets.Schema
	instances map[*datasets.Schema][][]byte
}

// openSchemaCorpus reads the schemas with all their instances: schema=FILE, or without a flag the
// embedded ones.
func openSchemaCorpus(ctx context.Context, flag string, limit int) (*schemaCorpus, error) {
	if limit < 0 {
		return nil, fmt.Errorf("--limit %d: expected how many schemas, or 0 for all", limit)
	}
	c, err := corpusFlag{name: embeddedSchemas}, error(nil)
	if flag != "" {
		if c, err = parseCorpus(flag); err != nil {
			return nil, err
		}
		if c.grammar != config.GrammarSchema {
			return nil, fmt.Errorf("--corpus %s: only schemas are turned into regular expressions here: expected schema=FILE", flag)
		}
	}
	src, err := c.schemas()
	if err != nil {
		return nil, err
	}
	data, err := datasets.Load(ctx, src, datasets.Query{Negatives: -1, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := &schemaCorpus{cmp.Or(c.name, filepath.Base(c.path)), data.Schemas, map[*datasets.Schema][][]byte{}}
	for _, s := range data.Samples {
		out.instances[s.Schema] = append(out.instances[s.Schema], s.Content)
	}
	return out, nil
}

// A schemaPart is the schemas of one vocabulary.
type schemaPart struct {
	Tokenizer, Corpus string
	Rows              []*constraints.SchemaRow
}

// Count counts the schemas of an outcome.
func (p *schemaPart) Count(outcome string) (n int) {
	for _, r := range p.Rows {
		n += stats.Truth(r.Outcome == outcome)
	}
	return n
}

// values are the figures that the regular schemas have at a path of their JSON.
func (p *schemaPart) values(path string) (values []float64) {
	for _, r := range p.Rows {
		switch v := document.Field(r, path); {
		case r.Outcome != constraints.Regular:
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				values = append(values, float64(v.Index(i).Uint()))
			}
		default:
			values = append(values, document.NumberIn(v))
		}
	}
	return values
}

// Of summarizes a figure of the regular schemas.
func (p *schemaPart) Of(path string) stats.Summary { return stats.Summarize(p.values(path)) }

// Sum adds a count up over the regular schemas.
func (p *schemaPart) Sum(path string) (sum int) {
	for _, v := range p.values(path) {
		sum += int(v)
	}
	return sum
}

// schemaRow is the line that --json prints.
type schemaRow struct {
	Tokenizer string `json:"tokenizer"`
	*constraints.SchemaRow
}

// measureSchemas measures every schema of a corpus with one vocabulary.
func (a *app) measureSchemas(ctx context.Context, c *schemaCorpus, tok *tokenizers.Tokenizer, repeat, naive int) (*schemaPart, error) {
	part := &schemaPart{Tokenizer: tok.Vocabulary().Name(), Corpus: c.name}
	opt := constraints.SchemaOptions{Repeat: repeat, Naive: naive, Kept: jsonschema.NewKept(), Engines: new([5]algorithms.Kept), Timeout: finiteTimeout}
	for i, s := range c.schemas {
		if i%50 == 0 {
			a.note("schema %d of %d with %s", i+1, len(c.schemas), part.Tokenizer)
		}
		row, err := constraints.MeasureSchema(ctx, s, c.instances[s], tok, opt)
		if err != nil {
			return nil, err
		}
		part.Rows = append(part.Rows, row)
		if a.asJSON {
			if err := a.printJSON(schemaRow{part.Tokenizer, row}); err != nil {
				return nil, err
			}
		}
	}
	return part, nil
}
