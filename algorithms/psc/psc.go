// Package psc computes a mask by one pass down the parser's stack.
//
// PSC (parser stack classification; sections 3.2 to 3.5 of the paper "PSC") observes that which
// tokens are legal is decided by the lexer's state and the top of the parser's stack, and that the
// stacks that accept a given token form a regular language (theorem 3). So one automaton reads the
// lexer state, then the stack from the top, until every token is decided:
//
//	lexer state q, top x          next symbol y, below skipped ones      ...
//	       |                               |
//	       v                               v
//	   +-------+   reads y    +-------+   reads z    +-------+
//	   | items | -----------> | items | -----------> |   -   |   nothing is undecided
//	   +-------+              +-------+              +-------+
//	    out: A                 out: B                 out: C
//	       |                      |                      |
//	       v                      v                      v
//	  root . A ------------> root . A B ----------> root . A B C    lists of outputs
//	                                                     |
//	                                                   mask
//
// An item is a group of tokens, or a branch of the tree of terminal sequences that tokens are
// (package spanner), with the reduction that it waits for (package unknown). A state is a set of
// items, and its output the groups that got accepted on entering it. Both are made when a stack
// first asks for them. The lists of outputs are a second graph, and have the masks. Mask time
// depends on how deep the automaton has to look, usually a few symbols, and not on the vocabulary.
// Compiled eagerly, the same automaton is visited everywhere before the first text (eager.go).
//
// # Why a mask is right
//
// Let a stack have x on top, and let t be a token.
//
//  1. The tree of lexer state q has t in the group at the end of each sequence of terminals that
//     reading t from q emits, and the group says what can become of the lexeme that is then
//     pending. So t is legal if and only if for one of these groups the parser shifts the sequence
//     and then accepts a terminal that the pending lexeme can become (the contract).
//  2. A run of the parser looks at a state only when that lies on top. Of a run on x alone, what
//     comes before x is popped is therefore the same on any stack with x on top. It ends in a
//     shift, a refusal, or a goal: a reduction, with the number of symbols still to pop. Going on
//     with the goal when the symbols below are read is the run on the whole stack
//     (TestTheorems1And2).
//  3. So by induction over the symbols read: a group was accepted on the way, or was refused, or
//     is below one of the items, and it is accepted on the whole stack if and only if it was, or
//     one of these items comes to it. A step keeps that, as it runs each item on. Symbols that all
//     goals pop are not looked at by any of them, and are passed over (TestTheorem3).
//  4. Where no item is left, or no symbol, the groups put out are those that the stack accepts.
//     The mask is the union of their tokens, in whatever way it is put together (TestLists).
//
// Sets of items make no difference whether a run forks. Of a graph of stacks each pair of a state
// and a node is visited once, which also ends on cycles. The goals of a grammar are finitely many,
// as a rule pops a bounded number of symbols, and so are the items and the states.
//
// # What differs from the paper
//
//   - The paper composes a transducer for each terminal sequence, unites all of them, determinizes
//     on what was accepted, minimizes, and hangs a mask at each state. Here all sequences of a
//     lexer state go down their tree together, states do not remember what was accepted, and the
//     mask is a union that is kept when it is asked for again. Package published is the paper's
//     own form.
//   - Reading stops when nothing is open any more. EOS is a group of tokens like others.
//   - Parsers may fork, and lexemes be emitted as all that they match. Inside a string or number of
//     a JSON schema the tree has only the terminals that the top of the stack takes
//     (strings.go), and most masks are written into the caller's row each time (masks.go).
//   - Registers of a layout step (Python) enter the start, as far as tokens can tell them apart
//     (lines.go).
//
// What bounds it is the number of states, in theory exponential: 76,000 of Java compiled eagerly
// with Llama 3, 42,000 of Go; 20 documents visit a thousand. An eager compile ends at eagerBudget,
// and an engine that outgrows maxBytes starts over with an empty automaton, as lazy DFAs do. A
// schema's rules may be written on demand: a core that knows fewer of them than there are is
// replaced (engine.latest), by one that takes over what the walk of the vocabulary found outside of
// embedded schemas (spanner.Spanner.Grown). Building takes a lock, reading takes none.
package psc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/published"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "psc" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "reads the parser stack once with an automaton that decides all tokens together"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	onOff := []string{"on", "off"}
	return []algorithms.OptionInfo{
		{Name: "compile", Default: "lazy", Values: []string{"lazy", "eager"}, Help: "build the automaton's states when they are first visited, or all of them offline, up to 768 MiB, and the rest when visited"},
		{Name: "cache", Default: "on", Values: onOff, Help: "keep finished masks; off unites the outputs on the way anew for each mask"},
		{Name: "lists", Default: "on", Values: onOff, Help: "unite a new mask of a program from lists of tokens that are kept as words; off sets its groups of tokens one by one"},
		{Name: "memo", Default: "on", Values: onOff, Help: "share the walks of the vocabulary between lexer states; off also builds no trees ahead, which would take seconds"},
		{Name: "slices", Default: "on", Values: onOff, Help: "inside JSON strings and numbers, follow only the terminals that the parser takes, over slices of the vocabulary that all grammars share"},
		{Name: "ahead", Default: "on", Values: onOff, Help: "build what the masks of new texts would wait longest for: offline the trees of all lexer states of a program, and while the model computes what the next mask of a JSON schema may need; off leaves it to the masks that need it"},
		{Name: "prune", Default: "on", Values: onOff, Help: "drop terminal sequences with neighbours that the grammar never puts side by side before the parser sees them"},
		{Name: "without", Default: "none", Check: func(v string) error { _, err := jsontokens.ParseMechanisms(v); return err }, Help: "leave out what makes masks come sooner, to measure what it buys: names with a plus between them, such as literals+deltas"},
		algorithms.FormInfo("as the paper publishes it, the automaton over whole stacks is determinized on what is accepted, minimized and given its masks offline " +
			"(algorithm 3); engineered, it is determinized on what is still open, and by default built as texts reach its states"),
		{Name: "states", Default: "100000", Check: checkNumber, Help: "with form=published, how many states the automaton may have before it is minimized"},
		{Name: "seconds", Default: "120", Check: checkNumber, Help: "with form=published, how long the automaton may be determinized"},
	}
}

