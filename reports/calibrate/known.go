package calibrate

import (
	"context"
	"math"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// An engine of known cost allows every token, and works for a known time on each mask. How long
// computing takes is found without the harness: the same calls, many thousand of them between two
// reads of the clock.

// work is something that takes a time. It returns a value that depends on all of it, so that no
// compiler leaves it out.
type work func() uint64

// computing is work of so many dependent multiplications, in registers.
func computing(steps int) work {
	x := uint64(1)
	return func() uint64 {
		for range steps {
			x = x*6364136223846793005 + 1442695040888963407
		}
		return x
	}
}

// touchedBytes is the memory that touching goes through: more than caches hold.
const touchedBytes = 128 << 20

// touching is an engine's work of reading memory, each time at a place that depends on what was
// read before, until a time is over. How long so many reads take depends on what is in the caches
// and on who else uses the memory, so this work ends by the clock, and keeps how long it took by
// its own reading of it.
type touching struct {
	memory []uint64
	took   time.Duration
	at     uint64
	times  []float64 // of the last calls, in ns
	calls  int
}

// keptCalls is how many calls touching remembers the times of.
const keptCalls = 1 << 12

// do is the work.
func (t *touching) do() uint64 {
	begin := environment.Now()
	now := begin
	for now-begin < t.took {
		t.at = t.at*6364136223846793005 + 1442695040888963407 + t.memory[t.at>>20%uint64(len(t.memory))]
		now = environment.Now()
	}
	t.times[t.calls%keptCalls] = float64(now - begin)
	t.calls++
	return t.at
}

// trueNS is the median of what the calls took, by the clock that the engine itself read: of the two
// reads that takes, one is in none of its times.
func (t *touching) trueNS(clock environment.Clock) float64 {
	return median(slices.Clone(t.times[:min(t.calls, keptCalls)])) + clock.EmptyNS
}

// newMemory is memory that is really there: pages that nobody wrote to are one page of zeros.
func newMemory() []uint64 {
	memory := make([]uint64, touchedBytes/8)
	for i := range memory {
		memory[i] = uint64(i)
	}
	return memory
}

// stepsFor is how many steps of computing take a time.
func stepsFor(took time.Duration) int {
	const enough = 20 * time.Millisecond
	for steps := 1; ; steps *= 2 {
		f := computing(steps)
		sink += f() // warm
		spent := time.Duration(math.MaxInt64)
		for range 3 { // the shortest: what else the machine does makes it longer
			begin := environment.Now()
			sink += f()
			spent = min(spent, environment.Now()-begin)
		}
		if spent > enough {
			return max(1, int(float64(steps)*float64(took)/float64(spent)))
		}
	}
}

// sink keeps the results, so that their computation is not left out.
//
//lint:ignore U1000 written only
var sink uint64

// known is an algorithm whose masks take a known time.
type known struct {
	name string
	took time.Duration // about
	work work
	// touches is set if the work reads memory; nil if it computes.
	touches *touching
}

func (k *known) Name() string                     { return k.name }
func (k *known) Summary() string                  { return "an engine of known cost, for testing the clock" }
func (k *known) Semantics() string                { return "everything" }
func (k *known) Options() []algorithms.OptionInfo { return nil }

// Compile makes the mask of all tokens, which is the only one there is.
func (k *known) Compile(_ context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	all := algorithms.NewBuffer(p.Vocabulary.Len())
	for id := range p.Vocabulary.Len() {
		if p.Vocabulary.Legal(id) {
			all.Set(id)
		}
	}
	for _, id := range p.Vocabulary.EOS() {
		all.Set(id)
	}
	return &knownEngine{k.work, all}, nil
}

type knownEngine struct {
	work work
	all  *algorithms.Buffer
}

func (e *knownEngine) Start() algorithms.State { return &knownState{e} }
func (e *knownEngine) Stats() algorithms.Stats { return algorithms.Stats{} }

// knownState is a generation; it has nothing to remember.
type knownState struct{ *knownEngine }

// Fill does the work and writes the mask.
func (s *knownState) Fill(row []uint64) {
	sink += s.work()
	copy(row, s.all.Words())
}

func (s *knownState) Mask() algorithms.Mask {
	sink += s.work()
	return s.all.Mask()
}

func (s *knownState) Commit(int) error        { return nil }
func (s *knownState) Clone() algorithms.State { return &knownState{s.knownEngine} }

// trueNS is the time of one mask of an engine that computes: the median over batches of calls
// between two reads of the clock.
func (k *known) trueNS(ctx context.Context, p *algorithms.Problem) (float64, error) {
	engine, err := k.Compile(ctx, p, nil)
	if err != nil {
		return 0, err
	}
	const batch, batches = 2 * time.Millisecond, 31
	state := engine.Start().(*knownState)
	row := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
	calls := max(1, int(batch/k.took))
	times := make([]float64, batches)
	for i := range times {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		begin := environment.Now()
		for range calls {
			state.Fill(row)
		}
		times[i] = float64(environment.Now()-begin) / float64(calls)
	}
	return median(times), nil
}
