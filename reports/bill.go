package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/stats"
)

// The whole bill: what is paid before the first token, what is built on the way, what a generation has cost after n
// tokens, and the memory that it takes. An engine that builds on demand is cheap in the first and pays in the second.

// Offline is what is paid before the first token, in nanoseconds. Of a corpus of JSON schemas grammar and algorithm
// are means over the schemas that compiled.
type Offline struct {
	Grammar    float64 `json:"grammar"`    // from the text to lexer and parser tables
	Vocabulary float64 `json:"vocabulary"` // what all grammars share: the trie, and what a contestant keeps for all schemas
	Algorithm  float64 `json:"algorithm"`  // the algorithm's own compile
	Sum        float64 `json:"sum"`
	// Algorithm95 is the interval of Algorithm's mean over its repetitions; null of fewer than three.
	Algorithm95 stats.Interval `json:"algorithm_95"`
}

// EngineBytes is the memory of an engine, in bytes of live heap: of the largest engine in a corpus of schemas.
type EngineBytes struct {
	Compiled int64 `json:"compiled"` // after compile and first mask
	Used     int64 `json:"used"`     // after all documents, with what it has built on the way
	Peak     int64 `json:"peak"`     // the most of both and of the compile, garbage included
	// Kept is what a contestant kept for all schemas beside its engines; 0 for one grammar.
	Kept int64 `json:"kept"`
}

// spentAfter are the numbers of tokens after which the cumulative time is given.
var spentAfter = []int{1, 100, 1000, 10000}

// Spent is the time spent after so many tokens, in nanoseconds, offline included; NaN if the documents are shorter. Its
// JSON is an object whose keys are the numbers of tokens, null where there is no time.
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

// addBill fills in what a cell has cost.
func (c *Cell) addBill() {
	c.Offline = c.offline()
	c.BuildingNS = c.building()
	c.EngineBytes.Kept = c.record.KeptBytes
	for _, p := range c.record.Problems {
		b := &c.EngineBytes
		b.Compiled, b.Used = max(b.Compiled, p.EngineBytes), max(b.Used, p.UsedBytes)
		b.Peak = max(b.Peak, p.CompilePeakBytes, p.EngineBytes, p.UsedBytes)
		c.EngineSaysBytes = max(c.EngineSaysBytes, p.EngineSaysBytes)
		c.CompilePeakBytes = max(c.CompilePeakBytes, p.CompilePeakBytes)
	}
	c.Counters = c.counters()
	tokens, ns := c.curve()
	c.Spent = &Spent{}
	for i, n := range spentAfter {
		c.Spent[i] = math.NaN()
		if at, found := slices.BinarySearch(tokens, n); found {
			c.Spent[i] = ns[at]
		}
	}
}

// offline is the sum of what is paid first; nil if nothing compiled.
func (c *Cell) offline() *Offline {
	if c.CompileNS == nil {
		return nil
	}
	o := &Offline{Grammar: float64(c.GrammarNS), Vocabulary: float64(c.VocabularyNS + c.record.FirstCompileNS), Algorithm: c.CompileNS.Mean}
	if f := c.SchemaFigures; f != nil {
		if f.GrammarNS != nil {
			o.Grammar = f.GrammarNS.Mean
		}
	} else {
		o.Algorithm95 = stats.MeanInterval(numbers(c.record.Problems[0].CompileNS))
	}
	o.Sum = o.Grammar + o.Vocabulary + o.Algorithm
	return o
}

