package reports

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/tables"
)

// TestBillContract: the names in the JSON that scripts rely on.
func TestBillContract(t *testing.T) {
	var report struct {
		Cells []struct {
			Algorithm string                         `json:"algorithm"`
			Offline   map[string]json.RawMessage     `json:"offline_ns"`
			Building  *float64                       `json:"building_ns"`
			Spent     map[string]*float64            `json:"spent_ns_after"`
			Bytes     map[string]float64             `json:"engine_bytes"`
			Counters  []map[string]any               `json:"counters"`
			Mask      map[string]map[string]*float64 `json:"mask_ns"`
			Lookup    map[string]map[string]*float64 `json:"lookup_ns"`
		} `json:"cells"`
	}
	must.OK(t, json.Unmarshal([]byte(render(t, load(t, made.ManyTokens.Store(t)), "json")), &report))
	keys := func(what string, got []string, want string) {
		t.Helper()
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s has %v, want %s", what, got, want)
		}
	}
	for _, c := range report.Cells {
		keys("offline_ns", slices.Collect(maps.Keys(c.Offline)), "algorithm algorithm_95 grammar sum vocabulary")
		keys("spent_ns_after", slices.Collect(maps.Keys(c.Spent)), "1 100 1000 10000")
		keys("engine_bytes", slices.Collect(maps.Keys(c.Bytes)), "compiled kept peak used")
		keys("mask_ns", slices.Collect(maps.Keys(c.Mask)), "again first fresh new")
		keys("mask_ns.new", slices.Collect(maps.Keys(c.Mask["new"])), "max mean n p50 p90 p99 p999")
		if c.Building == nil || c.Spent["1"] == nil || c.Spent["1000"] == nil || c.Spent["10000"] != nil || *c.Mask["new"]["p50"] <= 0 {
			t.Errorf("%+v", c)
		}
		if lazy := c.Algorithm == "psc"; lazy != (len(c.Counters) == 2) || lazy != (c.Lookup != nil) || c.Counters == nil {
			t.Errorf("%s: counters %v, lookup %v", c.Algorithm, c.Counters, c.Lookup)
		}
	}
	psc := report.Cells[3]
	if psc.Bytes["compiled"] != 1<<20 || psc.Bytes["used"] != 5<<20 || psc.Bytes["peak"] != 5<<20 || psc.Counters[0]["name"] != "states" || psc.Counters[0]["value"] != 12345.0 || psc.Counters[1]["unit"] != "B a state" {
		t.Errorf("%+v", psc)
	}
}

// TestVerdicts: what is right is a sentence in every format, and only what is not has rows.
func TestVerdicts(t *testing.T) {
	all := load(t, made.Sets["quick"].Store(t))
	table := tables.Verdicts(all.Set)
	want := "All 8 cells are right: 1,200 masks compared bit for bit (1,200 with those of naive), no difference; 8 of 8 positives accepted; 2 of 2 negatives refused."
	if len(table.Rows) != 0 || table.Caption != want {
		t.Errorf("%d rows, %s", len(table.Rows), table.Caption)
	}
	for _, format := range []string{"text", "markdown", "latex", "html"} {
		text := strings.Join(strings.Fields(render(t, all, format)), " ")
		sentence := map[string]string{"html": strings.ReplaceAll(want, "'", "&#39;")}[format]
		if sentence == "" {
			sentence = want
		}
		if !strings.Contains(text, sentence) {
			t.Errorf("%s: no %q in\n%s", format, sentence, text)
		}
	}
	some := tables.Verdicts(load(t, made.Sets["failures"].Store(t)).Set)
	if len(some.Rows) != 2 || !strings.HasPrefix(some.Caption, "6 of 8 cells are right: 1,200 masks compared") || len(some.Notes) != 2 {
		t.Errorf("%d rows, %s", len(some.Rows), some.Caption)
	}
	for _, row := range some.Rows {
		if row[len(row)-1].Body == string(cell.OK) {
			t.Errorf("%v is right and has a row", row)
		}
	}
}
