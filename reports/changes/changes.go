// Package changes says what differs between two results: what is faster, slower, righter or
// wronger.
package changes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// What changed from one result to another: two revisions, two machines, two versions of an engine,
// or two algorithms of one run. Times are compared at identical positions of the documents that
// both results have, and an interval decides; rightness is compared document by document.
//
// Two results do not take turns, so the noise between them can be larger than what an algorithm
// entered twice shows within one. That floor is the least that a difference has to exceed.

// A Verdict says in a word what became of a figure.
type Verdict string

// The verdicts. Those of times need an interval beyond the noise floor.
const (
	Faster  Verdict = "faster"
	Slower  Verdict = "slower"
	Righter Verdict = "righter" // some documents are judged rightly that were not, and none the other way
	Wronger Verdict = "wronger" // a document that was judged rightly no longer is
	Differs Verdict = "differs" // masks of one language, grammar and vocabulary are not the same
	Equal   Verdict = "equal"   // of rightness and masks: no document or position differs
	// Undecided is a time whose interval holds 1 or lies within the noise floor.
	Undecided Verdict = "~"
	// NoInterval is a time of too few documents for an interval.
	NoInterval Verdict = "no interval"
	// NotComparable is a time on another machine, or of another vocabulary.
	NotComparable Verdict = "not comparable"
)

// A Change is one figure of a cell in two results. Its JSON is what `compare --json` prints.
type Change struct {
	Workload  string `json:"workload"`
	Tokenizer string `json:"tokenizer"`
	Algorithm string `json:"algorithm"` // its label, or "x -> y" of two
	// Figure is its place in the JSON of a report (tbm_ns.new.p99). Times are over the documents and
	// positions that both results have, in nanoseconds. geomean is the geometric mean of all of them;
	// its ratio is that of the paired times. Others are counts: documents_right, schemas_right,
	// within_limits and masks_equal, of which A is how many there are in both.
	Figure string  `json:"figure"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	// Ratio is B divided by A, Low and High the ends of its 95% interval; null where there is none.
	Ratio   *float64 `json:"ratio"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Verdict Verdict  `json:"verdict"`

	contract bool // the cell's masks are the contract's: if they differ, one of them is wrong
}

// fails reports whether the change is a finding of --fail-over: slower by more than a share, or
// wronger.
func (c *Change) fails(over float64) bool {
	switch c.Verdict {
	case Wronger:
		return true
	case Differs:
		return c.contract
	case Slower:
		return c.Low == nil || *c.Low > 1+over
	}
	return false
}

// timed makes the change of a time; an interval that is not valid is left out.
func timed(figure string, a, b float64, i stats.Interval) Change {
	ratio := stats.Quotient(b, a)
	c := Change{Figure: figure, A: a, B: b, Ratio: &ratio}
	if i.Valid() {
		c.Low, c.High = &i.Low, &i.High
	}
	return c
}

// judged is the verdict on a time, beyond a noise floor.
func (c *Change) judged(floor float64) Verdict {
	switch {
	case c.Low == nil:
		return NoInterval
	case *c.Low > 1+floor:
		return Slower
	case *c.High < 1/(1+floor):
		return Faster
	}
	return Undecided
}

// farthest is the largest share by which the ratio or an end of its interval differs from 1, in
// either direction.
func (c *Change) farthest() float64 {
	most := 0.0
	for _, v := range []*float64{c.Ratio, c.Low, c.High} {
		if v != nil {
			most = max(most, *v, 1/(*v))
		}
	}
	return max(0, most-1)
}

// times are the changes of all times of two cells: of masks and steps in the headline's state, and
// of what is paid before.
func times(a, b *result.Cell) []Change {
	state, seed := a.HeadlineState, a.Record.ID.Seed
	var list []Change
	for _, k := range []struct {
		name string
		of   result.Kind
	}{{"tbm_ns", result.StepTimes}, {"mask_ns", result.MaskTimes}} {
		var x, y stats.Data
		result.EachPair(a, b, k.of, state, func(cluster int, v, w float64) {
			x.Add(cluster, v)
			y.Add(cluster, w)
		})
		list = append(list, distributions(k.name+"."+state, x, y, seed)...)
	}
	if a.SchemaFigures != nil {
		x, y := firstMasks(a, b)
		return append(list, distributions("ttfm_ns", x, y, seed)...)
	}
	if a.Offline != nil && b.Offline != nil {
		list = append(list, timed("offline_ns.sum", a.Offline.Sum, b.Offline.Sum, offlineRatio(a.Offline, b.Offline)))
	}
	return list
}

