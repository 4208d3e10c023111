package harness

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

// counted is an algorithm that records the questions to its engines. Its masks are naive's, of
// which it remembers all: a step takes some hundred ns when it is taken again.
type counted struct {
	name  string
	fills bool
	// visit changes the mask after a text at which an engine was so often before.
	visit func(text string, before int, m algorithms.Mask) algorithms.Mask

	mu      sync.Mutex
	engines []*countedEngine
}

func (c *counted) Name() string { return c.name }

func (c *counted) Summary() string { return "naive, counted" }

func (c *counted) Options() []algorithms.OptionInfo { return nil }

func (c *counted) Semantics() string { return algorithms.SemanticsContract }

func (c *counted) Compile(ctx context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	naive, err := algorithms.Lookup("naive")
	if err != nil {
		return nil, err
	}
	inner, err := naive.Compile(ctx, p, nil)
	e := &countedEngine{of: c, inner: inner, problem: p, kept: p.Kept, masks: map[string]algorithms.Mask{}, visits: map[string]int{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.engines = append(c.engines, e)
	return e, err
}

// countedEngine is used by one goroutine at a time.
type countedEngine struct {
	of      *counted
	inner   algorithms.Engine
	problem *algorithms.Problem
	kept    *algorithms.Kept
	masks   map[string]algorithms.Mask
	visits  map[string]int
	walks   []*countedWalk
	mixed   int // calls of a generation after another one had begun
}

// countedWalk is one generation.
type countedWalk struct {
	text                          string
	masks, fills, commits, clones int
	ended                         bool
}

func (e *countedEngine) Stats() algorithms.Stats { return algorithms.Stats{} }

func (e *countedEngine) Start() algorithms.State {
	w := new(countedWalk)
	e.walks = append(e.walks, w)
	s := &countedState{engine: e, walk: w}
	if e.of.fills {
		return &countedFiller{s}
	}
	return s
}

type countedState struct {
	engine *countedEngine
	walk   *countedWalk
	tokens []int
	text   string
}

// countedFiller writes its masks itself.
type countedFiller struct{ *countedState }

func (s *countedFiller) Fill(row []uint64) {
	s.walk.fills++
	s.find().CopyTo(row)
}

func (s *countedFiller) Clone() algorithms.State {
	return &countedFiller{s.countedState.Clone().(*countedState)}
}

func (s *countedState) Mask() algorithms.Mask {
	s.walk.masks++
	return s.find()
}

// find looks the mask up, or asks naive.
func (s *countedState) find() algorithms.Mask {
	e := s.engine
	e.mixed += stats.Truth(e.walks[len(e.walks)-1] != s.walk)
	m, ok := e.masks[s.text]
	if !ok {
		state := e.inner.Start()
		for _, token := range s.tokens {
			if err := state.Commit(token); err != nil {
				panic(err)
			}
		}
		m = state.Mask().Clone()
		e.masks[s.text] = m
	}
	if e.of.visit != nil {
		m = e.of.visit(s.text, e.visits[s.text], m)
		e.visits[s.text]++
	}
	return m
}

func (s *countedState) Commit(token int) error {
	s.walk.commits++
	if m, ok := s.engine.masks[s.text]; ok && !m.Has(token) || s.walk.ended {
		return &algorithms.RefusedError{Token: token, Reason: "it is not in the mask"}
	}
	s.tokens = append(s.tokens, token)
	if s.walk.ended = s.engine.problem.Vocabulary.IsEOS(token); !s.walk.ended {
		s.text += string(s.engine.problem.Vocabulary.Token(token))
		s.walk.text = s.text
	}
	return nil
}

func (s *countedState) Clone() algorithms.State {
	s.walk.clones++
	return &countedState{s.engine, new(countedWalk), slices.Clone(s.tokens), s.text}
}

// timed and asked are the engine whose times were taken, the last one, and the one whose answers
// were compared, which is compiled first.
func (c *counted) timed() *countedEngine { return c.engines[len(c.engines)-1] }

func (c *counted) asked() *countedEngine { return c.engines[0] }

// lastSteps is the median step of the last timed pass over each document.
func lastSteps(r *cell.Record, traces []cell.Trace) map[string]float64 {
	out := map[string]float64{}
	for _, tr := range traces {
		if n := len(tr.Passes); n > 0 {
			steps := slices.Sorted(slices.Values(tr.Passes[n-1].Step))
			out[r.Samples[tr.Sample].ID] = float64(steps[len(steps)/2])
		}
	}
	return out
}

// TestOneGenerationInAPass: whatever is timed is one generation after the other, each asked once at
// each position, and in all as many as there are passes. The engine that is timed never meets a
// negative.
func TestOneGenerationInAPass(t *testing.T) {
	for _, fills := range []bool{false, true} {
		w := newWorld(t)
		c := &counted{name: "counted", fills: fills}
		w.runWith(t, "counted, naive", "warmup: 2, repeat: 3, compiles: 2", c)
		records := w.records(t)
		if records["counted"].Outcome != cell.OK || len(c.engines) != 3 {
			t.Fatalf("%s, %d engines", records["counted"].Outcome, len(c.engines))
		}
		walks, blocks := map[string]int{}, map[string]int{}
		for _, walk := range c.timed().walks[1:] { // the first one is the first mask
			walks[walk.text]++
			tokens := sample(t, records["counted"], "p"+fmt.Sprint(slices.Index(positives, walk.text))).Tokens
			masks, views := walk.masks, tokens
			if fills {
				masks, views = walk.fills, 0
			}
			commits := tokens
			if !walk.ended { // the last step of a block is the last mask
				commits--
				blocks[walk.text]++
			}
			if masks != tokens || walk.masks != views || walk.commits != commits || walk.clones != 0 && walk.clones != tokens {
				t.Errorf("fills %v: a generation of %d tokens: %+v", fills, tokens, *walk)
			}
		}
		last := lastSteps(records["counted"], w.traces(t, records["counted"]))
		for i, text := range positives {
			s := sample(t, records["counted"], fmt.Sprintf("p%d", i))
			rounds := 0 // of single steps and of blocks; nothing here is from outside, so nothing is audited
			if clock := (environment.Clock{PairNS: s.ClockPairNS}); measure.NeedsCheck(last[s.ID], clock) {
				rounds = 3 // on a busy machine the steps may be too long for them
			}
			if want := len(ask.Passes(2, 3)) - 2 + 2*rounds; walks[text] != want || blocks[text] != rounds || (s.Check != nil) != (rounds > 0) || s.Check != nil && s.Check.Steps != s.Tokens {
				t.Errorf("fills %v: %q was generated %d times, %d of them in blocks, want %d and %d; %+v", fills, text, walks[text], blocks[text], want, rounds, s.Check)
			}
		}
		if c.timed().mixed > 0 {
			t.Errorf("fills %v: %d calls of a generation while there was another one", fills, c.timed().mixed)
		}
		if len(walks) != len(positives) || len(c.asked().walks) != len(positives)+len(negatives) {
			t.Errorf("fills %v: the timed engine met %d documents, the other one %d", fills, len(walks), len(c.asked().walks))
		}
		checkLookups(t, w, records, fills)
	}
}

// checkLookups: views are timed where there are some. Slow steps need no check.
func checkLookups(t *testing.T, w *world, records map[string]*cell.Record, fills bool) {
	t.Helper()
	for label, r := range records {
		for _, tr := range w.traces(t, r) {
			for _, p := range tr.Passes {
				if want := !fills || label == "naive"; label == "counted" && (len(p.Lookup) > 0) != want || !tr.Whole(&p) {
					t.Errorf("%s, fills %v: %d lookups, %d masks", label, fills, len(p.Lookup), len(p.Mask))
				}
			}
		}
	}
}

// TestStates: of an engine the first document is fresh and the others are new, and every later pass
// is again.
func TestStates(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "trie, panics", "warmup: 1, repeat: 2"))
	for label, r := range w.records(t) {
		fresh := map[string]string{"trie": "p0", "panics": "p1"}[label] // the first that is timed
		for _, tr := range w.traces(t, r) {
			if len(tr.Passes) == 0 {
				continue
			}
			first, id := tr.Passes[0].State, r.Samples[tr.Sample].ID
			if want := map[bool]cell.State{true: cell.Fresh, false: cell.New}[id == fresh]; first != want || tr.Passes[1].State != cell.Again || tr.Passes[2].State != cell.Again {
				t.Errorf("%s, %s: %v, %v, %v", label, id, first, tr.Passes[1].State, tr.Passes[2].State)
			}
		}
	}
}

