package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports"
)

// problemOf finds a problem of a record.
func problemOf(t testing.TB, r *cell.Record, id string) cell.Problem {
	t.Helper()
	for _, p := range r.Problems {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("no problem %s", id)
	return cell.Problem{}
}

func countInstances(schemas []tinySchema) (n int) {
	for _, s := range schemas {
		n += len(s.instances)
	}
	return n
}

// TestSchemaRun: what each cell says about each schema, when all algorithms are right.
func TestSchemaRun(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	sum := w.run(t, w.schemaConfig(t, "naive, trie, trie, {name: psc, options: {compile: lazy}}", "warmup: 1, repeat: 2, compiles: 2", ""))
	if sum.Measured != 4 || sum.Failed != 0 || sum.Outcomes[cell.OK] != 4 {
		t.Fatalf("summary %+v", sum)
	}
	for label, r := range w.records(t) {
		if r.Outcome != cell.OK || len(r.Problems) != len(tinySchemas) || len(r.Samples) != countInstances(tinySchemas) || r.Schemas == nil || *r.Schemas != (cell.SchemaOptions{WhiteSpace: "strict", Order: "declared"}) {
			t.Fatalf("%s: %s, %d problems, %d samples, options %+v", label, r.Outcome, len(r.Problems), len(r.Samples), r.Schemas)
		}
		if r.Grammar != "schema" || r.GrammarNS != nil {
			t.Errorf("%s: grammar %q, %v ns", label, r.Grammar, r.GrammarNS)
		}
		checkSchemaProblems(t, label, r)
		checkSchemaSamples(t, w, label, r)
	}
}

// checkSchemaProblems holds the problems of a right algorithm to the world's schemas.
func checkSchemaProblems(t *testing.T, label string, r *cell.Record) {
	t.Helper()
	want := map[string]struct {
		outcome cell.Outcome
		reason  string
	}{
		"a-number": {cell.OK, ""}, "b-object": {cell.OK, ""}, "g-bare": {cell.OK, ""}, "h-list": {cell.OK, ""}, "i-string": {cell.OK, ""},
		"c-unsupported":   {cell.Unsupported, "minLength: a minimum this large is not counted"},
		"d-contradiction": {cell.CompileError, "contradiction"},
		"e-no-ref":        {cell.CompileError, "unresolvable $ref"},
		"f-no-schema":     {cell.CompileError, "not a schema"},
	}
	for i, p := range r.Problems {
		if p.ID != tinySchemas[i].id || p.Group != p.ID[:1] || p.Bytes != len(tinySchemas[i].text) {
			t.Errorf("%s: problem %d is %s of group %q, %d bytes", label, i, p.ID, p.Group, p.Bytes)
		}
		x := want[p.ID]
		if p.Outcome != x.outcome || p.Reason != x.reason {
			t.Errorf("%s, %s: %s because %q, want %s because %q", label, p.ID, p.Outcome, p.Reason, x.outcome, x.reason)
		}
		ok := p.Outcome == cell.OK
		times := []int{len(p.GrammarNS), len(p.CompileNS), len(p.FirstMaskNS)}
		switch {
		case ok && (!slices.Equal(times, []int{2, 2, 2}) || p.Rules == 0 || p.Terminals == 0 || p.LRStates == 0 || p.Stage != "" || p.Detail != ""):
			t.Errorf("%s, %s: %+v", label, p.ID, p)
		case !ok && (!slices.Equal(times, []int{0, 0, 0}) || p.Stage != cell.StageGrammar || p.Detail == ""):
			t.Errorf("%s, %s: %+v", label, p.ID, p)
		}
	}
}

// checkSchemaSamples holds the samples of a right algorithm to the world's instances.
func checkSchemaSamples(t *testing.T, w *world, label string, r *cell.Record) {
	t.Helper()
	traces := map[int]cell.Trace{}
	for _, tr := range w.traces(t, r) {
		traces[tr.Sample] = tr
	}
	at := 0
	for i, schema := range tinySchemas {
		for n, inst := range schema.instances {
			s := r.Samples[at]
			if s.ID != fmt.Sprintf("%s#%d", schema.id, n) || s.Problem != i || s.Negative == inst.valid || s.Bytes != len(inst.text) || s.Tokens < 2 {
				t.Errorf("%s: sample %d is %+v", label, at, s)
			}
			tr, traced := traces[at]
			at++
			switch order := s.ID == "b-object#1"; {
			case r.Problems[i].Outcome != cell.OK:
				if s.Outcome != r.Problems[i].Outcome || s.Detail != r.Problems[i].Detail || traced || s.Passed() {
					t.Errorf("%s: %s of a schema that does not compile: %+v", label, s.ID, s)
				}
				continue
			case order != s.KeyOrder || order != (s.Outcome == cell.WrongVerdict) || !order && (s.Outcome != cell.OK || !s.Passed()):
				t.Errorf("%s: %s: %+v", label, s.ID, s)
			case label != "naive" && (s.Compared == 0 || s.Reference != "naive"):
				t.Errorf("%s: %s compared with %q at %d positions", label, s.ID, s.Reference, s.Compared)
			}
			if passes := map[bool]int{true: 3, false: 0}[s.Outcome == cell.OK && !s.Negative]; len(tr.Passes) != passes || len(tr.Hashes) == 0 {
				t.Errorf("%s: %s has %d passes, want %d", label, s.ID, len(tr.Passes), passes)
			}
			if clones := len(tr.Clone); clones > 0 != (len(tr.Passes) > 0) || clones > 0 && clones != len(tr.Positions) {
				t.Errorf("%s: %s: %d clones were timed, and %d passes", label, s.ID, clones, len(tr.Passes))
			}
		}
	}
}

// TestSchemaStates: the first instance of each schema meets a fresh engine, the others one that has
// seen other instances; with no warm-up the second visit is timed, too.
func TestSchemaStates(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "trie, psc", "warmup: 0, repeat: 1", ""))
	for label, r := range w.records(t) {
		timed, last := 0, -1
		for _, tr := range w.traces(t, r) {
			s := r.Samples[tr.Sample]
			if s.Negative || s.Outcome != cell.OK {
				continue
			}
			timed++
			want := cell.New
			if s.Problem != last {
				want = cell.Fresh
			}
			last = s.Problem
			if len(tr.Passes) != 2 || tr.Passes[0].State != want || tr.Passes[1].State != cell.Again || len(tr.Passes[0].Mask) != s.Tokens {
				t.Errorf("%s, %s: %+v", label, s.ID, tr.Passes)
			}
		}
		if timed != 6 {
			t.Errorf("%s: %d instances were timed, want 6", label, timed)
		}
	}
}

