package published

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/reports/show"
)

// The published figures against their sources: the papers' texts and the notes on engines, which
// lie beside the repository where somebody has them, and testdata/published.txt, which has the
// tables of MaskBench as the sources print them.

// shared is a text that lies beside the repository.
func shared(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", filepath.FromSlash(name)))
	if err != nil {
		t.Skip("no ../shared/", name)
	}
	return string(text)
}

// textPart is the lines of a text between one that begins with from and one that begins with to.
func textPart(t *testing.T, text, from, to string) []string {
	t.Helper()
	_, rest, found := strings.Cut("\n"+text, "\n"+from)
	part, _, ended := strings.Cut(rest, "\n"+to)
	if !found || !ended {
		t.Fatalf("no part from %q to %q", from, to)
	}
	return strings.Split(part, "\n")
}

// printedNumber reads a figure as it is printed; an X is none.
func printedNumber(t *testing.T, text string) float64 {
	t.Helper()
	text = strings.NewReplacer("<b>", "", "</b>", "", ",", "", "%", "").Replace(strings.TrimSpace(text))
	if strings.HasPrefix(strings.ToUpper(text), "X") {
		return unsaid
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Errorf("%q is no figure", text)
	}
	return v
}

// same compares figures; one that is not said is the same as another that is not said.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// The papers whose figures stand beside those of programs.
const (
	greatGrammaPaper = "GreatGramma, table 1"
	pscPaper         = "PSC, tables 1 and 2"
)

// rowsOf counts the rows of a paper.
func rowsOf(paper string) (n int) {
	for _, f := range publishedFigures {
		n += stats.Truth(f.source.name == paper)
	}
	return n
}

// row finds a published row.
func row(t *testing.T, source string, identity, vocab, system string) published {
	t.Helper()
	for _, f := range publishedFor(identity, vocab) {
		if f.system == system && f.source.name == source {
			return f
		}
	}
	t.Fatalf("%s of %s with %s is not there", system, identity, vocab)
	return published{}
}

// TestGreatGrammaSource compares each cell with the paper's table 1.
func TestGreatGrammaSource(t *testing.T) {
	vocabs := map[string]string{"Llama": "llama2", "Llama-3": "llama3", "Qwen-2": "qwen2.5"}
	text := shared(t, "papers/greatgramma.txt")
	cells, vocab := 0, ""
	for _, line := range textPart(t, text, "Table 1: Offline", "sider the current state") {
		columns := strings.Split(line, "\t")
		if len(columns) != 9 || !slices.Contains([]string{"Go", "Java", "Python"}, columns[2]) {
			continue // heads
		}
		if columns[0] != "" {
			vocab = vocabs[columns[0]]
		}
		for i, system := range []string{"Outlines", "SynCode", "GreatGramma"} {
			f := row(t, greatGrammaPaper, "greatgramma-"+strings.ToLower(columns[2]), vocab, system)
			if !same(f.offlineSeconds.value, printedNumber(t, columns[3+i])) || !same(f.onlineMicros.value, 1000*printedNumber(t, columns[6+i])) {
				t.Errorf("%s on %s with %s: %v and %v, the paper has %q", system, columns[2], vocab, f.offlineSeconds, f.onlineMicros, line)
			}
			cells += 2
		}
	}
	if cells != 54 || rowsOf(greatGrammaPaper) != 27 {
		t.Errorf("%d cells compared in %d rows", cells, rowsOf(greatGrammaPaper))
	}
	for _, words := range []string{"17.71x faster than SYNCODE", "30.01x slower", "2.73x faster than SYNCODE and 550.57x faster than OUTLINES"} {
		if !strings.Contains(text, words) {
			t.Errorf("the paper does not say %q", words)
		}
	}
}

// TestPSCSource compares each cell with the paper's tables 1 and 2, and wants each that our copy
// has damaged to be marked, and no other.
func TestPSCSource(t *testing.T) {
	text := shared(t, "papers/psc.txt")
	comparePSC(t, textPart(t, text, "Table 1: Average overhead", "# Formatron stops"), func(f published) datum { return f.onlineMicros })
	comparePSC(t, textPart(t, text, "Table 2: How many", "4.3 END-TO-END"), func(f published) datum { return f.passed })
	if rowsOf(pscPaper) != 60 {
		t.Errorf("%d rows", rowsOf(pscPaper))
	}
}

