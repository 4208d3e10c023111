package result

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// The whole bill: the time before the first token, the time of what is built on the way, the time
// of a generation after n tokens, and the memory. An engine that builds on demand pays little in
// the first and more in the second.

// Offline is the time before the first token, in nanoseconds. For a corpus of JSON schemas grammar
// and algorithm are means over the schemas that compiled.
type Offline struct {
	Grammar    float64 `json:"grammar"`    // from the text to lexer and parser tables
	Vocabulary float64 `json:"vocabulary"` // shared by all grammars: the trie, and what an engine keeps for all schemas
	Algorithm  float64 `json:"algorithm"`  // the algorithm's own compile
	Sum        float64 `json:"sum"`
	// Algorithm95 is the interval of Algorithm's mean over its repetitions; null of fewer than three.
	Algorithm95 stats.Interval `json:"algorithm_95"`
}

// EngineBytes is the memory of an engine, in bytes of live heap: of the largest engine in a corpus
// of schemas.
type EngineBytes struct {
	Compiled int64 `json:"compiled"` // after compile and first mask
	Used     int64 `json:"used"`     // after all documents, with what it has built on the way
	Peak     int64 `json:"peak"`     // the most of both and of the compile, garbage included
	// Kept is what an algorithm keeps for all schemas, beyond its engines; 0 for one grammar.
	Kept int64 `json:"kept"`
}

// spentAfter are the numbers of tokens after which the cumulative time is given.
var spentAfter = []int{1, 100, 1000, 10000}

// Spent is the time spent after so many tokens, in nanoseconds, offline included; NaN if the
// documents are shorter. Its JSON is an object whose keys are the numbers of tokens, null where
// there is no time.
type Spent [4]float64

// MarshalJSON writes {"1": ns, "100": ns, "1000": ns, "10000": ns}.
func (s Spent) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, n := range spentAfter {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `"%d":`, n)
		if math.IsNaN(s[i]) {
			out = append(out, "null"...)
			continue
		}
		value, err := json.Marshal(s[i])
		if err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// Member is the time after so many tokens, by its name in the JSON.
func (s Spent) Member(tokens string) float64 {
	n, _ := strconv.Atoi(tokens)
	return s[slices.Index(spentAfter, n)]
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Spent) UnmarshalJSON(text []byte) error {
	var values map[string]*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for i, n := range spentAfter {
		s[i] = math.NaN()
		if v := values[fmt.Sprint(n)]; v != nil {
			s[i] = *v
		}
	}
	return nil
}

// addBill fills in the bill.
func (c *Cell) addBill() {
	c.Offline = c.offline()
	c.BuildingNS = c.building()
	c.EngineBytes.Kept = c.Record.KeptBytes
	for _, p := range c.Record.Problems {
		b := &c.EngineBytes
		b.Compiled, b.Used = max(b.Compiled, p.EngineBytes), max(b.Used, p.UsedBytes)
		if !p.Unweighed {
			b.Peak = max(b.Peak, p.CompilePeakBytes, p.EngineBytes, p.UsedBytes)
		}
		c.EngineSaysBytes = max(c.EngineSaysBytes, p.EngineSaysBytes)
		c.CompilePeakBytes = max(c.CompilePeakBytes, p.CompilePeakBytes)
	}
	c.Counters = c.counters()
	tokens, ns := c.Curve()
	c.Spent = &Spent{}
	for i, n := range spentAfter {
		c.Spent[i] = math.NaN()
		if at, found := slices.BinarySearch(tokens, n); found {
			c.Spent[i] = ns[at]
		}
	}
}

// offline is the time before the first token; nil if nothing compiled.
func (c *Cell) offline() *Offline {
	if c.CompileNS == nil {
		return nil
	}
	o := &Offline{Grammar: float64(c.Bill.GrammarNS), Vocabulary: float64(c.VocabularyNS + c.Record.FirstCompileNS), Algorithm: c.CompileNS.Mean}
	if f := c.SchemaFigures; f != nil {
		if f.GrammarNS != nil {
			o.Grammar = f.GrammarNS.Mean
		}
	} else {
		o.Algorithm95 = stats.MeanInterval(stats.Floats(c.Record.Problems[0].CompileNS))
	}
	o.Sum = o.Grammar + o.Vocabulary + o.Algorithm
	return o
}

// building is by how much the first passes take longer than later ones over the same documents, in
// nanoseconds; nil without later passes, or where masks were asked for at some positions only. A
// value below 0 is noise.
func (c *Cell) building() *float64 {
	sum, any := 0.0, false
	if c.interrupted() {
		return nil
	}
	for _, p := range c.firstMasks() {
		sum += p
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if c.Sparse(s) {
			return nil
		}
		again := s.passesIn(StateAgain)
		for _, first := range s.passesIn(StateFirst) {
			sum += float64(first.IdleNS)
			for at, ns := range first.Step {
				later := 0.0
				for _, p := range again {
					later += float64(p.Step[at]) / float64(len(again))
				}
				if any = any || len(again) > 0; len(again) > 0 {
					sum += float64(ns) - later
				}
			}
		}
	}
	if !any {
		return nil
	}
	return &sum
}

// Sparse reports whether masks were asked for at some positions of a sample only.
func (c *Cell) Sparse(s *Steps) bool { return len(s.Positions) != c.Record.Samples[s.sample].Tokens }

