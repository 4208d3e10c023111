package measure

import (
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// What a slot does in a step, if it commits no token.
const (
	// Begins is a generation that starts: nothing is committed yet.
	Begins = -1
	// Empty is a slot without a generation.
	Empty = -2
)

// Slots are the generations of a batch whose engines are in this process. They belong to one
// goroutine.
type Slots struct {
	// StolenNS is how long something else had the core during steps, of one thread.
	StolenNS int64

	threads int
	size    int // |V|
	workers *algorithms.Workers
	load    load
	engines []algorithms.Engine // of the slots
	states  []algorithms.State  // of the slots
	rows    [][]uint64          // of the slots
	// The slots of this step, without gaps: which, what they commit, and where the mask goes.
	at      []int // slot
	begins  []int // indices into at
	current []algorithms.State
	tokens  []int
	into    [][]uint64
}

// NewSlots are empty slots for a vocabulary's size, whose steps are made by a number of threads.
// Close ends the threads.
func NewSlots(width, threads, size int) *Slots {
	words := algorithms.MaskWords(size)
	memory := make([]uint64, words*width)
	s := &Slots{threads: threads, size: size, workers: algorithms.NewWorkers(threads), load: newLoad(),
		engines: make([]algorithms.Engine, width), states: make([]algorithms.State, width), rows: make([][]uint64, width)}
	for i := range s.rows {
		s.rows[i] = memory[i*words : (i+1)*words : (i+1)*words]
	}
	return s
}

// Close ends the threads.
func (s *Slots) Close() { s.workers.Close() }

// Hold has the generations that begin in a slot be an engine's.
func (s *Slots) Hold(slot int, e algorithms.Engine) { s.engines[slot] = e }

// Holds reports whether a slot has an engine.
func (s *Slots) Holds(slot int) bool { return s.engines[slot] != nil }

// Begun reports whether a slot has a generation.
func (s *Slots) Begun(slot int) bool { return s.states[slot] != nil }

// Row is the mask of a slot after a step.
func (s *Slots) Row(slot int) []uint64 { return s.rows[slot] }

// asleep is longer than algorithms.Workers look out for the next step, and shorter than the step of
// any model.
const asleep = 100 * time.Microsecond

// Settle gives the threads the time to fall asleep, as while a model computes.
func (s *Slots) Settle() {
	if s.threads > 1 {
		time.Sleep(asleep)
	}
}

// Step makes one step: the starts of generations that begin, all commits, and all masks, until
// every row stands there. tokens has a token for each slot, or Begins, or Empty. It returns the
// time in ns with the cost of the clock in it, and the slot that refused its token; -1 if none did.
func (s *Slots) Step(tokens []int32) (ns float64, refused int) {
	s.gather(tokens)
	s.load.between(environment.Now())
	begin := environment.Now()
	for _, i := range s.begins {
		s.current[i] = s.engines[s.at[i]].Start()
	}
	errs := s.workers.Advance(s.current, s.tokens, s.into)
	end := environment.Now()
	if s.threads == 1 {
		s.StolenNS += s.load.step(begin, end).Nanoseconds()
	}
	refused = -1
	for i, at := range s.at {
		s.states[at] = s.current[i]
		if errs[i] != nil {
			refused = at
		}
	}
	return float64((end - begin).Nanoseconds()), refused
}

// gather lists what a step does.
func (s *Slots) gather(tokens []int32) {
	s.at, s.begins, s.current, s.tokens, s.into = s.at[:0], s.begins[:0], s.current[:0], s.tokens[:0], s.into[:0]
	for i, token := range tokens {
		switch token {
		case Empty:
			s.engines[i], s.states[i] = nil, nil
			continue
		case Begins:
			s.begins = append(s.begins, len(s.at))
		}
		s.at, s.tokens, s.into = append(s.at, i), append(s.tokens, int(token)), append(s.into, s.rows[i])
		s.current = append(s.current, s.states[i])
	}
}

// OnThreads runs f, which makes steps of Slots with this number of threads, as Requests.Time does:
// one thread is pinned to a core, several are on any.
func (s *Slots) OnThreads(f func() error) error { return onThreads(s.threads, f) }
