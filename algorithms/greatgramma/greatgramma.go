// Package greatgramma computes a mask from two tables made ahead of time: the tokens that are
// always accepted, and the terminal sequences that depend on the parser's stack.
//
// # What it is
//
// The algorithm of Park, Zhou and D'Antoni, "Flexible and Efficient Grammar-Constrained Decoding"
// (2025): algorithms 2 to 4 (lexing transducer, detokenizing transducer, inverse token spanner
// table), algorithm 5 (parser preprocessing) and algorithm 6 (the mask).
//
// Reading a token from lexer state q emits a sequence of terminals and leaves a lexeme pending;
// tokens that do so alike are one group. The parser is then run on each sequence, on a stack with
// only its top known, the LR state p. A sequence that is accepted all the same is always
// accepted (proposition 3.4); one that the stack-free automaton refuses never is (proposition 3.5);
// the other sequences depend on the stack. So for each pair (q, p) there are the tokens A(q, p), a
// ready bit set, and the sequences D(q, p). A mask is a copy of A, and one run of the real parser
// for each sequence of D, adding its tokens if accepted.
//
// # The parts
//
//	follow.go, uncover.go    the stack-free automaton, and what may lie under a state
//	symbolic.go, trying.go   running sequences on unknown stacks
//	sequences.go             the sequences of a lexer state as a flat tree, and their tokens
//	tables.go, masks.go      A and D: rows, and the masks they refer to
//	engine.go, plan.go       building all tables, and finding what a mask needs
//	strings.go               pairs with a JSON string pending
//	bound.go                 what a lazy engine may hold
//	online.go, path.go       masks, and the real parser along sequences
//	taking.go                all terminals that a real stack takes, at once
//	published.go             the algorithm as the paper has it
//	stackless.go             the paper's stack-free automaton
//
// The lexical half (algorithms 2 to 4) is package spanner, which other algorithms share.
//
// # Deviations from the paper
//
// The option form=published has none of these (published.go, stackless.go).
//
//   - The last terminal of a sequence. The paper makes one sequence T1...Tk T for each terminal T
//     that the pending lexeme may become, and a token is in as many entries. Here one sequence ends
//     in the whole set, reach(q'), and is accepted if one member is: a token is in one group per
//     lexer state.
//   - Ignored terminals. The paper does not speak of them; here they leave the parser as it is, so
//     that they vanish from sequences, and a reach with one in it is accepted wherever what
//     precedes it is.
//   - Symbols are sets of terminals (`%lexer all`), and tables may keep conflicts: a configuration
//     is then several known stacks and a set of states, and the real parser runs on a graph of
//     stacks.
//   - The stack-free automaton. The paper lets a reduction that pops below the top lead anywhere.
//     Here it leads where the LR automaton has a path of that length, which refuses more. Its
//     states are sets of LR
//
// states, made deterministic as sequences ask for them. It does not look under the top, level
// by level, to accept more; psc does.
//   - Pruning. Sequences that every LR state refuses are dropped beforehand: neighbours that the
//     grammar never puts side by side while the vocabulary is walked, and what the stack-free
//     automaton refuses from the set
//
// of all states after. The tables are the same without pruning. A lazy engine does only the
// first: few of the rows that it makes would be shorter, and the sets of states grow with the
// grammar.
//   - Classes. The paper's loops run over Re, the sequences of all lexer states, for each p, and
//     then over q. Here lexer states that realize the same sequences, with other tokens, share a
//     shape, and LR states that pop themselves and then go the same ways are one; rows are made per
//     shape and class, and what is accepted is a bit set over the shape's tree. Rows, token groups
//     and masks that are equal are one. Where the grammar cannot bring q and p together there is no
//     row.
//   - JSON strings. Where one is pending, a pair (q, p) has the sequences of those terminals alone
//     that p takes for sure; the others are never accepted. Their tokens come from slices of the
//     vocabulary that all grammars share. A is the same and so is what D accepts, but a counted
//     string no longer costs a walk of the vocabulary for each character: the p99 of first visits
//     is 65 us on 150 MaskBench schemas; without (option slices) it is 10 ms on 60 of them.
//   - D is a tree of sequences, so that a prefix which sequences have in common is parsed once, and
//     at each node the parser finds all terminals that it takes at once, instead of trying one
//     child after the other.
//
// - A layout step. What a newline lexeme becomes depends on registers that no table knows. So
// the rest of a sequence after one is context-dependent, unless it is never accepted. Online
// the column decides, and the rest of the sequence has rows of its own, by the state then on
// top.
//
// # What bounds it
//
// It applies to every grammar and vocabulary. Compile time grows with shapes x LR states x
// sequences of a shape; memory with the number of different masks (|V|/8 bytes each) and is limited
// by MaxBytes. A mask costs a copy of |V|/8 bytes, and a parser run for each node of D's tree that
// is reached: some hundreds where an expression may end (what may follow depends on what is open),
// and none where one must begin. With tables: lazy, and with a lexer built on demand, rows are made
// when a generation first comes to their pair, and the first mask there waits for them; what is
// made so is limited by MaxHeld (bound.go). The stack-free automaton and the classes of LR states
// are then made as they are met, too.
//
// The grammar of Java 17 and Llama 3, on one core of a 2-core cloud machine: 782 lexer states are
// 213 shapes, 435 LR states 290 classes; Re has 362,174 sequences, 80,266 after pruning; 222,389
// pairs make 34,825 rows, 1,435 different masks and 34 MB. Compiling takes 0.8 s (3.2 s if the
// walk is not memoised, 1.0 s without pruning), a mask 15 us on average (22 without A, 160 without
// sharing prefixes in D). Averaged over pairs 85% of the tokens do not depend on the stack, but
// only 53% averaged over
// the positions of programs: most tokens are at the end of something.
package greatgramma

