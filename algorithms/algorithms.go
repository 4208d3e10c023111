// Package algorithms is the seam between the benchmark and the algorithms it compares: what an
// algorithm is given, what it must answer, and how it is found by name.
//
// # The life of an algorithm
//
// Compile does the offline work for one Problem, a compiled grammar and a vocabulary, and returns
// an Engine: immutable, shared by all generations. Start gives a State, one generation in progress.
// Mask answers which tokens may come next, Commit appends one. Both are the online work whose time
// is measured. Mask is a view of memory that belongs to the engine. Deliver writes the mask into
// memory of the caller, where a sampler reads it; its time is what a mask costs.
//
// # The contract
//
// A token is legal after a prefix exactly if recognizer.Recognizer.Read says so, and an EOS id
// exactly if recognizer.Recognizer.End does (the definition is spelled out in docs/contract.md).
// Where the grammar names special tokens, the vocabulary is one of tokenizers.Vocabulary.Naming, in
// which they are tokens like others. An algorithm of SemanticsContract must produce exactly that
// set at every position; Commit must refuse exactly the tokens that the mask leaves out, and a
// refused Commit leaves the State as it was. The conformance suite (package conformance) checks an
// algorithm against it.
//
// # Adding one
//
// Write a package with a type that implements Algorithm, call Register from its init function, and
// import it in package algorithms/all. Nothing else needs an edit; docs/adding.md walks through it.
package algorithms