// comparePSC compares one of the tables: three blocks of five systems, a line each with a figure
// for each language.
func comparePSC(t *testing.T, lines []string, of func(published) datum) {
	t.Helper()
	var systems []string
	for _, line := range lines {
		system := ""
		for _, s := range []string{"XGrammar", "Formatron", "GreatGramma", "LLGuidance", "PSC (Ours)"} {
			if strings.Contains(line, s) {
				system = strings.TrimSuffix(s, " (Ours)")
			}
		}
		fields := strings.Fields(line)
		if system == "" || len(fields) < 4 {
			continue
		}
		vocab := []string{"llama3", "qwen2.5", "gemma3"}[min(2, len(systems)/5)]
		systems = append(systems, system)
		for i, language := range []string{"java", "go", "sql", "json-schema"} {
			at, printed := strings.Join([]string{vocab, system, language}, " "), fields[len(fields)-4+i]
			f := of(row(t, pscPaper, "psc-"+language, vocab, system))
			damaged := ""
			if _, quoted, is := strings.Cut(f.note, "our copy of the paper has "); is {
				damaged = strings.Trim(strings.TrimSuffix(quoted, " here"), `"`)
			}
			compareCell(t, at, printed, damaged, f)
		}
	}
	if len(systems) != 15 {
		t.Errorf("the lines are of %v", systems)
	}
}

// compareCell compares a cell with what is printed. A damaged one has lost signs, and what is left
// must be in our reading.
func compareCell(t *testing.T, at, printed, damaged string, f datum) {
	t.Helper()
	v := printedNumber(t, printed)
	switch {
	case damaged == "" && !same(v, f.value):
		t.Errorf("%+v is %v, the paper has %q, and it is not marked", at, f.value, printed)
	case damaged != "" && damaged != printed:
		t.Errorf("%+v is marked as a reading of %q, the paper has %q", at, damaged, printed)
	case damaged != "" && (v == f.value || !subsequence(digitsOf(printed), digitsOf(fmt.Sprintf("%.1f", f.value)))):
		t.Errorf("%+v: %v is no reading of %q", at, f.value, printed)
	case damaged != "" && !strings.Contains(f.note, strconv.Quote(printed)), math.IsNaN(v) && !strings.Contains(f.note, "says the paper"):
		t.Errorf("%+v has the footnote %q", at, f.note)
	}
}

func digitsOf(s string) string { return strings.NewReplacer(".", "", "%", "").Replace(s) }

// subsequence reports whether the letters of part stand in whole in their order.
func subsequence(part, whole string) bool {
	for _, r := range whole {
		part = strings.TrimPrefix(part, string(r))
	}
	return part == ""
}

// printedTable is a source's table of schemas: figures by metric, a column for each engine.
type printedTable struct {
	engines []string
	rows    map[string][]float64
}

// printedTables reads testdata/published.txt.
func printedTables(t *testing.T) map[string]*printedTable {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("testdata", "published.txt")))(t)
	tables := map[string]*printedTable{}
	var table *printedTable
	for _, line := range strings.Split(string(text), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case key == "source":
			table = &printedTable{rows: map[string][]float64{}}
			tables[value] = table
		case key == "engines":
			table.engines = strings.Split(value, " | ")
		default:
			for _, v := range strings.Split(value, " | ") {
				table.rows[key] = append(table.rows[key], printedNumber(t, v))
			}
		}
	}
	return tables
}

// spread are the figures of one kind of an engine, in so many µs, and whether the table has any; a
// time limit is a timeout.
func (p *printedTable) spread(kind string, engine int) (spread, bool) {
	figures := [6]float64{}
	found := false
	for i, metric := range []string{"avg", "p50", "p90", "p99", "p99.9", "max"} {
		figures[i] = unsaid
		if values := p.rows[kind+" "+metric]; values != nil {
			figures[i], found = values[engine], true
		}
		if figures[i] == 900_000_000 {
			figures[i] = math.Inf(1)
		}
	}
	return spread{figures[0], figures[1], figures[2], figures[3], figures[4], figures[5]}, found
}

// count sums metrics; unsaid if the table has none of them.
func (p *printedTable) count(engine int, metrics ...string) float64 {
	sum := unsaid
	for _, m := range metrics {
		if values := p.rows[m]; values != nil {
			if math.IsNaN(sum) {
				sum = 0
			}
			sum += values[engine]
		}
	}
	return sum
}

// verdicts are the counts of an engine.
func (p *printedTable) verdicts(engine int) schemaVerdicts {
	v := schemaVerdicts{p.count(engine, "schemas"), p.count(engine, "passing"), p.count(engine, "compile error"),
		p.count(engine, "segmentation fault", "out of memory", "timeout"), p.count(engine, "validation error"), p.count(engine, "invalidation error")}
	if built := p.rows["built"]; built != nil {
		v.declined = v.schemas - built[engine]
	}
	return v
}

