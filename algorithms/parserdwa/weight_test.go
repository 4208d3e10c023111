package parserdwa

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// randomTokens draws a set of about count tokens of size, in runs of about run.
func randomTokens(rng *rand.Rand, size, count, run int) []int32 {
	var list []int32
	for len(list) < count {
		at := rng.IntN(size)
		for range 1 + rng.IntN(run) {
			list = append(list, int32(at%size))
			at++
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func maskOf(size int, tokens []int32) []uint64 {
	mask := make([]uint64, algorithms.MaskWords(size))
	for _, id := range tokens {
		bitset.Add(mask, id)
	}
	return mask
}

// tokensOf counts the tokens of a set.
func tokensOf(w *weight) int {
	n := 0
	if w != nil {
		for _, x := range w.words {
			n += bits.OnesCount64(x)
		}
	}
	return n
}

// TestWeightOperations compares both forms of a token set with the set itself.
func TestWeightOperations(t *testing.T) {
	for seed := range seed.Each(t, 200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		size := 1 + rng.IntN(3000)
		a := randomTokens(rng, size, rng.IntN(size+1), 1+rng.IntN(200))
		b := randomTokens(rng, size, rng.IntN(size+1), 1+rng.IntN(200))
		ws := newWeights(algorithms.MaskWords(size), nil)
		w, mask := ws.of(a), maskOf(size, b)
		if got := w.within(mask); got != subset(a, b) {
			t.Errorf("seed %d: within is %v", seed, got)
		}
		both := make([]uint64, len(mask))
		some := w.andInto(both, mask)
		if want := intersection(a, b); !slices.Equal(both, maskOf(size, want)) || some != (len(want) > 0) {
			t.Errorf("seed %d: wrong intersection", seed)
		}
		w.orInto(mask)
		if !slices.Equal(mask, maskOf(size, append(slices.Clone(a), b...))) {
			t.Errorf("seed %d: wrong union", seed)
		}
		if w != nil && tokensOf(w) != len(a) {
			t.Errorf("seed %d: %d tokens, want %d", seed, tokensOf(w), len(a))
		}
		if again := ws.of(a); again != w {
			t.Errorf("seed %d: an equal set is another object", seed)
		}
		if !bitset.Empty(ws.scratch) {
			t.Fatalf("seed %d: the scratch mask is not empty", seed)
		}
	}
}

func subset(a, b []int32) bool { return len(intersection(a, b)) == len(a) }

func intersection(a, b []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(a), func(id int32) bool { return !slices.Contains(b, id) })
}

// TestWeightForms checks which form a set is kept in, and that the empty set is nil.
func TestWeightForms(t *testing.T) {
	for _, c := range []struct {
		about  string
		tokens []int32
		dense  bool
		bytes  int
	}{
		{"one token", []int32{5}, false, 8 + 2 + 56},
		{"two tokens of a word", []int32{64, 65}, false, 8 + 2 + 56},
		{"tokens of three words of nine", []int32{0, 64, 575}, false, 3*10 + 56},
		{"tokens of four words of nine", []int32{0, 64, 128, 575}, true, 9*8 + 56},
	} {
		ws := newWeights(9, nil)
		w := ws.of(c.tokens)
		if (w.index == nil) != c.dense || w.bytes() != c.bytes {
			t.Errorf("%s: dense is %v, %d bytes", c.about, w.index == nil, w.bytes())
		}
	}
	ws := newWeights(9, nil)
	if ws.of(nil) != nil || (*weight)(nil).andInto(ws.scratch, ws.scratch) || !(*weight)(nil).within(ws.scratch) {
		t.Error("the empty set is not nil, or nil is not empty")
	}
}

// TestWeightEqualTokens checks that tokens with equal bytes go together.
func TestWeightEqualTokens(t *testing.T) {
	ws := newWeights(2, [][]int32{{3, 70, 71}, {5, 9}})
	w := ws.of([]int32{3})
	if !slices.Equal(w.words, []uint64{1 << 3, 1<<6 | 1<<7}) {
		t.Errorf("got %x", w.words)
	}
}

// union is what reading one stack does: weights are united one after the other.
type union []*weight

// unions collects, over the Java samples, the weights met at each position, and for those that the
// top of the stack accepts the finals they are made of.
func unions(b *testing.B) (all []union, finals map[*weight][]*weight, size int) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip("the tokenizer was not fetched: ", err)
	}
	g, err := languages.Load(b.Context(), "java")
	if err != nil {
		b.Fatal(err)
	}
	rec, err := recognizer.New(b.Context(), g, recognizer.Options{})
	if err != nil {
		b.Fatal(err)
	}
	source, err := datasets.Lookup("java-samples")
	if err != nil {
		b.Skip(err)
	}
	set, err := datasets.Load(b.Context(), source, datasets.Query{Limit: 6})
	if err != nil {
		b.Skip(err)
	}
	p := &algorithms.Problem{Recognizer: rec, Vocabulary: tok.Vocabulary()}
	a := newAutomaton(p, 1<<40, true)
	finals = map[*weight][]*weight{}
	for _, s := range set.Samples {
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			b.Fatal(err)
		}
		position := algorithms.NewPosition(p)
		for _, id := range ids {
			all = append(all, a.met(position.State, finals))
			if position.Commit(int(id)) != nil {
				break
			}
		}
	}
	return all, finals, a.weights.size
}

// met lists the weights on the way of a plain stack.
func (a *automaton) met(s recognizer.State, finals map[*weight][]*weight) union {
	var list union
	r := a.root(s.Lexer)
	at := r.plain
	for node := s.Stacks.TopNode(0); ; node = node.Under(0) {
		arc := a.step(at, node.State)
		if arc.weight != nil {
			list = append(list, arc.weight)
			if at == r.plain && finals[arc.weight] == nil {
				finals[arc.weight] = a.finalsOf(at, node)
			}
		}
		if at = arc.to; at == nil || node.NumUnder() == 0 {
			return list
		}
	}
}

