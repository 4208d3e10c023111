package measure

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/internal/must"
)

// size is that of the vocabulary of these tests: more than two words, the last one not full.
const size = 150

// fake is an engine whose mask after n tokens is {n, n+1, 149}. It counts what it is asked.
type fake struct {
	starts, masks, fills, commits, clones int
	// before and commit run before the mask after n tokens, and before a commit there.
	before  func(n int)
	commit  func(n, token int) error
	without int // a token that no mask has; 0 for none
}

func (f *fake) Stats() algorithms.Stats { return algorithms.Stats{} }

// Start makes a state that returns views; a filling engine wraps it.
func (f *fake) Start() algorithms.State {
	f.starts++
	return &fakeState{fake: f}
}

type fakeState struct {
	*fake
	n int
}

func (s *fakeState) mask() algorithms.Mask {
	if s.before != nil {
		s.before(s.n)
	}
	b := algorithms.NewBuffer(size)
	for _, token := range []int{s.n, s.n + 1, size - 1} {
		if token != s.without || token == 0 {
			b.Set(token)
		}
	}
	return b.Mask()
}

func (s *fakeState) Mask() algorithms.Mask {
	s.masks++
	return s.mask()
}

func (s *fakeState) Commit(token int) error {
	s.commits++
	if s.fake.commit != nil {
		if err := s.fake.commit(s.n, token); err != nil {
			return err
		}
	}
	s.n++
	return nil
}

func (s *fakeState) Clone() algorithms.State {
	s.clones++
	other := *s
	return &other
}

// filling is a fake that writes the row itself.
type filling struct{ *fake }

func (f filling) Start() algorithms.State { return &fillingState{f.fake.Start().(*fakeState)} }

type fillingState struct{ *fakeState }

func (s *fillingState) Fill(row []uint64) {
	s.fills++
	s.mask().CopyTo(row)
}

// counting is a document that a fake accepts.
func counting(n int) *Document {
	d := &Document{}
	for i := range n {
		d.Tokens = append(d.Tokens, int32(i))
	}
	return d
}

func walker(apply bool) *Walker { return NewWalker(size, apply, environment.Clock{}) }

// TestOneGeneration: a pass is one generation that is asked once at each position, by Fill if it
// has that, and then there is no lookup.
func TestOneGeneration(t *testing.T) {
	const n = 100
	for _, fills := range []bool{false, true} {
		f := new(fake)
		var engine algorithms.Engine = f
		if fills {
			engine = filling{f}
		}
		var times Times
		must.OK(t, walker(true).Time(t.Context(), engine, counting(n), &times))
		want := fake{starts: 1, masks: n, commits: n}
		if fills {
			want.masks, want.fills = 0, n
		}
		if f.starts != want.starts || f.masks != want.masks || f.fills != want.fills || f.commits != want.commits || f.clones != 0 {
			t.Errorf("fills %v: %+v, want %+v", fills, *f, want)
		}
		if len(times.Mask) != n || len(times.Commit) != n || len(times.Step) != n || (times.Lookup == nil) != fills || !fills && len(times.Lookup) != n {
			t.Errorf("fills %v: %d masks, %d commits, %d steps, %d lookups", fills, len(times.Mask), len(times.Commit), len(times.Step), len(times.Lookup))
		}
	}
}

