package reports

import (
	"math"
	"slices"
	"strings"
)

// What papers say. Their figures stand beside ours in tables that say who measured them, and are in no ratio and no plot:
// another machine, another corpus and mostly another programming language lie between them. They are facts, with their
// source; what a paper does not say is left open.

// A paper is where published figures come from.
type paper struct {
	name  string // as the table cites it
	about string // what differs from ours
}

// The papers of programs; those of schemas are in publishedschemas.go.
var (
	greatGrammaPaper = paper{"GreatGramma, table 1",
		"GreatGramma: Park, Zhou and D'Antoni, \"Flexible and Efficient Grammar-Constrained Decoding\", table 1; Python, " +
			"other grammars (353 to 520 rules), 5 programs per language, its \"Llama\" and \"Qwen-2\" vocabularies have 32,000 and 151,665 tokens"}
	pscPaper = paper{"PSC, tables 1 and 2",
		"PSC: \"Parser Stack Classification\", tables 1 and 2; PSC and GreatGramma in Python, XGrammar in C++, LLGuidance in Rust, " +
			"other grammars, 1,000 programs per language, and 1,000 of those schemas of MaskBench whose instances its own grammars judge rightly; " +
			"one thread of a Xeon Gold 6348; offline times are not published"}
)

// A published figure is what a paper says about a system on a language with a vocabulary. NaN is
// what it does not say.
type published struct {
	paper   *paper
	system  string // as the paper calls it; our algorithm of the same name is put beside it
	grammar string // our grammar of the same language
	vocab   string // our tokenizer of the same vocabulary

	offlineSeconds float64
	onlineMicros   float64 // mean time of one mask
	passed         float64 // share of samples processed correctly, in percent
	note           string
}

// unsaid is a figure that a paper does not give.
var unsaid = math.NaN()

// publishedFigures are the tables of the papers, in their order.
var publishedFigures = slices.Concat(greatGrammaTable(), pscTables())

// greatGrammaTable is GreatGramma's table 1: offline seconds and online milliseconds.
func greatGrammaTable() []published {
	systems := []string{"Outlines", "SynCode", "GreatGramma"}
	rows := []struct {
		vocab, grammar  string
		offline, online [3]float64
	}{
		{"llama2", "go", [3]float64{2.51, 556.10, 24.76}, [3]float64{3213.05, unsaid, 5.08}},
		{"llama2", "java", [3]float64{2.49, 579.48, 33.79}, [3]float64{3450.67, 46.71, 6.29}},
		{"llama2", "python", [3]float64{4.89, 768.33, 35.40}, [3]float64{3245.10, 62.40, 7.11}},
		{"llama3", "go", [3]float64{2.43, 2212.95, 106.07}, [3]float64{12974.43, unsaid, 21.11}},
		{"llama3", "java", [3]float64{2.46, 2294.26, 166.87}, [3]float64{13725.58, 49.03, 24.69}},
		{"llama3", "python", [3]float64{4.86, 2789.31, 170.71}, [3]float64{13167.83, 71.49, 30.17}},
		{"qwen2.5", "go", [3]float64{2.38, 2635.00, 132.27}, [3]float64{14756.47, unsaid, 21.32}},
		{"qwen2.5", "java", [3]float64{2.39, 2734.27, 260.80}, [3]float64{15235.25, 50.32, 25.12}},
		{"qwen2.5", "python", [3]float64{4.81, 3268.09, 155.32}, [3]float64{15146.38, 70.87, 32.30}},
	}
	var list []published
	for _, r := range rows {
		for i, system := range systems {
			p := published{&greatGrammaPaper, system, r.grammar, r.vocab, r.offline[i], 1000 * r.online[i], unsaid, ""}
			if math.IsNaN(r.online[i]) {
				p.note = "masked wrong tokens, says the paper"
			}
			list = append(list, p)
		}
	}
	return list
}

