package site

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
	"gcdbench/reports/document"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// A row is what the site shows of a cell in one state of the engine. Times are in nanoseconds,
// memory in bytes; a figure that does not exist is null.
type row struct {
	Result     string   `json:"result"`
	Question   string   `json:"question"`
	Workload   string   `json:"workload"`
	Vocabulary string   `json:"vocabulary"`
	Size       int      `json:"size"` // ids of the vocabulary
	Engine     string   `json:"engine"`
	Color      string   `json:"color"`
	State      string   `json:"state"`
	N          int      `json:"n"`
	Mean       *float64 `json:"mean"`
	Low        *float64 `json:"low"` // the 95% interval of the mean
	High       *float64 `json:"high"`
	P50        *float64 `json:"p50"`
	P99        *float64 `json:"p99"`
	Max        *float64 `json:"max"`
	First      *float64 `json:"first"`   // to the first mask
	Offline    *float64 `json:"offline"` // before the first token
	Memory     *float64 `json:"memory"`
	Right      string   `json:"right"` // in words
	Exact      bool     `json:"exact"` // no mask and no verdict is known to be wrong
	Record     string   `json:"record"`
	headline   bool
	documents  documents
	outside    bool   // an engine from outside
	algorithm  string // as registered
	grammar    string
	page       string // of the result
}

// questions are what the first page answers, in its order.
var questions = []struct{ id, title string }{
	{"schemas", "JSON schemas"}, {"tools", "Tools"}, {"programs", "Programs"}, {"load", "Under load"},
}

// questionOf is the question that a cell helps to answer.
func questionOf(c *result.Cell) string {
	switch {
	case strings.Contains(strings.ToLower(c.Workload+" "+c.Grammar+" "+c.Dataset), "tool"):
		return "tools"
	case c.SchemaFigures != nil:
		return "schemas"
	}
	return "programs"
}

// documents is where the documents of a row come from.
type documents int

// The kinds of documents, the more telling ones last.
const (
	ofProject documents = iota // for this project
	ofFile                     // somebody's file
	fetched                    // real ones that anyone can have
)

// documentsOf is the kind of a dataset; embedded ones are called samples.
func documentsOf(dataset string) documents {
	switch {
	case strings.HasSuffix(dataset, "-samples"):
		return ofProject
	case Corpus(dataset) == "":
		return ofFile
	}
	return fetched
}

// Corpus is the name of the corpus that a dataset is of, "" for somebody's file, which has a format
// before its name.
func Corpus(dataset string) string {
	if strings.Contains(dataset, " ") {
		return ""
	}
	return dataset
}

// rows are those of all results.
func rows(results []*Result) []*row {
	var list []*row
	for _, r := range results {
		list = append(list, r.rows()...)
	}
	return list
}

// rows are those of a result. A row without times stands in the ranking of those that have some.
func (r *Result) rows() (list []*row) {
	for i, c := range r.Cells {
		list = append(list, r.rowsOf(i, c)...)
	}
	for _, one := range list {
		timed := func(o *row) bool {
			return o.headline && o.State != "" && o.Workload == one.Workload && o.Vocabulary == one.Vocabulary
		}
		if i := slices.IndexFunc(list, timed); one.State == "" && i >= 0 {
			one.State = list[i].State
		}
	}
	return list
}

// rowsOf are the rows of cell i.
func (r *Result) rowsOf(i int, c *result.Cell) []*row {
	base := row{Result: r.Name, Question: questionOf(c), Workload: words.Visible(c.Workload), Vocabulary: words.Visible(c.Tokenizer), Size: c.VocabularySize,
		Engine: words.Visible(c.Label), Color: plots.StyleOf(c.Algorithm, 0).Color, Memory: positive(float64(c.EngineBytes.Peak)), Record: fmt.Sprintf("%s#cell-%d", r.page(), i), headline: true, documents: documentsOf(c.Dataset), outside: c.Outside != nil, algorithm: c.Algorithm, grammar: c.Grammar, page: r.page()}
	base.Right, base.Exact = rightness(c)
	if c.TTFMNS != nil {
		base.First = positive(c.TTFMNS.P50)
	}
	if c.Offline != nil {
		base.Offline = positive(c.Offline.Sum)
	}
	var list []*row
	for _, state := range document.EngineStates {
		s := c.TBMNS.Of(state)
		if s == nil || s.N == 0 {
			continue
		}
		one := base
		one.State, one.N, one.headline = state, s.N, state == c.HeadlineState
		if s.P99 != nil {
			one.P99 = positive(*s.P99)
		}
		one.Mean, one.P50, one.Max = positive(s.Mean), positive(s.P50), positive(s.Max)
		one.Low, one.High = intervalIn(c, state)
		list = append(list, &one)
	}
	if len(list) == 0 { // without times: what it got wrong is to be seen all the same
		list = append(list, &base)
	}
	return list
}

// positive is a figure with five digits, more than is shown, or nil for none.
func positive(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	return &v
}

