package published

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/config"
	"gcdbench/harness/stats"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// geomean is the geometric mean of some ratios.
func geomean(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}

// TestGreatGrammaRatios: the geometric means that the paper gives in words follow from its table,
// to 0.01; but for one.
func TestGreatGrammaRatios(t *testing.T) {
	var offline, slower, online, toOutlines []float64
	for _, language := range []string{"go", "java", "python"} {
		for _, vocab := range []string{"llama2", "llama3", "qwen2.5"} {
			of := func(system string) published {
				return row(t, greatGrammaPaper, "greatgramma-"+language, vocab, system)
			}
			great, synCode, outlines := of("GreatGramma"), of("SynCode"), of("Outlines")
			offline = append(offline, synCode.offlineSeconds.value/great.offlineSeconds.value)
			slower = append(slower, great.offlineSeconds.value/outlines.offlineSeconds.value)
			toOutlines = append(toOutlines, outlines.onlineMicros.value/great.onlineMicros.value)
			if !math.IsNaN(synCode.onlineMicros.value) {
				online = append(online, synCode.onlineMicros.value/great.onlineMicros.value)
			} else if !strings.Contains(synCode.onlineMicros.note, "masked wrong tokens") {
				t.Errorf("SynCode on %s with %s has no online time and no reason", language, vocab)
			}
		}
	}
	for _, c := range []struct {
		what   string
		ratios []float64
		want   float64
	}{
		{"offline against SynCode", offline, 17.71}, {"offline against Outlines", slower, 30.01}, {"online against Outlines", toOutlines, 550.57},
		{"online against SynCode, where the paper says 2.73", online, 3.32},
	} {
		if mean := geomean(c.ratios); math.Abs(mean-c.want) > 0.01 {
			t.Errorf("%s: %.3f, want %v", c.what, mean, c.want)
		}
	}
	if len(offline) != 9 || len(online) != 6 {
		t.Errorf("%d and %d ratios", len(offline), len(online))
	}
}

// TestPSCRatios: what the paper says in words follows from its tables, whose PSC is rounded to 0.1
// us: masks up to 770 times faster than LLGuidance's on programs and some 30 times on schemas
// (abstract), at least 310 times (section 4.2).
func TestPSCRatios(t *testing.T) {
	least, most := math.Inf(1), 0.0
	for _, vocab := range []string{"llama3", "qwen2.5", "gemma3"} {
		ratio := func(identity string, rounding float64) float64 {
			return row(t, pscPaper, identity, vocab, "LLGuidance").onlineMicros.value / (row(t, pscPaper, identity, vocab, "PSC").onlineMicros.value + rounding)
		}
		for _, identity := range []string{"psc-java", "psc-sql"} {
			least, most = min(least, ratio(identity, 0.05)), max(most, ratio(identity, 0.05))
		}
		if r := ratio("psc-json-schema", 0); r < 30 || r > 33 {
			t.Errorf("schemas, %s: %.0f times", vocab, r)
		}
	}
	if math.Round(least/10) != 31 || math.Round(most/10) != 77 {
		t.Errorf("from %.0f to %.0f times", least, most)
	}
}

// TestPublishedIdentities: a configuration can name what there are figures of, and nothing else.
func TestPublishedIdentities(t *testing.T) {
	known := slices.Concat(config.PublishedPrograms, config.PublishedSchemas)
	seen := []string{maskBenchIdentity}
	for _, f := range publishedFigures {
		if !slices.Contains(known, f.identity) {
			t.Errorf("no configuration can name %s", f.identity)
		}
		if !slices.Contains(seen, f.identity) {
			seen = append(seen, f.identity)
		}
	}
	if len(seen) != len(known) || !slices.Contains(config.PublishedSchemas, maskBenchIdentity) {
		t.Errorf("figures of %v, a configuration can name %v", seen, known)
	}
}

// TestSourcesAreComplete: each says where its figures are from, when they were measured, on what
// and with which versions, and a caption has all of it.
func TestSourcesAreComplete(t *testing.T) {
	sources := schemaSources()
	for _, f := range publishedFigures {
		sources = append(sources, f.source)
	}
	for _, s := range sources {
		for _, part := range []string{s.name, s.where, s.date, s.machine, s.versions, s.differs} {
			if part == "" || strings.HasSuffix(part, ".") || !strings.Contains(s.caption(), part) {
				t.Errorf("%s: %q in %s", s.name, part, s.caption())
			}
		}
	}
	for _, s := range schemaSources() {
		if !strings.Contains(s.where, "commit ") || !strings.Contains(s.date, "202") {
			t.Errorf("%s: %s, %s", s.name, s.where, s.date)
		}
	}
}

