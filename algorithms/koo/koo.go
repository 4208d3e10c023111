// Package koo composes automata over characters with a vocabulary, so that they read tokens. It is
// the algorithm "automata", after T. Koo, F. Liu and L. He, "Automata-based constraints for
// language model decoding", COLM 2024. (The folder has the author's name because the package of the
// automata themselves is called automata.)
//
// # What it is
//
// Detokenization is a transducer from tokens to characters (section 2.3). Composed with an
// automaton over characters it gives an automaton over tokens: for a regular expression a
// finite one (section 2.4; regular.go), for a grammar a pushdown automaton (section 3.2;
// pushdown.go, grammar.go). There is no lexer in between. By default the problem's grammar is
// enforced, as a pushdown automaton, or with the option automaton=finite as a finite one, where
// package grammar/regular finds one: section 5.1's way with JSON schemas. The option pattern=REGEX
// enforces a regular expression instead, in which named groups stand for what plain regular
// expressions say badly or not at all (section 2.5, table 1; pattern.go, extensions.go).
//
// # The semantics "characters"
//
// Each terminal is the language of its own regular expression (lazy ones cut to their shortest
// matches). A text is a sentence if it is the concatenation of words of terminals that form a
// sentence of the grammar's rules, with any words of ignored terminals before, between and
// after them. A token is legal if the text with it begins a sentence; EOS is, if the text is
// one. Maximal munch, priorities and %lexer play no part: any way to cut the text will do.
//
// So every text that the contract accepts is accepted, and every token that the contract allows
// after a prefix is legal here: the lexing rule's cut is one of the cuts. The converse fails
// where terminals that stand side by side could share characters: "intx" is a type and a name.
// relations in real_test.go states and tests, for each grammar of the program, whether masks
// are equal or more. Unlike the contract's masks these have no dead ends: every legal token
// starts a sentence. Where conflicts of the grammar were resolved by dropping actions, the tables
// define the language.
//
// # The pushdown automaton
//
// The paper replaces nonterminals by their automata, which pushes return addresses (Allauzen
// and Riley 2012), and refuses grammars whose automaton is not deterministic. Character-level
// automata of programming languages never are (is "in" the beginning of "int" or of "index"?),
// and left recursion pushes for ever. Here the automaton is the LR one: its stack is the LR
// stack above which the next terminal is read, its control state how far each terminal that may
// stand there was read, and where a terminal may end, it is shifted. It follows all ways at
// once, as a set of (stacks, states of the terminals' automata) pairs, on the persistent
// graph-structured stacks of package lr. This ends for left recursion, empty rules and
// ambiguity, and stays polynomial. The tests compare it with a brute-force parser of characters.
//
// # The composition
//
// Offline or on first visit, the transducer, which is the vocabulary's prefix tree, is composed
// with each state of the terminals' automaton (composition.go). The tokens that stay inside of
// a terminal, or only end one, need no stack, since terminals that the stack refuses were left
// out when they began: they are a finished mask, the terminal edge of section 2.5.1, and equal
// masks are stored once. Tokens that end a terminal and go on are kept as a small tree, unless
// terminals that never follow each other rule them out. Online, a mask is the union of the
// finished masks of the current states, and of the tokens of their trees that survive
// composition with the stack at hand, determinized as it goes (walk.go). The result depends on
// the few LR states on top of the stack that the walk looked at, and is remembered by them
// (reads.go, decided.go): these states are the composed automaton's pops, found where they are
// needed.
//
// # Deviations from the paper, beside the automaton
//
//   - The pushdown automaton's token edges are not written out. They are as many as all (state,
//     token, pops), in general infinitely many: a token's pops depend on how often right recursion
//     can end. Only the stack-independent ones are tabulated.
//   - For regular constraints an edge's target is found by reading the token's bytes, not stored:
//     the byte automaton is deterministic, and so is the composition.
//   - Where a token can be read by a label (such as TEXT_TOKEN) and by its characters, the paper
//     goes one way by a heuristic. Here both ways are followed (subset construction), so that masks
//     are exact.
//
// - A state is removed if no characters lead from it to an end. States from which only the
// vocabulary's tokens cannot spell an end stay. There are none if the vocabulary has every
// single byte.
//   - Characters are bytes of UTF-8.
//
// # When it applies, and what bounds it
//
// To every grammar without a layout step, and every regular expression that package automata
// takes. A mask at a known place is a union of remembered masks, one for each group. A mask at
// a new place costs the walk over undecided tokens: little where terminals are told apart by
// their first characters, as in JSON; in a language with names and keywords many splits of a
// word are tried, and a token such as 80 dashes has many readings. Stacks that had to be merged
// into graphs, which takes a text or a grammar with very many readings, are walked each time.
// Compositions and masks are kept up to the option memory and forgotten beyond it. A commit
// reads a token's bytes.
package koo

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/grammar/automata"
)

