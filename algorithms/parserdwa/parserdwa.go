// Package parserdwa computes masks with a weighted automaton that reads the parser's stack.
//
// # What it is
//
// The design of the essay "Constrained decoding with weighted automata" (its sections are cited by
// name). Fix a token: the stacks on which it is legal are a regular language over LR states. One
// automaton for all tokens has token sets as weights: going along a path intersects, paths that
// come together unite, and reading the stack from the top until every token is decided gives the
// mask. It is composed of two machines, each with a file here:
//
//	terminal.go   the terminal DWA ("Token -> terminals"): from a lexer state, which sequences of
//	              emitted sets the tokens are lexed to, with token sets as weights. The tree of the
//	              vocabulary is run through the lexer and determinized; label.go has its symbols
//	template.go   the templates ("Terminal -> stack effect"): for a terminal, which states it
//	              pops and what it pushes, over all reductions that end in shifting it
//	closure.go    the same where actions are in conflict, as a graph
//	compose.go    the composition ("Compose them into a Parser DWA"): a terminal's template reads what
//	              the one before pushed, and only what it cannot find there becomes an item that waits
//	              for the stack; pushes and pops cancel as in the polycyclic monoid
//	item.go       the items, numbered, and their transitions
//	automaton.go  determinization: subsets of items, built when met, or ahead (eager.go)
//	weight.go     token sets
//	engine.go     the run on a stack, and on a graph of stacks ("Runtime on a GSS")
//	frontier.go   the run of the paper's sketch, items with token sets, not determinized
//	strings.go    JSON strings, over slices of the vocabulary
//
// # Where the weights are
//
// The contract's lexing is deterministic, so from one lexer state a token has one terminal
// sequence. Below a node of the terminal DWA lie its tokens, and its children's are disjoint parts
// of them. An item ends in such a node: its weight is the node's tokens. All weights on a path
// intersect in the last item's weight. So the subset construction needs no residual
// weights: a state is a set of items, an arc carries the set of tokens that reading its symbol
// decides as legal, and the run is the union of these sets over the symbols read (7.8 symbols a
// mask on Java programs). determinize=none does without all this: it keeps a token set for each
// item, intersects and unites as the sketch does, and takes decided tokens out of the frontier. It
// gives the same masks. Java, Llama 3, after warm-up, least of five times at each position, in
// microseconds (which compares the two; results/headline.json has raw times of delivered masks):
//
//	                             p50    p99    p99.9    held
//	determinize=lazy             1.4    6.3      8.6    80 MB
//	determinize=none              55    759    1,214    75 MB
//
// # When it applies, and what bounds it
//
// It applies to every grammar and vocabulary. A mask takes one hash lookup for each symbol read
// and one union for each arc that accepts something; vocabulary size enters through the unions'
// words only. Depth is bounded by what tokens can pop: a run of 16 closing brackets reads what
// is under 16 open ones. On a graph of stacks each pair of node and state is visited once. The
// number of subsets is not bounded. It is exponential in theory; with Llama 3:
//
//	        all, ahead: states    transitions    held    processor time    the samples, as met: states
//	java               153,333      2,276,214   381 MB              14 s                         4,294
//	go                  43,839        630,045   166 MB               5 s                         5,383
//	json                   174            500     4 MB           < 0.1 s
//	sql (stopped)       95,896      2,084,753   512 MB              30 s
//
// (SQL's grammar has 1,653 lexer states: their product with the LR states is what an eager compile
// is about.)
//
// A lazy compile is free; instead first visits are paid for as they come, 80 us a mask on average
// over the first pass, and 1 to 10 ms where a lexer state is met for the first time. The option
// limit sets a bound: an eager compile fails beyond it (LimitError), a lazy engine starts with an
// empty automaton again.
//
// # The form of a token set, by measurement
//
// Unions of the masks of six Java programs, Llama 3, least of seven times at each position:
//
//	form              mean      p99.9     held
//	packed or dense   0.89 us   3.0 us     7.9 MB   (weight.go)
//	packed            1.24 us   3.9 us     9.0 MB   words that are not zero, with their places
//	dense             1.93 us   8.5 us    16.0 MB   whole masks
//	group ids         2.28 us   7.8 us     0.9 MB   lists of the finals accepted, united at each mask
//	ranges            43 us     191 us    55.6 MB   sorted ranges of ids
//	sorted ids        114 us    246 us   126.9 MB
//
// The paper uses ranges and finds them faster than bit sets. Ids of a BPE vocabulary are in order
// of merging, not of spelling, so that legal sets fall into runs of four or five ids; and the mask
// has to be a bit set in the end (ids in order of spelling would fall into fewer ranges, and would
// have to be mapped back one by one). Interning matters more than the form: 2.3 million arcs carry
// 11,600 different sets.
//
// # Deviations from the paper, and why
//
//   - Longest match is the contract's: one byte of lookahead decides, nothing is inhibited and
//     taken back. There is one lexer state, so one start state per lexer state, and no forks for a
//     match that may go on. Where a lexeme is emitted as several terminals (lexer mode "all") the
//     edge forks instead.
//   - A token's last lexeme stays pending. A final is labelled with reach, the terminals it can
//     become, and its template is made for a set: any of them may be shifted. The set's members are
//     followed together as long as they reduce alike.
//   - Templates and composition are built when first asked for, by what stacks or the eager search
//     ask. Composing all of the terminal DWA first builds what the grammar rules out at once.
//   - No normalization of the grammar (Aycock and others, cited by the paper): the contract
//     compares masks for the grammar as given. Chains of unit and empty reductions are inside one
//     template transition instead, so they cost nothing at run time. Grammars with hidden left
//     recursion keep cyclic templates: a template transition is then a graph, and the automaton,
//     not acyclic, still ends because items are finitely many and a cyclic graph of stacks is read
//     once per node and state. In resolved tables, runs that would reduce for ever are refused as
//     package lr does.
//   - The determinized automaton is not minimized afterwards: subsets that differ only by items
//     that no stack distinguishes stay apart. Minimization needs all states, so lazy engines could
//     not have it.
//   - A layout step (package layout) sits between the two machines. A newline lexeme is a symbol
//     that knows its column; what it becomes depends on registers that only the run has. Sequences
//     that depend on them start in nodes of their own, in one state per registers value, and items
//     carry the registers on; all others are shared. These states are always built as met.
//   - The recognizer decides about EOS: one check, by definition.
//   - Where a JSON string is pending, the terminal DWA that is composed with the templates is that
//     of the terminals which the symbol read first takes, whatever lies below. The product is the
//     same: paths that begin with another terminal accept nothing from there. Package spanner makes
//     these DWAs, from what it knows about strings for all schemas. (Llama 3: the p99 of first
//     visits is 87 us on 150 MaskBench schemas; without, 4.4 ms on 60 of them.)
//
// Tried and left out: deciding an item before the stack is read, when all states that can lie below
// (by the LR automaton's predecessors, as deep as needed) give the same answer. It saves a quarter
// of the arcs of an eager compile, and no reading (276,090 symbols instead of 276,764 over 35,418
// masks), at 5% more time. And keeping finished masks by the path read: to copy one out of memory
// takes about as long as to unite it. It made steps of new documents 1.1 to 1.4 times as long, and
// those of documents walked again a fifth shorter at best, for up to 250 MiB.
package parserdwa

import (
	"context"

	"gcdbench/algorithms"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "parserdwa" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "reads the parser's stack with a weighted automaton whose weights are token sets"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "determinize", Default: "lazy", Values: []string{"lazy", "eager", "none"},
			Help: "lazy: states are built when a stack first reaches them; eager: all of them offline; none: the automaton is run as it is, items with token sets"},
		{Name: "slices", Default: "on", Values: []string{"on", "off"},
			Help: "inside JSON strings, follow only the terminals that the LR state on top takes, over slices of the vocabulary that all grammars share"},
		{Name: "limit", Default: "4096", Check: algorithms.WholeNumber(1), Help: "largest size of the automaton, in MiB; an eager compile fails beyond it, a lazy engine starts anew"},
	}
}

// Compile implements algorithms.Algorithm.
func (algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p, err := p.Whole(ctx)
	if err != nil {
		return nil, err
	}
	return compile(ctx, p, o)
}