// pscTables are PSC's table 1, online microseconds, and table 2, the share of samples processed
// correctly. Its JSON column is about JSON schemas.
func pscTables() []published {
	grammars := []string{"java", "go", "sql", "schema"}
	rows := []struct {
		vocab, system  string
		online, passed [4]float64
	}{
		{"llama3", "XGrammar", [4]float64{309514.2, 281500.9, 324663.6, 26257.6}, [4]float64{99.7, 100, 99.7, 100}},
		{"llama3", "Formatron", [4]float64{393540.4, unsaid, 303974.1, unsaid}, [4]float64{99.4, unsaid, 67.0, unsaid}},
		{"llama3", "GreatGramma", [4]float64{21402.8, 27220.9, 20954.5, 8556.2}, [4]float64{100, 99.9, 97.1, 99.6}},
		{"llama3", "LLGuidance", [4]float64{1352.4, unsaid, 826.1, 72.7}, [4]float64{100, unsaid, 99.9, 99.9}},
		{"llama3", "PSC", [4]float64{2.4, 2.5, 2.6, 2.3}, [4]float64{100, 99.9, 99.9, 99.6}},
		{"qwen2.5", "XGrammar", [4]float64{302421.9, 278333.4, 299968.6, 29470.0}, [4]float64{99.7, 100, 99.7, 100}},
		{"qwen2.5", "Formatron", [4]float64{378921.0, unsaid, 253311.9, unsaid}, [4]float64{99.4, unsaid, 67.0, unsaid}},
		{"qwen2.5", "GreatGramma", [4]float64{24570.9, 27649.8, 24053.9, 11038.4}, [4]float64{100, 99.9, 97.2, 99.6}},
		{"qwen2.5", "LLGuidance", [4]float64{1408.2, unsaid, 865.2, 72.1}, [4]float64{100, unsaid, 99.9, 99.9}},
		{"qwen2.5", "PSC", [4]float64{2.4, 2.5, 2.5, 2.2}, [4]float64{100, 99.9, 99.9, 99.6}},
		{"gemma3", "XGrammar", [4]float64{649321.1, 458952.0, 416625.0, 54164.4}, [4]float64{99.7, 100, 99.7, 100}},
		{"gemma3", "Formatron", [4]float64{696144.6, unsaid, 444810.0, unsaid}, [4]float64{100, unsaid, 67.3, unsaid}},
		{"gemma3", "GreatGramma", [4]float64{43218.6, 48354.0, 40026.9, 25717.3}, [4]float64{100, 99.9, 97.2, 99.6}},
		{"gemma3", "LLGuidance", [4]float64{1802.6, unsaid, 1180.8, 72.1}, [4]float64{94.0, unsaid, 99.9, 99.9}},
		{"gemma3", "PSC", [4]float64{2.3, 2.5, 2.4, 2.3}, [4]float64{100, 99.9, 99.9, 99.6}},
	}
	var list []published
	for i, grammar := range grammars {
		for _, r := range rows {
			p := published{&pscPaper, r.system, grammar, r.vocab, unsaid, r.online[i], r.passed[i], ""}
			if math.IsNaN(r.online[i]) {
				p.note = map[string]string{"Formatron": "stops responding, says the paper", "LLGuidance": "ParserTooComplex, says the paper"}[r.system]
			}
			list = append(list, p)
		}
	}
	return list
}

// publishedTable puts the published figures for the set's languages and vocabularies beside ours; nil
// if no paper has any. Ours stand first, each with what papers say of the algorithm of that name;
// systems that only papers measured follow.
func (s *Set) publishedTable() *Table {
	t := &Table{ID: "published", Title: "Beside the published figures",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {Head: "offline s", Right: true},
			{Head: "mask mean µs", Right: true}, {Head: "passed %", Right: true}, {Head: "measured by"}}}
	var papers []*paper
	type place struct{ workload, grammar, tokenizer string }
	var seen []place
	for _, c := range s.Cells {
		p := place{c.Workload, c.Grammar, c.Tokenizer}
		figures := publishedFor(c.Grammar, c.Tokenizer)
		if slices.Contains(seen, p) || len(figures) == 0 {
			continue
		}
		seen = append(seen, p) // one block of rows for all cells of a workload and a vocabulary
		head := []string{c.Workload, c.Tokenizer}
		for _, ours := range s.Cells {
			if ours.Workload == p.workload && ours.Tokenizer == p.tokenizer {
				t.Rows = append(t.Rows, publishedRow(head, ours.Label, offlineSeconds(ours), maskMicros(ours), passedPercent(ours), Text{Body: "gcdbench"}))
				head = []string{"", ""}
			}
		}
		for _, f := range figures {
			by := Text{Body: f.paper.name}
			if f.note != "" {
				by.Mark = t.note(f.note)
			}
			t.Rows = append(t.Rows, publishedRow(head, f.system, f.offlineSeconds, f.onlineMicros, f.passed, by))
			if !slices.Contains(papers, f.paper) {
				papers = append(papers, f.paper)
			}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	var about []string
	for _, p := range papers {
		about = append(about, p.about)
	}
	t.Caption = "Published figures for the same language and vocabulary, in the papers' units and order, for orientation: grammar, corpus, " +
		"implementation language and machine all differ from ours. " + strings.Join(about, ". ") + "."
	return t
}

// publishedFor are the figures for our grammar of that language and our tokenizer of that vocabulary, in the papers' order.
func publishedFor(grammar, tokenizer string) []published {
	var list []published
	for _, f := range publishedFigures {
		if f.grammar == grammar && f.vocab == tokenizer {
			list = append(list, f)
		}
	}
	return list
}

// publishedRow is a row of the table, ours or a paper's.
func publishedRow(head []string, system string, offline, online, passed float64, by Text) []Text {
	row := []Text{{Body: head[0]}, {Body: head[1]}, {Body: system}}
	for _, v := range []float64{offline, online, passed} {
		row = append(row, Text{Body: significant(v)})
	}
	return append(row, by)
}

// offlineSeconds is what is paid before the first token, in sum. It and the next two are a cell's figures in the papers' units.
func offlineSeconds(c *Cell) float64 {
	if c.Offline == nil {
		return unsaid
	}
	return c.Offline.Sum / 1e9
}

// maskMicros is the mean time of a delivered mask on new documents.
func maskMicros(c *Cell) float64 {
	m := c.headline(c.MaskNS)
	if m == nil {
		return unsaid
	}
	return m.Mean / 1e3
}

// passedPercent is the share of samples that got the right verdict, in percent.
func passedPercent(c *Cell) float64 {
	if c.Positives+c.Negatives == 0 {
		return unsaid
	}
	return 100 * float64(c.PositivesPassed+c.NegativesPassed) / float64(c.Positives+c.Negatives)
}
