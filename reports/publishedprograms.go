package reports

import (
	"fmt"
	"math"
	"slices"
)

// What papers say about programs, and PSC's about JSON schemas.

// The papers. What is published about MaskBench is in publishedmaskbench.go.
var (
	greatGrammaPaper = source{
		name:     "GreatGramma, table 1",
		where:    "Park, Zhou and D'Antoni, \"Flexible and Efficient Grammar-Constrained Decoding\", table 1",
		date:     "ICML 2025",
		machine:  "the machine is not named",
		versions: "nor are the engines' versions",
		differs: "in Python, with other grammars (353 to 520 rules), 5 programs per language; its \"Llama\" and \"Qwen-2\" vocabularies have 32,000 and 151,665 tokens; " +
			"its own text has GreatGramma 17.71 times faster offline than SynCode in the geometric mean, as this table has, and 2.73 times online, where this table has 3.32",
	}
	pscPaper = source{
		name:     "PSC, tables 1 and 2",
		where:    "\"Parser Stack Classification\", tables 1 and 2",
		date:     "submitted to ICLR 2026",
		machine:  "one thread of a Xeon Gold 6348",
		versions: "the engines' versions are not named; PSC and GreatGramma in Python, XGrammar in C++, LLGuidance in Rust, Formatron in Rust and Python",
		differs: "other grammars, 1,000 programs per language, and 1,000 of those schemas of MaskBench whose instances its own grammars judge rightly; " +
			"offline times are not published",
	}
)

// publishedFigures are the tables of the papers, in their order.
var publishedFigures = slices.Concat(greatGrammaTable(), pscTables())

// greatGrammaTable is GreatGramma's table 1: offline seconds and online milliseconds.
func greatGrammaTable() []published {
	systems := []string{"Outlines", "SynCode", "GreatGramma"}
	rows := []struct {
		vocab, language string
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
			online := datum{value: 1000 * r.online[i]}
			if math.IsNaN(r.online[i]) {
				online.note = "masked wrong tokens, says the paper"
			}
			list = append(list, published{&greatGrammaPaper, "greatgramma-" + r.language, system, r.vocab,
				datum{value: r.offline[i]}, online, datum{value: unsaid}})
		}
	}
	return list
}

// pscLanguages are the columns of PSC's tables.
var pscLanguages = []string{"java", "go", "sql", "json-schema"}

// pscTables are PSC's table 1, online microseconds, and table 2, the share of samples processed
// correctly.
func pscTables() []published {
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
	for i, language := range pscLanguages {
		for _, r := range rows {
			place := pscCell{r.vocab, r.system, language}
			list = append(list, published{&pscPaper, "psc-" + language, r.system, r.vocab, datum{value: unsaid},
				place.datum(r.online[i], pscDamagedOnline), place.datum(r.passed[i], pscDamagedPassed)})
		}
	}
	return list
}

// A pscCell is a place in either of PSC's tables.
type pscCell struct{ vocab, system, language string }

// The cells whose figure is our reading, by what our copy of the paper's text has in their place:
// it was made from an image, and lost decimal points and digits.
var (
	pscDamagedOnline = map[pscCell]string{
		{"llama3", "XGrammar", "go"}:     "2815009",
		{"llama3", "PSC", "json-schema"}: "23",
		{"qwen2.5", "XGrammar", "java"}:  "3024219",
		{"qwen2.5", "Formatron", "sql"}:  "2533119",
		{"qwen2.5", "PSC", "java"}:       "24",
		{"gemma3", "PSC", "sql"}:         "24",
		{"gemma3", "PSC", "json-schema"}: "23",
	}
	pscDamagedPassed = map[pscCell]string{
		{"llama3", "GreatGramma", "go"}:  "99%",
		{"qwen2.5", "GreatGramma", "go"}: "9.9%",
		{"gemma3", "Formatron", "sql"}:   "673%",
	}
)

// datum is the cell's value with its footnote: that it is a reading of damaged text, or why it is
// missing.
func (c pscCell) datum(value float64, damaged map[pscCell]string) datum {
	f := datum{value: value}
	if text := damaged[c]; text != "" {
		f.note = fmt.Sprintf("our reading of damaged text: our copy of the paper has %q here", text)
	}
	if math.IsNaN(value) {
		f.note = map[string]string{"Formatron": "stops responding, says the paper", "LLGuidance": "ParserTooComplex, says the paper"}[c.system]
	}
	return f
}
