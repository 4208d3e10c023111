// Package maskstore is the DFA mask store of SynCode, with 0 or 1 terminals of lookahead, plain
// and streamlined by proofs.
//
// # What it is
//
// After Ugare, Suresh, Kang, Misailovic and Singh, "SynCode: LLM Generation with Grammar
// Augmentation" (arXiv 2403.01632). For a state of a terminal's DFA and a sequence of terminals,
// dmatch tells whether a token may come:
//
//   - the DFA consumes all of it and is alive then (the token stays inside the terminal), or
//   - the DFA accepts a beginning of it, and nothing more is asked, or
//   - the DFA accepts a beginning of it, and dmatch holds for the rest, the start state of the
//     sequence's first terminal, and the rest of the sequence.
//
// M0 has a mask for each state with the empty sequence, M1 one for each state and one terminal.
// Option lookahead says which. At a position the pending lexeme has led each terminal that it may
// still become to a state; the parser says which of these terminals it takes, and with M1 which
// terminals after each. The mask is the union of what the store has for them.
//
//	dmatch.go  dmatch for all tokens
//	store.go   the masks, the proofs, and what each lexer state asks
//	mask.go    a mask from the store and the parser
//
// Such masks are supersets of the right ones: of a token that goes through more terminals than the
// store looks at, the rest is not looked at, and dmatch may end a terminal sooner than the lexer
// does. Commit refuses what the grammar does not allow, so that a sampler has to draw again. So
// the algorithm has semantics of its own, one for each number of terminals. With option
// masks=exact the parser reads the tokens that the store allows, and the masks are the contract's.
//
// # Streamlined
//
// Option store=streamlined drops and merges masks by the proofs of Tran-Thien's "Accelerating LLM
// Code Generation Through Mask Store Streamlining" (package legality). The pairs are terminals x
// and y, y directly after x: x was shifted last and y may be pending, or x is taken from what is
// pending and y begins after it. Masks of never legal pairs are dropped. Always legal pairs have
// one ready mask. Of jointly legal pairs the parser reads one. Masks are the plain
// store's, bit for bit.
//
// # Deviations, and why
//
// The proofs are over the parser's tables, as in package legality and for its reasons: where
// conflicts were resolved, the rules always allow what the parser refuses, and the streamlined
// masks would be others than the plain ones.
//
// The paper takes M1 where the pending lexeme is complete, for its own terminal, and M0 otherwise;
// here M1 is taken for each terminal that it may become, which makes no mask larger. Ignored
// terminals after the pending one do not count: dmatch goes on after them, as SynCode's
// sequences of a terminal, an ignored one and a third do. SynCode 0.4.16 differs from the paper:
// it ends a terminal at its longest match only, skips blanks before a terminal, and where a
// remainder is complete it allows no token that goes through two terminals, so that it refuses
// legal ones. Equal masks are stored once; a counter says how large the store is with a mask for
// each pair, which is what SynCode holds.
//
// # When it applies, and what bounds it
//
// To grammars of one terminal for each lexeme and one stack, as the other algorithms in the form
// of their papers. Offline it is a walk of the prefix tree for each state of a terminal's DFA, and
// a mask of |V|/8 bytes for each different pair; beyond option memory the compile ends. Online,
// plain, each terminal of the grammar is a question for each terminal that may be pending. Exact,
// the parser reads each token that the store allows, some 70,000 at a position of Java.
//
// With lookahead 1 and the tokens of Llama 3, Java has 112,860 pairs of a state and a terminal: 1.8
// GB with a mask for each, 96 MB with equal masks once, and streamlined 11,667 pairs and 44 MB.
// Both take 1.3 to 1.6 s of processor time. SQL has 832,038 pairs: 13 GB, or 415
// MB, and streamlined 271,276 and 267 MB. Both take some 9 s there, half a second of it for the
// proofs; 81,923 of its 90,300 pairs of terminals are left for the parser.
package maskstore

import (
	"context"
	"fmt"
	"strconv"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "maskstore" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "masks by state of a terminal's DFA and what may follow it, which are supersets of the right ones"
}

// Semantics implements algorithms.Algorithm: it is that of the default options.
func (algorithm) Semantics() string { return semanticsOf(1) }

// semanticsOf is the semantics of masks that look ahead some terminals.
func semanticsOf(lookahead int) string { return fmt.Sprintf("dmatch, lookahead %d", lookahead) }

// SemanticsWith is the semantics of some options.
func (algorithm) SemanticsWith(o algorithms.Options) string {
	if o["masks"] == "exact" {
		return algorithms.SemanticsContract
	}
	return semanticsOf(o.Int("lookahead"))
}

// Overapproximates reports whether some options give masks that are supersets of the right ones.
func (algorithm) Overapproximates(o algorithms.Options) bool { return o["masks"] == "superset" }

// DefaultMemory is the default of option memory, in MiB.
const DefaultMemory = 1536

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "lookahead", Default: "1", Values: []string{"0", "1"}, Help: "how many terminals after the pending one a mask knows of"},
		{Name: "store", Default: "streamlined", Values: []string{"plain", "streamlined"}, Help: "every mask as published, or those that proofs of what is always, never and jointly legal leave"},
		{Name: "masks", Default: "superset", Values: []string{"superset", "exact"}, Help: "the store's masks, or those of its tokens that the parser takes"},
		{Name: "memory", Default: strconv.Itoa(DefaultMemory), Check: algorithms.WholeNumber(1), Help: "the most MiB that the store may hold"},
	}
}

// config is the options, read.
type config struct {
	lookahead          int
	streamlined, exact bool
	limit              int64 // bytes
}

// Compile implements algorithms.Algorithm. A store beyond its limit is unsupported.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	p, o, err := algorithms.Wholly(ctx, a, p, o)
	if err != nil {
		return nil, err
	}
	if why := spanner.NotPublished(p.Recognizer); why != "" {
		return nil, &algorithms.UnsupportedError{Algorithm: a.Name(), Reason: "the paper has no " + why}
	}
	s, err := build(ctx, p, config{
		lookahead: o.Int("lookahead"), streamlined: o["store"] == "streamlined", exact: o["masks"] == "exact", limit: int64(o.Int("memory")) << 20,
	})
	if err != nil {
		return nil, err
	}
	return algorithms.ComparingItems(p, &engine{store: s}), nil
}