// TestSchemaOutcomes runs every defective algorithm beside naive: the schema it is
// wrong about has its outcome, the others are as they were.
func TestSchemaOutcomes(t *testing.T) {
	cases := []schemaOutcomeCase{
		{"right", cell.OK, cell.OK, "", "", "", false},
		{"flips-h", cell.WrongMask, cell.OK, "h-list#0", "", "the mask differs from naive's", true},
		{"panics-h", cell.Crash, cell.OK, "h-list#0", "", "panic: out of ideas", true},
		{"panics-compiling-h", cell.Crash, cell.Crash, "h-list#0", "panic: no idea", "panic: no idea", true},
		{"unsupported-h", cell.Unsupported, cell.Unsupported, "h-list#2", `lists such as "..." are beyond it`, "are beyond it", false},
		{"slow-h", cell.Timeout, cell.Timeout, "h-list#1", "beyond the time limit", "not done after 300ms", false},
		{"hangs-h", cell.Timeout, cell.Timeout, "h-list#0", "beyond the time limit", "it did not stop when told to", false},
	}
	for _, c := range seed.Some(t, cases, 2, 1, 1) {
		t.Run(c.algorithm, func(t *testing.T) { inBubble(t, func(t *testing.T) { c.run(t) }) })
	}
}

// schemaOutcomeCase is a case of TestSchemaOutcomes.
type schemaOutcomeCase struct {
	algorithm string
	want      cell.Outcome // of the cell
	problem   cell.Outcome // of h-list
	sample    string       // one that shows it
	reason    string       // of the problem
	detail    string       // a part of the sample's
	failed    bool
}