// TestSomePositions: at the others the token is committed only.
func TestSomePositions(t *testing.T) {
	f, d := new(fake), counting(20)
	d.Positions = []uint32{3, 4, 19}
	var asked []int
	f.before = func(n int) { asked = append(asked, n) }
	var times Times
	must.OK(t, walker(false).Time(t.Context(), f, d, &times))
	if !slices.Equal(asked, []int{3, 4, 19}) || f.commits != 20 || len(times.Mask) != 3 || len(times.Commit) != 3 || len(times.Step) != 3 {
		t.Errorf("asked at %v, %d commits; %+v", asked, f.commits, times)
	}
	p := Proof{}
	if err := walker(false).Prove(t.Context(), f, d, &p); err != nil || len(p.Hashes) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestDelivered: what a sampler finds between two steps is the mask in the row, and minus infinity
// at the logits of all other tokens.
func TestDelivered(t *testing.T) {
	for _, fills := range []bool{false, true} {
		for _, apply := range []bool{false, true} {
			var engine algorithms.Engine = new(fake)
			if fills {
				engine = filling{new(fake)}
			}
			w := walker(apply)
			checked := 0
			w.Between = func(pos int) { // after the step at pos, and before its mask is applied
				checked++
				checkRow(t, w, []int{pos, pos + 1, size - 1})
				if pos > 0 {
					checkLogits(t, w, []int{pos - 1, pos, size - 1})
				}
				for i := range w.logits {
					w.logits[i] = float32(i)
				}
			}
			must.OK(t, w.Time(t.Context(), engine, counting(70), new(Times)))
			if checked != 70 || (w.logits != nil) != apply {
				t.Errorf("fills %v, apply %v: looked at %d rows", fills, apply, checked)
			}
		}
	}
}

// checkRow looks at the mask that was delivered.
func checkRow(t *testing.T, w *Walker, want []int) {
	t.Helper()
	if got := algorithms.MaskOf(w.row, size).IDs(nil); !slices.Equal(got, want) {
		t.Fatalf("the row holds %v, want %v", got, want)
	}
}

// checkLogits looks at what the mask before was applied to.
func checkLogits(t *testing.T, w *Walker, want []int) {
	t.Helper()
	for i := range min(size, len(w.logits)) {
		if masked := math.IsInf(float64(w.logits[i]), -1); masked == slices.Contains(want, i) {
			t.Fatalf("with the mask %v token %d is masked: %v", want, i, masked)
		}
	}
}

// TestWhatIsTimed: in a bubble whose clock is moved by sleeping alone, each time is what it says.
func TestWhatIsTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{
			before: func(n int) { time.Sleep(time.Duration(10+n) * time.Microsecond) },
			commit: func(n, _ int) error { time.Sleep(time.Duration(3+n) * time.Microsecond); return nil },
		}
		w := walker(true)
		w.Between = func(int) { time.Sleep(time.Millisecond) } // which is nobody's
		w.Clock.EmptyNS = 0
		var times Times
		must.OK(t, w.Time(t.Context(), f, counting(4), &times))
		want := Times{Mask: []uint32{10000, 11000, 12000, 13000}, Commit: []uint32{3000, 4000, 5000, 6000}, Step: []uint32{10000, 14000, 16000, 18000}}
		if !slices.Equal(times.Mask, want.Mask) || !slices.Equal(times.Lookup, want.Mask) || !slices.Equal(times.Commit, want.Commit) || !slices.Equal(times.Step, want.Step) {
			t.Errorf("%+v, want %+v", times, want)
		}
		w.Clock.EmptyNS = 100 // taken off once for each pair of reads
		must.OK(t, w.Time(t.Context(), f, counting(4), &times))
		if times.Lookup[1] != 10900 || times.Mask[1] != 10800 || times.Commit[1] != 3900 || times.Step[1] != 13700 {
			t.Errorf("with 100 ns a pair: lookup %d, mask %d, commit %d, step %d", times.Lookup[1], times.Mask[1], times.Commit[1], times.Step[1])
		}
		must.OK(t, w.Time(t.Context(), filling{f}, counting(4), &times))
		if times.Mask[1] != 10900 || times.Step[1] != 13800 {
			t.Errorf("filling, with 100 ns a pair: mask %d, step %d", times.Mask[1], times.Step[1])
		}
	})
}

