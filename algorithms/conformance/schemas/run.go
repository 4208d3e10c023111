package schemas

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
)

// run is a schema compiled by all.
type run struct {
	comparison *Comparison
	schema     Schema
	outcome    *Outcome
	names      []string // the reference's first
	engines    []algorithms.Engine
	seen       map[string]bool // prefixes compared
	rng        *rand.Rand
	row        []uint64 // masks are delivered into it one over the other
}

func (r *run) begin() []algorithms.State {
	states := make([]algorithms.State, len(r.engines))
	for i, e := range r.engines {
		states[i] = e.Start()
	}
	return states
}

// instance takes all engines through the tokens, up to the first that is refused.
func (r *run) instance(ctx context.Context, ids []int32) error {
	states := r.begin()
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		mask, isNew, err := r.masks(states, ids[:k])
		if err != nil {
			return err
		}
		if isNew && r.rng.IntN(16) < r.comparison.Branches {
			if err := r.branch(states, ids[:k], mask); err != nil {
				return err
			}
		}
		if k == len(ids) {
			return r.end(states, ids)
		}
		if taken, err := r.commit(states, ids[:k], int(ids[k])); err != nil || !taken {
			return err
		}
	}
}

// randomWalk goes on with random legal tokens until there are none, or for some steps.
func (r *run) randomWalk(steps int) error {
	states := r.begin()
	var prefix []int32
	for {
		mask, _, err := r.masks(states, prefix)
		if err != nil {
			return err
		}
		if err := r.end(states, prefix); err != nil {
			return err
		}
		id := r.choose(mask)
		if id < 0 || len(prefix) == steps {
			return nil
		}
		if err := r.mustCommit(states, prefix, id); err != nil {
			return err
		}
		prefix = append(prefix, int32(id))
	}
}

// choose is a random token of a mask other than EOS; -1 if there is none.
func (r *run) choose(mask algorithms.Mask) int {
	ids := slices.DeleteFunc(mask.IDs(nil), r.comparison.Vocabulary.IsEOS)
	if len(ids) == 0 {
		return -1
	}
	return ids[r.rng.IntN(len(ids))]
}

// masks compares the masks after a prefix, unless that was done before. The result is the
// reference's.
func (r *run) masks(states []algorithms.State, prefix []int32) (_ algorithms.Mask, isNew bool, err error) {
	want := states[0].Mask()
	k := key(prefix)
	if r.seen[k] {
		return want, false, nil
	}
	r.seen[k] = true
	r.outcome.Positions++
	for i, s := range states[1:] {
		r.outcome.Masks++
		got := s.Mask()
		if id := got.FirstDifference(want); id >= 0 {
			return want, true, r.differ(i+1, prefix, "token %d %q: the reference says legal=%v; %s",
				id, r.comparison.Vocabulary.Token(id), want.Has(id), counts(got, want))
		}
		algorithms.Deliver(s, r.row)
		got = algorithms.MaskOf(r.row, want.Len())
		if id := got.FirstDifference(want); id >= 0 {
			return want, true, r.differ(i+1, prefix, "as delivered: token %d %q: Mask says legal=%v; %s",
				id, r.comparison.Vocabulary.Token(id), want.Has(id), counts(got, want))
		}
		if r.comparison.Commits {
			if message := conformance.Check(s, want.Len()); message != "" {
				return want, true, r.differ(i+1, prefix, "%s", message)
			}
		}
	}
	return want, true, nil
}

// counts says by how many tokens two masks differ.
func counts(got, want algorithms.Mask) string {
	more, less := 0, 0
	for id := range want.Len() {
		switch {
		case got.Has(id) && !want.Has(id):
			more++
		case !got.Has(id) && want.Has(id):
			less++
		}
	}
	return fmt.Sprintf("%d tokens are wrongly allowed, %d wrongly masked, of %d", more, less, want.Count())
}

// branch tries a random legal token on clones and compares the masks after it.
func (r *run) branch(states []algorithms.State, prefix []int32, mask algorithms.Mask) error {
	id := r.choose(mask)
	if id < 0 {
		return nil
	}
	clones := clone(states)
	if err := r.mustCommit(clones, prefix, id); err != nil {
		return err
	}
	_, _, err := r.masks(clones, append(slices.Clone(prefix), int32(id)))
	return err
}

func clone(states []algorithms.State) []algorithms.State {
	clones := make([]algorithms.State, len(states))
	for i, s := range states {
		clones[i] = s.Clone()
	}
	return clones
}

// end commits every EOS id: all must take it or all refuse it, and nothing may follow.
func (r *run) end(states []algorithms.State, ids []int32) error {
	for _, eos := range r.comparison.Vocabulary.EOS() {
		clones := clone(states)
		if taken, err := r.commit(clones, ids, eos); err != nil || !taken {
			return err
		}
		for i, s := range clones {
			if n := s.Mask().Count(); n > 0 {
				return r.differ(i, ids, "%d tokens may follow EOS", n)
			}
		}
	}
	return nil
}

// mustCommit appends a token of the mask to all states.
func (r *run) mustCommit(states []algorithms.State, prefix []int32, id int) error {
	taken, err := r.commit(states, prefix, id)
	if err == nil && !taken {
		return r.differ(0, prefix, "token %d %q is in the mask and is refused", id, r.comparison.Vocabulary.Token(id))
	}
	return err
}

// commit appends a token to all states, or finds that all refuse it.
func (r *run) commit(states []algorithms.State, prefix []int32, id int) (taken bool, err error) {
	for i, s := range states {
		err := s.Commit(id)
		if i == 0 {
			taken = err == nil
		}
		if taken != (err == nil) {
			return false, r.differ(i, prefix, "token %d %q: that the reference takes it is %v; here: %v",
				id, r.comparison.Vocabulary.Token(id), taken, err)
		}
	}
	return taken, nil
}

func (r *run) differ(engine int, prefix []int32, format string, args ...any) error {
	var text []byte
	for _, id := range prefix {
		text = append(text, r.comparison.Vocabulary.Token(int(id))...)
	}
	return &Difference{r.schema, r.names[engine], text, slices.Clone(prefix), fmt.Sprintf(format, args...)}
}

// key is a prefix as a map's key.
func key(prefix []int32) string {
	b := make([]byte, 0, 4*len(prefix))
	for _, id := range prefix {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}
