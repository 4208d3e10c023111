// Package legality proves ahead of time which terminal sequences are always, never or jointly
// legal, and computes masks with a store that those proofs have made small.
//
// # What it is
//
// After "Technical Appendix: Accelerating LLM Code Generation Through Mask Store Streamlining"
// (Tran-Thien, 2025). SynCode holds a mask for each lexer state and terminal sequence and asks the
// parser about each sequence at every step. For a terminal X and a sequence S the paper asks, over
// all texts P with PX legal: is PXS legal for all P (always), for none (never), and for two
// sequences, for the same P (jointly)? Always legal sequences need no parser: their tokens are a
// ready mask. Never legal ones are dropped. Of jointly legal ones a single representative is asked.
//
// Package rules has the paper's algorithms in its own terms, over the grammar's rules. Here is a
// masking algorithm built on the same proofs over the parser's own tables:
//
//	machine.go     the LR automaton as the pushdown machine
//	step.go        reading a terminal with unlimited credit; debt.go what becomes of debts
//	judge.go       what may be pending after a sequence
//	flow.go        the same for every terminal alone, all at once; see Pairs
//	interchange.go interchangeable terminals of the tables (section 6.2)
//	row.go         a row of the store; build.go makes it, store.go keeps it
//	strings.go     rows of pending JSON strings
//	mask.go        a mask from a row and the parser
//
// and an analysis that runs both on a grammar: Analyse counts the pairs that each proof decides,
// and what they cost. Its stages are sequences.go, tableproofs.go and ruleproofs.go, its text is in
// report.go.
//
// # Deviations, and why
//
// The masking algorithm proves over the LR automaton instead of the DFT pushdown automaton. The
// contract asks what the parser accepts, and where LALR conflicts were resolved that is less than
// the rules allow (Java has 19 such, SQL 43): a sequence that the rules always allow may still be
// refused, and only never legal carries over. A proof over the tables holds for the parser,
// whatever became of conflicts. It is also stronger, as an LR state knows more than the place in
// one rule, and cheaper, as it seldom has to guess. Where no conflict was resolved its never legal
// is exact, like the paper's; tests compare the two. (Where conflicts are kept and rules can derive
// nothing over and over, the exploration may give up, and then knows less.)
//
// The paper knows of P its last terminal, X. Rows that are built on first use know the LR state
// on top instead (option basis), which the parser has at hand. There are more such rows, but
// each costs less: its proofs are about the stacks under one state, and X may be shifted to a
// thousand states, as a comma in a large schema is. A state also decides more groups than a
// terminal does. On 150 MaskBench schemas the p99 of first visits is 94 us instead of 165, on
// programs a mask takes 15 to 40% less.
//
// The DFT pushdown automaton knows from the start of a left recursive nonterminal how often it will
// recur, and a proof has to hold for every such guess: after an operand no operator is proved
// always legal if expressions are left recursive. Of 50 pairs of Java that the tables prove always
// legal, it proves 12.
//
// A debt may lead back to itself, as popping one closing bracket after another does. The paper
// takes the least set of nodes from which the goal is certain; a node on such a circle is not
// in it. Here a circle is no obstacle: each round pops part of a finite stack, so the rounds
// come to an end.
//
// Section 6.1 concludes from always legal (Y1, Y2) that X..Y1 Y2 and X..Y1 are jointly legal.
// The store uses a stronger form: its proof knows all of the stack that X..Y1 has left.
//
// S is not only a sequence of terminals: it ends with what the pending lexeme may still become,
// any of a set (reach), and in lexing mode "all" each member may be a set as well. The proofs
// read such a set as one step.
//
// Where a JSON string is pending, a row asks about each terminal that the string may become
// (terminals that are jointly legal count once). It does not ask about the sets of terminals
// that tokens leave alive, which are many. The tokens of a terminal come from slices of the
// vocabulary that all grammars share: the p99 of first visits is 77 us on 150 MaskBench
// schemas; without (option slices) it is 9.5 ms on 60 of them.
//
// # When it applies, and what bounds it
//
// To every grammar and vocabulary. A row costs a walk over the sequences of its lexer state. There
// are about a thousand; most end at their first terminal. Its memory is a ready mask, |V|/8 bytes,
// and the token lists of undecided sequences. There can be a row for each lexer
// state and terminal; a generation meets a few hundred. A mask costs a copy of |V|/8 bytes and
// a parser run for each question of its row. What a newline lexeme of a layout step becomes is
// known only at run time; the rest of the token is then looked up in a row of its own.
package legality

