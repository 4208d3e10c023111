package cli

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/datasets"
)

// schema check --corpus: every schema of a corpus with its instances.

// schemaResult is the JSON of one schema of a corpus, before its instances.
type schemaResult struct {
	Schema  string         `json:"schema"`
	Group   string         `json:"group,omitempty"`
	Outcome string         `json:"outcome"` // as that of schema compile
	Failure *schemaFailure `json:"failure,omitempty"`
	// Right is whether it compiled and every instance got the label's verdict; the order of keys counts against it.
	Right     bool `json:"right"`
	Instances int  `json:"instances"`
}

// corpusTotals is the JSON of the last line.
type corpusTotals struct {
	Schemas  int            `json:"schemas"`
	Compiled int            `json:"compiled"`
	Right    int            `json:"right"` // compiled, and every instance right; of those with instances
	Tested   int            `json:"with_instances"`
	Outcomes map[string]int `json:"outcomes"`
	checkTotals
}

// schemaSource is a schema corpus by name, or by path and format.
func schemaSource(corpus, format string) (datasets.Source, error) {
	if slices.Contains(datasets.Names(), corpus) {
		return datasets.Lookup(corpus)
	}
	return datasets.Open(format, corpus, "")
}

func (a *app) checkCorpus(ctx context.Context, f *checkFlags) error {
	src, err := schemaSource(f.corpus, f.format)
	if err != nil {
		return err
	}
	q := datasets.Query{Negatives: -1, Limit: f.limit}
	if len(f.ids) > 0 {
		q.Limit = 0
	}
	data, err := datasets.Load(ctx, src, q)
	if err != nil {
		return err
	}
	if len(data.Schemas) == 0 {
		return fmt.Errorf("%s is not a schema corpus: its documents bring no schema", f.corpus)
	}
	samples := map[*datasets.Schema][]datasets.Sample{}
	for _, s := range data.Samples {
		samples[s.Schema] = append(samples[s.Schema], s)
	}
	totals := &corpusTotals{Outcomes: map[string]int{}, checkTotals: checkTotals{ValidRefused: map[string]int{}}}
	for _, schema := range data.Schemas {
		if len(f.ids) > 0 && !slices.Contains(f.ids, schema.ID) {
			continue
		}
		if err := a.checkSchema(ctx, schema, samples[schema], f, totals); err != nil {
			return err
		}
	}
	if totals.Schemas == 0 {
		return fmt.Errorf("%s has no schema with the id %q", f.corpus, f.ids)
	}
	a.failed = totals.Wrong > 0
	if a.asJSON {
		return a.printJSON(totals)
	}
	fmt.Fprintf(a.out, "%d of %d schemas compiled", totals.Compiled, totals.Schemas)
	for _, o := range []string{schemaUnsupported, schemaContradictory, schemaTimedOut, schemaInvalid} {
		if n := totals.Outcomes[o]; n > 0 {
			fmt.Fprintf(a.out, ", %d %s", n, o)
		}
	}
	fmt.Fprintf(a.out, "; %d of the %d with instances are right\n%s\n", totals.Right, totals.Tested, totals.checkTotals.String())
	return nil
}

// checkSchema checks one schema's instances and adds to the totals.
func (a *app) checkSchema(ctx context.Context, schema *datasets.Schema, samples []datasets.Sample, f *checkFlags, totals *corpusTotals) error {
	options, err := f.options(schema.ID)
	if err != nil {
		return err
	}
	head := &schemaResult{Schema: schema.ID, Group: schema.Group, Outcome: schemaOK, Instances: len(samples)}
	var results []*instanceResult
	c, err := newInstanceChecker(ctx, schema.Text, options, f.timeout)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		head.Failure = schemaFailureOf(schema.ID, err)
		head.Outcome = head.Failure.outcome()
	default:
		if results, err = c.checkAll(samples); err != nil {
			return err
		}
		head.Right = !slices.ContainsFunc(results, func(r *instanceResult) bool { return !r.right() })
	}
	totals.addSchema(head)
	for _, r := range results {
		totals.add(r)
	}
	return a.printSchemaResults(head, results, f.verbose)
}

// checkAll checks the instances of a schema of a corpus.
func (c *instanceChecker) checkAll(samples []datasets.Sample) ([]*instanceResult, error) {
	var results []*instanceResult
	for i := range samples {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		valid := !samples[i].Negative
		r, err := c.check(samples[i].ID, samples[i].Content, &valid)
		if err != nil {
			return nil, err
		}
		r.Schema = samples[i].Schema.ID
		results = append(results, r)
	}
	return results, nil
}

func (t *corpusTotals) addSchema(r *schemaResult) {
	t.Schemas++
	t.Outcomes[r.Outcome]++
	if r.Outcome == schemaOK {
		t.Compiled++
	}
	if r.Instances > 0 {
		t.Tested++
		if r.Right {
			t.Right++
		}
	}
}

// printSchemaResults prints a schema and its instances; in words only what is wrong, unless all is set.
func (a *app) printSchemaResults(head *schemaResult, results []*instanceResult, all bool) error {
	switch {
	case a.asJSON:
		if err := a.printJSON(head); err != nil {
			return err
		}
	case head.Failure != nil:
		fmt.Fprintln(a.out, head.Failure)
	}
	for _, r := range results {
		if err := a.printInstance(r, all); err != nil {
			return err
		}
	}
	return nil
}