// TestDisturbed: a step in which the thread did not run is counted with how long; what happens
// between two steps is not.
func TestDisturbed(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if environment.ThreadTime() == 0 {
		t.Skip("the system does not tell a thread's time")
	}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			what     string
			in, next func(n int) // in a mask, between two steps
			want     int
		}{
			{"nothing", nil, nil, 0},
			{"in two steps", sleepAt(5, 9), nil, 2},
			{"between", nil, sleepAt(5, 9), 0},
			{"in one, after a pause", sleepAt(7), sleepAt(7, 8), 1},
		} {
			w := walker(false)
			w.Between = c.next
			var times Times
			must.OK(t, w.Time(t.Context(), &fake{before: c.in}, counting(20), &times))
			low, high := time.Duration(c.want)*9*time.Millisecond, time.Duration(c.want)*10*time.Millisecond
			if stolen := time.Duration(times.StolenNS); times.Disturbed != c.want || stolen < low || stolen > high {
				t.Errorf("%s: %d steps disturbed for %v, want %d for %v", c.what, times.Disturbed, stolen, c.want, high)
			}
		}
	})
}

// sleepAt stops the thread for 10 ms at some positions.
func sleepAt(positions ...int) func(n int) {
	return func(n int) {
		if slices.Contains(positions, n) {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// TestRefusedInTime: an engine that refuses a token in a timed walk, by Commit or by its mask, is
// found out.
func TestRefusedInTime(t *testing.T) {
	no := func(n, _ int) error {
		if n == 4 {
			return errors.New("no")
		}
		return nil
	}
	for what, c := range map[string]struct {
		f    *fake
		want RefusedError
	}{
		"by Commit":     {&fake{commit: no}, RefusedError{4, 4, true}},
		"by the mask":   {&fake{without: 6}, RefusedError{6, 6, false}},
		"at the end":    {&fake{commit: func(n, _ int) error { return map[int]error{9: errors.New("no")}[n] }}, RefusedError{9, 9, true}},
		"in the middle": {&fake{without: 9}, RefusedError{9, 9, false}},
	} {
		var refused *RefusedError
		if err := walker(false).Time(t.Context(), c.f, counting(10), new(Times)); !errors.As(err, &refused) || *refused != c.want {
			t.Errorf("%s: %v", what, err)
		} else if !strings.Contains(err.Error(), "which it took before") {
			t.Errorf("%s: %v", what, err)
		}
	}
	var refused *RefusedError
	if _, err := walker(false).Check(t.Context(), &fake{commit: no}, counting(10)); !errors.As(err, &refused) {
		t.Errorf("in a check: %v", err)
	}
}

// TestProve: an untimed walk finds the masks, where a token is refused, and where mask and Commit
// contradict each other.
func TestProve(t *testing.T) {
	no := func(n, _ int) error {
		if n == 4 {
			return errors.New("not that one")
		}
		return nil
	}
	without4 := counting(10)
	without4.Positions = []uint32{0, 9}
	for what, c := range map[string]struct {
		f         *fake
		d         *Document
		hashes    int
		refusedAt int // -1 for none
		contra    string
	}{
		"accepts":                      {&fake{}, counting(10), 10, -1, ""},
		"both refuse":                  {&fake{without: 4, commit: no}, counting(10), 5, 4, ""},
		"only Commit":                  {&fake{commit: no}, counting(10), 5, 4, "the mask allows token 4, but Commit says: not that one"},
		"only the mask":                {&fake{without: 4}, counting(10), 5, 4, "the mask leaves token 4 out, but Commit takes it"},
		"Commit where nobody is asked": {&fake{commit: no}, without4, 1, 4, ""},
	} {
		p := Proof{Clones: []uint32{}}
		must.OK(t, walker(false).Prove(t.Context(), c.f, c.d, &p))
		if len(p.Hashes) != c.hashes || p.Refused != (c.refusedAt >= 0) || p.Refused && p.RefusedAt != c.refusedAt || p.Contradiction != c.contra || len(p.Clones) != c.hashes {
			t.Errorf("%s: %+v", what, p)
		}
		allowed := 0
		for i, hash := range p.Hashes {
			pos := i
			if c.d.Positions != nil {
				pos = int(c.d.Positions[i])
			}
			if want := (&fakeState{c.f, pos}).mask().Hash(); hash != want {
				t.Errorf("%s: the hash at %d is %x, want %x", what, pos, hash, want)
			}
			allowed += (&fakeState{c.f, pos}).mask().Count()
		}
		if p.Allowed != allowed {
			t.Errorf("%s: %d tokens are allowed, want %d", what, p.Allowed, allowed)
		}
	}
	f := new(fake)
	if err := walker(false).Prove(t.Context(), f, counting(5), new(Proof)); err != nil || f.clones != 0 {
		t.Errorf("%d clones nobody asked for, %v", f.clones, err)
	}
}

// TestInterrupted: every walk ends soon after its context.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, f := walker(false), new(fake)
	if err := w.Time(ctx, f, counting(9), new(Times)); !errors.Is(err, context.Canceled) {
		t.Errorf("timing: %v", err)
	}
	if err := w.Prove(ctx, f, counting(9), new(Proof)); !errors.Is(err, context.Canceled) {
		t.Errorf("asking: %v", err)
	}
	if _, err := w.Check(ctx, f, counting(9)); !errors.Is(err, context.Canceled) || f.masks > 0 {
		t.Errorf("checking: %v, %d masks", err, f.masks)
	}
}

// TestCheck: single measurements and blocks are of the same steps, and agree where the clock costs
// nothing.
func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		f := &fake{
			before: func(n int) {
				if calls++; calls < 50 { // the beginning is slow once, which the shortest of some rounds leaves out
					time.Sleep(time.Millisecond)
				}
				time.Sleep(7 * time.Microsecond)
			},
			commit: func(int, int) error { time.Sleep(2 * time.Microsecond); return nil },
		}
		w := walker(true)
		w.Between = func(int) { t.Error("a check has something between its steps") }
		n := 2*blockSteps + 5
		for _, engine := range []algorithms.Engine{f, filling{f}} {
			got, err := w.Check(t.Context(), engine, counting(n))
			want := float64(7000*n + 2000*(n-1))
			if err != nil || got.Steps != n || got.SingleNS != want || got.BlockNS != want {
				t.Errorf("%+v, %v; want %v ns each", got, err, want)
			}
		}
		if f.starts != 2*2*checkRounds {
			t.Errorf("%d generations", f.starts)
		}
	})
	if sum := (Check{1, 2, 3}).Add(Check{10, 20, 30}); sum != (Check{11, 22, 33}) {
		t.Errorf("the sum is %+v", sum)
	}
	clock := environment.Clock{PairNS: 40}
	if !NeedsCheck(1999, clock) || NeedsCheck(2000, clock) {
		t.Error("steps of 50 pairs of clock reads are where blocks begin to matter")
	}
}