func init() { algorithms.Register(algorithm{}) }

// name is the algorithm's name; the folder's is another since a package automata exists already.
const name = "automata"

// Semantics is the name of the semantics: the package comment defines it.
const Semantics = "characters"

// maxEagerStates bounds what compile=eager composes: at some 4 ms each for 128,000 tokens, a
// minute. JSON has 47; Java has more than 60,000, since what may begin after white space and
// comments is part of a state, and differs from one state of the parser to the next. A text visits
// some hundreds of them.
const maxEagerStates = 1 << 14

// A LimitError says that a limit kept the offline work from being finished.
type LimitError struct {
	What  string // what there was too much of
	Limit int64
	Hint  string // what to do
}

// Error names the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("automata: more than %d %s; %s", e.Limit, e.What, e.Hint)
}

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return name }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "composes the detokenizing transducer with character-level automata of the grammar, or of a regex"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return Semantics }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "compile", Default: "lazy", Values: []string{"lazy", "eager"},
			Help: "compose states when they are first visited, or ahead of time"},
		{Name: "shared-masks", Default: "on", Values: []string{"on", "off"},
			Help: "keep a mask per state of the terminals' automaton; off reads the whole vocabulary for each mask"},
		{Name: "stack-masks", Default: "on", Values: []string{"on", "off"},
			Help: "remember finished masks by the part of the stack they depend on; off asks the parser for each mask"},
		{Name: "automaton", Default: "pushdown", Values: []string{"pushdown", "finite"},
			Help: "the grammar as a pushdown automaton, or as a finite one, as a regular expression would be; finite refuses grammars with recursion inside"},
		{Name: "pattern", Default: "", Check: checkPattern,
			Help: "a regular expression, with named groups as extensions, to enforce instead of the grammar"},
		{Name: "memory", Default: "512", Check: algorithms.WholeNumber(1),
			Help: "MiB of composed states held at a time; lazy forgets them beyond that, eager fails"},
	}
}

// checkPattern refuses a pattern that cannot be compiled.
func checkPattern(value string) error {
	if value == "" {
		return nil
	}
	_, err := compilePattern(value)
	return err
}

// settings are the options, read.
type settings struct {
	eager, shared, remember bool
	memory                  int64 // bytes
}

// Compile implements algorithms.Algorithm.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p, o, err := algorithms.Wholly(ctx, a, p, o)
	if err != nil {
		return nil, err
	}
	s := settings{eager: o["compile"] == "eager", shared: o.Bool("shared-masks"), remember: o.Bool("stack-masks"), memory: int64(o.Int("memory")) << 20}
	if o["pattern"] != "" || o["automaton"] == "finite" {
		var d *automata.DFA
		if o["pattern"] != "" {
			d, err = compilePattern(o["pattern"])
		} else {
			d, err = compileFinite(ctx, p.Grammar)
		}
		if err != nil {
			return nil, err
		}
		m, err := compileRegular(ctx, d, p, s)
		if err != nil {
			return nil, err
		}
		return engine[*tokenState]{m}, nil
	}
	m, err := compileGrammar(ctx, p, s)
	if err != nil {
		return nil, err
	}
	return engine[configuration]{m}, nil
}