import (
	"context"
	"fmt"

	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// SemanticsContract names the semantics of every algorithm that implements the contract of
// docs/contract.md. Masks are compared bit for bit among algorithms of one semantics.
const SemanticsContract = "contract"

// A Problem is what an algorithm compiles: a grammar with its lexer, its tables and its layout
// step, and a vocabulary. It is shared by all algorithms of a comparison and must not be changed.
type Problem struct {
	*recognizer.Recognizer
	Vocabulary *tokenizers.Vocabulary
	// Source is the text that the grammar was compiled from, for engines from outside. For those the
	// Recognizer may be nil. It is nil where nobody needs it.
	Source *Source
	// Kept has the findings that engines of one algorithm and its options share; nil keeps nothing
	// beyond the engine.
	Kept *Kept
}

// Now is the problem with as much of its grammar as there is: p itself, unless its rules are
// written on demand and there are more than p knows (recognizer.Recognizer.Current).
func (p *Problem) Now() *Problem { return p.over(p.Current()) }

// Whole is the problem with all rules of its grammar.
func (p *Problem) Whole(ctx context.Context) (*Problem, error) {
	r, err := p.Recognizer.Whole(ctx)
	if err != nil {
		return nil, err
	}
	return p.over(r), nil
}

// Wholly is what an algorithm compiles that takes no rules on demand: the problem with all rules of
// its grammar, and the options with all defaults.
func Wholly(ctx context.Context, a Algorithm, p *Problem, given Options) (*Problem, Options, error) {
	whole, err := p.Whole(ctx)
	if err != nil {
		return nil, nil, err
	}
	o, err := Resolve(a, given)
	return whole, o, err
}

// over is the problem with another recognizer.
func (p *Problem) over(r *recognizer.Recognizer) *Problem {
	if r == p.Recognizer {
		return p
	}
	other := *p
	other.Recognizer = r
	return &other
}

// An Algorithm is a way to compute masks.
type Algorithm interface {
	// Name is the name used on the command line and in configurations.
	Name() string
	// Summary says in one line what the algorithm does.
	Summary() string
	// Semantics names the language the algorithm enforces; most say SemanticsContract.
	Semantics() string
	// Options describes the options Compile understands.
	Options() []OptionInfo
	// Compile does the offline work. It returns an *UnsupportedError for a problem outside the
	// algorithm's scope, and ctx's error soon after ctx is done. What takes long calls Step.
	Compile(ctx context.Context, p *Problem, o Options) (Engine, error)
}

// A Grower is an Algorithm that compiles a grammar whose rules are written on demand as it is. Any
// other has all of them written first (Problem.Whole).
type Grower interface {
	Algorithm
	// Grows tells whether the algorithm does so with these options.
	Grows(o Options) bool
}

// Grows tells whether an algorithm takes a grammar whose rules are written on demand, with these
// options.
func Grows(a Algorithm, o Options) bool {
	grower, is := a.(Grower)
	return is && grower.Grows(o)
}

// An Engine is a compiled problem. It is safe for concurrent use.
type Engine interface {
	// Start begins a generation with the empty prefix.
	Start() State
	// Stats reports what the engine built, now.
	Stats() Stats
}

// A State is one generation. It must not be used by two goroutines at once; its Clones may.
type State interface {
	// Mask is the set of tokens that may come next. It is valid until the next call of Mask or
	// Commit on this State, and must not be expected to survive that; Clone the Mask to keep it.
	// After EOS was committed it is empty.
	Mask() Mask
	// Commit appends a token. A token that Mask leaves out is refused with a *RefusedError, and the
	// State is as it was.
	Commit(token int) error
	// Clone is an independent State at the same position.
	Clone() State
}

// A Filler is a State that computes its mask in memory of the caller. It is for engines that make
// each mask anew; one that returns masks it keeps need not be one, since Deliver copies those.
type Filler interface {
	State
	// Fill overwrites row, which has MaskWords(|V|) words, with the mask that Mask would return. The
	// row stays the caller's: the State keeps no reference to it. A Mask of this State is invalid
	// from then on, as after a call of Mask.
	Fill(row []uint64)
}

// An Idler is a State whose engine builds something while the model computes, so that a step need
// not. Idle builds a piece, and tells whether there is another. The harness calls it after each
// delivered mask until there is none, and counts its time as building, and in the whole request.
type Idler interface {
	State
	Idle() (more bool)
}

// Idle has s build a piece, if it is an Idler, and tells whether there is another.
func Idle(s State) (more bool) {
	i, ok := s.(Idler)
	return ok && i.Idle()
}

// Deliver writes the mask of s into row, which has MaskWords(|V|) words and belongs to the caller:
// by Fill if s is a Filler, or else by a copy of what Mask returns.
func Deliver(s State, row []uint64) {
	if f, ok := s.(Filler); ok {
		f.Fill(row)
		return
	}
	s.Mask().CopyTo(row)
}

// A Rewinder is a State that can take back tokens. Every State of this module is one; those that
// embed Position get it from there.
type Rewinder interface {
	State
	// Rollback takes back the last k tokens committed. It fails, and changes nothing, if there are
	// fewer.
	Rollback(k int) error
}

// Stats are an engine's figures about itself.
type Stats struct {
	// Bytes is the memory the engine holds beyond the Problem, as it counts it; 0 if it does not.
	Bytes int64
	// Counters are sizes and counts specific to the algorithm, in a fixed order.
	Counters []Counter
}

// A Counter is one named figure of an engine.
type Counter struct {
	Name  string  `json:"name"` // such as "states" or "nodes visited"
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // "" for a count
}

// BuiltMasks is the name of the counter of an engine that builds on the way: how many of its masks
// had to build something first. Over documents that are walked again it does not grow, as
// everything is there then.
const BuiltMasks = "masks that had to build"

// An UnsupportedError says that a problem is outside an algorithm's scope.
type UnsupportedError struct {
	Algorithm string
	Reason    string
	Cause     error // the error that the reason is the text of; nil if there is none
}

// Unwrap is the cause.
func (e *UnsupportedError) Unwrap() error { return e.Cause }

// Error names the algorithm and the reason.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s does not support this problem: %s", e.Algorithm, e.Reason)
}

// A RefusedError says that a token may not follow.
type RefusedError struct {
	Token int
	// Text is the token's bytes; nil for EOS and for ids that are never legal.
	Text []byte
	// Reason says which kind of refusal it is.
	Reason string
	// Cause is what has kept the grammar from being followed (recognizer.Recognizer.Err), so that the
	// token may be one that it has; nil if there was nothing.
	Cause error
}

// Error names the token and why it was refused.
func (e *RefusedError) Error() string {
	text, reason := "", e.Reason
	if e.Text != nil {
		text = fmt.Sprintf(" %q", e.Text)
	}
	if e.Cause != nil {
		reason = fmt.Sprintf("%s, as far as it can be followed: %v", reason, e.Cause)
	}
	return fmt.Sprintf("token %d%s is refused: %s", e.Token, text, reason)
}

// Unwrap is the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }
