package algorithms_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func TestAdvance(t *testing.T) {
	p := problem(t, "start: (\"a\" | \"b\" start \"c\")", "a", "b", "c", "bb", "ac")
	e := realtext.MustCompile(t, "trie", p, nil)
	for workers := range 5 {
		advance := advanceOnce
		if workers > 0 {
			w := algorithms.NewWorkers(workers)
			advance = w.Advance
			defer w.Close()
		}
		rng := rand.New(rand.NewPCG(seed.New(t), uint64(workers)))
		for _, size := range []int{0, 1, 2, 3, 20, 50} {
			advanceAlike(t, rng, e, p.Vocabulary.Len(), size, advance)
		}
	}
}

// unsure is an engine whose states say half the time that their masks are not built.
type unsure struct {
	algorithms.Engine
	rng *rand.Rand
}

type builder struct {
	algorithms.State
	rng *rand.Rand
}

// Start implements algorithms.Engine.
func (e unsure) Start() algorithms.State {
	return &builder{e.Engine.Start(), rand.New(rand.NewPCG(e.rng.Uint64(), 0))}
}

// Unbuilt implements algorithms.Builder.
func (b *builder) Unbuilt() bool { return b.rng.IntN(2) == 0 }

// Build implements algorithms.Builder.
func (b *builder) Build() {
	if b.rng.IntN(8) == 0 {
		time.Sleep(10 * time.Microsecond)
	}
}

// TestBuilders has masks built by one worker for all.
func TestBuilders(t *testing.T) {
	p := problem(t, "start: (\"a\" | \"b\" start \"c\")", "a", "b", "c", "bb", "ac")
	e := realtext.MustCompile(t, "trie", p, nil)
	w := algorithms.NewWorkers(3)
	defer w.Close()
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, size := range []int{1, 2, 3, 20, 50} {
		advanceAlike(t, rng, unsure{e, rng}, p.Vocabulary.Len(), size, w.Advance)
	}
}

// advanceAlike takes generations together and the same ones alone through random tokens, refused
// ones among them.
func advanceAlike(t *testing.T, rng *rand.Rand, e algorithms.Engine, n, size int, advance advancer) {
	t.Helper()
	var states, alone []algorithms.State
	var rows [][]uint64
	for range size {
		states, alone = append(states, e.Start()), append(alone, e.Start())
		rows = append(rows, slices.Repeat([]uint64{^uint64(0)}, algorithms.MaskWords(n)))
	}
	tokens := slices.Repeat([]int{-1}, len(states))
	for step := range 12 {
		errs := advance(states, tokens, rows)
		for i, s := range alone {
			var want error
			if tokens[i] >= 0 {
				want = s.Commit(tokens[i])
			}
			if (errs[i] == nil) != (want == nil) || !algorithms.MaskOf(rows[i], n).Equal(s.Mask()) {
				t.Fatalf("%d states, state %d, token %d: together %v, alone %v", size, i, tokens[i], errs[i], want)
			}
			tokens[i] = rng.IntN(n)
		}
		if step%6 == 5 {
			time.Sleep(time.Millisecond) // the workers fall asleep
		}
	}
}

// TestWorkersEnd says that closed workers leave no goroutine behind, asleep or not.
func TestWorkersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 20 {
		w := algorithms.NewWorkers(4)
		time.Sleep(time.Duration(i%3) * time.Millisecond / 4)
		w.Close()
	}
	for range 100 { // a goroutine that is done is counted a moment longer
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// broken panics when it is committed to, or built for.
type broken struct {
	algorithms.State
	building bool
}

func (b broken) Commit(token int) error {
	if b.building {
		return b.State.Commit(token)
	}
	panic("a defect")
}

func (b broken) Unbuilt() bool { return b.building }

func (b broken) Build() { panic("a defect") }

// TestAdvancePanics says that a defect of an engine is the caller's to handle, whichever goroutine
// it happens on, and that the workers live on.
func TestAdvancePanics(t *testing.T) {
	p := problem(t, "start: \"a\"*", "a")
	e := realtext.MustCompile(t, "trie", p, nil)
	for at := range 9 {
		states, rows := make([]algorithms.State, 9), make([][]uint64, 9)
		for i := range states {
			states[i], rows[i] = e.Start(), make([]uint64, 1)
		}
		tokens := make([]int, 9)
		// The first step of new workers has all of them, and asks all generations whether they are
		// built. Later steps are short enough here for one worker, who does not ask.
		w := algorithms.NewWorkers(3)
		healthy := states[at]
		states[at] = broken{healthy, at%2 == 0}
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "a defect") {
					t.Errorf("state %d: recovered %v", at, r)
				}
			}()
			w.Advance(states, tokens, rows)
		}()
		states[at] = healthy
		for _, err := range w.Advance(states, tokens, rows) {
			if err != nil {
				t.Errorf("state %d, one step after the panic: %v", at, err)
			}
		}
		w.Close()
	}
}

// A batch is generations that walk texts in step, each somewhere else. One that comes to the end
// of its text begins the next.
type batch struct {
	engine algorithms.Engine
	texts  [][]int32
	states []algorithms.State
	tokens []int
	rows   [][]uint64
	text   []int // by generation: which text it walks
	at     []int // and how many of its tokens it has committed
}

func newBatch(t testing.TB, c *realtext.Case, e algorithms.Engine, size int) *batch {
	b := &batch{engine: e, texts: c.Texts, text: make([]int, size), at: make([]int, size), tokens: make([]int, size)}
	for i := range size {
		b.states = append(b.states, nil)
		b.rows = append(b.rows, make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len())))
		b.begin(i, i)
		for range len(b.texts[b.text[i]]) * i / size {
			b.next(i)
			must.OK(t, b.states[i].Commit(b.tokens[i]))
		}
	}
	return b
}

// clone is another batch at the same place, which writes into the same rows.
func (b *batch) clone() *batch {
	c := *b
	c.states, c.tokens, c.text, c.at = slices.Clone(b.states), slices.Clone(b.tokens), slices.Clone(b.text), slices.Clone(b.at)
	for i, s := range c.states {
		c.states[i] = s.Clone()
	}
	return &c
}

// begin has a generation begin a text.
func (b *batch) begin(i, text int) {
	b.states[i], b.text[i], b.at[i] = b.engine.Start(), text%len(b.texts), 0
}

// next finds the next token of a generation.
func (b *batch) next(i int) {
	ids := b.texts[b.text[i]]
	if b.at[i] == len(ids) {
		b.begin(i, b.text[i]+1)
		b.tokens[i] = -1
		return
	}
	b.tokens[i] = int(ids[b.at[i]])
	b.at[i]++
}

// step is one decoding step of all.
func (b *batch) step(t testing.TB, advance advancer) {
	for i := range b.states {
		b.next(i)
	}
	for _, err := range advance(b.states, b.tokens, b.rows) {
		must.OK(t, err)
	}
}

// advanceOnce advances a batch with Workers of its own.
func advanceOnce(states []algorithms.State, tokens []int, rows [][]uint64) []error {
	w := algorithms.NewWorkers(min(runtime.GOMAXPROCS(0), len(states)))
	defer w.Close()
	return w.Advance(states, tokens, rows)
}

// An advancer takes the generations of a batch one step further, as Workers.Advance does.
type advancer = func(states []algorithms.State, tokens []int, rows [][]uint64) []error