// intervalIn is the interval of the mean step; nil where the cell has none in that state.
func intervalIn(c *result.Cell, state string) (low, high *float64) {
	if c.Intervals == nil || state != c.HeadlineState || !c.Intervals.TBMNS.Mean.Valid() {
		return nil, nil
	}
	i := c.Intervals.TBMNS.Mean
	return positive(i.Low), positive(i.High)
}

// rightness says in words how right a cell was, and whether nothing of it is known to be wrong.
func rightness(c *result.Cell) (text string, exact bool) {
	exact = c.Outcome == cell.OK
	var parts []string
	if c.Outcome != cell.OK {
		parts = append(parts, string(c.Outcome))
	}
	if f := c.SchemaFigures; f != nil {
		parts = append(parts, fmt.Sprintf("%d of %d schemas right", f.Right, f.Schemas))
		if f.InvalidAccepted > 0 {
			parts = append(parts, fmt.Sprintf("accepts %d of %d invalid instances", f.InvalidAccepted, f.InvalidInstances))
			exact = false
		}
	} else if wrong := c.Positives - c.PositivesPassed + c.Negatives - c.NegativesPassed; wrong > 0 && c.Outcome != cell.Unsupported {
		parts = append(parts, fmt.Sprintf("%d of %d verdicts wrong", wrong, c.Positives+c.Negatives))
		exact = false
	}
	switch {
	case c.Judged != nil && c.Judged.Judged > 0:
		n := c.Judged.Leading(judged.Engine, judged.AdmitsInvalid)
		parts = append(parts, fmt.Sprintf("admits an invalid text at %d of %d judged positions", n, c.Judged.Judged))
		exact = exact && n == 0
	case c.Wider != nil && c.Wider.Differ > 0:
		parts = append(parts, fmt.Sprintf("%s of %s masks differ", show.Count(c.Wider.Differ), show.Count(c.Wider.Positions)))
		exact = false
	case c.Semantics == algorithms.SemanticsContract && c.PositionsCompared > 0 && c.Outcome != cell.WrongMask:
		parts = append(parts, show.Count(c.PositionsCompared)+" masks equal")
	case c.Semantics != algorithms.SemanticsContract:
		parts = append(parts, "masks not judged")
	}
	return cmp.Or(strings.Join(parts, ", "), "all right"), exact
}

// apart reports whether the mean steps of two engines are told apart: their 95% intervals do not
// overlap. Fewer than three documents have no intervals, and nothing is told apart.
func apart(a, b *row) bool {
	return a.High != nil && b.High != nil && (*a.High < *b.Low || *b.High < *a.Low)
}

// slice is what one ranking is about: figures that were measured in one run, of one workload,
// vocabulary and state.
type slice struct {
	Result, Workload, Vocabulary, State string
	Page                                string // of the result
	Rows                                []*row
}

// slices are the rankings, in the order of the rows.
func slicesOf(list []*row) []*slice {
	var found []*slice
	at := map[[4]string]*slice{}
	for _, r := range list {
		key := [4]string{r.Result, r.Workload, r.Vocabulary, r.State}
		s := at[key]
		if s == nil {
			s = &slice{Result: r.Result, Workload: r.Workload, Vocabulary: r.Vocabulary, State: r.State, Page: r.page}
			at[key] = s
			found = append(found, s)
		}
		s.Rows = append(s.Rows, r)
	}
	for _, s := range found {
		slices.SortStableFunc(s.Rows, compareRows)
	}
	return found
}

// compareRows ranks: exact ones first, then by the mean step.
func compareRows(a, b *row) int {
	return cmp.Or(stats.FalseFirst(!a.Exact, !b.Exact), stats.FalseFirst(a.Mean == nil, b.Mean == nil), cmp.Compare(stats.Figure(a.Mean), stats.Figure(b.Mean)))
}

// best is the ranking that answers a question first: of whole languages that of the most telling
// documents, then of the most engines from outside, of the most algorithms, of the most steps; nil
// if nothing was measured. "" is any question.
func best(all []*slice, question string) *slice {
	var found *slice
	for _, s := range all {
		if r := s.Rows[0]; question != "" && r.Question != question || !slices.ContainsFunc(s.Rows, func(r *row) bool { return r.headline && r.Mean != nil }) {
			continue
		}
		if found == nil || slices.Compare(s.weight(), found.weight()) > 0 {
			found = s
		}
	}
	return found
}

// weight is what best compares: whether it is more than JSON's grammar, its documents, engines from
// outside, algorithms, steps.
func (s *slice) weight() []int {
	algorithms, outside, steps := map[string]bool{}, map[string]bool{}, 0
	for _, r := range s.Rows {
		algorithms[r.algorithm] = true
		if r.outside {
			outside[r.algorithm] = true
		}
		steps = max(steps, r.N)
	}
	programs := 1
	if s.Rows[0].grammar == "json" { // a small language, which says little of others
		programs = 0
	}
	return []int{programs, int(s.Rows[0].documents), len(outside), len(algorithms), steps}
}