func (c *schemaOutcomeCase) run(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	sum := w.run(t, w.schemaConfig(t, "naive, "+c.algorithm, "warmup: 0, repeat: 1, timeout: 300ms", ""))
	records := w.records(t)
	r := records[c.algorithm]
	if r.Outcome != c.want || (sum.Failed == 1) != c.failed {
		t.Errorf("the cell is %s, %d failed; want %s, failed %v", r.Outcome, sum.Failed, c.want, c.failed)
	}
	p := problemOf(t, r, "h-list")
	if stage := map[bool]string{true: "", false: cell.StageAlgorithm}[c.problem == cell.OK]; p.Outcome != c.problem || p.Stage != stage || p.Reason != c.reason || len(p.CompileNS) != stats.Truth(c.problem == cell.OK) {
		t.Errorf("h-list: %s in %q because %q, want %s because %q", p.Outcome, p.Stage, p.Reason, c.problem, c.reason)
	}
	for _, s := range r.Samples {
		if s.ID == c.sample && (s.Outcome != c.want || !strings.Contains(s.Detail, c.detail)) {
			t.Errorf("%s: %s, %q; want %s, %q", s.ID, s.Outcome, s.Detail, c.want, c.detail)
		}
		if !strings.HasPrefix(s.ID, "h-") && s.Outcome != sample(t, records["naive"], s.ID).Outcome {
			t.Errorf("%s: %s, %q", s.ID, s.Outcome, s.Detail)
		}
	}
	if records["naive"].Outcome != cell.OK {
		t.Errorf("naive: %s", records["naive"].Outcome)
	}
}

// TestSchemaDifference: a wrong mask about one schema is made small and says which.
func TestSchemaDifference(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	sum := w.run(t, w.schemaConfig(t, "naive, flips-h", "warmup: 0, repeat: 1", ""))
	if len(sum.Differences) != 2 { // of both valid instances of h-list
		t.Fatalf("%d differences", len(sum.Differences))
	}
	for _, d := range sum.Differences {
		if d.Schema != "h-list" || d.Prefix != "[1" || d.Token != idOf('7') || d.Says || !d.ShouldBe || !strings.Contains(d.Text(), "h-list#") {
			t.Errorf("%+v", d)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(w.out, "differences", "*.json")); len(files) != 2 {
		t.Errorf("artefacts %v", files)
	}
}

// TestHangingIsGivenUp: an algorithm that never returns is called a few times and not
// for each schema, since it keeps a processor busy each time.
func TestHangingIsGivenUp(t *testing.T) { inBubble(t, hangingIsGivenUp) }

func hangingIsGivenUp(t *testing.T) {
	hangsCalled.Store(0)
	var many []tinySchema
	for i := range 3 * bounds.MaxAbandoned {
		many = append(many, tinySchema{fmt.Sprintf("n-%02d", i), fmt.Sprintf(`{"const": %d}`, i), []instance{{fmt.Sprint(i), true}}})
	}
	w := newSchemaWorld(t, many)
	w.run(t, w.schemaConfig(t, "naive, hangs-always", "warmup: 0, repeat: 1, timeout: 100ms", ""))
	records := w.records(t)
	for _, p := range records["hangs-always"].Problems {
		if p.Outcome != cell.Timeout {
			t.Errorf("%s: %s", p.ID, p.Outcome)
		}
	}
	if called := hangsCalled.Load(); called != bounds.MaxAbandoned || records["naive"].Outcome != cell.OK {
		t.Errorf("it was called %d times, want %d; naive is %s", called, bounds.MaxAbandoned, records["naive"].Outcome)
	}
}

// TestLabelsThatLie: a valid instance that is refused is counted and no failure, an
// invalid one that is accepted is a failure, but not if the schema was compiled
// leniently.
func TestLabelsThatLie(t *testing.T) {
	refused := []tinySchema{{"a", `{"type": "boolean"}`, []instance{{`3`, true}, {`true`, true}}}}
	accepted := []tinySchema{{"a", `{"type": "boolean"}`, []instance{{`true`, false}}}}
	lenient := []tinySchema{{"a", `{"minLength": 700000000}`, []instance{{`"ab"`, false}, {`1`, true}}}}
	cases := []struct {
		what    string
		schemas []tinySchema
		more    string
		want    cell.Outcome
		failed  int
		sample  cell.Outcome
	}{
		{"refused", refused, "", cell.OK, 0, cell.WrongVerdict},
		{"accepted", accepted, "", cell.WrongVerdict, 1, cell.WrongVerdict},
		{"accepted, lenient about nothing", accepted, ", lenient: true", cell.WrongVerdict, 1, cell.WrongVerdict},
		{"accepted, lenient", lenient, ", lenient: true", cell.OK, 0, cell.WrongVerdict},
		{"not lenient", lenient, "", cell.OK, 0, cell.Unsupported},
	}
	for _, c := range cases {
		w := newSchemaWorld(t, c.schemas)
		cfg := w.schemaConfig(t, "trie", "warmup: 0, repeat: 1", c.more)
		sum := w.run(t, cfg)
		r := w.records(t)["trie"]
		if s := r.Samples[0]; r.Outcome != c.want || sum.Failed != c.failed || s.Outcome != c.sample || s.KeyOrder {
			t.Errorf("%s: the cell is %s, %d failed, the sample %+v", c.what, r.Outcome, sum.Failed, s)
		}
		v := must.Get(verify.Verify(t.Context(), cfg, w.options()))(t)
		if v.Cells[0].Outcome != c.want || v.Failed() != c.failed {
			t.Errorf("%s: verify says %s", c.what, v.Cells[0].Outcome)
		}
	}
}

// TestKeyOrderOption: with keys in any order, nothing is refused for it.
func TestKeyOrderOption(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas[:2])
	w.run(t, w.schemaConfig(t, "trie", "warmup: 0, repeat: 1", ", order: any, whitespace: any"))
	r := w.records(t)["trie"]
	if s := sample(t, r, "b-object#1"); s.Outcome != cell.OK || s.KeyOrder || *r.Schemas != (cell.SchemaOptions{WhiteSpace: "any", Order: "any"}) {
		t.Errorf("%+v with %+v", s, r.Schemas)
	}
}