// TestMaskBenchSources compares every figure of every engine with its source's table.
func TestMaskBenchSources(t *testing.T) {
	tables, compared := printedTables(t), 0
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		table := tables[f.source.name]
		for engine, name := range table.engines {
			if name != f.system {
				continue
			}
			compared++
			tbm, _ := table.spread("TBM us", engine)
			ttfm, inMillis := table.spread("TTFM ms", engine)
			if !inMillis {
				ttfm, _ = table.spread("TTFM us", engine)
				ttfm = spread{ttfm.mean / 1e3, ttfm.p50 / 1e3, ttfm.p90 / 1e3, ttfm.p99 / 1e3, ttfm.p999 / 1e3, ttfm.max / 1e3}
			}
			if fmt.Sprint(f.ttfm, f.tbm, f.verdicts) != fmt.Sprint(ttfm, tbm, table.verdicts(engine)) {
				t.Errorf("%s: %s is\n%v %v %v, the source has\n%v %v %v", f.source.name, f.system, f.ttfm, f.tbm, f.verdicts, ttfm, tbm, table.verdicts(engine))
			}
		}
	}
	printed := 0
	for _, table := range tables {
		printed += len(table.engines)
	}
	if compared != printed || compared != len(publishedOnSchemas) {
		t.Errorf("%d engines compared, %d printed, %d in the table", compared, printed, len(publishedOnSchemas))
	}
}

// TestEnginesNotes compares the same figures with the notes on engines that were made of the
// sources by somebody else.
func TestEnginesNotes(t *testing.T) {
	notes := strings.Join(strings.Fields(shared(t, "engines.md")), " ")
	has := func(format string, args ...any) {
		t.Helper()
		if text := fmt.Sprintf(format, args...); !strings.Contains(notes, text) {
			t.Errorf("the notes do not have %q", text)
		}
	}
	of := map[string]*schemaFigure{}
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		of[f.source.name+" "+f.system] = f
	}
	n := func(v float64) string { // as the notes write it
		if math.IsInf(v, 1) {
			return "timeout"
		}
		return show.Count(int(math.Round(v)))
	}
	line := func(name string, cell func(f *schemaFigure) string) {
		t.Helper()
		text := "| " + name
		for _, system := range []string{"LLGuidance", "XGrammar", "llama.cpp", "XGrammar.cpp", "Outlines"} {
			text += " | " + cell(of["MaskBench's table "+system])
		}
		has("%s |", text)
	}
	line("TBM avg / p50 / p90", func(f *schemaFigure) string { return n(f.tbm.mean) + " / " + n(f.tbm.p50) + " / " + n(f.tbm.p90) })
	line("TBM p99 / p99.9 / max", func(f *schemaFigure) string { return n(f.tbm.p99) + " / " + n(f.tbm.p999) + " / " + n(f.tbm.max) })
	line("TTFM avg / p50 / p90", func(f *schemaFigure) string {
		return n(1e3*f.ttfm.mean) + " / " + n(1e3*f.ttfm.p50) + " / " + n(1e3*f.ttfm.p90)
	})
	line("TTFM p99 / max", func(f *schemaFigure) string { return n(1e3*f.ttfm.p99) + " / " + n(1e3*f.ttfm.max) })
	line("passing", func(f *schemaFigure) string { return n(f.verdicts.right) })
	line("valid refused / invalid accepted (schemas)", func(f *schemaFigure) string {
		return n(f.verdicts.validRefused) + " / " + n(f.verdicts.invalidAccepted)
	})
	grid, llguidance, xgrammar := of["GRID's report GRID"], of["GRID's report llguidance"], of["GRID's report XGrammar"]
	has("declared unsupported %s / %s / %s;", n(grid.verdicts.declined), n(llguidance.verdicts.declined), n(xgrammar.verdicts.declined))
	for _, f := range []*schemaFigure{grid, llguidance, xgrammar} {
		has("%s %s / %s / %s", f.system, n(f.tbm.mean), n(f.tbm.p99), n(f.tbm.p999))
		has("%s (%.1f%%)", n(f.verdicts.right), 100*f.verdicts.right/f.verdicts.schemas)
	}
	glrmask, llguidance := of["glrmask's report glrmask, composite run"], of["glrmask's report llguidance"]
	has("glrmask built %s, llguidance 1.6.1 %s.", n(glrmask.verdicts.schemas-glrmask.verdicts.declined), n(llguidance.verdicts.schemas-llguidance.verdicts.declined))
	for name, f := range map[string]*schemaFigure{"glrmask": glrmask, "llguidance": llguidance} {
		has("%s %s / %s / %s / %s / %s / %s", name, n(f.tbm.mean), n(f.tbm.p50), n(f.tbm.p90), n(f.tbm.p99), n(f.tbm.p999), n(f.tbm.max))
	}
	has("glrmask %.1f / %.1f / %.1f / %.1f / %.1f", glrmask.ttfm.mean, glrmask.ttfm.p50, glrmask.ttfm.p90, glrmask.ttfm.p99, glrmask.ttfm.max)
	has("llguidance %.2f / %.2f / %.2f / %.1f / %.1f", llguidance.ttfm.mean, llguidance.ttfm.p50, llguidance.ttfm.p90, llguidance.ttfm.p99, llguidance.ttfm.max)
}
