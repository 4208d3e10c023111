package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/reports"
)

// The world of these tests: schemas of a line each, the tokenizer of some 270 ids, and
// algorithms that are wrong about one schema. A name says what is with the schema.

// instance is a test of a schema: its text, and whether it is labelled valid.
type instance struct {
	text  string
	valid bool
}

// tinySchema is a line of a MaskBench file.
type tinySchema struct {
	id, text  string
	instances []instance
}

var tinySchemas = []tinySchema{
	{"a-number", `{"type": "integer", "minimum": 0, "maximum": 99}`, []instance{{`7`, true}, {`100`, false}, {`12`, true}}},
	{"b-object", `{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}, "additionalProperties": false}`,
		[]instance{{`{"a": 1, "b": true}`, true}, {`{"b": true, "a": 22}`, true}, {`{"c": 1}`, false}}},
	{"c-unsupported", `{"type": "array", "uniqueItems": true}`, []instance{{`[1, 22]`, true}, {`[1, 1]`, false}}},
	{"d-contradiction", `{"type": "integer", "minimum": 3, "maximum": 2}`, []instance{{`3`, false}}},
	{"e-no-ref", `{"$ref": "#/nowhere"}`, []instance{{`1`, true}}},
	{"f-no-schema", `{"type": "strin"}`, []instance{{`"x"`, true}}},
	{"g-bare", `{"enum": ["x", "yy"]}`, nil},
	{"h-list", `{"type": "array", "items": {"type": "integer"}, "maxItems": 3}`, []instance{{`[1, 22]`, true}, {`["x"]`, false}, {`[1, 22, 333]`, true}}},
	{"i-string", `{"type": "string", "maxLength": 4}`, []instance{{`"abcd"`, true}, {`"abcde"`, false}}},
}

const bareSchemas = 1 // of tinySchemas, those without instances

// newSchemaWorld is a world whose corpus is of schemas.
func newSchemaWorld(t testing.TB, schemas []tinySchema) *world {
	t.Helper()
	w := newWorld(t)
	var lines strings.Builder
	for _, s := range schemas {
		type test struct {
			Valid bool            `json:"valid"`
			Data  json.RawMessage `json:"data"`
		}
		tests := []string{}
		for _, i := range s.instances { // by hand, since encoding/json would lay the instance out anew
			tests = append(tests, fmt.Sprintf(`{"valid": %v, "data": %s}`, i.valid, i.text))
		}
		fmt.Fprintf(&lines, "{\"id\": %q, \"group\": %q, \"schema\": %s, \"tests\": [%s]}\n", s.id, s.id[:1], s.text, strings.Join(tests, ", "))
	}
	w.file(t, "schemas.jsonl", lines.String())
	return w
}

