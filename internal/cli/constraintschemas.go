package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/config"
	"gcdbench/harness/constraints"
	"gcdbench/harness/stats"
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
	tokenizer, corpus string
	rows              []*constraints.SchemaRow
}

// schemaRow is the line that --json prints.
type schemaRow struct {
	Tokenizer string `json:"tokenizer"`
	*constraints.SchemaRow
}

// measureSchemas measures every schema of a corpus with one vocabulary.
func (a *app) measureSchemas(ctx context.Context, c *schemaCorpus, tok *tokenizers.Tokenizer, repeat, naive int) (*schemaPart, error) {
	part := &schemaPart{tokenizer: tok.Vocabulary().Name(), corpus: c.name}
	opt := constraints.SchemaOptions{Repeat: repeat, Naive: naive, Kept: jsonschema.NewKept(), Engines: new([5]algorithms.Kept), Timeout: finiteTimeout}
	for i, s := range c.schemas {
		if i%50 == 0 {
			a.note("schema %d of %d with %s", i+1, len(c.schemas), part.tokenizer)
		}
		row, err := constraints.MeasureSchema(ctx, s, c.instances[s], tok, opt)
		if err != nil {
			return nil, err
		}
		part.rows = append(part.rows, row)
		if a.asJSON {
			if err := a.printJSON(schemaRow{part.tokenizer, row}); err != nil {
				return nil, err
			}
		}
	}
	return part, nil
}

// schemaTables is the part of the page about schemas.
func schemaTables(parts []*schemaPart) string {
	var b strings.Builder
	b.WriteString("\n## JSON schemas as regular expressions (section 5.1)\n\nA schema's grammar is written out as one finite automaton over bytes, where no value has a value of its own kind inside: a schema that\n" +
		"leaves a value free, or allows further keys with any value, has none. psc has the same schemas as grammars, with a stack. Masks were compared at\n" +
		"every position of every instance, up to the first token refused, with psc's, and at the positions \"asked of naive\" with naive's: all were equal.\n\n")
	b.WriteString("| corpus | vocabulary | schemas | regular | recursive | too large | no grammar | of the regular: instances | accepted | positions | asked of naive |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range parts {
		count := map[string]int{}
		var instances, accepted, positions, asked int
		for _, r := range p.rows {
			count[r.Outcome]++
			if r.Outcome == constraints.Regular {
				instances, accepted, positions, asked = instances+r.Instances, accepted+r.Accepted, positions+r.Positions, asked+r.Asked
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", p.corpus, p.tokenizer, len(p.rows), count[constraints.Regular],
			count[constraints.Recursive], count[constraints.TooLarge], count[constraints.NotGrammar], instances, accepted, positions, asked)
	}
	b.WriteString("\nOf the regular schemas. Compile: from the grammar to an engine, psc's with its parser's tables; each engine is used for one schema only. Steps are a\n" +
		"commit and a mask; new: the first walk of an instance; again: later ones. The engines take turns. MB: held in the end, as the engine counts.\n\n")
	b.WriteString("| vocabulary | engine | DFA states: p50 | max | compile: p50 | p99 | max | step, new: p50 | p99 | max | step, again: p50 | p99 | max | MB: p50 | max |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range parts {
		b.WriteString(engineRow(p, "automata, finite", func(r *constraints.SchemaRow) *constraints.Times { return &r.Finite }, true))
		b.WriteString(engineRow(p, "psc", func(r *constraints.SchemaRow) *constraints.Times { return &r.Stack }, false))
	}
	return b.String()
}

// engineRow is a line of the second table.
func engineRow(p *schemaPart, name string, of func(*constraints.SchemaRow) *constraints.Times, finite bool) string {
	var states, compile, bytes []float64
	var first, again []uint32
	for _, r := range p.rows {
		if r.Outcome == constraints.Regular {
			t := of(r)
			states, compile, bytes = append(states, float64(r.States)), append(compile, float64(t.CompileNS)), append(bytes, float64(t.Bytes)/1e6)
			first, again = append(first, t.First...), append(again, t.Again...)
		}
	}
	if len(compile) == 0 {
		return fmt.Sprintf("| %s | %s |%s\n", p.tokenizer, name, strings.Repeat(" - |", 13))
	}
	c, f, g, s, m := stats.Summarize(compile), summaryOf(first), summaryOf(again), stats.Summarize(states), stats.Summarize(bytes)
	size := "- | -"
	if finite {
		size = fmt.Sprintf("%.0f | %.0f", s.P50, s.Max)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.1f | %.1f |\n", p.tokenizer, name, size, inTime(c.P50), inTimeOr(c.P99), inTime(c.Max),
		inTime(f.P50), inTimeOr(f.P99), inTime(f.Max), inTime(g.P50), inTimeOr(g.P99), inTime(g.Max), m.P50, m.Max)
}