// distributions compare values that are lined up in pairs.
func distributions(name string, a, b stats.Data, seed uint64) []Change {
	if len(a.Values) == 0 {
		return nil
	}
	var pairs stats.Pairs
	logs := 0.0
	for i, v := range a.Values {
		pairs.Add(int(a.Cluster[i]), b.Values[i], v)
		logs += math.Log(stats.Quotient(v, 1))
	}
	paired := pairs.Ratio(seed)
	least := math.Exp(logs / float64(len(a.Values)))
	x, y := stats.Summarize(a.Values), stats.Summarize(b.Values)
	i := stats.QuotientIntervals(b, a, seed)
	list := []Change{
		timed(name+".geomean", least, least*paired.Value, paired.Interval),
		timed(name+".mean", x.Mean, y.Mean, i.Mean),
		timed(name+".p50", x.P50, y.P50, i.P50),
	}
	if x.P99 != nil {
		list = append(list, timed(name+".p99", *x.P99, *y.P99, i.P99))
	}
	return list
}

// firstMasks are the times to the first mask of the schemas that compiled in both, each a cluster.
func firstMasks(a, b *result.Cell) (x, y stats.Data) {
	other := map[string]float64{}
	for i := range b.Record.Problems {
		if s, ok := result.TimesOf(&b.Record.Problems[i]); ok {
			other[s.ID] = s.TTFMNS
		}
	}
	for i := range a.Record.Problems {
		s, ok := result.TimesOf(&a.Record.Problems[i])
		if ns, both := other[s.ID]; ok && both {
			x.Add(i, s.TTFMNS)
			y.Add(i, ns)
		}
	}
	return x, y
}

// offlineRatio is an interval of b divided by a that is too wide rather than too narrow: from one's
// least to the other's most. Only the algorithm's compiles are repeated.
func offlineRatio(a, b *result.Offline) stats.Interval {
	if !a.Algorithm95.Valid() || !b.Algorithm95.Valid() {
		return stats.Interval{}
	}
	x, y := a.Sum-a.Algorithm, b.Sum-b.Algorithm
	return stats.Interval{Low: stats.Quotient(y+b.Algorithm95.Low, x+a.Algorithm95.High),
		High: stats.Quotient(y+b.Algorithm95.High, x+a.Algorithm95.Low)}
}

// tallied makes the change of a count.
func tallied(figure string, a, b int, v Verdict) Change {
	c := Change{Figure: figure, A: float64(a), B: float64(b), Verdict: v}
	if a > 0 {
		ratio := c.B / c.A
		c.Ratio = &ratio
	}
	return c
}

// rightness compares how the documents of two cells ended that both have. A document beyond a limit
// of time or memory is not wrong: it is counted apart.
func rightness(a, b *result.Cell) []Change {
	x, y := a.Endings(), b.Endings()
	var right, within [2]int
	var gained, lost, quicker, slower int
	for id, before := range x {
		after, both := y[id]
		if !both {
			continue
		}
		for i, end := range []int{before, after} {
			right[i] += stats.Truth(end == result.EndedRight)
			within[i] += stats.Truth(end != result.EndedAtLimit)
		}
		gained += stats.Truth(before == result.EndedWrong && after == result.EndedRight)
		lost += stats.Truth(before != result.EndedWrong && after == result.EndedWrong)
		quicker += stats.Truth(before == result.EndedAtLimit && after != result.EndedAtLimit)
		slower += stats.Truth(before != result.EndedAtLimit && after == result.EndedAtLimit)
	}
	name := "documents_right"
	if a.SchemaFigures != nil {
		name = "schemas_right"
	}
	list := []Change{tallied(name, right[0], right[1], worse(lost, Wronger, gained, Righter, Equal))}
	if quicker+slower > 0 {
		list = append(list, tallied("within_limits", within[0], within[1], worse(slower, Slower, quicker, Faster, Undecided)))
	}
	return list
}

// worse is the verdict on losses and gains: a loss is not made good by a gain elsewhere.
func worse(lost int, bad Verdict, gained int, good, neither Verdict) Verdict {
	switch {
	case lost > 0:
		return bad
	case gained > 0:
		return good
	}
	return neither
}

