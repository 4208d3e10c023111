package made

import (
	"fmt"
	"strings"

	"gcdbench/harness/cell"
)

// OfSchemas turns a cell of 15 positives and a negative into one of 18 schemas: 12 that compile
// with an instance or two, one that compiles and has none, four that do not compile on the way to
// the grammar, and one that psc does not do.
func OfSchemas(r *cell.Record, traces []cell.Trace) {
	r.Schemas = &cell.SchemaOptions{WhiteSpace: "strict", Order: "declared"}
	r.Grammar, r.GrammarNS, r.Problems, r.Published = "schema", nil, nil, "maskbench"
	r.FirstCompileNS, r.KeptBytes = 7_000_000, 3<<20
	for i := range 18 {
		p := cell.Problem{ID: fmt.Sprintf("s%02d", i), Group: []string{"easy", "hard"}[i%2], Outcome: cell.OK,
			Bytes: 300 + 100*i, Rules: 20 + 5*i, Terminals: 10 + i, LRStates: 40 + 9*i, Approximated: i % 3,
			GrammarNS: []int64{int64(1_000_000 + 10_000*i), 3_000_000, 900_000}, CompileNS: []int64{200_000, 210_000, 190_000}, FirstMaskNS: []int64{50_000, 40_000, int64(60_000 * (i + 1))},
			EngineBytes: 1 << 20, UsedBytes: 1<<20 + 1<<19, CompilePeakBytes: 2 << 20,
			Used: []cell.Counter{{Name: "states", Value: float64(10 * i)}}}
		switch {
		case i == 13 || i == 14:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "uniqueItems: items are unbounded", Detail: "/a/uniqueItems: items are unbounded"}
		case i == 15:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.CompileError, Stage: cell.StageGrammar, Detail: "not JSON\nat all"}
		case i == 16:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "a | b & 50%"}
		case i == 17 && strings.HasPrefix(r.Label, "psc"):
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Timeout, Stage: cell.StageAlgorithm, Reason: "not done after 1m0s"}
		}
		r.Problems = append(r.Problems, p)
	}
	problemOf := []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 17, 1} // the last is the negative
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Problem = problemOf[i]
		s.ID = fmt.Sprintf("%s#%d", r.Problems[s.Problem].ID, i)
		if o := r.Problems[s.Problem].Outcome; o != cell.OK {
			s.Outcome = o
		}
	}
	fresh := map[int]bool{} // the first instance of each schema is on an engine made for it
	for i := range traces {
		p := problemOf[traces[i].Sample]
		if traces[i].Passes[0].State = cell.New; !fresh[p] {
			traces[i].Passes[0].State = cell.Fresh
		}
		fresh[p] = true
	}
	wrong := func(i int, refused, order bool) {
		r.Samples[i].Outcome, r.Samples[i].Refused, r.Samples[i].KeyOrder = cell.WrongVerdict, refused, order
	}
	wrong(3, true, true)    // s02 is right but for the order of keys
	wrong(5, true, false)   // s04 refuses a valid instance
	wrong(15, false, false) // s01 accepts an invalid one
	r.Outcome = cell.WrongVerdict
	if r.Label == "trie #2" {
		r.Samples[8].Outcome, r.Samples[8].Detail = cell.Crash, "panic: x\nstack" // s07 compiles
	}
	traces[6].Passes[0].Commit[7], traces[6].Passes[0].Step[7] = 5_000_000, 5_000_000+traces[6].Passes[0].Mask[7] // s05 has the slowest first step, in its commit
}

var SchemaSet = Results{Workloads: []string{"maskbench"}, Vocabulary: []int{32000}, Samples: 15, Change: OfSchemas}

// WrongMaskSet is schemaSet with a wrong mask of trie on the first sample.
var WrongMaskSet = Results{Workloads: []string{"maskbench"}, Vocabulary: []int{32000}, Samples: 15, Change: func(r *cell.Record, traces []cell.Trace) {
	OfSchemas(r, traces)
	if r.Label == "trie" {
		r.Samples[0].Outcome, r.Outcome = cell.WrongMask, cell.WrongMask
	}
}}