func (a *automaton) finalsOf(root *state, top *lr.Node) []*weight {
	c := a.composer
	c.enterRoot(root.root, root.registers, top.State)
	var list []*weight
	for _, f := range c.accepted {
		list = append(list, c.terminals.finals[f].weight)
	}
	return list
}

// A form is a representation of token sets: how much memory one takes, and how it is added to a
// mask.
type form struct {
	name  string
	bytes func(w *weight) int
	or    func(w *weight) func(mask []uint64)
}

// forms are the representations that were tried.
func forms(size int, finals map[*weight][]*weight) []form {
	dense := func(w *weight) []uint64 {
		mask := make([]uint64, size)
		w.orInto(mask)
		return mask
	}
	orDense := func(words []uint64) func([]uint64) {
		return func(mask []uint64) {
			mask = mask[:len(words)]
			for i, x := range words {
				mask[i] |= x
			}
		}
	}
	return []form{
		{"packed-or-dense", func(w *weight) int { return w.bytes() }, func(w *weight) func([]uint64) { return w.orInto }},
		{"dense", func(*weight) int { return 8 * size }, func(w *weight) func([]uint64) { return orDense(dense(w)) }},
		{"packed", func(w *weight) int { return 10 * len(packed(dense(w)).index) }, func(w *weight) func([]uint64) {
			return packed(dense(w)).orInto
		}},
		{"ranges", func(w *weight) int { return 8 * len(ranges(dense(w))) }, func(w *weight) func([]uint64) {
			list := ranges(dense(w))
			return func(mask []uint64) { orRanges(mask, list) }
		}},
		{"sorted-ids", func(w *weight) int { return 4 * tokensOf(w) }, func(w *weight) func([]uint64) {
			list := algorithms.MaskOf(dense(w), 64*size).IDs(nil)
			return func(mask []uint64) {
				for _, id := range list {
					bitset.Add(mask, id)
				}
			}
		}},
		{"group-ids", func(w *weight) int { return 4 * max(len(finals[w]), 1) }, func(w *weight) func([]uint64) {
			groups := finals[w]
			if groups == nil {
				return w.orInto
			}
			return func(mask []uint64) {
				for _, g := range groups {
					g.orInto(mask)
				}
			}
		}},
	}
}

func packed(mask []uint64) *weight {
	w := &weight{index: []uint16{}}
	for i, x := range mask {
		if x != 0 {
			w.words, w.index = append(w.words, x), append(w.index, uint16(i))
		}
	}
	return w
}

// ranges lists the runs of consecutive ids of a mask, as [first, end).
func ranges(mask []uint64) [][2]int32 {
	var list [][2]int32
	for i, x := range mask {
		for ; x != 0; x &= x - 1 {
			id := int32(i<<6 + bits.TrailingZeros64(x))
			if n := len(list); n > 0 && list[n-1][1] == id {
				list[n-1][1]++
			} else {
				list = append(list, [2]int32{id, id + 1})
			}
		}
	}
	return list
}

func orRanges(mask []uint64, list [][2]int32) {
	for _, r := range list {
		from, to := int(r[0]>>6), int((r[1]-1)>>6)
		first, last := ^uint64(0)<<(r[0]&63), ^uint64(0)>>(63-(r[1]-1)&63)
		if from == to {
			mask[from] |= first & last
			continue
		}
		mask[from] |= first
		for i := from + 1; i < to; i++ {
			mask[i] = ^uint64(0)
		}
		mask[to] |= last
	}
}

// BenchmarkForms times the unions of the masks of some Java samples with each representation: the
// least of several times at each position.
func BenchmarkForms(b *testing.B) {
	all, finals, size := unions(b)
	distinct := map[*weight]bool{}
	for _, list := range all {
		for _, w := range list {
			distinct[w] = true
		}
	}
	for _, f := range forms(size, finals) {
		b.Run(f.name, func(b *testing.B) {
			held, parts, total := 0, 0, 0
			groups := map[*weight]bool{}
			or := map[*weight]func([]uint64){}
			for w := range distinct {
				held += f.bytes(w)
				if f.name == "group-ids" {
					for _, g := range finals[w] {
						if !groups[g] {
							groups[g] = true
							held += g.bytes()
						}
					}
					parts = max(parts, len(finals[w]))
					total += len(finals[w])
				}
				or[w] = f.or(w)
			}
			var calls [][]func([]uint64)
			for _, list := range all {
				var fs []func([]uint64)
				for _, w := range list {
					fs = append(fs, or[w])
				}
				calls = append(calls, fs)
			}
			mask := make([]uint64, size)
			least := make([]int64, len(calls))
			for range 7 {
				for i, list := range calls {
					begun := time.Now()
					clear(mask)
					for _, or := range list {
						or(mask)
					}
					if x := time.Since(begun).Nanoseconds(); least[i] == 0 || x < least[i] {
						least[i] = x
					}
				}
			}
			slices.Sort(least)
			sum := int64(0)
			for _, x := range least {
				sum += x
			}
			b.ReportMetric(float64(sum)/float64(len(least)), "mean-ns")
			b.ReportMetric(float64(least[len(least)/2]), "p50-ns")
			b.ReportMetric(float64(least[len(least)*999/1000]), "p99.9-ns")
			b.ReportMetric(float64(held)/1e6, "MB")
			b.ReportMetric(float64(parts), "most-parts")
			b.ReportMetric(float64(total)/float64(len(distinct)), "mean-parts")
		})
	}
}