// schemaConfig is a configuration for the schemas of a world. more are keys of the
// workload.
func (w *world) schemaConfig(t testing.TB, algorithms, measure, more string) *config.Config {
	t.Helper()
	text := fmt.Sprintf(`name: test
seed: 3
algorithms: [%s]
tokenizers: [{file: tok.json}]
workloads: [{grammar: schema, dataset: {format: maskbench, path: schemas.jsonl}%s}]
measure: {%s}
`, algorithms, more, measure)
	cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// on runs a defect on one schema only.
func on(schema string, w *wrong) *wrong {
	one := *w
	one.compileOf = func(ctx context.Context, name string) error {
		if name != schema || w.compile == nil {
			return nil
		}
		return w.compile(ctx)
	}
	one.compile = nil
	if w.mask != nil {
		one.mask = func(s *wrongState) {
			if s.engine.problem.Grammar.Name == schema {
				w.mask(s)
			}
		}
	}
	if w.change != nil {
		one.change = func(s *wrongState, m algorithms.Mask) algorithms.Mask {
			if s.engine.problem.Grammar.Name == schema {
				return w.change(s, m)
			}
			return m
		}
	}
	return &one
}

// schemaZoo are the defects of the zoo, and some more, on one schema.
var schemaZoo = []*wrong{
	on("h-list", &wrong{name: "flips-h", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		if s.text == "[1" {
			return flip(m, idOf('7'))
		}
		return m
	}}),
	on("h-list", &wrong{name: "panics-h", mask: func(s *wrongState) {
		if strings.Contains(s.text, "22") {
			panic("out of ideas")
		}
	}}),
	on("h-list", &wrong{name: "panics-compiling-h", compile: func(context.Context) error { panic("no idea") }}),
	on("h-list", &wrong{name: "unsupported-h", compile: func(context.Context) error {
		return &algorithms.UnsupportedError{Algorithm: "unsupported-h", Reason: `lists such as "h" are beyond it`}
	}}),
	on("h-list", &wrong{name: "slow-h", compile: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}),
	on("h-list", &wrong{name: "hangs-h", mask: func(*wrongState) { <-never }}),
	{name: "hangs-always", mask: func(*wrongState) { <-never }},
	on("i-string", &wrong{name: "overflows-i", mask: func(s *wrongState) {
		if s.text == `"ab` {
			debug.SetMaxStack(1 << 20)
			overflow(1)
		}
	}}),
}

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
		if r.Grammar != "schema" || r.GrammarNS != 0 || r.FirstCompileNS <= 0 {
			t.Errorf("%s: grammar %q, %d ns, first compile %d ns", label, r.Grammar, r.GrammarNS, r.FirstCompileNS)
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
		"c-unsupported":   {cell.Unsupported, "uniqueItems: items with any of unboundedly many values cannot be told apart by a grammar; give th..."},
		"d-contradiction": {cell.CompileError, "contradiction"},
		"e-no-ref":        {cell.CompileError, "unresolvable $ref"},
		"f-no-schema":     {cell.CompileError, "not a schema"},
	}
	for i, p := range r.Problems {
		if p.ID != tinySchemas[i].id || p.Group != p.ID[:1] || p.Bytes != len(tinySchemas[i].text) {
			t.Errorf("%s: problem %d is %s of group %q, %d bytes", label, i, p.ID, p.Group, p.Bytes)
		}
		x := want[p.ID]
		reason, _, _ := strings.Cut(x.reason, "; give th...")
		if p.Outcome != x.outcome || !strings.HasPrefix(p.Reason, reason) || (p.Reason == "") != (x.reason == "") {
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
			if len(tr.Clone) > 0 {
				t.Errorf("%s: %s: clones were timed in the first pass", label, s.ID)
			}
		}
	}
}

// TestSchemaColdPass: with no warm-up the first pass is there, and is the only one.
func TestSchemaColdPass(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "trie, psc", "warmup: 0, repeat: 1", ""))
	for label, r := range w.records(t) {
		timed := 0
		for _, tr := range w.traces(t, r) {
			s := r.Samples[tr.Sample]
			if s.Negative || s.Outcome != cell.OK {
				continue
			}
			timed++
			if len(tr.Passes) != 1 || tr.Passes[0].Warmup || tr.Passes[0].Lanes != 1 || len(tr.Passes[0].Mask) != s.Tokens {
				t.Errorf("%s, %s: %+v", label, s.ID, tr.Passes)
			}
		}
		if timed != 6 {
			t.Errorf("%s: %d instances were timed, want 6", label, timed)
		}
	}
	// With two warm-ups the second one is for the clones.
	w.out += "2"
	w.run(t, w.schemaConfig(t, "trie", "warmup: 2, repeat: 1", ""))
	r := w.records(t)["trie"]
	for _, tr := range w.traces(t, r) {
		if s := r.Samples[tr.Sample]; len(tr.Passes) > 0 && len(tr.Clone) != s.Tokens {
			t.Errorf("%s: %d clones were timed", s.ID, len(tr.Clone))
		}
	}
}