// masksEqual counts the positions at which two cells gave the same mask, where they were asked the
// same: the language, the grammar, and the vocabulary. None otherwise.
func masksEqual(a, b *result.Cell) []Change {
	x, y := &a.Record.ID, &b.Record.ID
	if x.Semantics != y.Semantics || x.GrammarSHA256 != y.GrammarSHA256 || x.VocabularySHA256 != y.VocabularySHA256 || x.TokenizerSHA256 != y.TokenizerSHA256 {
		return nil
	}
	asked, equal, other := 0, 0, b.ByID()
	for i := range a.Steps {
		s := &a.Steps[i]
		o := other[s.ID]
		if o == nil || !result.SameSample(a, s, b, o) || len(s.Hashes) < len(s.Positions) || len(o.Hashes) < len(o.Positions) {
			continue
		}
		result.EachCommon(s.Positions, o.Positions, func(i, j int) {
			asked++
			equal += stats.Truth(s.Hashes[i] == o.Hashes[j])
		})
	}
	if asked == 0 {
		return nil
	}
	c := tallied("masks_equal", asked, equal, worse(asked-equal, Differs, 0, Equal, Equal))
	c.contract = x.Semantics == algorithms.SemanticsContract
	return []Change{c}
}

// CompareOptions choose what Compare compares.
type CompareOptions struct {
	// Algorithm is the label or the name of the algorithms to compare; "" for all. With is that of
	// the second result's algorithm that each is compared with; "" for the same label.
	Algorithm, With string
	// Across gives verdicts on times of different machines too.
	Across bool
}

// A Comparison is what changed between two results.
type Comparison struct {
	Changes []Change
	// Notes say what differs between the results besides: machines, programs, corpora, cells that
	// only one has; and where the noise floor is from.
	Notes []string
}

// Compare compares the cells of two results, which may be one and the same if the options name two
// algorithms. The error says that they have no cell in common.
func Compare(a, b *result.Set, o CompareOptions) (*Comparison, error) {
	c := &Comparison{}
	found := 0
	for _, x := range a.Cells {
		if !named(x, o.Algorithm) {
			continue
		}
		y := partner(b, x, o.With)
		if y == nil {
			c.note("only in A: %s on %s with %s", x.Label, x.Workload, x.Tokenizer)
			continue
		}
		found++
		c.add(x, y, o, c.floors(a, b, x))
	}
	if found == 0 {
		return nil, noPartner(a, b, o)
	}
	if o.Algorithm == "" && o.With == "" {
		for _, y := range b.Cells {
			if partner(a, y, "") == nil {
				c.note("only in B: %s on %s with %s", y.Label, y.Workload, y.Tokenizer)
			}
		}
	}
	return c, nil
}

// noPartner says which cells there are instead.
func noPartner(a, b *result.Set, o CompareOptions) error {
	labels := func(s *result.Set) string {
		return strings.Join(result.Distinct(s.Cells, func(c *result.Cell) string { return c.Label + " on " + c.Workload + " with " + c.Tokenizer }), ", ")
	}
	what := "no cell is in both results"
	if o.Algorithm != "" {
		what = fmt.Sprintf("no workload and vocabulary has %q in A and %q in B", o.Algorithm, cmp.Or(o.With, o.Algorithm))
	}
	return fmt.Errorf("%s; A has %s; B has %s", what, labels(a), labels(b))
}

// named reports whether a cell is of an algorithm, by label or name; "" is any.
func named(c *result.Cell, algorithm string) bool {
	return algorithm == "" || c.Label == algorithm || c.Algorithm == algorithm
}

// partner is the cell of the same workload and vocabulary that another is compared with: of the
// named algorithm, a label before a name, or of the same label. Nil if there is none.
func partner(s *result.Set, c *result.Cell, with string) *result.Cell {
	label := cmp.Or(with, c.Label)
	var named *result.Cell
	for _, o := range s.Cells {
		if o.Workload != c.Workload || o.Tokenizer != c.Tokenizer {
			continue
		}
		if o.Label == label {
			return o
		}
		if named == nil && with != "" && o.Algorithm == with {
			named = o
		}
	}
	return named
}