import (
	"context"

	"gcdbench/algorithms"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "greatgramma" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "always-accepted tokens per lexer and LR state ready, context-dependent sequences parsed"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// Options implements algorithms.Algorithm. All of them give the same masks.
func (algorithm) Options() []algorithms.OptionInfo {
	onOff := []string{"on", "off"}
	return []algorithms.OptionInfo{
		{Name: "tables", Default: "eager", Values: []string{"eager", "lazy"}, Help: "when rows are made: all at compile time, or each when it is first needed"},
		{Name: "memo", Default: "on", Values: onOff, Help: "memoise the walk of the vocabulary on (trie node, lexer state)"},
		{Name: "slices", Default: "on", Values: onOff, Help: "inside JSON strings, follow only the terminals that the LR state takes, over slices of the vocabulary that all grammars share"},
		{Name: "prune", Default: "on", Values: onOff, Help: "drop the sequences that the grammar refuses from every state beforehand"},
		{Name: "always", Default: "on", Values: onOff, Help: "keep ready masks of the always-accepted tokens; off, all sequences are parsed online"},
		{Name: "share", Default: "on", Values: onOff, Help: "parse a prefix that sequences have in common once"},
		algorithms.FormInfo("as the paper publishes it, a sequence for each terminal that a pending lexeme may become and a parser run for each " +
			"context-dependent sequence; engineered, one sequence for all of them, a stricter stack-free automaton, and sequences parsed together as a tree"),
		{Name: "lines", Default: "on", Values: onOff, Help: "have rows for what follows a line break inside a token, in grammars with a layout step"},
	}
}

// settings are the options, resolved, and the sizes from which on some things pay.
type settings struct {
	lazy, memo, slices, prune, always, share, lines bool
	minLine, minFragment, minMask                   int
	maxBytes                                        int // of ready masks
	maxHeld                                         int // of all that a lazy engine makes
}

const (
	// minLine is the smallest subtree after a newline lexeme that has rows of its own: what is
	// smaller is parsed as fast.
	minLine = 32
	// minFragment is the smallest subtree whose result from a set is kept: below, looking for it takes
	// longer than finding it anew.
	minFragment = 12
	// minMask is the number of tokens from which on a mask is worth |V|/8 bytes for what is only
	// added to another mask: below, adding the tokens group by group costs about as much.
	minMask = 1 << 11
)

// Compile implements algorithms.Algorithm.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, given algorithms.Options) (algorithms.Engine, error) {
	p, o, err := algorithms.Wholly(ctx, a, p, given)
	if err != nil {
		return nil, err
	}
	if err := algorithms.CheckForm(a, o); err != nil {
		return nil, err
	}
	if o[algorithms.FormOption] == algorithms.FormPublished {
		return compilePublished(ctx, p)
	}
	e := newEngine(p, settings{
		o["tables"] == "lazy", o.Bool("memo"), o.Bool("slices"), o.Bool("prune"), o.Bool("always"), o.Bool("share"), o.Bool("lines"),
		minLine, minFragment, minMask, MaxBytes, MaxHeld,
	})
	if e.lazy {
		err = ctx.Err()
	} else {
		err = e.buildAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	return algorithms.ComparingItems(p, e), nil
}