// withOurs is a cell that declares published figures.
func withOurs(label, published, grammar, tokenizer string, mean float64) *result.Cell {
	return &result.Cell{Names: result.Names{Label: label, Workload: grammar + "-w", Grammar: grammar, Dataset: "mine", Published: published, Tokenizer: tokenizer}, Counts: result.Counts{Positives: 4, PositivesPassed: 3}, Bill: result.Bill{Offline: &result.Offline{Grammar: 5e8, Vocabulary: 1e8, Algorithm: 2e9, Sum: 2.6e9}}, Times: result.Times{HeadlineState: result.StateNew, MaskNS: &result.States{Fresh: &stats.Summary{N: 9, Mean: 1e9}, New: &stats.Summary{N: 9, Mean: mean}, Again: &stats.Summary{N: 9, Mean: 1}}}}
}

// TestPublishedTable: rows follow the declared identity and not the grammar's name, so that a
// paper's own grammar has them.
func TestPublishedTable(t *testing.T) {
	set := &result.Set{Cells: []*result.Cell{withOurs("psc", "psc-java", "java.lark", "llama3", 300), withOurs("trie", "psc-java", "java.lark", "llama3", 1.5e6),
		withOurs("psc", "greatgramma-java", "java", "llama3", 1), withOurs("psc", "", "go", "llama3", 1)}}
	table := PublishedTable(set)
	want := []string{
		"java.lark-w|llama3|psc|2.60|0.300|75.0|gcdbench",
		"||trie|2.60|1,500|75.0|gcdbench",
		"||XGrammar|–|310,000|99.7|PSC, tables 1 and 2",
		"||Formatron|–|394,000|99.4|PSC, tables 1 and 2",
		"||GreatGramma|–|21,400|100|PSC, tables 1 and 2",
		"||LLGuidance|–|1,350|100|PSC, tables 1 and 2",
		"||PSC|–|2.40|100|PSC, tables 1 and 2",
		"java-w|llama3|psc|2.60|0.00100|75.0|gcdbench",
		"||Outlines|2.46|13,700,000|–|GreatGramma, table 1",
		"||SynCode|2,290|49,000|–|GreatGramma, table 1",
		"||GreatGramma|167|24,700|–|GreatGramma, table 1",
	}
	if got := strings.Join(loaded.Rows(table), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for _, part := range []string{"Xeon Gold 6348", "grammar, corpus", "ICML 2025", "sum of all that is done before a text begins"} {
		if !strings.Contains(table.Caption, part) {
			t.Errorf("the caption does not say %q: %s", part, table.Caption)
		}
	}
	if table.Rows[0][0].Mark == "" || !strings.Contains(table.Notes[0], "the grammar java.lark, on the documents mine") {
		t.Errorf("it is not said what ours were measured on: %v", table.Notes)
	}
	for _, c := range []*result.Cell{withOurs("psc", "psc-java", "java", "o200k_base", 1), withOurs("psc", "", "java", "llama3", 1), withOurs("psc", "maskbench", "schema", "llama3", 1)} {
		if table := PublishedTable((&result.Set{Cells: []*result.Cell{c}})); table != nil {
			t.Errorf("%s with %s has the table %v", c.Published, c.Tokenizer, loaded.Rows(table))
		}
	}
}

// TestDamagedCellsAreMarked: a footnote at the figure says that it is a reading of damaged text,
// and why one is missing; a cell without times or samples has dashes.
func TestDamagedCellsAreMarked(t *testing.T) {
	bare := &result.Cell{Names: result.Names{Workload: "mine", Grammar: "go", Published: "psc-go", Tokenizer: "qwen2.5", Label: "psc"}}
	table := PublishedTable((&result.Set{Cells: []*result.Cell{bare}}))
	if got := loaded.Rows(table)[0]; got != "mine|qwen2.5|psc|–|–|–|gcdbench" {
		t.Errorf("ours: %s", got)
	}
	noteOf := func(system string, column int) string {
		for _, r := range table.Rows {
			if r[2].Body == system && r[column].Mark != "" {
				return table.Notes[r[column].Mark[0]-'a']
			}
		}
		return ""
	}
	for _, c := range []struct {
		system string
		column int
		want   string
	}{
		{"GreatGramma", 5, `"9.9%"`}, {"GreatGramma", 4, ""}, {"XGrammar", 4, ""}, {"PSC", 4, ""},
		{"LLGuidance", 4, "ParserTooComplex"}, {"LLGuidance", 5, "ParserTooComplex"}, {"Formatron", 4, "stops responding"},
	} {
		if note := noteOf(c.system, c.column); (note == "") != (c.want == "") || !strings.Contains(note, c.want) {
			t.Errorf("%s, column %d: the footnote is %q, want %q in it", c.system, c.column, note, c.want)
		}
	}
}

// TestPublishedOnSchemas: percentiles rise, and no count is above that of the schemas.
func TestPublishedOnSchemas(t *testing.T) {
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		for _, d := range []spread{f.ttfm, f.tbm} {
			last := 0.0
			for _, v := range []float64{d.p50, d.p90, d.p99, d.p999, d.max} {
				if v < last {
					t.Errorf("%s of %s: %v are not in order", f.system, f.source.name, d)
				}
				if !math.IsNaN(v) {
					last = v
				}
			}
		}
		for _, n := range []float64{f.verdicts.right, f.verdicts.declined, f.verdicts.lost, f.verdicts.validRefused, f.verdicts.invalidAccepted} {
			if n < 0 || n > f.verdicts.schemas {
				t.Errorf("%s of %s: %v", f.system, f.source.name, f.verdicts)
			}
		}
	}
}