// checkNumber checks a limit.
func checkNumber(v string) error {
	if n, err := strconv.Atoi(v); err != nil || n < 1 || n > math.MaxInt32 {
		return errors.New("expected a number, such as 100")
	}
	return nil
}

// Grows implements algorithms.Grower: what is built whole, or as published, takes all rules.
func (algorithm) Grows(o algorithms.Options) bool {
	return o["compile"] == "lazy" && o[algorithms.FormOption] != algorithms.FormPublished
}

// Compile implements algorithms.Algorithm.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	o, err := algorithms.Resolve(a, o)
	if err != nil {
		return nil, err
	}
	if err := algorithms.CheckForm(a, o, "states", "seconds"); err != nil {
		return nil, err
	}
	if !a.Grows(o) {
		whole, err := p.Whole(ctx)
		if err != nil {
			return nil, compileError(p, err)
		}
		p = whole
	}
	e, err := compileAny(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return algorithms.ComparingItems(p, e), nil
}

// compileAny compiles in one of the forms.
func compileAny(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	if o[algorithms.FormOption] == algorithms.FormPublished {
		return published.Compile(ctx, p, published.Limits{States: o.Int("states"), Time: time.Duration(o.Int("seconds")) * time.Second})
	}
	without, err := jsontokens.ParseMechanisms(o["without"])
	if err != nil {
		return nil, err
	}
	p = p.Keeping()
	e := &engine{problem: p, ahead: o.Bool("ahead"), cached: o.Bool("cache"), lazy: o["compile"] == "lazy", lists: o.Bool("lists"), spans: spanner.Options{Prune: o.Bool("prune"), NoMemo: !o.Bool("memo"), NoSlices: !o.Bool("slices"), Kept: p.Kept, Without: without}, limit: maxBytes}
	e.core.Store(newCore(e))
	if e.ahead {
		if err := e.core.Load().ahead(ctx); err != nil {
			return nil, compileError(p, err)
		}
	}
	if c := e.core.Load(); !e.lazy {
		if err := c.visitAll(ctx, eagerBudget); err != nil {
			return nil, compileError(p, err)
		}
		c.offline = c.things()
	}
	return e, nil
}

// compileError says what was compiled as an error came.
func compileError(p *algorithms.Problem, err error) error {
	return fmt.Errorf("psc, grammar %s, vocabulary %s: %w", p.Grammar.Name, p.Vocabulary.Name(), err)
}
