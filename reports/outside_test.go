package reports

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
)

// withGuest is a set in which trie's cell is of an engine from outside that refused a document
// and accepted the negative.
func withGuest(t *testing.T) *Set {
	t.Helper()
	m := made.Results{Workloads: []string{"list"}, Vocabulary: []int{32000}, Samples: 6, Change: func(r *cell.Record, _ []cell.Trace) {
		if r.ID.Algorithm != "trie" || r.ID.Copy > 0 {
			return
		}
		r.ID.Version, r.ID.Semantics, r.Reference, r.Label = "9.8", "guest", "", "guest"
		r.Outside = &algorithms.Provenance{Name: "guest", Version: "9.8", Licence: "MIT", Kind: "ebnf", VocabularyNS: 5_000_000,
			Options: map[string]string{"b": "2", "a": "1"}, Notes: []string{"keywords may be names"}, ClockPairNS: 60, ClockEmptyNS: 30, CallEmptyNS: 110}
		for i := range r.Samples {
			s := &r.Samples[i]
			s.Compared = 0
			if s.Negative {
				s.Refused, s.Outcome = false, cell.WrongVerdict
			}
		}
	}}
	set := must.Get(Load(m.Store(t)))(t)
	return set
}

// TestOutsideReport: an engine from outside is not among those that are right or wrong; a
// sentence, a row of verdicts and a row of what it is say so, and its times stand with the
// others'.
func TestOutsideReport(t *testing.T) {
	set := withGuest(t)
	d := set.Document()
	if got := d.Lead[0]; !strings.HasPrefix(got, "All 3 cells of the contract are right (1 more with a language of its own)") || strings.Contains(got, "guest") {
		t.Errorf("the lead counts it: %s", got)
	}
	if got := strings.Join(d.Lead[1:], " "); !strings.Contains(got, "guest 9.8 accepted 6 of 6 positives of list and refused 0 of 1 negative") {
		t.Errorf("the lead says of it: %s", got)
	}
	tables := map[string]*document.Table{}
	for _, table := range d.Tables {
		tables[table.ID] = table
	}
	verdicts := rowOf(t, tables["verdicts"], "guest")
	if !strings.Contains(verdicts, "another language") || !strings.Contains(verdicts, "0 of 1") {
		t.Errorf("verdicts: %s", verdicts)
	}
	outside := rowOf(t, tables["outside"], "guest")
	for _, want := range []string{"9.8", "MIT", "ebnf", "a=1, b=2", "5.00", "60", "30", "110"} {
		if !strings.Contains(outside, want) {
			t.Errorf("no %q in %s", want, outside)
		}
	}
	if notes := tables["outside"].Notes; len(notes) != 1 || !strings.Contains(notes[0], "keywords may be names") {
		t.Errorf("notes %q", notes)
	}
	if c := set.Cells[1]; !c.FromOutside() || c.TBMNS == nil || c.Against == nil || c.Outside.Version != "9.8" {
		t.Errorf("cell %s: %+v", c.Label, c.Against)
	}
}

// rowOf is the row about a label, as one text.
func rowOf(t *testing.T, table *document.Table, label string) string {
	t.Helper()
	if table == nil {
		t.Fatal("there is no such table")
	}
	for _, row := range table.Rows {
		text := ""
		for _, entry := range row {
			text += entry.Body + " | "
		}
		if strings.Contains(text, label+" | ") {
			return text
		}
	}
	t.Fatalf("%s has no row for %s", table.ID, label)
	return ""
}
