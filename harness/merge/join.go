package merge

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"gcdbench/harness/cell"
)

// Joining the parts of a cell that shards by documents have measured. A sample belongs to one part,
// and keeps what was recorded of it; numbers that are local to a part become those of the whole
// cell.

// joint is a cell that is joined of its parts.
type joint struct {
	planned *cell.Planned
	parts   []held // in the order of the shards
	record  *cell.Record
	// at has, for each sample of the whole, its part and its number there.
	at []place
}

// place is a problem or a sample of a part.
type place struct{ part, index int }

// newJoint joins the records of the parts.
func newJoint(p *cell.Planned, parts []held) (*joint, error) {
	j := &joint{planned: p, parts: parts}
	first := parts[0].record
	for _, part := range parts[1:] {
		if err := sameCell(parts[0], part); err != nil {
			return nil, err
		}
	}
	problems, err := j.places(first.Part.AllProblems, "problem", func(p *cell.Part) []int { return p.Problems })
	if err != nil {
		return nil, err
	}
	if j.at, err = j.places(first.Part.AllSamples, "document", func(p *cell.Part) []int { return p.Samples }); err != nil {
		return nil, err
	}
	whole := *first
	whole.ID.Part, whole.Part = "", nil
	whole.Key = whole.ID.Key()
	whole.Problems, whole.Samples, whole.Parts = nil, nil, nil
	j.record = &whole
	for _, at := range problems {
		whole.Problems = append(whole.Problems, parts[at.part].record.Problems[at.index])
	}
	j.samples()
	j.circumstances()
	p.Key = whole.Key
	return j, nil
}

// sameCell refuses parts that do not answer the same question.
func sameCell(a, b held) error {
	one, other := a.record.ID, b.record.ID
	one.Part, other.Part = "", ""
	one.Machine = other.Machine // whether machines may differ was asked before
	if one.Memory != other.Memory {
		return fmt.Errorf("%s and %s: the limit of memory differs (%d and %d bytes), since it follows from the machine's memory; set measure.memory in the configuration",
			a.from.name(), b.from.name(), one.Memory, other.Memory)
	}
	if one.Key() != other.Key() {
		return fmt.Errorf("%s and %s have parts of %s on %s with %s that differ in the corpus, the grammar, the vocabulary or a version",
			a.from.name(), b.from.name(), a.record.Label, a.record.Workload, a.record.Tokenizer)
	}
	if a.record.Part.AllProblems != b.record.Part.AllProblems || a.record.Part.AllSamples != b.record.Part.AllSamples {
		return fmt.Errorf("%s and %s are parts of wholes of different sizes", a.from.name(), b.from.name())
	}
	return nil
}

// places says where the things of the whole are, which have to be there once.
func (j *joint) places(all int, what string, of func(*cell.Part) []int) ([]place, error) {
	at := make([]place, all)
	found := make([]bool, all)
	for p, part := range j.parts {
		for index, number := range of(part.record.Part) {
			switch {
			case number < 0 || number >= all:
				return nil, fmt.Errorf("%s has %s %d of %d", part.from.name(), what, number, all)
			case found[number]:
				return nil, fmt.Errorf("%s and %s have %s %d of %s with different contents", j.parts[at[number].part].from.name(), part.from.name(), what, number, j.planned.Workload)
			}
			at[number], found[number] = place{p, index}, true
		}
	}
	if missing := slices.Index(found, false); missing >= 0 {
		return nil, fmt.Errorf("no directory has %s %d of %s on %s with %s", what, missing, j.planned.Label, j.planned.Workload, j.planned.Tokenizer)
	}
	return at, nil
}

// samples brings the samples of the parts into the order of the whole. Sessions of different parts
// are different.
func (j *joint) samples() {
	before := make([]int, len(j.parts)) // sessions of the parts before
	for i := 1; i < len(j.parts); i++ {
		before[i] = before[i-1] + j.parts[i-1].record.Sessions
	}
	for _, at := range j.at {
		part := j.parts[at.part].record
		s := part.Samples[at.index]
		s.Problem = part.Part.Problems[s.Problem]
		s.Session += before[at.part]
		j.record.Samples = append(j.record.Samples, s)
	}
}