// TestKeyOrderOfVariants: an object whose variants declare their keys in different orders has no
// one order, and is refused only for it all the same; another mistake beside the order is a
// refusal.
func TestKeyOrderOfVariants(t *testing.T) {
	variants := `{"anyOf": [{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "k": {"const": 1}}, "required": ["a", "b", "k"], "additionalProperties": false},` +
		`{"type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "string"}, "k": {"const": 2}}, "required": ["a", "b", "k"], "additionalProperties": false}]}`
	w := newSchemaWorld(t, []tinySchema{{"variants", variants, []instance{{`{"k":2,"a":"x","b":1}`, true}, {`{"k":3,"a":"x","b":1}`, true}}}})
	w.run(t, w.schemaConfig(t, "trie", "warmup: 0, repeat: 1", ""))
	r := w.records(t)["trie"]
	for i, want := range []bool{true, false} {
		if s := r.Samples[i]; s.Outcome != cell.WrongVerdict || !s.Refused || s.KeyOrder != want {
			t.Errorf("instance %d: %+v, want for its order: %v", i, s, want)
		}
	}
}

// TestSchemaIdentity: what changes the question changes the keys of the cells.
func TestSchemaIdentity(t *testing.T) {
	keyOf := func(schemas []tinySchema, more string) string {
		w := newSchemaWorld(t, schemas)
		w.run(t, w.schemaConfig(t, "trie", "warmup: 0, repeat: 1", more))
		return w.records(t)["trie"].Key
	}
	other := slices.Clone(tinySchemas[:2])
	other[0].text = strings.Replace(other[0].text, "99", "98", 1)
	relabelled := slices.Clone(tinySchemas[:2])
	relabelled[0].instances = []instance{{`7`, true}, {`100`, false}, {`12`, false}}
	bare := append(slices.Clone(tinySchemas[:2]), tinySchema{"z", `{}`, nil})
	seen := map[string]string{}
	for what, key := range map[string]string{
		"as it is": keyOf(tinySchemas[:2], ""), "white space": keyOf(tinySchemas[:2], ", whitespace: any"), "order": keyOf(tinySchemas[:2], ", order: any"),
		"lenient": keyOf(tinySchemas[:2], ", lenient: true"), "another schema": keyOf(other, ""), "another label": keyOf(relabelled, ""), "a bare schema more": keyOf(bare, ""),
	} {
		if first, twice := seen[key]; twice {
			t.Errorf("%s has the key of %s", what, first)
		}
		seen[key] = what
	}
	if keyOf(tinySchemas[:2], ", whitespace: strict, lenient: false, name: other") != keyOf(tinySchemas[:2], "") {
		t.Error("what is said by default, or a name, changes the key")
	}
}