// TestWrongGetsNoTime: an algorithm is not timed on a document on which its answers are wrong: no
// engine of it sees that document again.
func TestWrongGetsNoTime(t *testing.T) {
	w := newWorld(t)
	wrong := positives[3]
	c := &counted{name: "counted", visit: func(text string, _ int, m algorithms.Mask) algorithms.Mask {
		if text == wrong[:3] {
			return flip(m, idOf('7'))
		}
		return m
	}}
	w.runWith(t, "naive, counted", "warmup: 0, repeat: 1", c)
	r := w.records(t)["counted"]
	if s := sample(t, r, "p3"); s.Outcome != cell.WrongMask || len(s.Turns) > 0 || r.Outcome != cell.WrongMask {
		t.Errorf("%+v", s)
	}
	if slices.ContainsFunc(c.timed().walks, func(w *countedWalk) bool { return strings.HasPrefix(w.text, wrong[:3]) }) {
		t.Errorf("the timed engine met %q", wrong)
	}
	for _, tr := range w.traces(t, r) {
		if s := r.Samples[tr.Sample]; (len(tr.Passes) > 0) != (s.Outcome == cell.OK && !s.Negative) || len(tr.Hashes) == 0 {
			t.Errorf("%s, %s: %d passes, %d hashes", s.ID, s.Outcome, len(tr.Passes), len(tr.Hashes))
		}
	}
}

