// Package rewrite changes how a grammar is written, and not its language.
//
// Equal masks of several engines on one grammar say little about what the engines share: the
// parser's tables, the lexer, the preprocessing of tokens. A grammar that is written in another way
// has other tables and another lexer for the same language, and so the contract demands the same
// mask after each prefix. A difference is a mistake in an engine, in what the engines share, or in
// this package.
//
// # What each rewriting keeps
//
// The rewritings of rules (rules.go) are exact for the language of context-free rules over
// terminals, for every grammar, also for ambiguous and recursive ones:
//
//	inline      A: x B y           each rule of B in the place of B
//	fold        A: x y z           A: x N, N: y z, with a new nonterminal N
//	factor      A: x y | x z       A: x N, N: y | z
//	copy        A: x B y           A: x N y, where N has a copy of B's rules (recursion unrolled)
//	option      A: x B y, B: | w   A: x y | x N y, N: w
//	turn right  A: A x | y         A: y | y N, N: x | x N
//	turn left   A: x A | y         A: y | N y, N: x | N x
//
// They do not keep LALR(1): a rewritten grammar may have conflicts where the original had none. Its
// conflicts are therefore kept, and its parser forks. A parser with all actions in its tables takes
// exactly the language of the rules. Where conflicts of the original were resolved instead, its
// parser takes another language than its rules say, which no rewriting of rules would keep:
// Grammar then leaves the rules alone and says so.
//
// A lexer with modes cannot follow a parser that forks. Of a grammar with modes only those
// rewritings are kept after which the tables still have no conflict; they are tried a few at a
// time.
//
// The rewritings of patterns (patterns.go) keep the set of strings that a terminal matches. Its
// name, its source, its priority and its width stay, so the lexing rule prefers the same terminals.
// A pattern is left alone if a set of strings does not say all about it: if it has a lazy
// quantifier, or asks what follows a match.
//
// Last, terminals, nonterminals and rules get another order and nonterminals other names, on which
// nothing may depend.
package rewrite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// A Kind is a kind of rewriting, by the name that counts have.
type Kind string

// The kinds of rewriting; the package's documentation says what each does.
const (
	Inline    Kind = "inline"
	Fold      Kind = "fold"
	Factor    Kind = "factor"
	Copy      Kind = "copy"
	Option    Kind = "option"
	TurnRight Kind = "turn right"
	TurnLeft  Kind = "turn left"
	Pattern   Kind = "pattern"
	Order     Kind = "order"
)

// Kinds are all kinds, those of rules first.
var Kinds = []Kind{Inline, Fold, Factor, Copy, Option, TurnRight, TurnLeft, Pattern, Order}

// A Result is a grammar of the same language.
type Result struct {
	// Grammar is new and shares nothing that is written with the original. Its conflicts are kept,
	// unless its rules were left alone or it has modes.
	Grammar *grammar.Grammar
	// Done counts the rewritings by kind.
	Done map[Kind]int
	// RulesKept says why the rules were left alone; "" if they were not.
	RulesKept string
	// PatternsKept counts the patterns that a set of strings does not describe.
	PatternsKept int
}

// Grammar rewrites a grammar by a seed. t are the grammar's tables, which say whether conflicts
// were resolved. The error is ctx's.
func Grammar(ctx context.Context, g *grammar.Grammar, t *lr.Tables, seed uint64) (*Result, error) {
	g = g.Unsplit()
	w := newRewriter(g, seed)
	switch {
	case g.Embedded != nil || len(g.Scopes) > 0:
		w.result.RulesKept = "the states of the rules' tables say where an embedded grammar is read"
		return &w.result, ctx.Err()
	case g.Lexer == grammar.LexContextual:
		w.result.RulesKept = "the lexer is contextual, so that the states of the rules' tables say what it reads"
	case resolved(t):
		w.result.RulesKept = "conflicts were resolved, so that the rules are not the parser's language"
	case g.Modes != nil:
		w.g.Conflicts = grammar.ResolveConflicts
		if err := w.rewriteWithoutConflicts(ctx); err != nil {
			return nil, err
		}
	default:
		w.g.Conflicts = grammar.KeepConflicts
		w.rewriteRules(w.steps())
	}
	w.rewritePatterns()
	w.reorder()
	h := sha256.New()
	h.Write(g.SHA256[:])
	h.Write(binary.LittleEndian.AppendUint64([]byte("rewritten"), seed))
	h.Sum(w.g.SHA256[:0])
	return &w.result, ctx.Err()
}

// resolved reports whether a conflict was resolved by leaving actions out.
func resolved(t *lr.Tables) bool {
	return slices.ContainsFunc(t.Conflicts(), func(c lr.Conflict) bool { return c.Outcome != lr.Kept })
}

// rewriter is a grammar that is being rewritten.
type rewriter struct {
	g      *grammar.Grammar
	rng    *rand.Rand
	rules  [][]grammar.Rule // by left-hand side
	limit  int              // of symbols on right-hand sides
	size   int              // symbols now, one more for each rule
	result Result
}

// newRewriter copies what may change.
func newRewriter(g *grammar.Grammar, seed uint64) *rewriter {
	own := *g
	own.Terminals, own.Nonterminals = slices.Clone(g.Terminals), slices.Clone(g.Nonterminals)
	w := &rewriter{g: &own, rng: rand.New(rand.NewPCG(seed, 0x7265)), rules: make([][]grammar.Rule, len(g.Nonterminals))}
	w.result = Result{Grammar: &own, Done: map[Kind]int{}}
	for _, r := range g.Rules {
		w.rules[r.LHS] = append(w.rules[r.LHS], r)
		w.size += len(r.RHS) + 1
	}
	// Half as large again, so that the tables of the largest grammars stay within their limits, and
	// some more for small grammars, in which each rewriting is a large part.
	w.limit = w.size + w.size/2 + 40
	return w
}

// one is true once in n times.
func (w *rewriter) one(n int) bool { return w.rng.IntN(n) == 0 }

// pick is a random element.
func pick[T any](w *rewriter, list []T) T { return list[w.rng.IntN(len(list))] }