func TestClamp(t *testing.T) {
	for ns, want := range map[float64]uint32{0: 0, -3: 0, 1.4: 1, 1.6: 2, 5e9: MaxNS, MaxNS: MaxNS} {
		if got := Clamp(ns); got != want {
			t.Errorf("Clamp(%v) = %d, want %d", ns, got, want)
		}
	}
}

// TestMaskedUpTo counts positions.
func TestMaskedUpTo(t *testing.T) {
	some := &Document{Tokens: make([]int32, 9), Positions: []uint32{0, 3, 8}}
	for pos, want := range map[int]int{0: 1, 1: 1, 3: 2, 7: 2, 8: 3} {
		if n, here := some.MaskedUpTo(pos); n != want || here != slices.Contains(some.Positions, uint32(pos)) {
			t.Errorf("up to %d: %d, %v", pos, n, here)
		}
	}
	if n, here := (&Document{Tokens: some.Tokens}).MaskedUpTo(4); n != 5 || !here {
		t.Errorf("all positions: %d, %v", n, here)
	}
}

// TestMade: a proof shows each mask that it has made, that which refuses among them.
func TestMade(t *testing.T) {
	w, seen := walker(false), []int{}
	w.Made = func(pos int, _ []uint64) { seen = append(seen, pos) }
	d := counting(10)
	d.Positions = []uint32{1, 6, 8}
	if err := w.Prove(t.Context(), &fake{without: 6}, d, new(Proof)); err != nil || !slices.Equal(seen, []int{1, 6}) {
		t.Errorf("%v, %v", seen, err)
	}
}