// TestWrongLater: an engine that is right when it meets a document, and wrong when it does again,
// is found out by the pass in which its masks are compared once more, wherever that stands.
func TestWrongLater(t *testing.T) {
	for _, measure := range []string{"warmup: 0, repeat: 1", "warmup: 1, repeat: 1"} {
		w := newWorld(t)
		c := &counted{name: "counted", visit: func(text string, before int, m algorithms.Mask) algorithms.Mask {
			if text == "[10, 20" && before > 0 {
				return flip(m, idOf('x'))
			}
			return m
		}}
		w.runWith(t, "naive, counted, trie", measure, c)
		records := w.records(t)
		r := records["counted"]
		for _, s := range r.Samples {
			if want := map[bool]cell.Outcome{true: cell.WrongMask, false: cell.OK}[s.ID == "p5"]; s.Outcome != want || want == cell.WrongMask && !strings.Contains(s.Detail, "gave other masks") {
				t.Errorf("%s: %s is %s, %q", measure, s.ID, s.Outcome, s.Detail)
			}
		}
		for _, tr := range w.traces(t, r) {
			if s := r.Samples[tr.Sample]; s.ID == "p5" && (len(tr.Passes) > 0 || len(tr.Clone) > 0) {
				t.Errorf("%s: a wrong mask has %d passes", measure, len(tr.Passes))
			}
		}
		if records["naive"].Outcome != cell.OK || records["trie"].Outcome != cell.OK {
			t.Errorf("naive %s, trie %s", records["naive"].Outcome, records["trie"].Outcome)
		}
		checkReport(t, w, "counted", cell.WrongMask)
	}
}

// TestRefusesLater: the same of an engine that refuses a token when it meets a document again.
func TestRefusesLater(t *testing.T) {
	w := newWorld(t)
	c := &counted{name: "counted", visit: func(text string, before int, m algorithms.Mask) algorithms.Mask {
		if text == "[10" && before > 0 {
			return flip(m, idOf(','))
		}
		return m
	}}
	w.file(t, "docs.jsonl", `{"id": "p0", "content": "[10,4]"}`+"\n")
	w.runWith(t, "naive, counted", "warmup: 0, repeat: 1", c)
	if s := w.records(t)["counted"].Samples[0]; s.Outcome != cell.WrongMask || !strings.Contains(s.Detail, "an engine that is timed: at position 2 it refuses token 44") {
		t.Errorf("%+v", s)
	}
}

// keeping is counted, and takes its time for what it keeps.
type keeping struct{ *counted }

type keepingKey struct{}

func (k keeping) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	algorithms.KeptValue(p.Kept, keepingKey{}, func() bool {
		time.Sleep(50 * time.Millisecond)
		return true
	})
	return k.counted.Compile(ctx, p, o)
}

// TestFirstCompile: what an engine keeps for all schemas has a time of its own.
func TestFirstCompile(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	opt := w.options()
	opt.Algorithm = func(string) (algorithms.Algorithm, error) { return keeping{&counted{name: "counted"}}, nil }
	must.Get(Run(t.Context(), w.schemaConfig(t, "counted", "warmup: 0, repeat: 1", ""), opt))(t)
	for label, r := range w.records(t) {
		if r.FirstCompileNS <= 0 {
			t.Errorf("%s: first compile %d ns", label, r.FirstCompileNS)
		}
	}
}