func TestPublishedSchemasTables(t *testing.T) {
	set := loaded.Load(t, made.SchemaSet.Store(t))
	tables := PublishedSchemas(set)
	if len(tables) != 2 || len(tables[0].Rows) != 2*4+len(publishedOnSchemas) || len(tables[1].Rows) != 4+len(publishedOnSchemas) {
		t.Fatalf("%+v", tables)
	}
	times, verdicts := tables[0], tables[1]
	if a, b := times.Rows[2][2].Body, times.Rows[3][2].Body; a != "trie, first pass" || b != "trie, again" {
		t.Errorf("our rows are %q and %q", a, b)
	}
	// psc: 18 schemas, of which four have no grammar and one timed out; s02 and s04 refuse, s01
	// accepts.
	if got := loaded.Rows(verdicts)[3]; got != "||psc (compile=lazy)|18|10|55.6|4|1|2|1|gcdbench" {
		t.Errorf("our verdicts: %s", got)
	}
	for _, want := range []string{"||LLGuidance|11,306|8,909|78.8|2,377|0|20|0|MaskBench's table", "||glrmask, composite run|9,558|–|–|732|–|–|–|glrmask's report"} {
		if !slices.Contains(loaded.Rows(verdicts), want) {
			t.Errorf("no row %s in\n%s", want, strings.Join(loaded.Rows(verdicts), "\n"))
		}
	}
	if want := "||XGrammar|27,100|919|11,600|timeout|timeout|728|9.00|99.0|5,690|100,000|6,280,000|MaskBench's table"; !slices.Contains(loaded.Rows(times), want) {
		t.Errorf("no row %s in\n%s", want, strings.Join(loaded.Rows(times), "\n"))
	}
	if notes := strings.Join(times.Notes, " "); !strings.Contains(notes, "only glrmask's slow problems were run again") || !strings.Contains(notes, "on the documents maskbench-samples") {
		t.Errorf("notes: %s", notes)
	}
	for _, part := range []string{"ba103c73", "2025-03-27", "llguidance 0.7.10", "GRID 0.4.0", "EPYC 9R05", "composite"} {
		if !strings.Contains(times.Caption, part) {
			t.Errorf("the caption does not name %q: %s", part, times.Caption)
		}
	}
	for _, c := range set.Cells { // four schemas of our own do not stand under MaskBench's figures
		c.Published = ""
	}
	if PublishedSchemas(set) != nil || PublishedSchemas(loaded.Load(t, made.Sets["few"].Store(t))) != nil {
		t.Error("there are tables that nobody declared")
	}
}

// TestForms: rows of ours say whether the algorithm ran as its paper publishes it, and a footnote
// says how the forms differ.
func TestForms(t *testing.T) {
	algorithms.Register(twoForms{})
	plain, faithful, other := withOurs("two-forms", "psc-java", "java", "llama3", 1), withOurs("two-forms, as published", "psc-java", "java", "llama3", 1), withOurs("trie", "psc-java", "java", "llama3", 1)
	plain.Algorithm, faithful.Algorithm = "two-forms", "two-forms"
	faithful.Names.Options = map[string]string{algorithms.FormOption: algorithms.FormPublished}
	table := PublishedTable((&result.Set{Cells: []*result.Cell{plain, faithful, other}}))
	for i, want := range []string{"gcdbench, engineered", "gcdbench, as published", "gcdbench"} {
		by := table.Rows[i][len(table.Rows[i])-1]
		if by.Body != want || (by.Mark == "") != (i == 2) {
			t.Errorf("row %d: measured by %+v, want %q", i, by, want)
		}
		if by.Mark != "" && table.Notes[by.Mark[0]-'a'] != "two-forms: one is slower" {
			t.Errorf("the footnote is %q", table.Notes[by.Mark[0]-'a'])
		}
	}
}

// twoForms is an algorithm that is never compiled.
type twoForms struct{ algorithms.Algorithm }

func (twoForms) Name() string { return "two-forms" }

func (twoForms) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{algorithms.FormInfo("one is slower")}
}
