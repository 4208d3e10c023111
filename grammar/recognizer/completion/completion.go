// Package completion finds the shortest text that ends a prefix: from a state of a recognizer, the
// fewest bytes after which the text may end. It applies to every grammar that a recognizer reads.
//
// A state can be far from an end: a program that was cut may have a hundred brackets, blocks and
// statements open. Trying texts in the order of their length is hopeless there. So the search is
// guided by a lower bound on what is missing (A*), which comes from the grammar alone:
//
//	lengths.go   of a terminal: the bytes that its lexeme still needs
//	contexts.go  of two neighbours: the blank that must stand between them
//	yields.go    of a symbol: its cheapest text; of an LR state: what its items still cost
//	rest.go      of the parser's stacks: the cheapest way to the bottom
//	lines.go     of a layout: the blanks before a line of a block that is open
//	place.go     what a search knows between two lexemes
//	search.go    the search itself
//
// What the bound leaves out, the search finds out by reading every byte with the recognizer:
// maximal munch, lookaheads, resolved conflicts, lexemes that are several terminals, columns. A
// text that is found is therefore right whatever the bound says, and it is a shortest one because
// the bound is never too high.
//
// # What bounds it
//
// The tables of a grammar are made once, by New, in about the time of its LR tables. A search
// visits a node for each byte of the text it finds, and more where the bound is too low. It stops
// at a limit on nodes; a second search then takes whatever completes the text soon, and the result
// says that it may not be the shortest.
package completion

import (
	"context"
	"errors"
	"fmt"

	"gcdbench/grammar/recognizer"
)

// ErrDeadEnd says that no text completes a state: the parser waits for a terminal that the lexing
// rule can never deliver, or the state is no legal prefix. The whole search space was looked at.
var ErrDeadEnd = errors.New("dead end: no text completes the prefix")

// A LimitError says that a search was given up: whether there is a completion is not known.
type LimitError struct {
	Grammar string
	Nodes   int // prefixes that were tried
	// Missing is how many bytes are missing at least, where that is more than MaxMissing and nothing
	// was tried; else 0.
	Missing int
}

// Error says how much was tried.
func (e *LimitError) Error() string {
	if e.Missing > 0 {
		return fmt.Sprintf("grammar %s: at least %d bytes are missing, more than the limit of %d: close some open brackets or blocks first", e.Grammar, e.Missing, MaxMissing)
	}
	return fmt.Sprintf("grammar %s: no completion among the %d most promising prefixes; there may be none, or a long one", e.Grammar, e.Nodes)
}

// A Completion is a text that ends a prefix.
type Completion struct {
	// Text is what to append; empty if the prefix may end. It is UTF-8, as terminals are; if the
	// prefix ends inside a character, it begins with the rest of that.
	Text []byte
	// Exact is whether Text was proved to be a shortest one, without bytes to avoid.
	Exact bool
	// Nodes is how many prefixes were tried.
	Nodes int
}

// Options change what is looked for. The zero value is a shortest text of any bytes.
type Options struct {
	// Nodes is how many prefixes a search for a shortest text tries, and then again a hurried one
	// for any text; 0 means DefaultNodes, and one more for each byte that is missing at least, of
	// which there may be MaxMissing. Prefixes with many readings, whose stacks fork, count as
	// more than one.
	Nodes int
	// Avoid is bytes that a completion must not have. Tabs are an example: one tab is shorter than
	// eight blanks, and CPython refuses a block that has both.
	Avoid []byte
}

// DefaultNodes is ten times what the longest completions of real programs and schemas need, some
// 4,000 bytes. A search that gives up there has taken about half a second and 100 MB.
const DefaultNodes = 50_000

// MaxMissing is the most bytes that a prefix may lack at least, if Options.Nodes is 0: each byte of
// a completion takes some 3 kB while it is searched for.
const MaxMissing = 1_000_000

// A Completer completes the states of one recognizer. It is safe for concurrent use, and keeps what
// the grammar's completions have in common.
type Completer struct {
	r       *recognizer.Recognizer
	nodes   int  // of a search, at most
	grows   bool // nodes are beyond the bytes that are missing at least
	lengths lengths
	exits   *exitTable
	columns columns
	bytes   []byte // candidates
}

// New prepares the completions of a grammar.
func New(r *recognizer.Recognizer, o Options) *Completer {
	grows := o.Nodes <= 0
	if grows {
		o.Nodes = DefaultNodes
	}
	bytes := candidates(r, o.Avoid)
	l := newLengths(r.Grammar, r.Lexer, bytes)
	y := newYields(r.Tables, newContexts(r, l))
	return &Completer{r: r, nodes: o.Nodes, grows: grows, lengths: l, exits: &exitTable{yields: y}, columns: newColumns(y, r.Layout, o.Avoid), bytes: bytes}
}

// hurry is the weight of the rest in the second search: large enough that it hardly ever turns
// back.
const hurry = 8

// Shortest finds a shortest text after which the text that led to s may end. Of several it is
// always the same one; letters are tried before other bytes. The errors are ErrDeadEnd, a
// *LimitError, that of the context, and that of a lexer built on demand that grew too large.
func (c *Completer) Shortest(ctx context.Context, s recognizer.State) (Completion, error) {
	p := c.newPlaces()
	most := c.nodes
	if least := p.of(s).skipped; c.grows && least < unreachable {
		if least > MaxMissing {
			return Completion{}, &LimitError{Grammar: c.r.Grammar.Name, Missing: int(least)}
		}
		most += int(least)
	}
	exact := &search{places: p, weight: 1, most: most}
	got, err := exact.run(ctx, s)
	var limit *LimitError
	if errors.As(err, &limit) {
		quick := &search{places: p, weight: hurry, most: most}
		got, err = quick.run(ctx, s)
		got.Exact = false
		got.Nodes += len(exact.nodes)
	}
	// A lexer that is too large says that bytes cannot be read which can.
	if lex := c.r.Err(); lex != nil {
		return Completion{}, lex
	}
	return got, err
}