// circumstances joins the figures that are about a process.
func (j *joint) circumstances() {
	r := j.record
	r.Sessions = 0
	for i, part := range j.parts {
		p := part.record
		r.Outcome = cell.Worse(r.Outcome, p.Outcome)
		r.Sessions += p.Sessions
		r.KeptBytes = max(r.KeptBytes, p.KeptBytes)
		if i > 0 {
			r.GC = r.GC.Add(p.GC)
		}
		if p.Started.Before(r.Started) {
			r.Started = p.Started
		}
		if p.Finished.After(r.Finished) {
			r.Finished = p.Finished
		}
		if r.Outside == nil {
			r.Outside = p.Outside
		}
		if p.Core != r.Core {
			r.Core = -1
		}
		r.Parts = append(r.Parts, cell.Merged{Shard: p.Part.Shard, Samples: len(p.Samples), Sessions: p.Sessions,
			CPU: p.Environment.CPU, ClockPairNS: p.Environment.Clock.PairNS})
	}
	r.Reference = cell.MainReference(r.Samples)
}

// joinGroup stores the cells of a group, which refer to each other: who took turns with whom.
func joinGroup(store *cell.Store, group []*joint) error {
	turns := map[string]string{} // of a part's cell, to that of the whole
	for _, j := range group {
		for _, part := range j.parts {
			turns[cell.Turn(part.record.Key)] = cell.Turn(j.record.Key)
		}
	}
	for _, j := range group {
		for i := range j.record.Samples {
			s := &j.record.Samples[i]
			s.Turns = slices.Clone(s.Turns)
			for k, turn := range s.Turns {
				s.Turns[k] = cmp.Or(turns[turn], turn)
			}
		}
	}
	for _, j := range group {
		j.record.Group = j.tookTurns(group)
		if err := store.PutEach(j.record, j.count(), j.traces()); err != nil {
			return err
		}
	}
	return nil
}

// tookTurns lists the labels of the cells that took turns with this one on all samples that both
// were timed on.
func (j *joint) tookTurns(group []*joint) (labels []string) {
	for _, other := range group {
		both, turns := 0, 0
		for i := range j.record.Samples {
			if s := &j.record.Samples[i]; len(s.Turns) > 0 && len(other.record.Samples[i].Turns) > 0 {
				both++
				if s.TookTurns(other.record.Key) {
					turns++
				}
			}
		}
		if both > 0 && turns == both {
			labels = append(labels, other.record.Label)
		}
	}
	return labels
}

// count is how many samples have a trace. What the files have is compared with it when they are
// read.
func (j *joint) count() (n int) {
	for _, part := range j.parts {
		for _, err := range part.from.store.Traces(part.record) {
			if err != nil {
				return n // traces reports it
			}
			n++
		}
	}
	return n
}

// traces reads the times of all parts in the order of the whole.
func (j *joint) traces() iter.Seq2[cell.Trace, error] {
	return func(yield func(cell.Trace, error) bool) {
		heads := make([]*head, len(j.parts))
		for i, part := range j.parts {
			heads[i] = newHead(part)
			defer heads[i].stop()
		}
		for number, at := range j.at {
			h := heads[at.part]
			if err := h.err; err != nil {
				yield(cell.Trace{}, err)
				return
			}
			if !h.more || h.trace.Sample != at.index {
				continue // a sample without times
			}
			t := h.trace
			t.Sample = number
			h.advance()
			if !yield(t, nil) {
				return
			}
		}
		for _, h := range heads {
			if h.err != nil {
				yield(cell.Trace{}, h.err)
				return
			}
		}
	}
}

// head is the next trace of a part.
type head struct {
	next  func() (cell.Trace, error, bool)
	stop  func()
	trace cell.Trace
	err   error
	more  bool
}

func newHead(part held) *head {
	h := &head{}
	h.next, h.stop = iter.Pull2(part.from.store.Traces(part.record))
	h.advance()
	return h
}

func (h *head) advance() { h.trace, h.err, h.more = h.next() }