import (
	"context"
	"strconv"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "legality" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "a mask store made small by proofs of what is always, never or jointly legal"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// DefaultMemory is the default of option memory, in MiB. All rows of Java over the 128,000 tokens
// of Llama 3, 85,000 of them, hold 1.0 GB; those that a long program needs, some hundreds, a
// hundredth of that. What the exploration has remembered may take as much again, which keeps a
// compilation under 4 GiB.
const DefaultMemory = 1536

// DefaultStack is the default of option stack. It is higher than any stack that a token of brackets
// only can build in the grammars here, a few states per bracket, in the lengths that vocabularies
// have.
const DefaultStack = 64

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	onOff := []string{"on", "off"}
	return []algorithms.OptionInfo{
		{Name: "rows", Default: "lazy", Values: []string{"lazy", "eager"}, Help: "when the rows of the store are built: as needed, or all ahead of time"},
		{Name: "basis", Default: "auto", Values: []string{"auto", "terminal", "state"}, Help: "what a row knows of the parser: the last terminal, or the LR state on top; auto is the state for lazy rows"},
		{Name: "always", Default: "on", Values: onOff, Help: "use proofs that a sequence is always legal"},
		{Name: "never", Default: "on", Values: onOff, Help: "use proofs that a sequence is never legal"},
		{Name: "joint", Default: "on", Values: onOff, Help: "use proofs that sequences are jointly legal"},
		{Name: "slices", Default: "on", Values: onOff, Help: "inside JSON strings, ask about terminals instead of sets of them, over slices of the vocabulary that all grammars share"},
		{Name: "memory", Default: strconv.Itoa(DefaultMemory), Check: algorithms.WholeNumber(1), Help: "the most MiB that rows may hold"},
		{Name: "stack", Default: strconv.Itoa(DefaultStack), Check: algorithms.WholeNumber(2), Help: "how much of a stack a proof remembers, in states"},
	}
}

// config is the options, read.
type config struct {
	exact, slices  bool
	proofs         proofs
	memory, height int
}

// Compile implements algorithms.Algorithm. With rows built lazily its only work is to find
// interchangeable terminals; otherwise it builds every row, and fails with a *LimitError if they do
// not fit.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p, o, err := algorithms.Wholly(ctx, a, p, o)
	if err != nil {
		return nil, err
	}
	e := &engine{problem: p, store: newStore(p, config{
		exact: o["basis"] == "state" || o["basis"] == "auto" && o["rows"] == "lazy", slices: o.Bool("slices"),
		proofs: proofs{never: o.Bool("never"), always: o.Bool("always"), joint: o.Bool("joint")},
		memory: o.Int("memory"), height: o.Int("stack"),
	})}
	if o["rows"] == "eager" {
		if err := e.store.all(ctx); err != nil {
			return nil, err
		}
	}
	return algorithms.ComparingItems(p, e), ctx.Err()
}

// engine is the compiled problem; its store grows.
type engine struct {
	problem *algorithms.Problem
	store   *store
}

// Start implements algorithms.Engine.
func (e *engine) Start() algorithms.State {
	return algorithms.NewFilling(e.problem, func() algorithms.Fill { return (&state{store: e.store}).fill })
}

// Stats implements algorithms.Engine. The groups are those of all rows built so far.
func (e *engine) Stats() algorithms.Stats {
	s := e.store
	s.building.Lock()
	defer s.building.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	m, sp := s.builder.machine, s.builder.spanner.Stats()
	counters := []algorithms.Counter{{Name: "rows", Value: float64(len(s.rows))}}
	add := func(name string, value int) {
		counters = append(counters, algorithms.Counter{Name: name, Value: float64(value)})
	}
	add("rows built", s.built)
	add("times dropped", s.dropped)
	add("ready masks", s.builder.shared.Len())
	t := s.tally
	add("groups", t.Groups())
	add("groups never legal", t.Never)
	add("groups always legal", t.Always)
	add("groups jointly legal with a prefix", t.Joint)
	add("groups sharing a question", t.Merged)
	add("groups asked", t.Asked)
	add("groups behind newlines", t.Deferred)
	add("terminal classes", s.builder.classes.classes())
	add("symbolic parser runs", int(m.runs))
	add("stack sets", m.sets.Len())
	add("sets widened", int(m.collapses))
	add("nodes of sequences", s.builder.spanner.NumNodes())
	add("times trees were dropped", s.builder.startedOver)
	add("masks", int(s.masks.Load()))
	add("questions asked", int(s.asked.Load()))
	add("questions saved", int(s.saved.Load()))
	return algorithms.Stats{Bytes: s.bytes + m.bytes() + sp.Bytes, Counters: counters}
}

// state is what one generation makes masks with; its position is that of the mask at hand.
type state struct {
	*algorithms.Position
	store *store
	stack []recognizer.State // scratch: by depth of a row's tree
}
