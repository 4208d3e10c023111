package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/internal/words"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// The pages about one thing: an engine, a workload, a judged difference.

// enginePage is the data of an engine's page.
type enginePage struct {
	Name, Algorithm, Semantics string
	Outside                    *algorithms.Provenance // nil for one of this program
	Options                    []string
	Ranks                      []rank
	Differences                []linked
}

// rank is an engine's place in a ranking.
type rank struct {
	*row
	Place, Of int
	Best      *row // by the mean step
}

// engineFile is the page of an engine.
func engineFile(label string) string { return "engine-" + slug(label) + ".html" }

// engines writes a page for each engine, and the list of them. A second entry of an engine is
// on the page of the first.
func (w *writer) engines() {
	var list []linked
	for _, name := range w.names(func(r *row) string { return r.Engine }) {
		if strings.Contains(name, " #") {
			continue
		}
		p := w.engine(name)
		w.page(engineFile(name), "engine", page{Title: name, Body: p})
		list = append(list, linked{name, engineFile(name), words.Count(len(p.Ranks), "ranking")})
	}
	w.page("engines.html", "list", page{Title: "Engines", Body: sorted(list)})
}

// sorted is a list in the order of its names.
func sorted(list []linked) []linked {
	slices.SortStableFunc(list, func(a, b linked) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// names are the different values of a part of the rows, in their order.
func (w *writer) names(of func(*row) string) (list []string) {
	seen := map[string]bool{}
	for _, r := range w.rows {
		if name := of(r); !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// engine is the data of an engine's page.
func (w *writer) engine(name string) *enginePage {
	p := &enginePage{Name: name}
	for _, r := range w.results {
		for i, c := range r.Cells {
			if words.Visible(c.Label) != name {
				continue
			}
			p.Algorithm, p.Semantics = c.Algorithm, c.Semantics
			p.Options = optionTexts(c.Names.Options)
			if c.Outside != nil {
				p.Outside = c.Outside
				p.Options = append(p.Options, optionTexts(c.Outside.Options)...)
			}
			p.Differences = append(p.Differences, r.findings(i, c)...)
		}
	}
	slices.Sort(p.Options)
	p.Options = slices.Compact(p.Options)
	for _, s := range w.slices {
		ranked := s.ranked(func(r *row) *float64 { return r.Mean })
		i := slices.IndexFunc(s.Rows, func(r *row) bool { return r.Engine == name && r.headline })
		if i < 0 {
			continue
		}
		k := rank{row: s.Rows[i], Of: len(ranked)}
		if len(ranked) > 0 {
			k.Best = ranked[0]
		}
		k.Place = slices.Index(ranked, k.row) + 1
		p.Ranks = append(p.Ranks, k)
	}
	return p
}

// workloads writes a page for each workload of each result, with the rankings of the headline's
// state, and the list of them.
func (w *writer) workloads() {
	type workloadPage struct {
		Workload, Result, ResultPage, About string
		Slices                              []*slice
	}
	var list []linked
	for _, r := range w.results {
		var pages []*workloadPage
		for _, s := range w.slices {
			if s.Result != r.Name || !s.Rows[0].headline {
				continue
			}
			i := slices.IndexFunc(pages, func(p *workloadPage) bool { return p.Workload == s.Workload })
			if i < 0 {
				i = len(pages)
				pages = append(pages, &workloadPage{Workload: s.Workload, Result: words.Visible(r.Name), ResultPage: r.page(), About: r.aboutWorkload(s.Workload)})
			}
			pages[i].Slices = append(pages[i].Slices, s)
		}
		for _, p := range pages {
			name := "workload-" + slug(r.Name) + "-" + slug(p.Workload) + ".html"
			w.page(name, "workload", page{Title: p.Workload + " in " + p.Result, Body: p})
			list = append(list, linked{p.Workload, name, "in " + p.Result})
		}
	}
	w.page("workloads.html", "list", page{Title: "Workloads", Body: sorted(list)})
}

// aboutWorkload is what a result says of a workload's grammar and documents; "" for nothing.
func (r *Result) aboutWorkload(name string) string {
	for _, text := range r.About {
		if strings.HasPrefix(text, "Workload "+name+": ") {
			return text
		}
	}
	return ""
}

// difference is the data of the page of a judged difference: that of the first workload that has
// it, and in which others it is.
type difference struct {
	Result, ResultPage, Engine, Vocabulary, Reference string
	result.JudgedFinding
	Command string
	Where   []differing
}

// A differing is a workload with a difference.
type differing struct {
	Workload          string
	Positions, Tokens int
}

// firstOf is the cell and the place of the first finding of a result that says of an engine what
// finding k of cell i says: an engine that differs at five counts of tools differs once.
func (r *Result) firstOf(i, k int) (cell, place int) {
	same := func(c *result.Cell, f *result.JudgedFinding) bool {
		own, of := r.Cells[i], &r.Cells[i].Judged.Findings[k]
		return c.Label == own.Label && c.Tokenizer == own.Tokenizer && f.Whose == of.Whose && f.Class == of.Class && f.Cause == of.Cause &&
			r.labelOf(c.Judged.Reference) == r.labelOf(own.Judged.Reference)
	}
	for j, c := range r.Cells[:i] {
		if c.Judged == nil {
			continue
		}
		if at := slices.IndexFunc(c.Judged.Findings, func(f result.JudgedFinding) bool { return same(c, &f) }); at >= 0 {
			return j, at
		}
	}
	return i, k
}

// differenceFile is the page of finding k of cell i.
func (r *Result) differenceFile(i, k int) string {
	i, k = r.firstOf(i, k)
	return fmt.Sprintf("difference-%s-%d-%d.html", slug(r.Name), i, k)
}

// differences writes a page for each judged difference of an engine, and the list of them.
func (w *writer) differences() {
	var list []linked
	for _, r := range w.results {
		pages := map[string]*difference{}
		for i, c := range r.Cells {
			if c.Judged == nil {
				continue
			}
			for k, f := range c.Judged.Findings {
				name := r.differenceFile(i, k)
				if pages[name] == nil {
					pages[name] = &difference{words.Visible(r.Name), r.page(), words.Visible(c.Label), words.Visible(c.Tokenizer), r.labelOf(c.Judged.Reference), f, r.replay(f), nil}
				}
				pages[name].Where = append(pages[name].Where, differing{words.Visible(c.Workload), f.Positions, f.Tokens})
			}
			list = append(list, r.findings(i, c)...)
		}
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			d := pages[name]
			w.page(name, "difference", page{Title: fmt.Sprintf("%s: %s", d.Engine, d.Class), Body: d})
		}
	}
	w.page("differences.html", "list", page{Title: "Judged differences", Body: sorted(list)})
}

// findings are links to the differences of cell i.
func (r *Result) findings(i int, c *result.Cell) (list []linked) {
	if c.Judged == nil {
		return nil
	}
	for k, f := range c.Judged.Findings {
		who := map[string]string{"engine": words.Visible(c.Label), "reference": r.labelOf(c.Judged.Reference)}[f.Whose]
		name := fmt.Sprintf("%s: %s, %s", who, f.Class, f.Cause)
		if who == "" {
			name = f.Cause // which begins with "undecided"
		}
		list = append(list, linked{words.Visible(name), r.differenceFile(i, k), fmt.Sprintf("%s of %s in %s, %s beside %s", show.Plural(f.Positions, "position"),
			words.Visible(c.Workload), words.Visible(r.Name), words.Visible(c.Label), r.labelOf(c.Judged.Reference))})
	}
	return list
}

// labelOf is the label of the cell of a key.
func (r *Result) labelOf(key string) string {
	for _, c := range r.Cells {
		if c.Key == key {
			return words.Visible(c.Label)
		}
	}
	return "the reference"
}

// replay is the command that asks about a difference again.
func (r *Result) replay(f result.JudgedFinding) string {
	if f.Witness == "" {
		return "gcdbench judge " + r.dir()
	}
	return "gcdbench engines replay " + r.dir() + "/judged/witnesses/" + f.Witness + ".json"
}

// dir is the directory that a result has where it was measured.
func (r *Result) dir() string {
	if r.set != nil {
		return words.Visible(r.Source)
	}
	return "results/" + words.Visible(r.Name)
}
