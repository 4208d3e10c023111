package harness

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/ask"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/reports"
)

// What becomes of an engine that enforces a language of its own: its verdicts, and masks that it
// does not stand by.

// TestOutsideTooWide: a text with a mistake is not refused where the masks allow every token of it,
// whatever Commit says; it is counted apart. A text without one is refused.
func TestOutsideTooWide(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.runWithSchemas(t, &guest{name: "guest", text: anything, wide: `[1`}, &guest{name: "wider", text: anything, wide: `["x`})
	records := w.records(t)
	valid, invalid := 0, 0
	for _, label := range []string{"guest", "wider"} {
		for _, s := range records[label].Samples {
			if !strings.Contains(s.Detail, "the mask allows it") {
				continue
			}
			if s.Outcome != cell.WrongVerdict || s.Passed() || s.Refused == s.Negative || s.RefusedByCommit != s.Negative {
				t.Errorf("%s of %s: %+v", s.ID, label, s)
			}
			valid, invalid = valid+stats.Truth(!s.Negative), invalid+stats.Truth(s.Negative)
		}
	}
	if valid == 0 || invalid == 0 {
		t.Errorf("%d valid and %d invalid texts were refused by Commit", valid, invalid)
	}
	set := must.Get(reports.Load(w.out))(t)
	sum := 0
	for _, c := range set.Cells {
		sum += c.InvalidRefusedByCommit
		if c.InvalidRefusedByCommit != c.NegativesByCommit || c.InvalidRefusedByCommit > 0 && c.Label == "psc" {
			t.Errorf("%s: %d and %d by commit", c.Label, c.InvalidRefusedByCommit, c.NegativesByCommit)
		}
	}
	if sum != invalid {
		t.Errorf("%d reported, of %d", sum, invalid)
	}
}

// TestDeclaredTooWide: an algorithm of ours whose masks are declared to be supersets is counted as
// an engine from outside is: its masks are neither wrong nor passed as the contract's, and a text
// with a mistake that only Commit finds is not refused. Exact masks are held to the contract.
func TestDeclaredTooWide(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "naive, {name: maskstore, label: wide, options: {lookahead: 0}}, {name: maskstore, label: exact, options: {masks: exact}}", "warmup: 0, repeat: 1, compiles: 1"))
	records := w.records(t)
	byCommit := 0
	for _, s := range records["wide"].Samples {
		if s.Reference != "" || s.Outcome == cell.WrongMask {
			t.Errorf("%s: compared with %q: %s", s.ID, s.Reference, s.Outcome)
		}
		if s.RefusedByCommit {
			byCommit++
			if !s.Negative || s.Passed() || s.Outcome != cell.WrongVerdict || !strings.Contains(s.Detail, "the mask allows token") {
				t.Errorf("%s: %+v", s.ID, s)
			}
		}
	}
	if byCommit == 0 || records["wide"].Outcome != cell.OK {
		t.Errorf("%d mistakes were found by Commit alone; outcome %s", byCommit, records["wide"].Outcome)
	}
	wider := 0
	for i, s := range records["wide"].Samples {
		if right := records["naive"].Samples[i]; !s.Negative && s.Allowed < right.Allowed || s.Allowed == 0 {
			t.Errorf("%s: %d tokens allowed, by the contract %d", s.ID, s.Allowed, right.Allowed)
		} else if s.Allowed > right.Allowed {
			wider++
		}
	}
	if wider == 0 {
		t.Error("no mask is wider than the contract's")
	}
	for i, s := range records["exact"].Samples {
		if s.Allowed != records["naive"].Samples[i].Allowed {
			t.Errorf("%s: exact masks allow %d tokens, naive's %d", s.ID, s.Allowed, records["naive"].Samples[i].Allowed)
		}
		if s.Reference != "naive" || s.Compared == 0 || s.Outcome != cell.OK {
			t.Errorf("%s: compared with %q at %d positions: %s", s.ID, s.Reference, s.Compared, s.Outcome)
		}
	}
}

// TestOutsideFickle: an engine from outside that gives another mask when it is asked again loses
// the times of that document, and of no other. One that is held to the contract loses them all.
func TestOutsideFickle(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	sum := w.runWithSchemas(t, &guest{name: "guest", text: anything, fickle: `[1, 22, `})
	r := w.records(t)["guest"]
	fickle, timed := 0, 0
	for _, s := range r.Samples {
		if s.Outcome == cell.WrongMask {
			fickle++
		} else if len(s.Turns) > 0 {
			timed++
		}
	}
	if r.Outcome != cell.OK || sum.Failed != 0 || fickle == 0 || timed == 0 {
		t.Errorf("outcome %s, %d failed, %d fickle, %d timed", r.Outcome, sum.Failed, fickle, timed)
	}
	set := must.Get(reports.Load(w.out))(t)
	said := false
	for _, table := range set.Document().Tables {
		for _, note := range table.Notes {
			said = said || strings.Contains(note, "guest: masks of") && strings.Contains(note, "were not the same")
		}
	}
	if c := set.Cells[1]; c.Label != "guest" || c.TBMNS == nil || !said {
		t.Errorf("%s has times: %v; said: %v", c.Label, c.TBMNS != nil, said)
	}
	other := newSchemaWorld(t, tinySchemas)
	other.runWithSchemas(t, &guest{name: "guest", text: tinySchemas[7].text, semantics: algorithms.SemanticsContract, fickle: `[1, 22, `})
	if r := other.records(t)["guest"]; r.Outcome != cell.WrongMask {
		t.Errorf("held to the contract: %s", r.Outcome)
	}
}

// TestOutsideWithoutContract: engines from outside that are held to the contract may differ on a
// schema that this program refuses, where there is no contract to ask.
func TestOutsideWithoutContract(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas[2:3]) // c-unsupported
	first := &guest{name: "first", text: anything, semantics: algorithms.SemanticsContract}
	second := &guest{name: "second", text: tinySchemas[7].text, semantics: algorithms.SemanticsContract}
	w.runWithSchemas(t, first, second)
	records := w.records(t)
	if records["psc"].Problems[0].Outcome != cell.Unsupported || records["first"].Problems[0].Outcome != cell.OK || records["second"].Outcome != cell.WrongMask {
		t.Errorf("psc %s, first %s, second %s", records["psc"].Problems[0].Outcome, records["first"].Problems[0].Outcome, records["second"].Outcome)
	}
}

// TestLexerOfOthers: that the lexer which all share outgrew its limits says nothing of an engine
// that reads the text itself.
func TestLexerOfOthers(t *testing.T) {
	r, err := jsonschema.Compile(t.Context(), []byte(`{"type": "string", "maxLength": 20}`), jsonschema.Options{})
	must.OK(t, err)
	made, err := recognizer.New(t.Context(), r.Grammar, recognizer.Options{OnDemand: true})
	if err == nil {
		made.Lexer, err = lexer.NewOnDemand(t.Context(), r.Grammar, lexer.Limits{MaxStates: 3})
	}
	must.OK(t, err)
	made.Check([]byte(`"abcdefghij"`))
	p := &algorithms.Problem{Recognizer: made}
	if made.Lexer.Err() == nil || ask.LexerFailure(&prepare.Entry{Maker: &wrong{}}, p) == nil {
		t.Fatal("the lexer of the test did not outgrow its limits")
	}
	if err := ask.LexerFailure(&prepare.Entry{Maker: &guest{}}, p); err != nil {
		t.Error(err)
	}
}
