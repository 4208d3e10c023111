// Package made makes up directories of results, for tests.
package made

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

// ManyTokens has 1,200 tokens, so that of the numbers in the table the last is beyond the
// documents.
var ManyTokens = Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 30}

// entry is an algorithm of the made-up results.
type entry struct {
	name    string
	options map[string]string
	copy    int
	label   string
	median  float64 // ns of a mask on the small vocabulary, on a document that was walked before
	perID   float64 // ns for each id of the vocabulary on top
	// fresh and unseen are by how much a mask takes longer on a fresh engine and on a new document.
	fresh, unseen float64
	copied        float64 // ns of the copy into the caller's row; 0 for an engine without views
}

// The algorithms: one that depends on the vocabulary, one entered twice, one that is lazy, and so
// fast that blocks check its steps.
var entries = []entry{
	{"naive", nil, 0, "naive", 1e5, 200, 1, 1, 0},
	{"trie", nil, 0, "trie", 2e4, 0.4, 1.2, 1.1, 0},
	{"trie", nil, 1, "trie #2", 2e4, 0.4, 1.2, 1.1, 0},
	{"psc", map[string]string{"compile": "lazy"}, 0, "psc (compile=lazy)", 190, 0, 50, 4, 300},
}

// Results describes a directory of made-up results.
type Results struct {
	Workloads  []string
	Vocabulary []int
	Samples    int
	Change     func(r *cell.Record, traces []cell.Trace)
}

// Store writes the results into a temporary directory.
func (m Results) Store(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := must.Get(cell.Create(dir))(t)
	manifest := &cell.Manifest{Name: "example"}
	for _, w := range m.Workloads {
		for _, v := range m.Vocabulary {
			for _, e := range entries {
				r, traces := m.cell(w, v, e)
				if m.Change != nil {
					m.Change(r, traces)
				}
				must.OK(t, s.Put(r, traces))
				manifest.Cells = append(manifest.Cells, cell.Planned{Key: r.Key, Label: r.Label, Tokenizer: r.Tokenizer, Workload: r.Workload, Published: r.Published})
			}
		}
	}
	must.OK(t, s.PutManifest(manifest))
	return dir
}

// madeMachine is what the results were measured on.
var madeMachine = environment.Machine{CPU: "Example CPU 3000", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 2, Program: strings.Repeat("ab", 32)}

// madeID is the identity of a made-up cell.
func madeID(workload string, vocabulary int, e entry) cell.ID {
	return cell.ID{Schema: cell.Schema, Algorithm: e.name, Options: e.options, Copy: e.copy, Semantics: "contract",
		GrammarSHA256: Sum("grammar " + workload), CorpusSHA256: Sum("corpus " + workload), TokensSHA256: Sum("tokens"),
		TokenizerSHA256: Sum("tokenizer " + TokenizerOf(vocabulary)), VocabularySHA256: Sum(TokenizerOf(vocabulary)), VocabularySize: vocabulary, Seed: 1, Warmup: 1, Repeat: 3, Between: "logits",
		TimeoutNS: int64(time.Minute), Memory: 8 << 30, Machine: madeMachine}
}

// TokenizerOf is the name of a made-up vocabulary.
func TokenizerOf(vocabulary int) string { return fmt.Sprintf("o200k_base[:%d]", vocabulary) }

// cell makes the result of one algorithm: of a number of positives of 40 tokens each, and a
// negative.
func (m Results) cell(workload string, vocabulary int, e entry) (*cell.Record, []cell.Trace) {
	r := &cell.Record{
		ID: madeID(workload, vocabulary, e), Label: e.label, Tokenizer: TokenizerOf(vocabulary), Workload: workload, Grammar: workload, Dataset: workload + "-samples",
		Config: "name: example\n",
		Environment: environment.Environment{Machine: madeMachine, Kernel: "6.1", MemoryBytes: 16 << 30, Revision: strings.Repeat("0123", 10),
			Clock: environment.Clock{PairNS: 76.2, EmptyNS: 38}, Date: time.Unix(1_800_000_000, 0).UTC()},
		Started: time.Unix(1_800_000_000, 0).UTC(), Finished: time.Unix(1_800_000_060, 0).UTC(),
		Outcome: cell.OK, Sessions: 1, GrammarNS: []int64{12_345_678, 12_000_000, 12_600_000}, VocabularyNS: 55_000_000, Core: 1,
		Problems: []cell.Problem{{ID: workload, Outcome: cell.OK, CompileNS: []int64{1_234_567, 1_200_000, 1_300_000, 1_220_000, 1_250_000},
			FirstMaskNS: []int64{456_789, 400_000, 410_000, 420_000, 430_000}, CompilePeakBytes: 3 << 20, EngineBytes: 1 << 20, UsedBytes: 1 << 20}},
	}
	var turns []string
	for _, other := range entries {
		r.Group = append(r.Group, other.label)
		turns = append(turns, cell.Turn(madeID(workload, vocabulary, other).Key()))
	}
	if e.label != "naive" {
		r.Reference = "naive"
	}
	if e.copied > 0 { // it builds on the way, and says so
		p := &r.Problems[0]
		p.UsedBytes, p.EngineSaysBytes = 5<<20, 4<<20
		p.Counters, p.Used = []cell.Counter{{Name: "states", Value: 10}}, []cell.Counter{{Name: "states", Value: 12345}, {Name: "weights", Value: 2.5, Unit: "B a state"}}
	}
	rng := rand.New(rand.NewPCG(uint64(vocabulary), uint64(len(workload)+len(e.label))))
	var traces []cell.Trace
	for i := range m.Samples + 1 {
		negative := i == m.Samples
		s := cell.Sample{ID: fmt.Sprintf("%s/%d", workload, i), Negative: negative, Refused: negative, Outcome: cell.OK, Tokens: 40, Bytes: 150, Compared: 40, Session: 1,
			Turns: turns, ClockPairNS: 76.2, ClockEmptyNS: 38, PaceNS: []float64{6000, 6000 + 30*float64(i%3)}}
		if e.copied > 0 && !negative {
			s.Check = &measure.Check{Steps: 40, SingleNS: 25_500, BlockNS: 25_000}
		}
		if r.Reference != "" {
			s.ComparedWith = map[string]int{r.Reference: s.Compared}
		}
		r.Samples = append(r.Samples, s)
		if !negative {
			traces = append(traces, madeTrace(rng, i, e, vocabulary))
		}
	}
	return r, traces
}

