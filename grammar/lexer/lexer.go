// Package lexer is the one automaton that recognises every terminal of a grammar, byte by byte.
//
// # What it is
//
// Each terminal's regular expression is a minimal DFA (package automata). The combined automaton is
// their product, restricted to the terminals still alive: a state is the list of (terminal, state
// of its DFA) pairs that the bytes read so far have not ruled out. A state accepts the terminals
// whose own DFA accepts; which of them a lexeme is emitted as depends on the grammar's mode
// (LexFirst: the best one, LexAll: every one), and either way the answer is an interned Set, so
// that nothing downstream has two code paths.
//
// # Ends
//
// A lexeme that may end in a state has Ends there: what it is emitted as, and the start state in
// which the next one begins. In most grammars there is one start state, and a state has one End at
// most. Two things make more of them (starts.go, ends.go):
//
//   - A terminal may ask what follows it, by a lookahead, \b or $ at its end: its context. The
//     context is an automaton (automata.DFA.Context); what is open of it when the next lexeme
//     begins is an obligation. A state is then a list of pairs with the obligations that are open,
//     and has no transition on a byte that breaks one. Contexts are of bounded length, so
//     obligations are gone after some bytes.
//   - A grammar may have modes, which say what terminals are read where (grammar.Mode). A
//     lexer that asks the parser's state is one with modes, too (contextual.go).
//
// A lazy terminal (grammar.TerminalDef) ends the lexeme that matches it: such a state has no
// transition.
//
// Start states differ in what may come, so that an engine asks nothing else: a byte may follow a
// lexeme in one of its Ends exactly if that End's Start has a transition on it. Without modes at
// most one End has. With modes there may be several for terminals that lead to different modes; the
// recognizer has proved that the parser takes one of them at most (Alternatives).
//
// # The two builds
//
// Build explores the whole product ahead of time and minimizes it: the smallest tables and the
// fastest steps. OnDemand computes a transition at its first use: a grammar whose
// patterns multiply (a JSON schema with hundreds of overlapping string patterns) never pays for
// what no text reaches. Both are an Automaton, and both accept the same lexemes with the same Sets
// and the same reach; only the numbering of states differs.
//
// # Reach
//
// reach(q) is the set of terminals that some continuation of the pending lexeme can still become.
// In LexAll mode that is exactly the terminals whose own DFA is alive. In LexFirst mode a terminal
// that is alive may never win: it is in reach(q) only if some continuation is emitted as that
// terminal. So it is in both modes where terminals have contexts, which a continuation must meet as
// far as the byte after the lexeme, or the end of the text, tells.
//
// # What bounds it
//
// The product can be exponential in the number of terminals, in theory. Build stops at
// Limits.MaxStates, and where the tables grow too large, with an error that names the grammar;
// OnDemand applies the same limit to the states actually visited, and then behaves as if the text
// were illegal, with Err reporting why. Both stop when their context ends.
package lexer

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// A State is a state of the combined automaton, numbered from 0. A start state means that no lexeme
// is pending; no transition leads back to one.
type State int32

// None is the absence of a transition.
const None State = -1

// A Set is an interned, non-empty set of terminals that a lexeme is emitted as. In LexFirst mode
// every Set has one member.
type Set int32

// NoSet is the Set of a state that accepts no terminal.
const NoSet Set = -1

// An End is a way in which a lexeme can end: its emission, and the state in which the next lexeme
// begins.
type End struct {
	// Set has the terminals as which the lexeme is emitted.
	Set Set
	// Start is the start state in which the next lexeme begins. A byte may follow the lexeme exactly
	// if Start has a transition on it.
	Start State
	// AtEnd is whether the text may end here.
	AtEnd bool
}

// A ReachID is an interned reach: two states have the same ReachID exactly if the same terminals
// can still become of them.
type ReachID int32

// A Reach is a set of terminals split the way the contract asks about it.
type Reach struct {
	// Parser is the bit set (bit i of word i/64) of the terminals in reach that the parser sees.
	Parser []uint64
	// Ignored is whether an ignored terminal is in reach.
	Ignored bool
}

// Has tells whether the parser terminal t is in r.
func (r *Reach) Has(t grammar.Terminal) bool {
	return bitset.Has(r.Parser, t)
}

// Terminals lists the parser terminals of r in order.
func (r *Reach) Terminals() []grammar.Terminal {
	return slices.Collect(bitset.All[grammar.Terminal](r.Parser))
}

// An Automaton is the combined automaton of a grammar. It is safe for concurrent use.
type Automaton interface {
	// Start is the state in which a text's first lexeme begins.
	Start() State
	// NumStates counts the states known so far (all of them, if built ahead).
	NumStates() int
	// Classes maps a byte to its class: bytes of one class are alike in every state.
	Classes() *[256]uint8
	// NumClasses is the number of byte classes, at most 256.
	NumClasses() int
	// Row is the transitions of q by byte class, None where there is none. It is shared: read only. On
	// demand it computes them all; Next computes the one asked for.
	Row(q State) []State
	// Next is the transition of q on b, or None.
	Next(q State, b byte) State
	// Stays tells whether b leads from q to q. It makes no state.
	Stays(q State, b byte) bool
	// Ends are the ways in which the lexeme pending in q can end; none if it is not complete, or no
	// lexeme is pending. The list is shared: read only.
	Ends(q State) []End
	// Begins tells whether no lexeme is pending in q: q is Start, or the Start of an End.
	Begins(q State) bool
	// Uniform tells whether all lexemes begin in Start: then a state has one End at most, which any
	// byte that begins a lexeme and the end of the text may follow.
	Uniform() bool
	// Alternatives are the pairs of terminals between which the parser has to decide: they are read in
	// the same mode, some text matches both, and they lead to different modes.
	Alternatives() [][2]grammar.Terminal
	// Reach identifies reach(q).
	Reach(q State) ReachID
	// NumSets and Members resolve a Set: its terminals in order of preference, read only. Ignored
	// terminals are among them.
	NumSets() int
	Members(s Set) []grammar.Terminal
	// Ignored tells whether a member of s is an ignored terminal.
	Ignored(s Set) bool
	// NumReaches and ReachSet resolve a ReachID; the result is shared, read only.
	NumReaches() int
	ReachSet(r ReachID) *Reach
	// Err is non-nil once a limit kept the automaton from following a text.
	Err() error
}

// Limits bound the work of building.
type Limits struct {
	// MaxStates is the largest number of states of the product.
	MaxStates int
}

// What bounds the memory of building beside the number of states. With all reached at once, which
// takes some effort, a build holds about 400 MiB.
const (
	// maxPairs is the number of (terminal, state) pairs that the states of the product are made of,
	// of 8 bytes each. A thousand patterns that overlap everywhere make a state of a thousand
	// pairs.
	maxPairs = 1 << 23
	// maxTable is the number of transitions, the missing ones counted, built ahead: 4 bytes each,
	// and 40 while the automaton is minimized.
	maxTable = 5 << 20
	// maxReachWords is the number of words of all reaches: states times terminals in bits.
	maxReachWords = 1 << 23
)

// DefaultLimits allows 200,000 states: at 100 byte classes and 4 bytes a transition that is 80 MB,
// a tenth of what a small machine has; the grammars of Java, Go, Python and SQL need a few hundred.
var DefaultLimits = Limits{MaxStates: 200_000}
