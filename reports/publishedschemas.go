package reports

import (
	"slices"
	"strings"

	"gcdbench/reports/stats"
)

// What is published about engines on MaskBench, a corpus of JSON schemas with instances. Its own table and the later
// report use other versions of the engines, other machines and other versions of the corpus.

// Where the figures are from, in the order of their publication.
var (
	maskBenchPaper = paper{"MaskBench's table",
		"MaskBench's table: github.com/guidance-ai/jsonschemabench, maskbench/README.md (llguidance 0.6.7, xgrammar 0.1.10, llama-cpp-python 0.3.6, outlines 0.1.13); " +
			"10,163 schemas, those without instances count as right if they compile; Llama 3's vocabulary, one thread of an EPYC 7V13, 15 minutes a schema"}
	laterMaskBench = paper{"MaskBench, 11,306 schemas",
		"MaskBench, 11,306 schemas: a later version of the corpus with a newer LLGuidance; its share is rounded, no invalid instance was accepted, and a valid one refused in 20 schemas"}
	glrmaskPaper = paper{"glrmask's report",
		"glrmask's report: github.com/IsaacBreen/glrmask, docs/benchmark-cfa-full-2026-08-20.md (llguidance 1.6.1); 10,263 schemas of MaskBench, of which 8,966 (glrmask) and 8,968 " +
			"(LLGuidance) compiled; cold, one thread of an EPYC 9R05, processor time; what stands under TTFM is its compile alone"}
)

// A schemaFigure is what is published about an engine on JSON schemas. NaN is what is not said.
type schemaFigure struct {
	paper  *paper
	system string
	right  float64 // share of schemas, in percent

	ttfmP50, ttfmP99, ttfmMax           float64 // ms
	tbmP50, tbmP99, tbmP999, tbmLongest float64 // µs
}

// publishedOnSchemas are in the order of their publication.
var publishedOnSchemas = []schemaFigure{
	{&maskBenchPaper, "LLGuidance", maskBenchShare(7765), 0.987, 14.180, 170.635, 36, 460, 1453, 20007},
	{&maskBenchPaper, "XGrammar", maskBenchShare(5216), 535.498, 62151.076, 837805.312, 8, 4936, 44687, 694664},
	{&maskBenchPaper, "llama.cpp", maskBenchShare(5476), 0.307, 31.263, 10076.300, 14483, 57317, 268292, 1083198},
	{&maskBenchPaper, "Outlines", maskBenchShare(4259), 6987.012, 621693.634, 888396.817, 118, 358041, 598956, 1260641},
	{&laterMaskBench, "LLGuidance", 91, unsaid, unsaid, unsaid, unsaid, unsaid, unsaid, unsaid},
	{&glrmaskPaper, "LLGuidance", unsaid, 1.060, 11.945, 81.104, 10.458, 222.900, 787.640, 14426.103},
	{&glrmaskPaper, "glrmask", unsaid, 10.373, 228.690, 779.586, 3.060, 10.360, 17.841, 70.080},
}

// maskBenchShare is a number of passing schemas as a share of MaskBench's 10,163.
func maskBenchShare(passing int) float64 { return 100 * share(passing, 10163) }

// publishedSchemas puts what is published about MaskBench beside our schema workloads; nil without any.
func (s *Set) publishedSchemas() *Table {
	only := s.schemaCells()
	if len(only.Cells) == 0 {
		return nil
	}
	t := &Table{ID: "published-schemas", Title: "Beside the published figures for JSON schemas",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {"right %", true}, {"TTFM p50 ms", true}, {"p99 ms", true}, {"max ms", true},
			{"TBM p50 µs", true}, {"p99 µs", true}, {"p99.9 µs", true}, {"max µs", true}, {Head: "measured by"}}}
	lastWorkload, lastTokenizer := "", ""
	for _, c := range only.Cells {
		head := []string{c.Workload, c.Tokenizer}
		if c.Workload == lastWorkload && c.Tokenizer == lastTokenizer {
			head = []string{"", ""}
		}
		lastWorkload, lastTokenizer = c.Workload, c.Tokenizer
		t.Rows = append(t.Rows, schemaRow(head, c.Label+", cold", ours(c, c.ColdTBMNS), "gcdbench"))
		t.Rows = append(t.Rows, schemaRow([]string{"", ""}, c.Label+", warm", ours(c, c.TBMNS), "gcdbench"))
	}
	var about []string
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		t.Rows = append(t.Rows, schemaRow([]string{"", ""}, f.system, f, f.paper.name))
		if !slices.Contains(about, f.paper.about) {
			about = append(about, f.paper.about)
		}
	}
	t.Caption = "Published figures for MaskBench, for orientation: versions, machine and the choice of schemas differ from ours. Ours: right, of the schemas with instances; " +
		"TTFM with the grammar's compile. The published steps (TBM) are of first passes, with which our cold ones compare: an engine is new for each schema there; warm is what a " +
		"server sees that keeps its engines. " + strings.Join(about, ". ") + "."
	return t
}

// ours are a cell's figures in those units, with the steps of some passes.
func ours(c *Cell, steps *stats.Summary) *schemaFigure {
	f := &schemaFigure{nil, c.Label, unsaid, unsaid, unsaid, unsaid, unsaid, unsaid, unsaid, unsaid}
	if c.Tested > 0 {
		f.right = 100 * share(c.TestedRight, c.Tested)
	}
	if m := c.TTFMNS; m != nil {
		f.ttfmP50, f.ttfmP99, f.ttfmMax = m.P50/1e6, p99(m)/1e6, m.Max/1e6
	}
	if m := steps; m != nil {
		f.tbmP50, f.tbmP99, f.tbmP999, f.tbmLongest = m.P50/1e3, p99(m)/1e3, p999(m)/1e3, m.Max/1e3
	}
	return f
}

// schemaRow is a row of the table, ours or a paper's.
func schemaRow(head []string, system string, f *schemaFigure, by string) []Text {
	row := []Text{{Body: head[0]}, {Body: head[1]}, {Body: system}}
	for _, v := range []float64{f.right, f.ttfmP50, f.ttfmP99, f.ttfmMax, f.tbmP50, f.tbmP99, f.tbmP999, f.tbmLongest} {
		row = append(row, Text{Body: significant(v)})
	}
	return append(row, Text{Body: by})
}