// madeTrace makes the passes over a sample: the first one over the first sample is on a fresh
// engine.
func madeTrace(rng *rand.Rand, sample int, e entry, vocabulary int) cell.Trace {
	t := cell.Trace{Sample: sample}
	level := (e.median + e.perID*float64(vocabulary)) * (1 + float64(sample)/10) // later samples are harder
	base := make([]float64, 40)
	for i := range base {
		t.Positions = append(t.Positions, uint32(i))
		// Whole tens, so that rounding differences of math.Exp do not show.
		base[i] = math.Round(level*math.Exp(0.3*rng.NormFloat64())/10) * 10
		t.Clone = append(t.Clone, uint32(200+rng.IntN(50)))
	}
	for number := range 4 {
		p, slower := cell.Pass{State: cell.Again}, 1.0
		switch {
		case number == 0 && sample == 0:
			p.State, slower = cell.Fresh, e.fresh
		case number == 0:
			p.State, slower = cell.New, e.unseen
		}
		for i := range base {
			view := base[i]*slower + float64(rng.IntN(10)*number)
			commit := float64(120 + rng.IntN(40))
			if e.copied > 0 {
				p.Lookup = append(p.Lookup, Nanoseconds(view))
			}
			p.Mask = append(p.Mask, Nanoseconds(view+e.copied))
			p.Commit = append(p.Commit, Nanoseconds(commit))
			p.Step = append(p.Step, Nanoseconds(view+e.copied+commit+float64(rng.IntN(5))))
		}
		if number == 1 {
			p.Disturbed, p.StolenNS = 1, 2_000
		}
		t.Passes = append(t.Passes, p)
	}
	return t
}

// Nanoseconds is a time as a trace holds it.
func Nanoseconds(ns float64) uint32 { return uint32(math.Round(ns)) }

// Sum is the SHA-256 of s.
func Sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// Only applies f to the cells with a label.
func Only(label string, f func(r *cell.Record)) func(*cell.Record, []cell.Trace) {
	return func(r *cell.Record, _ []cell.Trace) {
		if r.Label == label {
			f(r)
		}
	}
}

// failing makes one cell of each kind of failure out of a good one.
func failing(r *cell.Record, traces []cell.Trace) {
	spoil := func(o cell.Outcome, detail string, samples ...int) {
		for _, i := range samples {
			r.Samples[i].Outcome, r.Samples[i].Detail = o, detail
		}
		r.Outcome = cell.Worse(r.Outcome, o)
	}
	switch {
	case r.Workload == "java" && r.Label == "naive":
		spoil(cell.Timeout, "not done after 1m0s", 0, 1)
	case r.Workload == "java" && r.Label == "trie":
		r.Samples[2].Refused = true
		spoil(cell.WrongMask, "at position 7 token 11 \"|_&%\" is masked and naive allows it\nsecond line", 2)
	case r.Workload == "java" && strings.HasPrefix(r.Label, "psc"):
		r.Group = []string{r.Label} // measured alone, later
		for i := range r.Samples {
			r.Samples[i].Turns = []string{cell.Turn(r.ID.Key())}
		}
	}
}

var Sets = map[string]Results{
	"quick":    {Workloads: []string{"json", "java"}, Vocabulary: []int{200019}, Samples: 4},
	"sweep":    {Workloads: []string{"json"}, Vocabulary: []int{2000, 20000, 200019}, Samples: 4},
	"failures": {Workloads: []string{"json", "java"}, Vocabulary: []int{32000}, Samples: 5, Change: failing},
	"schemas":  SchemaSet,
	"few":      {Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 2},
}

// One stores results of a single workload and vocabulary, changed by f.
func One(t *testing.T, f func(r *cell.Record, traces []cell.Trace)) string {
	t.Helper()
	return Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 4, Change: f}.Store(t)
}