// add compares two cells.
func (c *Comparison) add(a, b *result.Cell, o CompareOptions, floors map[string]float64) {
	comparable := c.noteDifferences(a, b, o)
	name := a.Label
	if b.Label != a.Label {
		name += " -> " + b.Label
	}
	list := append(rightness(a, b), masksEqual(a, b)...)
	for _, t := range times(a, b) {
		t.Verdict = t.judged(floors[t.Figure])
		list = append(list, t)
	}
	for _, t := range list {
		if !comparable && slices.Contains([]Verdict{Faster, Slower, Undecided, NoInterval}, t.Verdict) {
			t.Verdict = NotComparable
		}
		t.Workload, t.Tokenizer, t.Algorithm = a.Workload, a.Tokenizer, name
		c.Changes = append(c.Changes, t)
	}
}

// floors is the noise of each figure where a cell was measured: the most by which an algorithm that
// was entered twice differs from itself, in either result.
func (c *Comparison) floors(a, b *result.Set, of *result.Cell) map[string]float64 {
	floors := map[string]float64{}
	twins := 0
	for _, s := range slices.Compact([]*result.Set{a, b}) {
		for _, g := range s.Groups() {
			if g.Workload != of.Workload || g.Tokenizer != of.Tokenizer {
				continue
			}
			for x, y := range g.Twins() {
				twins++
				for _, t := range times(x, y) {
					floors[t.Figure] = max(floors[t.Figure], t.farthest())
				}
			}
		}
	}
	if twins == 0 {
		c.note("%s with %s has no noise floor: no algorithm is entered twice", of.Workload, of.Tokenizer)
	} else {
		mean := "tbm_ns." + of.HeadlineState + ".mean"
		c.note("%s with %s: the noise floor of %s is %s", of.Workload, of.Tokenizer, mean, show.Percent(floors[mean]))
	}
	return floors
}

// noteDifferences notes what else differs between two cells, and reports whether their times
// compare.
func (c *Comparison) noteDifferences(a, b *result.Cell, o CompareOptions) bool {
	x, y := &a.Record.Environment, &b.Record.Environment
	c.differ("program", x.Version+" "+x.Revision, y.Version+" "+y.Revision)
	c.differ("Go", x.Go, y.Go)
	c.differ("kernel", x.Kernel, y.Kernel)
	kind := func(e *result.Cell) string {
		m := &e.Record.Environment
		return fmt.Sprintf("%s, %d cores, %s/%s", m.CPU, m.Cores, m.OS, m.Arch)
	}
	same := c.differ("machine", kind(a), kind(b))
	if !same && !o.Across {
		c.note("times of different machines do not compare; --across compares them all the same")
	}
	at := a.Workload + " with " + a.Tokenizer + ": "
	i, j := &a.Record.ID, &b.Record.ID
	c.differ(at+"grammar", i.GrammarSHA256, j.GrammarSHA256)
	if !c.differ(at+"corpus", i.CorpusSHA256, j.CorpusSHA256) {
		c.note("%sonly documents of the same id and size are compared", at)
	}
	measured := func(i *cell.ID) string {
		return fmt.Sprintf("warmup %d, repeat %d, compiles %d, positions %d, between %s, timeout %d ns, memory %d", i.Warmup, i.Repeat, i.Compiles, i.Positions, i.Between, i.TimeoutNS, i.Memory)
	}
	c.differ(at+"measure", measured(i), measured(j))
	c.differ(at+a.Label+": version", i.Version, j.Version)
	if !c.differ(at+"tokenizer", i.TokenizerSHA256, j.TokenizerSHA256) || !c.differ(at+"vocabulary", i.VocabularySHA256, j.VocabularySHA256) {
		return false // positions are other places of the text
	}
	return same || o.Across
}

// differ notes a difference, and reports whether there is none.
func (c *Comparison) differ(what, a, b string) bool {
	if a != b {
		c.note("%s: %s in A, %s in B", what, cmp.Or(a, "unknown"), cmp.Or(b, "unknown"))
	}
	return a == b
}

// note adds a note, once.
func (c *Comparison) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.Notes, text) {
		c.Notes = append(c.Notes, text)
	}
}

// Failures are the changes that got wronger, or slower with an interval above 1 and a share, which
// is 0.05 for 5%.
func (c *Comparison) Failures(over float64) (list []Change) {
	for _, t := range c.Changes {
		if t.fails(over) {
			list = append(list, t)
		}
	}
	return list
}