// TestSchemaPositions: the few positions of naive are spread over all instances, the last of each
// and another among them, so that every one gets a verdict and a time.
func TestSchemaPositions(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1, positions: 3", ""))
	for label, r := range w.records(t) {
		for _, tr := range w.traces(t, r) {
			s := r.Samples[tr.Sample]
			if s.Outcome == cell.OK && !s.Negative && (len(tr.Positions) == 0 || int(tr.Positions[len(tr.Positions)-1]) != s.Tokens-1 || s.Tokens > 2 && (len(tr.Positions) < s.Tokens) != (label == "naive")) {
				t.Errorf("%s, %s: positions %v of %d", label, s.ID, tr.Positions, s.Tokens)
			}
			if s.Outcome == cell.OK && !s.Passed() {
				t.Errorf("%s, %s: %+v", label, s.ID, s)
			}
		}
	}
}

// TestBadSchemaFiles: a corpus of files, among them one that is no JSON and one that
// takes too long.
func TestBadSchemaFiles(t *testing.T) {
	w := newWorld(t)
	w.file(t, "corpus/fine.json", `{"type": "integer"}`)
	w.file(t, "corpus/fine.valid.json", `22`)
	w.file(t, "corpus/no.json", `{"type": "integer"`)
	w.file(t, "corpus/no.invalid.json", `"x"`)
	text := `name: test
algorithms: [naive, trie]
tokenizers: [{file: tok.json}]
workloads: [{grammar: schema, dataset: {format: schemas, path: corpus}}]
measure: {warmup: 0, repeat: 1}
`
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
	if sum := w.run(t, cfg); sum.Failed != 0 {
		t.Errorf("%+v", sum)
	}
	for label, r := range w.records(t) {
		if p := problemOf(t, r, "no"); p.Outcome != cell.CompileError || p.Reason != "not JSON" || p.Stage != cell.StageGrammar {
			t.Errorf("%s: %+v", label, p)
		}
		if p := problemOf(t, r, "fine"); p.Outcome != cell.OK || r.Outcome != cell.OK {
			t.Errorf("%s: %+v", label, p)
		}
	}
}

// TestSlowSchema: a schema whose grammar takes too long is a timeout of the grammar,
// for every algorithm.
func TestSlowSchema(t *testing.T) {
	defer func() { prepare.CompileText, prepare.OpenText = jsonschema.Compile, jsonschema.Open }()
	slow := func(compile prepare.SchemaCompiler) prepare.SchemaCompiler {
		return func(ctx context.Context, text []byte, opt jsonschema.Options) (*jsonschema.Result, error) {
			if opt.Name == "z-slow" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return compile(ctx, text, opt)
		}
	}
	prepare.CompileText, prepare.OpenText = slow(jsonschema.Compile), slow(jsonschema.Open)
	inBubble(t, slowSchema)
}

