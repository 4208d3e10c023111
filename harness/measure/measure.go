// Package measure is the clock of the benchmark: it walks one generation through one document and
// times the walk.
//
// # One generation
//
// An engine is timed as one generation that reads a document token by token, as a decoder drives
// it. At each position the walk
//
//	commits the token before, and has the mask written into a row of the caller   (timed)
//	applies the mask to a row of |V| logits, as a sampler does                    (not timed)
//
// so the caches hold what decoding leaves in them, the same for every engine, since right masks are
// equal. Before that garbage is collected, now and then; nothing else runs between two timed
// operations. There are no replicas and no repeated calls: a second generation in step with the
// first would find the caches warm, to the benefit of engines that are fast enough to need
// replicas.
//
// # What a time is
//
// A time is a single measurement: the difference of two reads of the monotonic clock, less the time
// of a pair of reads around nothing (environment.Clock.EmptyNS, some 20 to 40 ns). A step is one
// measurement, too, from before the commit to after the mask; it is not a sum of percentiles.
//
//	commit  appending one token
//	mask    until all |V| bits stand in the caller's row
//	lookup  for an engine that returns a view of a mask it keeps: until the view is there. The
//	        rest of mask is the copy, which such an engine is charged.
//	step    the commit of the token before a position, and the position's mask
//
// Operations of some tens of nanoseconds are close to the resolution of the clock. Blocks check
// them: the same generation takes many consecutive steps between two reads, with nothing between
// the steps. Check compares their time with the sum of single measurements under the same
// conditions.
//
// # What disturbs
//
// The thread is pinned to one core where the system allows it. Its processor time is read beside
// the clock (load.go). A step in which the two differ, because another thread had the core, is
// counted as disturbed. It is not dropped: decoders are interrupted, too.
package measure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// MaxNS is the longest time that is kept, 4.29 s. The exact time of a slower step does not matter.
const MaxNS = math.MaxUint32

// Clamp rounds a time in ns to the range that is kept.
func Clamp(ns float64) uint32 {
	switch {
	case ns >= MaxNS:
		return MaxNS
	case ns < 0:
		return 0
	}
	return uint32(math.Round(ns))
}

// A Document is the text of a generation, as tokens.
type Document struct {
	// Tokens are the oracle tokens, EOS last.
	Tokens []int32
	// Positions are those at which a mask is asked for, ascending; nil for all. At other positions the
	// token is only committed.
	Positions []uint32
	// Proved are the hashes of the masks that were proved; nil if they are not known. A timed walk of
	// an engine from outside has to leave the last of them; of a walk that is Whole all masks are
	// compared, and in one that was Drawn processor time is read. The engine cannot know of which.
	Proved       []uint64
	Drawn, Whole bool
}

// MaskedUpTo counts the positions up to and including pos at which a mask is asked for; here is
// whether pos is one of them.
func (d *Document) MaskedUpTo(pos int) (n int, here bool) {
	if d.Positions == nil {
		return pos + 1, true
	}
	n, here = slices.BinarySearch(d.Positions, uint32(pos))
	if here {
		n++
	}
	return n, here
}

// masked returns a function that tells, for ascending positions, whether a mask is asked for.
func (d *Document) masked() func(pos int) bool {
	if d.Positions == nil {
		return func(int) bool { return true }
	}
	next := 0
	return func(pos int) bool {
		for next < len(d.Positions) && int(d.Positions[next]) < pos {
			next++
		}
		return next < len(d.Positions) && int(d.Positions[next]) == pos
	}
}

// Times are those of a timed walk in ns, with an entry for each position that was masked.
type Times struct {
	// Mask is the time of the delivered mask, Lookup that of the view alone; nil for an engine that
	// fills the caller's row itself and has no view.
	Mask, Lookup []uint32
	// Commit is the time of committing the token at the position.
	Commit []uint32
	// Step is the commit of the token before the position and the mask there. At the first position
	// of a document there is nothing to commit.
	Step []uint32
	// Disturbed counts the steps in which the thread's processor time fell behind the clock;
	// StolenNS is the sum of the differences.
	Disturbed int
	StolenNS  int64
	// IdleNS is what the engine did between steps (algorithms.Idler), in sum.
	IdleNS int64
}

