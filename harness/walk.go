package harness

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
)

// mode says how a pass is timed.
type mode struct {
	timed bool
	// lanes is how many generations go in step, commitClones over how many
	// clones a commit is timed; see the package comment.
	lanes, commitClones int
	// clones times one Clone at each masked position as well.
	clones bool
}

const (
	// maxLanes bounds the batch: 32 masks of 50 ns are 20 clock pairs of the
	// slowest clock seen.
	maxLanes  = 32
	maxClones = 16
)

// nextMode derives a pass's batches from the times of the pass before.
func nextMode(before *pass, clock environment.Clock) mode {
	m := mode{timed: true, lanes: 1, commitClones: 1}
	if before == nil || len(before.mask) == 0 {
		return m
	}
	if batch := batchSize(before.mask, clock); batch > 1 {
		m.lanes = min(batch, maxLanes)
	} else if batch := batchSize(before.commit, clock); batch > 1 {
		m.commitClones = min(batch, maxClones)
	}
	return m
}

// batchSize is how many operations of the median time fill BatchPairs clock pairs.
func batchSize(times []uint32, clock environment.Clock) int {
	if len(times) == 0 {
		return 1
	}
	sorted := slices.Sorted(slices.Values(times))
	median := max(1, float64(sorted[len(sorted)/2]))
	return max(1, int(math.Ceil(clock.BatchBelow()/median)))
}

// pass is what one walk over a script found. Slices have an entry for each
// masked position, up to where the walk got.
type pass struct {
	mode
	hashes       []uint64
	mask, commit []uint32 // ns
	clone        []uint32
	refused      bool
	refusedAt    int
	// contradiction says how the engine contradicted itself; "" if it did not.
	contradiction string
	contradictAt  int
}

// walker walks scripts with one engine.
type walker struct {
	engine  algorithms.Engine
	collect *collector // nil if nothing is timed
}

// walk feeds a script to the engine: at each masked position a mask, which has to
// hold the oracle token, then a commit of it. It stops where a token is refused.
// The pass is filled in as it goes, so that a panic leaves what was found.
func (w *walker) walk(ctx context.Context, s *script, m mode, p *pass) error {
	p.mode = m
	lanes := make([]algorithms.State, max(1, m.lanes))
	for i := range lanes {
		lanes[i] = w.engine.Start()
	}
	for pos, token := range s.tokens {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.between(pos, p)
		allowed := false
		if s.masked[pos] {
			allowed = w.mask(lanes, int(token), p)
			if !allowed {
				p.refusedHere(pos)
				p.checkRefusal(lanes[0], int(token))
				return nil
			}
		}
		if err := w.commit(lanes, int(token), s.masked[pos], p); err != nil {
			if allowed {
				p.contradict(pos, fmt.Sprintf("the mask allows token %d, but Commit says: %v", token, err))
			}
			p.refusedHere(pos)
			return nil
		}
	}
	return nil
}

// between collects garbage now and then. Asking costs a microsecond, so a walk of
// fast masks asks rarely.
func (w *walker) between(pos int, p *pass) {
	const slow, every = 20_000, 64 // ns, positions
	if w.collect == nil {
		return
	}
	if n := len(p.mask); n > 0 && p.mask[n-1] < slow && pos%every != 0 {
		return
	}
	w.collect.maybe()
}

// mask asks every lane for its mask and returns whether token is allowed.
func (w *walker) mask(lanes []algorithms.State, token int, p *pass) bool {
	if p.clones {
		begin := environment.Now()
		lanes[0].Clone()
		p.clone = append(p.clone, cell.Clamp(float64(environment.Now()-begin)))
	}
	begin := environment.Now()
	m := lanes[0].Mask()
	for _, s := range lanes[1:] {
		s.Mask()
	}
	took := environment.Now() - begin
	if p.timed {
		p.mask = append(p.mask, cell.Clamp(float64(took)/float64(len(lanes))))
	}
	p.hashes = append(p.hashes, m.Hash())
	return m.Has(token)
}

// commit commits token on every lane. masked is whether the step is one of those
// that are timed.
func (w *walker) commit(lanes []algorithms.State, token int, masked bool, p *pass) error {
	batch := lanes
	if masked && p.timed && p.commitClones > 1 {
		batch = append([]algorithms.State(nil), lanes...)
		for range p.commitClones - 1 {
			batch = append(batch, lanes[0].Clone())
		}
	}
	var failed error
	begin := environment.Now()
	for _, s := range batch {
		if err := s.Commit(token); err != nil {
			failed = err
		}
	}
	took := environment.Now() - begin
	if masked && p.timed {
		p.commit = append(p.commit, cell.Clamp(float64(took)/float64(len(batch))))
	}
	return failed
}

func (p *pass) refusedHere(pos int) { p.refused, p.refusedAt = true, pos }

func (p *pass) contradict(pos int, what string) { p.contradiction, p.contradictAt = what, pos }

// checkRefusal makes sure that what the mask leaves out is refused by Commit.
func (p *pass) checkRefusal(s algorithms.State, token int) {
	if s.Clone().Commit(token) == nil {
		p.contradict(p.refusedAt, fmt.Sprintf("the mask leaves token %d out, but Commit takes it", token))
	}
}
