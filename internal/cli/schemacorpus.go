package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/words"
)

// schema check --corpus: every schema of a corpus with its instances, without algorithms and
// vocabulary. An instance that the grammar refuses is refused by every engine, so this explains why
// a schema in a report is not right, and finds doubtful labels of a corpus.

// schemaResult is the JSON of one schema of a corpus, before its instances.
type schemaResult struct {
	Schema  string         `json:"schema"`
	Group   string         `json:"group,omitempty"`
	Place   string         `json:"place,omitempty"` // where its text begins, file:line:column
	Outcome string         `json:"outcome"`         // as that of schema compile
	Failure *schemaFailure `json:"failure,omitempty"`
	// Right is whether it compiled and every instance got the label's verdict; the order of keys
	// counts against it.
	Right     bool `json:"right"`
	Instances int  `json:"instances"` // also of a schema that did not compile, of which none is checked
}

// corpusTotals is the JSON of the last line.
type corpusTotals struct {
	Schemas  int            `json:"schemas"` // chosen by --id and --limit
	Compiled int            `json:"compiled"`
	Right    int            `json:"right"` // compiled, and every instance right; of those with instances
	Tested   int            `json:"with_instances"`
	Outcomes map[string]int `json:"outcomes"`
	checkTotals
}

// source is the schema corpus, by name, or by path and format.
func (f *checkFlags) source() (datasets.Source, error) {
	switch {
	case f.limit < 0:
		return nil, fmt.Errorf("--limit %d: expected how many schemas, or 0 for all", f.limit)
	case slices.Contains(datasets.Names(), f.corpus) && f.given("format"):
		return nil, fmt.Errorf("--format goes with a path; %s is a corpus that has a name", f.corpus)
	case slices.Contains(datasets.Names(), f.corpus):
		return datasets.Lookup(f.corpus)
	}
	if _, err := os.Stat(f.corpus); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file or directory, and no corpus has that name; see 'gcdbench list datasets'", f.corpus)
	}
	return datasets.Open(f.format, f.corpus, "")
}

// checkCorpus checks the schemas of a corpus one after the other and prints each when it is done.
// The whole corpus is read before, so that a bad line is an error before any result.
func (a *app) checkCorpus(ctx context.Context, f *checkFlags) error {
	src, err := f.source()
	if err != nil {
		return err
	}
	q := datasets.Query{Negatives: -1, Limit: f.limit}
	if len(f.ids) > 0 { // a limit would count schemas that are not asked for
		q.Limit = 0
	}
	data, err := datasets.Load(ctx, src, q)
	if err != nil {
		return err
	}
	for _, note := range data.Provenance.Notes() {
		a.note("%s", note)
	}
	if len(data.Schemas) == 0 {
		return fmt.Errorf("%s is not a schema corpus: its documents bring no schema, as those of schema-samples do", f.corpus)
	}
	for _, id := range f.ids {
		if !slices.ContainsFunc(data.Schemas, func(s *datasets.Schema) bool { return s.ID == id }) {
			return fmt.Errorf("%s has no schema with the id %q; its first is %q", f.corpus, id, data.Schemas[0].ID)
		}
	}
	samples := map[*datasets.Schema][]datasets.Sample{}
	for _, s := range data.Samples {
		samples[s.Schema] = append(samples[s.Schema], s)
	}
	f.kept = jsonschema.NewKept()
	totals := &corpusTotals{Outcomes: map[string]int{}, checkTotals: checkTotals{ValidRefused: map[string]int{}}}
	for _, schema := range data.Schemas {
		if len(f.ids) > 0 && !slices.Contains(f.ids, schema.ID) {
			continue
		}
		if err := a.checkSchema(ctx, schema, samples[schema], f, totals); err != nil {
			return err
		}
	}
	a.failed = totals.Wrong > 0 || totals.Schemas > 0 && totals.Compiled == 0
	if a.asJSON {
		return a.printJSON(totals)
	}
	fmt.Fprintf(a.out, "%d of %s compiled", totals.Compiled, words.Count(totals.Schemas, "schema"))
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
	head := &schemaResult{Schema: schema.ID, Group: schema.Group, Place: schema.Place, Outcome: schemaOK, Instances: len(samples)}
	var results []*instanceResult
	c, err := newInstanceChecker(ctx, schema.Text, options, f.timeout)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		head.Failure = corpusFailure(schema, err)
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

// corpusFailure is the reason why a schema of a corpus has no grammar. A schema in a file of its
// own is named by the file, any other by its id and the place where it begins; a line and column
// inside such a schema, which may have been laid out anew, would not help.
func corpusFailure(schema *datasets.Schema, err error) *schemaFailure {
	if file, is := strings.CutSuffix(schema.Place, ":1:1"); is {
		return schemaFailureOf(file, schema.Text, err)
	}
	name := schema.ID
	if schema.Place != "" {
		name += " (" + schema.Place + ")"
	}
	f := schemaFailureOf(name, schema.Text, err)
	if f.Kind != failSyntax {
		f.Line, f.Column = 0, 0
	}
	return f
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

// addSchema counts a schema, but not its instances.
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

// printSchemaResults prints a schema and its instances; in words only wrong ones, unless all is
// set.
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
