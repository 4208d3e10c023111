package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
)

// entry is an algorithm of the made-up results.
type entry struct {
	name    string
	options map[string]string
	copy    int
	label   string
	median  float64 // ns of a mask on the small vocabulary
	perID   float64 // ns for each id of the vocabulary on top
}

// The algorithms: one that depends on the vocabulary, one entered twice, one too
// fast for the clock.
var entries = []entry{
	{"naive", nil, 0, "naive", 1e5, 200},
	{"trie", nil, 0, "trie", 2e4, 0.4},
	{"trie", nil, 1, "trie #2", 2e4, 0.4},
	{"psc", map[string]string{"compile": "lazy"}, 0, "psc (compile=lazy)", 190, 0},
}

// made describes a directory of made-up results.
type made struct {
	workloads  []string
	vocabulary []int
	samples    int
	change     func(r *cell.Record, traces []cell.Trace)
}

// store writes the results into a temporary directory.
func (m made) store(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := cell.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest := &cell.Manifest{Name: "example"}
	for _, w := range m.workloads {
		for _, v := range m.vocabulary {
			for _, e := range entries {
				r, traces := m.cell(w, v, e)
				if m.change != nil {
					m.change(r, traces)
				}
				if err := s.Put(r, traces); err != nil {
					t.Fatal(err)
				}
				manifest.Cells = append(manifest.Cells, cell.Planned{Key: r.Key, Label: r.Label, Tokenizer: r.Tokenizer, Workload: r.Workload, Published: r.Published})
			}
		}
	}
	if err := s.PutManifest(manifest); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (m made) cell(workload string, vocabulary int, e entry) (*cell.Record, []cell.Trace) {
	tokenizer := fmt.Sprintf("o200k_base[:%d]", vocabulary)
	machine := environment.Machine{CPU: "Example CPU 3000", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 2, Program: strings.Repeat("ab", 32)}
	r := &cell.Record{
		ID: cell.ID{Schema: cell.Schema, Algorithm: e.name, Options: e.options, Copy: e.copy, Semantics: "contract",
			GrammarSHA256: sum("grammar " + workload), CorpusSHA256: sum("corpus " + workload), TokensSHA256: sum("tokens"),
			VocabularySHA256: sum(tokenizer), VocabularySize: vocabulary, Seed: 1, Warmup: 1, Repeat: 3, Compiles: 1,
			TimeoutNS: int64(time.Minute), Memory: 8 << 30, Machine: machine},
		Label: e.label, Tokenizer: tokenizer, Workload: workload, Grammar: workload, Dataset: workload + "-samples",
		Config: "name: example\n",
		Environment: environment.Environment{Machine: machine, Kernel: "6.1", MemoryBytes: 16 << 30, Revision: strings.Repeat("0123", 10),
			Clock: environment.Clock{PairNS: 76.2, EmptyNS: 38}, Date: time.Unix(1_800_000_000, 0).UTC()},
		Started: time.Unix(1_800_000_000, 0).UTC(), Finished: time.Unix(1_800_000_060, 0).UTC(),
		Outcome: cell.OK, Sessions: 1, GrammarNS: 12_345_678, VocabularyNS: 55_000_000,
		Problems: []cell.Problem{{ID: workload, Outcome: cell.OK, CompileNS: []int64{1_234_567}, FirstMaskNS: []int64{456_789},
			CompilePeakBytes: 3 << 20, EngineBytes: 1 << 20}},
	}
	for _, other := range entries {
		r.Group = append(r.Group, other.label)
	}
	if e.label != "naive" {
		r.Reference = "naive"
	}
	rng := rand.New(rand.NewPCG(uint64(vocabulary), uint64(len(workload)+len(e.label))))
	var traces []cell.Trace
	for i := range m.samples + 1 {
		negative := i == m.samples
		s := cell.Sample{ID: fmt.Sprintf("%s/%d", workload, i), Negative: negative, Refused: negative, Outcome: cell.OK, Tokens: 40, Bytes: 150, Compared: 40, Session: 1, ClockPairNS: 76.2}
		r.Samples = append(r.Samples, s)
		if !negative {
			traces = append(traces, madeTrace(rng, i, e.median+e.perID*float64(vocabulary), i))
		}
	}
	return r, traces
}

func madeTrace(rng *rand.Rand, sample int, median float64, hardness int) cell.Trace {
	t := cell.Trace{Sample: sample}
	level := median * (1 + float64(hardness)/10)
	base := make([]float64, 40)
	for i := range base {
		t.Positions = append(t.Positions, uint32(i))
		// Whole hundreds, so that rounding differences of math.Exp do not show.
		base[i] = math.Round(level*math.Exp(0.3*rng.NormFloat64())/10) * 10
	}
	for pass := range 4 {
		p := cell.Pass{Warmup: pass == 0, Lanes: 1, CommitClones: 8}
		if median < 1520 {
			p.Lanes = 8
		}
		for i := range base {
			p.Mask = append(p.Mask, cell.Clamp(base[i]+float64(rng.IntN(10)*pass)))
			p.Commit = append(p.Commit, cell.Clamp(120+float64(rng.IntN(40))))
		}
		t.Passes = append(t.Passes, p)
	}
	return t
}

// sum stands for a SHA-256 of s.
func sum(s string) string { return fmt.Sprintf("%064x", s) }