// roomFor are empty times with room for a whole walk, so that the walk allocates nothing. views is
// whether the engine returns views.
func roomFor(d *Document, views bool) (t Times) {
	n := len(d.Tokens)
	if d.Positions != nil {
		n = len(d.Positions)
	}
	t.Mask, t.Commit, t.Step = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	if views {
		t.Lookup = make([]uint32, 0, n)
	}
	return t
}

// Proof is the result of an untimed walk.
type Proof struct {
	// Hashes are those of the masks (algorithms.Mask.Hash), up to the end of the walk.
	Hashes []uint64
	// Allowed is the number of tokens that these masks allow, over all of them; 0 of an engine that
	// walks in a process of its own.
	Allowed int
	// Refused is whether a token was masked or refused, RefusedAt at which position.
	Refused   bool
	RefusedAt int
	// ByCommit is whether only Commit refuses there: the mask allows the token.
	ByCommit bool
	// Contradiction says how the engine's mask and Commit contradict each other at position
	// ContradictAt; "" if they do not.
	Contradiction string
	ContradictAt  int
	// Clones gets the time of one Clone at each masked position, in ns, unless it is nil.
	Clones []uint32
}

func (p *Proof) refused(pos int) { p.Refused, p.RefusedAt = true, pos }

func (p *Proof) contradict(pos int, format string, args ...any) {
	p.Contradiction, p.ContradictAt = fmt.Sprintf(format, args...), pos
}

// A RefusedError says that an engine refused a token in a timed walk that it had allowed before.
type RefusedError struct {
	Position int
	Token    int
	// ByCommit is whether Commit refused it, and not the mask.
	ByCommit bool
}

// Error names the position and the token.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("at position %d it refuses token %d, which it took before", e.Position, e.Token)
}

// A Walker walks documents with engines on one vocabulary. It owns the row into which masks are
// delivered and the logits to which they are applied. It must not be used by two goroutines at
// once.
type Walker struct {
	// Clock is the cost of the clock.
	Clock environment.Clock
	// Between is called between two steps, outside of the clock; nil for nothing.
	Between func(pos int)
	// Made is called with each mask, in the Walker's row, outside of the clock; nil for nothing.
	Made func(pos int, row []uint64)

	row    []uint64
	size   int
	logits []float32 // nil if masks are not applied
	read   float32   // the sum of the logits read, so that no compiler drops the reads
}

// Row is where the Walker has masks delivered: the last one that was made. It is the Walker's.
func (w *Walker) Row() []uint64 { return w.row }

// NewWalker makes a Walker for a vocabulary of size ids. apply is whether masks are applied to
// logits between two steps.
func NewWalker(size int, apply bool, clock environment.Clock) *Walker {
	w := &Walker{Clock: clock, row: make([]uint64, algorithms.MaskWords(size)), size: size}
	if apply {
		w.logits = make([]float32, 64*len(w.row))
	}
	return w
}

// Prove walks a document untimed: at each masked position it has the mask delivered and hashed, and
// checks that mask and Commit agree on the oracle token. It stops at a refused token. It fills the
// proof in on the way, so that a panic leaves a part of it. The error is ctx's.
func (w *Walker) Prove(ctx context.Context, engine algorithms.Engine, d *Document, p *Proof) error {
	if e, ok := engine.(Walking); ok {
		return e.WalkProof(ctx, d, p, func(int, []uint64) bool { return true })
	}
	state, masked := engine.Start(), d.masked()
	for pos, token := range d.Tokens {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.between(pos)
		allowed := false
		if masked(pos) {
			if p.Clones != nil {
				p.Clones = append(p.Clones, w.clone(state))
			}
			algorithms.Deliver(state, w.row)
			m := algorithms.MaskOf(w.row, w.size)
			p.Hashes = append(p.Hashes, m.Hash())
			p.Allowed += m.Count()
			if w.Made != nil {
				w.Made(pos, w.row)
			}
			if allowed = m.Has(int(token)); !allowed {
				p.refused(pos)
				if state.Clone().Commit(int(token)) == nil {
					p.contradict(pos, "the mask leaves token %d out, but Commit takes it", token)
				}
				return nil
			}
		}
		if err := state.Commit(int(token)); err != nil {
			if p.ByCommit = allowed; allowed {
				p.contradict(pos, "the mask allows token %d, but Commit says: %v", token, err)
			}
			p.refused(pos)
			return nil
		}
	}
	return nil
}

