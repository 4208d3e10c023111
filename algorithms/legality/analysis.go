package legality

import (
	"context"
	"math/rand/v2"

	"gcdbench/algorithms"
	"gcdbench/algorithms/legality/rules"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// The analysis: for a grammar and a vocabulary, all pairs of a terminal X and a sequence S that
// some token can emit (a realizable sequence), and how many of them each proof decides.
//
// Over the parser's tables every pair is decided, one walk over the tree of all sequences for each
// X. The paper's own algorithms take up to milliseconds for a pair, so they are given a random
// sample, half of it from the pairs that the tables say are never legal and half from the others,
// and the report shows both verdicts side by side.

// AnalyseOptions choose what Analyse does. Zero values mean the defaults.
type AnalyseOptions struct {
	// Sample is how many pairs the paper's algorithms are tried on; 0 means DefaultSample, a
	// negative number none.
	Sample int
	// Bounds are those of unlimited_credit_exploration.
	Bounds rules.Bounds
	// Stack is how much of a stack a proof over the tables remembers; 0 means DefaultStack.
	Stack int
	// MaxSequences bounds the sequences; 0 means DefaultMaxSequences. More are an error.
	MaxSequences int
	// Seed chooses the sample.
	Seed uint64
	// Progress, if not nil, is called as the work goes on: the stage, and how much of it is done.
	Progress func(stage string, done, total int)
}

// DefaultSample takes some seconds for Java: up to 10 ms for each pair that is not never legal.
const DefaultSample = 400

// DefaultMaxSequences is 500 MB: a node of the tree of sequences takes about 100 bytes, and real
// grammars have some tens of thousands.
const DefaultMaxSequences = 5_000_000

func (o AnalyseOptions) filled() AnalyseOptions {
	if o.Sample == 0 {
		o.Sample = DefaultSample
	}
	if o.Stack <= 0 {
		o.Stack = DefaultStack
	}
	if o.MaxSequences <= 0 {
		o.MaxSequences = DefaultMaxSequences
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// A Report is the outcome of Analyse. Durations are in nanoseconds.
type Report struct {
	Grammar     string `json:"grammar"`
	Vocabulary  string `json:"vocabulary"`
	LexerStates int    `json:"lexer_states"`
	LRStates    int    `json:"lr_states"`
	// Resolved counts the table entries whose conflict was resolved: if there are any, the parser
	// accepts less than the rules allow.
	Resolved int `json:"conflicts_resolved"`
	// Terminals is the number of X, Sequences of S (a sequence of terminals and what may be pending
	// after it), Pairs their product.
	Terminals int `json:"terminals"`
	Sequences int `json:"sequences"`
	Pairs     int `json:"pairs"`
	// Tables are the proofs over the parser's tables, on all pairs.
	Tables TableProofs `json:"tables"`
	// Rules are the paper's algorithms over the grammar's rules, on a sample; nil if there was none.
	Rules *RuleProofs `json:"rules,omitempty"`
	// CollectNS is the time of collecting the sequences.
	CollectNS int64 `json:"collect_ns"`
}

// TableProofs count the pairs by what decides them, in this order: a pair is counted once.
type TableProofs struct {
	Never  int `json:"never"`
	Always int `json:"always"`
	// Prefix are jointly legal with one of their prefixes.
	Prefix int `json:"joint_prefix"`
	// Interchange are jointly legal with another sequence by interchangeable terminals, beside the
	// one that represents them.
	Interchange int `json:"joint_interchange"`
	// Asked are the pairs that are left for the parser.
	Asked int `json:"asked"`
	// Classes is the number of classes of interchangeable terminals.
	Classes int   `json:"terminal_classes"`
	Runs    int64 `json:"parser_runs"` // on known parts of stacks
	NS      int64 `json:"ns"`
	Bytes   int64 `json:"bytes"`
}

// RuleProofs are the verdicts of the paper's algorithms on the sample.
type RuleProofs struct {
	Sample      int   `json:"sample"`
	Never       int   `json:"never"`
	NeverNS     int64 `json:"never_ns"` // over the whole sample
	AlwaysTried int   `json:"always_tried"`
	Always      int   `json:"always"`
	AlwaysNS    int64 `json:"always_ns"`
	// Circles are those proved beyond Always if a proof may go round in circles (Bounds.Circles).
	Circles int `json:"always_circles"`
	// NeverBoth and AlwaysBoth are the pairs that the tables say so of, too; NeverTables and
	// AlwaysTables those of the sample that the tables say so of at all.
	NeverBoth    int `json:"never_both"`
	NeverTables  int `json:"never_tables"`
	AlwaysBoth   int `json:"always_both"`
	AlwaysTables int `json:"always_tables"`
	// Classes is the number of classes of terminals that are interchangeable by the rules.
	Classes int `json:"terminal_classes"`
	States  int `json:"dft_states"`
	// Transitions is the number of transitions of the DFT pushdown automaton.
	Transitions int `json:"dft_transitions"`
}

// Analyse proves what it can of a problem. Besides ctx's error it fails if there are too many
// sequences.
func Analyse(ctx context.Context, p *algorithms.Problem, o AnalyseOptions) (*Report, error) {
	o = o.filled()
	a := &analysis{
		problem: p, options: o, machine: newMachine(p.Tables, p.Grammar.EmitsSets(), o.Stack),
		rng: rand.New(rand.NewPCG(o.Seed, 0x1ea1)),
	}
	a.builder = &builder{problem: p, machine: a.machine, classes: noInterchange(p.Tables)}
	r := &a.report
	*r = Report{Grammar: p.Grammar.Name, Vocabulary: p.Vocabulary.Name(), LexerStates: p.Lexer.NumStates(), LRStates: p.Tables.NumStates()}
	r.Resolved = resolved(p.Tables)
	if err := a.collect(ctx); err != nil {
		return nil, err
	}
	if err := a.proveTables(ctx); err != nil {
		return nil, err
	}
	if o.Sample > 0 {
		if err := a.proveRules(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// resolved counts the table entries with a conflict that was resolved.
func resolved(t *lr.Tables) int {
	if t.Mode() == grammar.KeepConflicts {
		return 0
	}
	shift, reduce := t.CountConflicts()
	return shift + reduce
}

// analysis is one run of Analyse.
type analysis struct {
	problem *algorithms.Problem
	options AnalyseOptions
	machine *machine
	builder *builder // for the machine's form of symbols and reaches
	rng     *rand.Rand
	report  Report

	nodes []treeNode // the tree of all sequences
	kids  map[[2]int32]int32
	seqs  int
	stamp []int32 // by class of sequence: the X it was last asked for
	drawn [2]draw
}