func slowSchema(t *testing.T) {
	w := newSchemaWorld(t, append(slices.Clone(tinySchemas[:1]), tinySchema{"z-slow", `{"type": "string"}`, []instance{{`"a"`, false}}}))
	sum := w.run(t, w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1, timeout: 60ms", ""))
	for label, r := range w.records(t) {
		p := problemOf(t, r, "z-slow")
		if p.Outcome != cell.Timeout || p.Stage != cell.StageGrammar || p.Reason != "beyond the time limit" || len(p.GrammarNS) != 0 {
			t.Errorf("%s: %+v", label, p)
		}
		if p := problemOf(t, r, "a-number"); p.Outcome != cell.OK || r.Outcome != cell.Timeout || sum.Failed != 0 {
			t.Errorf("%s: %s, %+v", label, r.Outcome, p)
		}
	}
}

// TestWrongCorpora: a grammar for a corpus that does not go with it, found when the
// corpus is loaded.
func TestWrongCorpora(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	for workload, want := range map[string]string{
		"{grammar: json, dataset: schema-samples}": "it brings a JSON schema with its documents: it needs grammar: schema",
		"{grammar: schema, dataset: json-samples}": "it has no schemas: grammar: schema needs a corpus of schemas",
	} {
		text := "name: test\nalgorithms: [naive]\ntokenizers: [{file: tok.json}]\nworkloads: [" + workload + "]\n"
		cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
		var input *prepare.InputError
		if _, err := Run(t.Context(), cfg, w.options()); !errors.As(err, &input) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "test.yaml:4:13") {
			t.Errorf("%s: %v", workload, err)
		}
	}
}

// TestSchemaPlan: a plan counts schemas and estimates from a few, or from a result.
func TestSchemaPlan(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.schemaConfig(t, "naive, unsupported, trie", "warmup: 1, repeat: 2", "")
	made := must.Get(plan.MakePlan(t.Context(), cfg, w.options()))(t)
	for _, c := range made.Cells {
		basis := "trial"
		if c.Label == "unsupported" {
			basis = "none: the trial ended with unsupported"
		}
		if c.Schemas != len(tinySchemas) || c.Samples != countInstances(tinySchemas) || c.Tokens != c.Positions || c.Basis != basis || (c.Seconds > 0) != (basis == "trial") || c.Done {
			t.Errorf("%+v", c)
		}
	}
	w.run(t, cfg)
	other := w.schemaConfig(t, "naive, trie", "warmup: 1, repeat: 3", "")
	for what, again := range map[string]*config.Config{"done": cfg, "earlier result": other} {
		plan := must.Get(plan.MakePlan(t.Context(), again, w.options()))(t)
		if c := plan.Cells[0]; c.Basis != what || (c.Seconds > 0) != (what != "done") {
			t.Errorf("%s: %+v", what, c)
		}
	}
}

// TestSchemaReport reads a real result with the reports package.
func TestSchemaReport(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "naive, trie", "warmup: 1, repeat: 2", ""))
	set := must.Get(reports.Load(w.out))(t)
	if len(set.Cells) != 2 || len(set.Warnings) != 0 {
		t.Fatalf("%d cells, warnings %v", len(set.Cells), set.Warnings)
	}
	for _, c := range set.Cells {
		f := c.SchemaFigures
		if f == nil || f.Schemas != 9 || f.Compiled != 5 || f.Right != 4 || f.ValidRefusedKeyOrder != 1 || f.ValidRefused != 0 || f.InvalidAccepted != 0 || f.GrammarNS.N != 5 {
			t.Errorf("%s: %+v", c.Label, f)
		}
	}
}

// TestRealTokenizer: schemas of the embedded corpus on a vocabulary of 50,000 ids.
func TestRealTokenizer(t *testing.T) {
	seed.Usual(t) // takes some seconds
	w := newWorld(t)
	text := `name: test
algorithms: [{name: psc, options: {compile: lazy}}, trie]
tokenizers: [r50k_base]
workloads: [{grammar: schema, dataset: {name: schema-samples, limit: 6}}]
measure: {warmup: 1, repeat: 1, positions: 100}
`
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), prepare.Known()))(t)
	if sum := w.run(t, cfg); sum.Failed != 0 {
		t.Errorf("%+v", sum)
	}
	for label, r := range w.records(t) {
		for _, p := range r.Problems {
			if p.Outcome != cell.OK && p.Stage != cell.StageGrammar {
				t.Errorf("%s, %s: %s, %s", label, p.ID, p.Outcome, p.Detail)
			}
		}
	}
}