// building is what the first passes cost beyond later ones over the same documents, in nanoseconds; nil if a document was
// not walked again.
func (c *Cell) building() *float64 {
	sum, any := 0.0, false
	for i := range c.steps {
		s := &c.steps[i]
		again := s.passesIn(stateAgain)
		for _, first := range s.passesIn(stateFirst) {
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

// curve is the cumulative time, in nanoseconds, after each number of tokens of a generation that reads the documents one after
// the other, with everything offline before the first token. Of a corpus of schemas each schema's grammar and
// compile come when it does. Both are nil if a document was left out, or masked in part only.
func (c *Cell) curve() (tokens []int, ns []float64) {
	if c.Offline == nil || len(c.steps) == 0 {
		return nil, nil
	}
	spent := c.Offline.Sum
	if c.SchemaFigures != nil {
		spent = c.Offline.Vocabulary
	}
	problem := -1
	for i := range c.steps {
		s := &c.steps[i]
		sample := &c.record.Samples[s.sample]
		if len(s.positions) != sample.Tokens {
			return nil, nil
		}
		if p := sample.Problem; c.SchemaFigures != nil && p != problem {
			times, _ := timesOf(&c.record.Problems[p])
			spent += times.GrammarNS + times.EngineNS
			problem = p
		}
		for _, pass := range s.passesIn(stateFirst) {
			for _, step := range pass.Step {
				spent += float64(step)
				tokens, ns = append(tokens, len(tokens)+1), append(ns, spent)
			}
		}
	}
	return tokens, ns
}

// counters are the engine's own after all documents, or after the compile if it was not asked then; of a corpus of
// schemas the means over those that compiled.
func (c *Cell) counters() []cell.Counter {
	out := []cell.Counter{}
	compiled := 0
	for _, p := range c.record.Problems {
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
			out[i].Value += one.Value
		}
	}
	for i := range out {
		out[i].Value /= float64(compiled)
	}
	return out
}

// numbers are integers as numbers to compute with.
func numbers(values []int64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// bill is the table of what each cell has cost.
func (s *Set) bill() *Table {
	names, fill := s.columns()
	t := &Table{ID: "bill", Title: "The bill: offline (in ms), time spent after n tokens with everything (in ms), and memory (in MiB)",
		Columns: append(names, Column{"grammar ms", true}, Column{"vocabulary ms", true}, Column{"algorithm ms [95%]", true}, Column{"offline in sum ms", true},
			Column{"first mask ms", true}, Column{"built on the way ms", true},
			Column{"after 1 token ms", true}, Column{"after 100 ms", true}, Column{"after 1,000 ms", true}, Column{"after 10,000 ms", true},
			Column{"compiled MiB", true}, Column{"used MiB", true}, Column{"peak MiB", true}),
		Caption: "Grammar: from its text to lexer and parser tables, the same for all algorithms. Vocabulary: what all grammars share. Algorithm: its own compile" + s.compiles() + ". " +
			"Built on the way: what the first passes over all documents cost beyond later ones; it is in no offline time. After n tokens: offline, and the steps of one generation that reads the documents " +
			"one after the other on an engine that begins empty. Compiled: growth of the live heap over compile and first mask; used: what is let go of with the engine after all documents; peak: the most of " +
			"both and of the compile, garbage included." + s.schemaBill()}
	for _, c := range s.Cells {
		t.add(c, "", append(t.marked(fill(c), c), billFigures(c)...))
	}
	return t
}

// schemaBill says what the bill of a corpus of schemas is of.
func (s *Set) schemaBill() string {
	if len(s.schemaCells().Cells) == 0 {
		return ""
	}
	return " Of JSON schemas grammar and algorithm are means over those that compiled, vocabulary has what a contestant keeps for all of them, after n tokens the compile of each schema as it comes, and memory is of the largest of those that were weighed."
}

// billFigures are a row's figures; compile times are there even if no sample was timed.
func billFigures(c *Cell) []Text {
	o := c.Offline
	if o == nil {
		return slices.Repeat([]Text{{Body: none}}, 13)
	}
	building := none
	if c.BuildingNS != nil {
		building = millis(max(0, *c.BuildingNS))
	}
	row := []Text{{Body: millis(o.Grammar)}, {Body: millis(o.Vocabulary)}, {Body: millis(o.Algorithm) + interval(o.Algorithm95, millis)}, {Body: millis(o.Sum)},
		millisOf(c.FirstMaskNS, p50), {Body: building}}
	for i := range spentAfter {
		row = append(row, Text{Body: millis(c.Spent[i])})
	}
	b := c.EngineBytes
	return append(row, Text{Body: megabytes(b.Compiled)}, Text{Body: megabytes(b.Used)}, Text{Body: megabytes(b.Peak)})
}

// compiles says how often each grammar was compiled.
func (s *Set) compiles() string {
	most := 0
	for _, c := range s.Cells {
		if c.CompileNS != nil && c.SchemaFigures == nil {
			most = max(most, c.CompileNS.N)
		}
	}
	switch {
	case most > 1:
		return fmt.Sprintf(", the mean of up to %s, with its 95%% interval by Student's t", plural(most, "repetition"))
	case most == 1:
		return ", once"
	}
	return ""
}

// counterTable lists what the engines count; nil if none counts anything.
func (s *Set) counterTable() *Table {
	names, fill := s.columns()
	t := &Table{ID: "counters", Title: "What the engines count of themselves",
		Columns: append(names, Column{"engine says MiB", true}, Column{Head: "counters"}),
		Caption: "After all documents. Of a corpus of schemas the means over those that compiled, and the largest engine."}
	for _, c := range s.Cells {
		var parts []string
		for _, one := range c.Counters {
			text := one.Name + " " + significant(one.Value)
			if one.Unit != "" {
				text += " " + one.Unit
			}
			parts = append(parts, text)
		}
		if len(parts) > 0 || c.EngineSaysBytes > 0 {
			t.add(c, "", append(fill(c), Text{Body: megabytes(c.EngineSaysBytes)}, Text{Body: strings.Join(parts, ", ")}))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// crossings lists where one algorithm's bill overtakes another's; nil if that happens nowhere.
func (s *Set) crossings() *Table {
	t := &Table{ID: "crossings", Title: "Where one bill overtakes another",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "cheaper before"}, {Head: "cheaper from there on"}, {"after tokens", true}, {"time spent s", true}},
		Caption: "From so many tokens on the second has spent less than the first, offline and what is built on the way included. Of two that change order often, which means that they cost the same, only the last time is listed."}
	for _, tokenizer := range s.tokenizerNames() {
		f := s.cumulative("crossings", tokenizer)
		if f == nil {
			continue
		}
		for _, p := range f.Panels {
			for _, o := range p.Crossings {
				t.Rows = append(t.Rows, []Text{{Body: p.Title}, {Body: tokenizer}, {Body: o.Before}, {Body: o.After}, {Body: significant(o.Tokens)}, {Body: significant(o.NS / 1e9)}})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