// clone times one Clone.
func (w *Walker) clone(state algorithms.State) uint32 {
	begin := environment.Now()
	state.Clone()
	return Clamp(float64(environment.Now()-begin) - w.Clock.EmptyNS)
}

// Compares reports whether Time compares all masks of a document that is Whole, of so many.
func (w *Walker) Compares(engine algorithms.Engine, masks int) bool {
	e, ok := engine.(Walking)
	return ok && w.logits != nil && e.Leaves(masks)
}

// Time walks a document that the engine accepts and times it. The error is ctx's, or a
// *RefusedError.
func (w *Walker) Time(ctx context.Context, engine algorithms.Engine, d *Document, t *Times) error {
	if e, ok := engine.(Walking); ok {
		return e.WalkTimed(ctx, d, w.logits != nil, t)
	}
	state, masked := engine.Start(), d.masked()
	filler, fills := state.(algorithms.Filler)
	*t = roomFor(d, !fills)
	empty, before := w.Clock.EmptyNS, false // before: whether the position before was masked
	load := newLoad()
	for pos := 0; ; pos++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		here := pos < len(d.Tokens) && masked(pos)
		if pos == len(d.Tokens) && !before {
			return nil
		}
		// This reads the clock, whose own code and data are in the cache from here on.
		load.between(environment.Now())
		begin := environment.Now()
		if pos > 0 {
			if state.Commit(int(d.Tokens[pos-1])) != nil {
				return &RefusedError{pos - 1, int(d.Tokens[pos-1]), true}
			}
		}
		mid := environment.Now()
		looked, end := mid, mid
		switch {
		case !here:
		case fills:
			filler.Fill(w.row)
			end = environment.Now()
		default:
			m := state.Mask()
			looked = environment.Now()
			m.CopyTo(w.row)
			end = environment.Now()
		}
		if before { // nothing is written down between begin and end
			t.Commit = append(t.Commit, Clamp(float64(mid-begin)-empty))
		}
		if before = here; !here {
			if pos == len(d.Tokens) {
				return nil
			}
			continue
		}
		reads := 1.0 // clock reads in the mask that are not its own
		if !fills {
			t.Lookup = append(t.Lookup, Clamp(float64(looked-mid)-empty))
			reads = 2
		}
		if lost := load.step(begin, end); lost > 0 {
			t.Disturbed++
			t.StolenNS += lost.Nanoseconds()
		}
		t.Mask = append(t.Mask, Clamp(float64(end-mid)-reads*empty))
		t.Step = append(t.Step, Clamp(float64(end-begin)-(reads+1)*empty))
		if token := int(d.Tokens[pos]); !algorithms.MaskOf(w.row, w.size).Has(token) {
			return &RefusedError{pos, token, false}
		}
		if w.Made != nil {
			w.Made(pos, w.row)
		}
		w.between(pos)
		w.apply()
		t.IdleNS += idle(state)
	}
}

// idle lets an engine build while the model computes, and returns how long it did, in ns.
func idle(state algorithms.State) int64 {
	if _, is := state.(algorithms.Idler); !is {
		return 0
	}
	begin := environment.Now()
	for algorithms.Idle(state) {
	}
	return (environment.Now() - begin).Nanoseconds()
}

// between calls Between, if it is set.
func (w *Walker) between(pos int) {
	if w.Between != nil {
		w.Between(pos)
	}
}