// TestKeptIsAnAlgorithms: what an engine finds of earlier ones is its algorithm's alone, and the
// engines that are timed find nothing of those whose answers are compared. Of a program's grammar
// each compile is one of an engine that has kept nothing; of schemas one engine compiles them all.
func TestKeptIsAnAlgorithms(t *testing.T) {
	keeps := func(c *counted) []*algorithms.Kept {
		var list []*algorithms.Kept
		for _, e := range c.engines {
			list = append(list, e.kept)
		}
		return list
	}
	w := newWorld(t)
	c := &counted{name: "counted"}
	w.runWith(t, "counted, counted", "warmup: 0, repeat: 1, compiles: 2", c)
	if list := keeps(c); len(distinct(list)) != 6 || len(list) != 6 || slices.Contains(list, nil) {
		t.Errorf("two engines of three compiles each have %d compiles with %d to keep", len(list), len(distinct(list)))
	}

	w = newSchemaWorld(t, tinySchemas)
	c = &counted{name: "counted"}
	opt := w.options()
	opt.Algorithm = func(string) (algorithms.Algorithm, error) { return c, nil }
	must.Get(Run(t.Context(), w.schemaConfig(t, "counted, other", "warmup: 0, repeat: 1", ""), opt))(t)
	// Of each schema both engines are asked first, and then timed.
	compiles := map[string][]*algorithms.Kept{}
	for _, e := range c.engines {
		name := e.problem.Grammar.Name
		compiles[name] = append(compiles[name], e.kept)
	}
	delete(compiles, "anything") // the one before the first
	var asked, timed []*algorithms.Kept
	for name, list := range compiles {
		if name == "g-bare" { // there is nothing to ask
			timed = append(timed, list...)
			continue
		}
		if len(list) != 4 {
			t.Fatalf("%s was compiled %d times", name, len(list))
		}
		asked, timed = append(asked, list[:2]...), append(timed, list[2:]...)
	}
	if all := distinct(slices.Concat(asked, timed)); len(compiles) != 5 || len(distinct(asked)) != 2 || len(distinct(timed)) != 2 || len(all) != 4 || all[nil] {
		t.Errorf("of %d schemas %d are kept for answers, %d for times, %d in all", len(compiles), len(distinct(asked)), len(distinct(timed)), len(all))
	}
}

func distinct(list []*algorithms.Kept) map[*algorithms.Kept]bool {
	set := map[*algorithms.Kept]bool{}
	for _, k := range list {
		set[k] = true
	}
	return set
}

// TestDisturbedSteps: a step in which the thread sleeps is one in which it does not run.
func TestDisturbedSteps(t *testing.T) {
	if environment.ThreadTime() == 0 {
		t.Skip("the system does not tell a thread's time")
	}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.run(t, w.config(t, "naps, trie", "warmup: 0, repeat: 1"))
		for label, r := range w.records(t) {
			for _, tr := range w.traces(t, r) {
				for _, p := range tr.Passes {
					want := map[bool]int{true: len(p.Step), false: 0}[label == "naps"]
					stolen := time.Duration(p.StolenNS)
					if most := time.Duration(want) * 5 * time.Millisecond; p.Disturbed != want || stolen > most || stolen < most/2 {
						t.Errorf("%s: %d of %d steps disturbed, for %v", label, p.Disturbed, len(p.Step), stolen)
					}
					if label == "naps" && slices.Min(p.Mask) < 4_900_000 {
						t.Errorf("a nap of 5 ms took %d ns", slices.Min(p.Mask))
					}
				}
			}
		}
	})
}

// TestBetweenSteps: the configuration says whether masks are applied to logits between two steps,
// and that is a part of the question.
func TestBetweenSteps(t *testing.T) {
	keys := map[string]string{}
	for between, want := range map[string]bool{config.BetweenLogits: true, config.BetweenNothing: false} {
		w := newWorld(t)
		cfg := w.config(t, "trie", "warmup: 0, repeat: 1, between: "+between)
		g := &group{Prepared: prepareWorld(t, w), run: &run{cfg: cfg}}
		g.walkers()
		if applies := !reflect.ValueOf(g.timing).Elem().FieldByName("logits").IsNil(); applies != want {
			t.Errorf("between: %s applies masks: %v", between, applies)
		}
		w.run(t, cfg)
		keys[w.records(t)["trie"].Key] = between
	}
	if len(keys) != 2 {
		t.Errorf("the keys are those of %v alone", keys)
	}
}

// TestCoreAndClock: a record says which core was timed on, and what was taken off.
func TestCoreAndClock(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "trie", "warmup: 0, repeat: 1"))
	core := make(chan int)
	go func() { // on a thread of its own, as a timed one is
		c, undo := environment.Pin()
		undo()
		core <- c
	}()
	r := w.records(t)["trie"]
	if want := <-core; r.Core != want {
		t.Errorf("core %d, want %d", r.Core, want)
	}
	for _, s := range r.Samples {
		if s.ClockEmptyNS < 0 || s.ClockPairNS < s.ClockEmptyNS || math.IsNaN(s.ClockPairNS) {
			t.Errorf("%s: %v ns a pair, %v ns taken off", s.ID, s.ClockPairNS, s.ClockEmptyNS)
		}
	}
}