// TestSchemaOutcomes runs every defective algorithm beside naive: the schema it is
// wrong about has its outcome, the others are as they were.
func TestSchemaOutcomes(t *testing.T) {
	cases := []struct {
		algorithm string
		want      cell.Outcome // of the cell
		problem   cell.Outcome // of h-list
		sample    string       // one that shows it
		reason    string       // of the problem
		detail    string       // a part of the sample's
		failed    bool
	}{
		{"right", cell.OK, cell.OK, "", "", "", false},
		{"flips-h", cell.WrongMask, cell.OK, "h-list#0", "", "the mask is not that of naive", true},
		{"panics-h", cell.Crash, cell.OK, "h-list#0", "", "panic: out of ideas", true},
		{"panics-compiling-h", cell.Crash, cell.Crash, "h-list#0", "panic: no idea", "panic: no idea", true},
		{"unsupported-h", cell.Unsupported, cell.Unsupported, "h-list#2", `lists such as "..." are beyond it`, "are beyond it", false},
		{"slow-h", cell.Timeout, cell.Timeout, "h-list#1", "beyond the time limit", "not done after 300ms", false},
		{"hangs-h", cell.Timeout, cell.Timeout, "h-list#0", "beyond the time limit", "it did not stop when told to", false},
	}
	for _, c := range cases {
		t.Run(c.algorithm, func(t *testing.T) {
			w := newSchemaWorld(t, tinySchemas)
			sum := w.run(t, w.schemaConfig(t, "naive, "+c.algorithm, "warmup: 0, repeat: 1, timeout: 300ms", ""))
			records := w.records(t)
			r := records[c.algorithm]
			if r.Outcome != c.want || (sum.Failed == 1) != c.failed {
				t.Errorf("the cell is %s, %d failed; want %s, failed %v", r.Outcome, sum.Failed, c.want, c.failed)
			}
			p := problemOf(t, r, "h-list")
			if stage := map[bool]string{true: "", false: cell.StageAlgorithm}[c.problem == cell.OK]; p.Outcome != c.problem || p.Stage != stage || p.Reason != c.reason || len(p.CompileNS) != boolToInt(c.problem == cell.OK) {
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
		})
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
func TestHangingIsGivenUp(t *testing.T) {
	var many []tinySchema
	for i := range 3 * maxAbandoned {
		many = append(many, tinySchema{fmt.Sprintf("n-%02d", i), fmt.Sprintf(`{"const": %d}`, i), []instance{{fmt.Sprint(i), true}}})
	}
	w := newSchemaWorld(t, many)
	w.run(t, w.schemaConfig(t, "naive, hangs-always", "warmup: 0, repeat: 1, timeout: 100ms", ""))
	records := w.records(t)
	called := 0
	for _, p := range records["hangs-always"].Problems {
		if p.Outcome != cell.Timeout {
			t.Errorf("%s: %s", p.ID, p.Outcome)
		}
		called += boolToInt(p.Reason == "beyond the time limit")
	}
	// One of its calls was the schema that allows everything.
	if called != maxAbandoned-1 || records["naive"].Outcome != cell.OK {
		t.Errorf("it was called for %d schemas, want %d; naive is %s", called, maxAbandoned-1, records["naive"].Outcome)
	}
}

// TestLabelsThatLie: a valid instance that is refused is counted and no failure, an
// invalid one that is accepted is a failure, but not if the schema was compiled
// leniently.
func TestLabelsThatLie(t *testing.T) {
	refused := []tinySchema{{"a", `{"type": "boolean"}`, []instance{{`3`, true}, {`true`, true}}}}
	accepted := []tinySchema{{"a", `{"type": "boolean"}`, []instance{{`true`, false}}}}
	lenient := []tinySchema{{"a", `{"type": "array", "uniqueItems": true}`, []instance{{`[1, 1]`, false}, {`[1]`, true}}}}
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
		v, err := Verify(t.Context(), cfg, w.options())
		if err != nil {
			t.Fatal(err)
		}
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

// TestSchemaPositions: few positions are spread over all instances, the last of each
// among them, so that every one gets a verdict.
func TestSchemaPositions(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1, positions: 3", ""))
	r := w.records(t)["trie"]
	for _, tr := range w.traces(t, r) {
		s := r.Samples[tr.Sample]
		if s.Outcome == cell.OK && !s.Negative && (len(tr.Positions) == 0 || int(tr.Positions[len(tr.Positions)-1]) != s.Tokens-1 || len(tr.Positions) >= s.Tokens) {
			t.Errorf("%s: positions %v of %d", s.ID, tr.Positions, s.Tokens)
		}
		if s.Outcome == cell.OK && !s.Passed() {
			t.Errorf("%s: %+v", s.ID, s)
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
	cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{})
	if err != nil {
		t.Fatal(err)
	}
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
	slow := slices.Clone(tinySchemas[:1])
	// A product of counted patterns: minutes of work, if nobody stopped it.
	slow = append(slow, tinySchema{"z-slow", `{"type": "string", "pattern": "(a|b)*a(a|b){17}$", "not": {"pattern": "(a|c)*b(a|c|b){16}$"}}`, []instance{{`"a"`, false}}})
	w := newSchemaWorld(t, slow)
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
		cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{})
		if err != nil {
			t.Fatal(err)
		}
		var input *InputError
		if _, err := Run(t.Context(), cfg, w.options()); !errors.As(err, &input) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "test.yaml:4:13") {
			t.Errorf("%s: %v", workload, err)
		}
	}
}

// TestSchemaPlan: a plan counts schemas and estimates from a few, or from a result.
func TestSchemaPlan(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.schemaConfig(t, "naive, unsupported, trie", "warmup: 1, repeat: 2", "")
	plan, err := MakePlan(t.Context(), cfg, w.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Cells {
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
		plan, err := MakePlan(t.Context(), again, w.options())
		if err != nil {
			t.Fatal(err)
		}
		if c := plan.Cells[0]; c.Basis != what || (c.Seconds > 0) != (what != "done") {
			t.Errorf("%s: %+v", what, c)
		}
	}
}

// TestSchemaReport reads a real result with the reports package.
func TestSchemaReport(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.run(t, w.schemaConfig(t, "naive, trie", "warmup: 1, repeat: 2", ""))
	set, err := reports.Load(w.out)
	if err != nil {
		t.Fatal(err)
	}
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

// TestClass: what is particular to a schema is not in a reason.
func TestClass(t *testing.T) {
	long := strings.Repeat("x", 300)
	for message, want := range map[string]string{
		`no more than 5 items`:                        `no more than 5 items`,
		`the pattern "a\"b" is no regular expression`: `the pattern "..." is no regular expression`,
		"panic: no idea\ngoroutine 7":                 "panic: no idea",
		"terminal `x` and \"y\" are equal":            `terminal "..." and "..." are equal`,
		long:                                          long[:100] + "...",
		"":                                            "",
		`an open "quote`:                              `an open "quote`,
	} {
		if got := class(message); got != want {
			t.Errorf("%q is of the class %q, want %q", message, got, want)
		}
	}
}

// TestCellOutcomes: what counts for a cell, of one grammar and of schemas.
func TestCellOutcomes(t *testing.T) {
	fine := cell.Problem{Outcome: cell.OK}
	approximated := cell.Problem{Outcome: cell.OK, Approximated: 1}
	strict, lenient := &cell.SchemaOptions{}, &cell.SchemaOptions{Lenient: true}
	bad := func(o cell.Outcome, stage string) cell.Problem { return cell.Problem{Outcome: o, Stage: stage} }
	cases := []struct {
		what    string
		schemas *cell.SchemaOptions
		problem cell.Problem
		sample  cell.Sample
		want    cell.Outcome
	}{
		{"fine", strict, fine, cell.Sample{Outcome: cell.OK}, cell.OK},
		{"valid refused", strict, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.OK},
		{"valid refused, one grammar", nil, fine, cell.Sample{Outcome: cell.WrongVerdict}, cell.WrongVerdict},
		{"invalid accepted", strict, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"invalid accepted, lenient", lenient, approximated, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.OK},
		{"invalid accepted, lenient for nothing", lenient, fine, cell.Sample{Outcome: cell.WrongVerdict, Negative: true}, cell.WrongVerdict},
		{"wrong mask", lenient, approximated, cell.Sample{Outcome: cell.WrongMask}, cell.WrongMask},
		{"crash on a sample", strict, fine, cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"grammar unsupported", strict, bad(cell.Unsupported, cell.StageGrammar), cell.Sample{Outcome: cell.Unsupported}, cell.OK},
		{"grammar wrong", strict, bad(cell.CompileError, cell.StageGrammar), cell.Sample{Outcome: cell.CompileError}, cell.OK},
		{"grammar wrong, one grammar", nil, bad(cell.CompileError, ""), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
		{"grammar too slow", strict, bad(cell.Timeout, cell.StageGrammar), cell.Sample{Outcome: cell.Timeout}, cell.Timeout},
		{"grammar crashes", strict, bad(cell.Crash, cell.StageGrammar), cell.Sample{Outcome: cell.Crash}, cell.Crash},
		{"algorithm unsupported", strict, bad(cell.Unsupported, cell.StageAlgorithm), cell.Sample{Outcome: cell.Unsupported}, cell.Unsupported},
		{"algorithm wrong", strict, bad(cell.CompileError, cell.StageAlgorithm), cell.Sample{Outcome: cell.CompileError}, cell.CompileError},
	}
	for _, c := range cases {
		o := outcomes{schemas: c.schemas}
		o.problem(&c.problem)
		o.sample(&c.sample, &c.problem)
		if o.result() != c.want {
			t.Errorf("%s: %s, want %s", c.what, o.result(), c.want)
		}
	}
}

// TestWeighs: of few schemas every engine is weighed, of many about as many.
func TestWeighs(t *testing.T) {
	for n, want := range map[int]int{1: 1, 5: 5, weighed: weighed, weighed + 1: 17, 1500: 32, 10000: 32} {
		g := &prepared{units: make([]*unit, n)}
		got := 0
		for i := range n {
			got += boolToInt(g.weighs(&unit{index: i}))
		}
		if got != want {
			t.Errorf("of %d units %d are weighed, want %d", n, got, want)
		}
	}
}

// keeper allocates and keeps memory in every engine, and counts the engines alive.
type keeper struct {
	*wrong
	bytes       int
	alive, most atomic.Int64
}

type keptEngine struct {
	algorithms.Engine
	memory []byte
}

func (k *keeper) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := k.wrong.Compile(ctx, p, o)
	kept := &keptEngine{e, make([]byte, k.bytes)}
	for i := 0; i < k.bytes; i += 4096 {
		kept.memory[i] = 1
	}
	k.most.Store(max(k.most.Load(), k.alive.Add(1)))
	runtime.AddCleanup(kept, func(k *keeper) { k.alive.Add(-1) }, k)
	return kept, err
}

// TestSchemaMemory: engines of 4 MiB for 150 schemas, three at a time, stay below a
// limit that a fifth of them would exceed.
func TestSchemaMemory(t *testing.T) {
	var many []tinySchema
	for i := range 150 {
		many = append(many, tinySchema{fmt.Sprintf("n-%03d", i), fmt.Sprintf(`{"enum": [%d, "x%d"]}`, i, i), []instance{{fmt.Sprint(i), true}, {`"y"`, false}}})
	}
	w := newSchemaWorld(t, many)
	k := &keeper{wrong: &wrong{name: "keeps"}, bytes: 4 << 20}
	opt := w.options()
	opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
		if name == "keeps" {
			return k, nil
		}
		return lookupZoo(name)
	}
	runtime.GC() // what other tests left is not counted
	cfg := w.schemaConfig(t, "naive, keeps, keeps", fmt.Sprintf("warmup: 0, repeat: 1, memory: %dMiB", 192+heap()>>20), "")
	sum, err := Run(t.Context(), cfg, opt)
	if err != nil || sum.Outcomes[cell.OK] != 3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	weighed := 0
	for _, p := range w.records(t)["keeps"].Problems {
		if p.Unweighed != (p.EngineBytes == 0) || !p.Unweighed && (p.EngineBytes < 4<<20 || p.EngineBytes > 6<<20) || p.CompilePeakBytes < 4<<20 {
			t.Errorf("%s: engine of %d bytes, peak %d, unweighed %v", p.ID, p.EngineBytes, p.CompilePeakBytes, p.Unweighed)
		}
		weighed += boolToInt(!p.Unweighed)
	}
	if weighed < 25 || weighed > 40 {
		t.Errorf("%d of %d engines were weighed", weighed, len(many))
	}
	if v, err := Verify(t.Context(), cfg, opt); err != nil || v.Failed() != 0 || v.Cells[1].Outcome != cell.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if most := k.most.Load(); most > int64(len(many)) { // of four times as many
		t.Errorf("%d engines were in memory at once", most)
	}
}

// TestSchemaJournal: twice the schemas, twice the journal.
func TestSchemaJournal(t *testing.T) {
	size := func(n int) int {
		var many []tinySchema
		for i := range n {
			many = append(many, tinySchema{fmt.Sprintf("n-%03d", i), fmt.Sprintf(`{"const": %d}`, i%10), []instance{{fmt.Sprint(i % 10), true}}})
		}
		w := newSchemaWorld(t, many)
		_, text := journalOf(t, w, w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1", ""))
		return len(text)
	}
	if small, large := size(20), size(40); large > small*21/10 {
		t.Errorf("a journal of %d bytes for 20 schemas, and of %d for 40", small, large)
	}
}

// TestRealTokenizer: schemas of the embedded corpus on a vocabulary of 50,000 ids.
func TestRealTokenizer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	w := newWorld(t)
	text := `name: test
algorithms: [{name: psc, options: {compile: lazy}}, trie]
tokenizers: [r50k_base]
workloads: [{grammar: schema, dataset: {name: schema-samples, limit: 6}}]
measure: {warmup: 1, repeat: 1, positions: 100}
`
	cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), Known())
	if err != nil {
		t.Fatal(err)
	}
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

// TestSchemaResume cuts the journal of a run at every line's end and inside of lines:
// the result is that of the run that was not interrupted, and no finished schema is
// measured again.
func TestSchemaResume(t *testing.T) {
	const measure = "warmup: 0, repeat: 1"
	w := newSchemaWorld(t, tinySchemas)
	name, journal := journalOf(t, w, w.schemaConfig(t, "naive, trie, panics-h", measure, ""))
	want := map[string]essence{}
	for label, r := range w.records(t) {
		want[label] = essenceOf(t, w, r)
	}
	lines := strings.SplitAfter(string(journal), "\n")
	for n := 0; n < len(lines); n += 7 {
		kept := strings.Join(lines[:n], "") + lines[n][:len(lines[n])/2]
		w.out = filepath.Join(t.TempDir(), "out")
		store, err := cell.Create(w.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store.Dir(), "journal", name), []byte(kept), 0o644); err != nil {
			t.Fatal(err)
		}
		w.run(t, w.schemaConfig(t, "naive, trie, panics-h", measure, ""))
		rounds := strings.Count(strings.Join(lines[:n], ""), `{"round":`)
		for label, r := range w.records(t) {
			if got := essenceOf(t, w, r); !reflect.DeepEqual(got, want[label]) {
				t.Fatalf("cut in line %d: %s gives\n%+v, want\n%+v", n, label, got, want[label])
			}
			first := 0
			for _, s := range r.Samples {
				first += boolToInt(s.Session == 1 && r.Problems[s.Problem].Outcome == cell.OK)
			}
			if r.Sessions > 1 && first != rounds {
				t.Errorf("cut in line %d: %s has %d samples of the first session, %d were in the journal", n, label, first, rounds)
			}
		}
	}
}

// TestSchemaKill kills a run by SIGKILL while it measures schemas; the same command
// finishes it.
func TestSchemaKill(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.file(t, "test.yaml", string(w.schemaConfig(t, "naive, naps", "warmup: 1, repeat: 2", "").Text))
	for _, until := range []int{1, 5} {
		cmd, log := w.startChild(t)
		deadline := time.Now().Add(30 * time.Second)
		for w.journalled() < until && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatalf("it ended before it was killed\n%s", log)
		}
	}
	done := w.journalled()
	cmd, log := w.startChild(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	for label, r := range w.records(t) {
		earlier := 0
		for _, s := range r.Samples {
			earlier += boolToInt(s.Session < 3 && r.Problems[s.Problem].Outcome == cell.OK)
		}
		if r.Outcome != cell.OK || r.Sessions != 3 || earlier != done {
			t.Errorf("%s: %s after %d sessions, %d samples of killed ones, %d were finished", label, r.Outcome, r.Sessions, earlier, done)
		}
		checkSchemaSamples(t, w, label, r)
	}
}

// TestSchemaFatalError: an algorithm overflows the stack on one schema. The next start
// knows who it was and on which instance, and goes on with the next.
func TestSchemaFatalError(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.file(t, "test.yaml", string(w.schemaConfig(t, "naive, overflows-i", "warmup: 0, repeat: 1", "").Text))
	for deaths := 0; ; deaths++ {
		cmd, log := w.startChild(t)
		if err := cmd.Wait(); err == nil {
			if deaths != 2 { // once on each instance that begins so
				t.Errorf("it died %d times", deaths)
			}
			break
		}
		if deaths > 2 || !strings.Contains(log.String(), "stack overflow") {
			t.Fatalf("it died of something else, or again:\n%.2000s", log)
		}
	}
	records := w.records(t)
	for _, s := range records["overflows-i"].Samples {
		if want := map[bool]cell.Outcome{true: cell.Crash, false: sample(t, records["naive"], s.ID).Outcome}[strings.HasPrefix(s.ID, "i-")]; s.Outcome != want {
			t.Errorf("%s: %s, %.200q", s.ID, s.Outcome, s.Detail)
		}
	}
}

// TestFatalGrammar: the process died while a schema was compiled to its grammar, which
// is nobody's fault but the schema's: no algorithm has it.
func TestFatalGrammar(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1", "")
	name, journal := journalOf(t, w, cfg)
	at := strings.Index(string(journal), `{"begin":{"key":"","problem":7,`)
	if at < 0 {
		t.Fatalf("no compile of h-list in\n%s", journal)
	}
	end := at + strings.Index(string(journal[at:]), "\n") + 1
	w.out = filepath.Join(t.TempDir(), "out")
	store, err := cell.Create(w.out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Dir(), "journal", name), journal[:end], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(store.CrashFile(), []byte("\nruntime.newstack()\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.run(t, cfg)
	for label, r := range w.records(t) {
		p := problemOf(t, r, "h-list")
		if p.Outcome != cell.Crash || p.Stage != cell.StageGrammar || !strings.Contains(p.Detail, "stack overflow") || r.Outcome != cell.Crash {
			t.Errorf("%s: %+v", label, p)
		}
		if s := sample(t, r, "i-string#0"); s.Outcome != cell.OK {
			t.Errorf("%s: %+v", label, s)
		}
	}
}
