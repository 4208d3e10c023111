// Package psc computes a mask by one pass down the parser's stack.
//
// # What it is
//
// PSC (parser stack classification; sections 3.2 to 3.5 of the paper "PSC") observes that which
// tokens are legal is decided by the lexer's state and the top of the parser's stack, and that the
// stacks that accept a given token form a regular language (theorem 3). So one automaton reads the
// lexer state, then the stack from the top, until every token is decided; the mask hangs at the
// state it ends in. Mask time depends on how deep it has to look, usually a few symbols, and not on
// the vocabulary.
//
// # JSON schemas
//
// A schema's lexer is built on demand and has a state for each set of strings that a text can still
// become. Two things keep a mask as cheap there as anywhere. Lexer states that are alike in the
// terminals that the parser takes share a start (strings.go). The effect of the tokens on these
// terminals is found without the other ones, and what all schemas have in common is found once
// (package jsontokens).
//
// A schema's rules may be written on demand. When there are more of them than a core knows, a new
// core takes its place (engine.latest). Nothing is built before a text asks; what nearly every text
// needs is built between its first steps, while the model computes (rowing.Idle, ahead.go).
//
// Figures are in results/headline.json and results/ablations-json.md. The first schema
// compiled with a Kept pays 50 to 140 ms for the slices of the vocabulary, and without a Kept each
// schema does. The slow steps that remain are the parser's runs after a key or a value, and places
// in patterns that count words and characters at once or exclude a word.
//
// # Parts
//
// The lexical half, which terminal sequences a token can be, is package spanner (the paper's
// section 3.1 takes it from GreatGramma). The automaton is in automaton.go, what many groups wait
// for together in groups.go and splits.go, the symbolic parser that it is built with in symbolic.go
// and goals.go, and for conflicted tables in forest.go. The finished masks are in cache.go, those
// of an eager engine in composed.go and recall.go. What is built offline is in ahead.go and
// eager.go, and its order in likely.go; columns.go makes many transitions at once, and frozen.go
// has the form in which they are kept once all are there. JSON strings and numbers are in
// strings.go.
//
// # Deviations from the paper
//
//   - The paper composes a transducer P_w for each terminal sequence w (algorithm 3, lines 5 and
//     6), removes the outputs, unites all of them over all tokens and lexer states (equation 5),
//     determinizes and minimizes, and hangs a mask at each state. Determinizing on which tokens
//     were accepted so far multiplies contexts, and the paper is silent on what that costs. Here
//     the states are sets of what is still undecided, and what got accepted is an output on
//     entering a state; the mask is the union of the outputs on the way. Nothing is built per
//     sequence and united later: all sequences of a lexer state go down their common tree
//     together, with one symbolic stack each time they agree on it.
//   - The paper has a finished mask at each state, and its states remember what was accepted. An
//     eager engine has finished masks too, in two layers (composed.go): one for what a start puts
//     out, and a few words for each state further down. In a lazy engine the mask is a cache
//     (option cache): a path of the automaton together with what it has put out is a node of a
//     second graph, made when first walked, and holds the mask from the second time that it is
//     asked for. A mask that is not there yet is united from lists of tokens that are kept as words
//     when they are met again (lists.go, option lists). Of a JSON
//     schema most masks are one large group and few tokens more: these are not kept but written
//     into the caller's row each time.
//   - The paper composes transducers per terminal. Here one run of the parser on a known top
//     answers for all terminals together (symbolic.go): those of one reduction stay together.
//   - States can be built when first visited (option compile: lazy). The paper builds everything
//     offline (algorithm 3), and so does compile: eager, up to a budget of memory (eager.go), and
//     compile: background, beside the generations (beside.go). The lexer state's own groups are in
//     an automaton apart there (halves.go).
//   - What cannot depend on the symbols still to be read is decided before they are read, and
//     symbols that every pending goal pops are passed over (decide.go). The paper minimizes
//     afterwards instead; so does an eager engine once it has all states (frozen.go).
//   - The paper runs its automaton over the whole stack (section 3.5). Here reading stops when
//     nothing is open any more.
//   - EOS is a group of tokens like others. The paper does not treat it.
//   - The paper's parsers are deterministic. Here a symbolic run may fork, and a state's items are
//     a set, so that forks are absorbed; a graph-structured stack is read along all of its paths
//     at once, and each pair of a state and a node of the graph once, which ends on cycles too.
//   - In a grammar whose lexemes are emitted as all they match, a JSON schema's, the automaton
//     reads less of the lexer state than all of it: inside a string, only the terminals that the
//     top of the stack takes (strings.go, option slices). The paper's tables are per lexer state,
//     and a bounded string has one for each of its characters.
//   - A layout step (Python) has no place in the paper. Its registers enter the start of the
//     automaton, as far as tokens can tell them apart; see lines.go.
//
// The option form=published is algorithm 3 without these deviations (published.go).
//
// # What bounds it
//
// The number of states, in theory exponential. Compiled eagerly with Llama 3, Java comes to 83,900
// states of 45,200 sets of items, and 85 MB; Python to 596,000 of 145,000, and 460 MB; SQL, a
// grammar with long ladders of operators in which most words are keywords and names at once, to
// 464,000 of 203,000, and 550 MB, with 740 MB while they are built. Decoding 6 Java programs visits
// 2,800 of the states. A document then finds everything built, but for lines that close more
// blocks than usual (Python). An eager compile that came to more than eagerBudget would end there,
// and what it left is built when it is met. maxBytes bounds what an engine holds while it decodes:
// one that outgrows it starts over with an empty automaton, as lazy DFAs do. Building takes a lock,
// reading takes none.
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
		{Name: "ahead", Default: "on", Values: onOff, Help: "build what the masks of new texts would wait longest for: offline the trees of all lexer states of a program, and while the model computes the first starts of a JSON schema; off leaves it to the masks that need it"},
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