// firstMasks are the times of the first masks of the timed engines, by problem. They were measured
// before the first document, so what they built is in no step.
func (c *Cell) firstMasks() map[int]float64 {
	firsts := map[int]float64{}
	for i := range c.Steps {
		p := c.Record.Samples[c.Steps[i].sample].Problem
		if times := c.Record.Problems[p].FirstMaskNS; len(times) > 0 {
			firsts[p] = float64(times[len(times)-1])
		}
	}
	return firsts
}

// interrupted reports whether more than one process timed the documents of a program. Each process
// began with a new engine, so the documents have no common history.
func (c *Cell) interrupted() bool {
	if c.SchemaFigures != nil {
		return false
	}
	for i := range c.Steps {
		if c.Record.Samples[c.Steps[i].sample].Session != c.Record.Samples[c.Steps[0].sample].Session {
			return true
		}
	}
	return false
}

// WholeOffline is the time before the first tokens of all documents: in a corpus of schemas that of
// all compiles.
func (c *Cell) WholeOffline() float64 {
	if c.SchemaFigures == nil {
		return c.Offline.Sum
	}
	return c.Offline.Vocabulary + float64(c.Compiled)*(c.Offline.Grammar+c.Offline.Algorithm)
}

// AgainSpread is by how much later passes over all documents differ in time; 0 for one pass.
func (c *Cell) AgainSpread() float64 {
	sums := c.againSums()
	if len(sums) == 0 {
		return 0
	}
	return slices.Max(sums) - slices.Min(sums)
}

// againSums are the times of the later passes over all documents, by the number of the pass.
func (c *Cell) againSums() (sums []float64) {
	for i := range c.Steps {
		for n, p := range c.Steps[i].passesIn(StateAgain) {
			if n == len(sums) {
				sums = append(sums, 0)
			}
			for _, ns := range p.Step {
				sums[n] += float64(ns)
			}
		}
	}
	return sums
}

// Curve is the cumulative time, in nanoseconds, after each number of tokens of a generation that
// reads the documents one after the other, with the offline time before the first token. In a
// corpus of schemas the time of each compile comes before the schema's instances. Both results are
// nil if a document is missing that other algorithms may have, or was masked in part only.
func (c *Cell) Curve() (tokens []int, ns []float64) {
	if c.Offline == nil || len(c.Steps) == 0 || c.leftOut() || c.interrupted() {
		return nil, nil
	}
	spent := c.Offline.Sum
	if c.SchemaFigures != nil {
		spent = c.Offline.Vocabulary
	}
	problem, firsts := -1, c.firstMasks()
	for i := range c.Steps {
		s := &c.Steps[i]
		sample := &c.Record.Samples[s.sample]
		if c.Sparse(s) {
			return nil, nil
		}
		if p := sample.Problem; p != problem {
			if c.SchemaFigures != nil {
				times, _ := TimesOf(&c.Record.Problems[p])
				spent += times.GrammarNS + times.EngineNS
			}
			spent += firsts[p]
			problem = p
		}
		for _, pass := range s.passesIn(StateFirst) {
			spent += float64(pass.IdleNS)
			for _, step := range pass.Step {
				spent += float64(step)
				tokens, ns = append(tokens, len(tokens)+1), append(ns, spent)
			}
		}
	}
	return tokens, ns
}

// leftOut reports whether a positive has no steps because of this algorithm. In a corpus of schemas
// a grammar may be missing or refuse a valid instance, which affects all algorithms alike.
func (c *Cell) leftOut() bool {
	timed := map[int]bool{}
	for i := range c.Steps {
		timed[c.Steps[i].sample] = true
	}
	for i := range c.Record.Samples {
		s := &c.Record.Samples[i]
		alike := c.SchemaFigures != nil && (s.Outcome == cell.WrongVerdict || c.Record.Problems[s.Problem].Stage == cell.StageGrammar)
		if !s.Negative && !timed[i] && !alike {
			return true
		}
	}
	return false
}

// counters are the engine's own after all documents, or else after the compile; for a corpus of
// schemas their means over the schemas that compiled.
func (c *Cell) counters() []cell.Counter {
	out := []cell.Counter{}
	compiled := 0
	for _, p := range c.Record.Problems {
		if p.Outcome != cell.OK {
			continue
		}
		compiled++
		list := p.Used
		if list == nil {
			list = p.Counters
		}
		for _, one := range list {
			i := slices.IndexFunc(out, func(o cell.Counter) bool { return o.Name == one.Name && o.Unit == one.Unit })
			if i < 0 {
				i = len(out)
				out = append(out, cell.Counter{Name: one.Name, Unit: one.Unit})
			}
			// JSON has no infinity, so a sum beyond the largest float64 stays there.
			out[i].Value = max(-math.MaxFloat64, min(out[i].Value+one.Value, math.MaxFloat64))
		}
	}
	for i := range out {
		out[i].Value /= float64(compiled)
	}
	return out
}

// BuiltShare is the share of the positions of all timed documents whose masks had to build
// something first, as the engine counts them; NaN where it does not, or of JSON schemas, where a
// mask may be built in two parts.
func (c *Cell) BuiltShare() float64 {
	positions := 0
	for i := range c.Steps {
		positions += len(c.Steps[i].Positions)
	}
	if positions == 0 || c.SchemaFigures != nil || c.interrupted() {
		return math.NaN()
	}
	return c.counter(algorithms.BuiltMasks) / float64(positions)
}

// counter is the value of a counter of the engine, NaN if it has none of that name.
func (c *Cell) counter(name string) float64 {
	if i := slices.IndexFunc(c.Counters, func(o cell.Counter) bool { return o.Name == name }); i >= 0 {
		return c.Counters[i].Value
	}
	return math.NaN()
}
