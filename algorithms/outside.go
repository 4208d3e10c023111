package algorithms

import (
	"context"
	"fmt"
)

// Engines from outside are programs in other languages, which run in processes of their own. They
// have the same interfaces as the algorithms of this module. They differ in three points, which
// this file is about: they read grammars from their text, they time themselves, and their
// processes can fail.

// Outside is an Algorithm that runs in a process of its own. It needs Problem.Source, and no
// Recognizer: a grammar that this module cannot compile may be one that it can.
type Outside interface {
	Algorithm
	// Ready is nil if the engine can be started with these options, which are resolved: it is
	// installed, say. The error tells what to do. No process is started.
	Ready(o Options) error
	// Prepare starts the engine's process and gives it the vocabulary of p, unless p.Kept has a
	// process with that vocabulary. It takes seconds, and is no part of a compile. Compile does it
	// if it was not done before.
	Prepare(ctx context.Context, p *Problem, o Options) error
	// Version tells builds apart: that of the engine, and of what stands between it and this program.
	Version(o Options) string
}

// A Server is an Outside whose process serves requests under load by itself.
type Server interface {
	Outside
	// Serve has a new process serve a job; grammars are those of the problems, by their numbers.
	Serve(ctx context.Context, problems []*Problem, o Options, job *Job) error
}

// A Job is the work of a Server, whose contents package harness/load defines.
type Job struct {
	Settings any   // as JSON
	Requests []any // as JSON, each
	Ledger   any   // a pointer, set from JSON
}

// IsOutside reports whether an algorithm runs in a process of its own.
func IsOutside(a Algorithm) bool {
	_, ok := a.(Outside)
	return ok
}

// Kinds of a Source.
const (
	// KindSchema is a JSON schema.
	KindSchema = "json-schema"
	// KindGrammar is a grammar in Lark's language, as package grammar/lark reads it. An engine that
	// has another dialect gets a translation of Problem.Grammar.
	KindGrammar = "grammar"
	// KindTools is a request with tools, in JSON (package tools), which each engine gets in its own
	// language.
	KindTools = "tools"
)

// A Source is the text that a Problem was compiled from.
type Source struct {
	Kind string // KindSchema, KindGrammar or KindTools
	// Name is a grammar's name, the path of a file, or the id of a schema.
	Name string
	// Text is the schema, or the request. A grammar is read by its Name, since it may import others.
	Text []byte
	// Tokenizer is the path of the vocabulary's tokenizer.json; "" if there is none. Some engines
	// tokenize texts by themselves where the grammar leaves no choice.
	Tokenizer string
	// Options are those that a schema was compiled with ("whitespace", "order", "lenient") or a
	// grammar was read with ("start", "import_paths"), by the names of configurations; nil for none.
	Options map[string]string
}

// A Bill has the costs of an engine from outside by its own clock.
type Bill struct {
	// GrammarNS is the part of the compile that comes before the algorithm's own, where the engine
	// tells them apart; 0 if it does not.
	GrammarNS int64
	// CompileNS is the time of the compile, FirstMaskNS that of the first mask of the fresh engine.
	CompileNS, FirstMaskNS int64
	// Bytes is the growth of the process, PeakBytes the most that it had beyond its size before; 0 if
	// unknown. For schemas it never is known: the process has compiled others before, and memory that
	// it freed then serves the next one.
	Bytes, PeakBytes int64
}

// Billed is an Engine that knows its own bill: it was compiled in another process.
type Billed interface {
	Engine
	Bill() Bill
	Provenance() Provenance
	// UsedBytes is by how much the process has grown by now, since before the compile; 0 where Bytes
	// is.
	UsedBytes() int64
}

// A Provenance is the self-description of an engine from outside.
type Provenance struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Build   string `json:"build,omitempty"`
	Licence string `json:"licence,omitempty"`
	// Kind is the kind of text that it compiled (a dialect of grammars, or KindSchema); Options are
	// those in effect.
	Kind    string            `json:"kind"`
	Options map[string]string `json:"options,omitempty"`
	// Notes name the features that a translation of the grammar could not express, and those that the
	// engine does not enforce.
	Notes []string `json:"notes,omitempty"`
	// VocabularyNS is the time of setting the vocabulary up, once in a process, by its clock.
	VocabularyNS int64 `json:"vocabulary_ns"`
	// ClockPairNS is the cost of a pair of reads of its clock. ClockEmptyNS is the time that a pair
	// around nothing shows; it is taken off its times. CallEmptyNS is an empty call of its binding;
	// it is not taken off.
	ClockPairNS  float64 `json:"clock_pair_ns"`
	ClockEmptyNS float64 `json:"clock_empty_ns"`
	CallEmptyNS  float64 `json:"call_empty_ns"`
}

// A ProcessError says how the process of an engine failed. Outcome is one of the words of package
// harness/cell: "crash", "out-of-memory", "timeout" or "compile-error".
type ProcessError struct {
	Engine  string
	Outcome string
	Detail  string
	Cause   error // nil if there is no more to know
}

// Unwrap is the cause.
func (e *ProcessError) Unwrap() error { return e.Cause }

// Error names the engine and what happened.
func (e *ProcessError) Error() string { return fmt.Sprintf("%s: %s", e.Engine, e.Detail) }

// A HarnessError says that this program could not do its part: there is no space for a file that it
// shares with an engine, say, or the engine that starts is not the one that was installed. It says
// nothing about the engine, so it is no outcome, and ends a command.
type HarnessError struct {
	Engine string
	Err    error
}

// Error names the engine and what happened.
func (e *HarnessError) Error() string { return fmt.Sprintf("%s: %v", e.Engine, e.Err) }

// Unwrap is what happened.
func (e *HarnessError) Unwrap() error { return e.Err }

// memoryKey is the key under which a context carries a limit of memory.
type memoryKey struct{}

// WithMemoryLimit returns a context that tells engines from outside how many bytes their process
// may have. The heap of this process is watched by the harness; that of another one is not.
func WithMemoryLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// MemoryLimit is the limit that a context carries, in bytes; 0 if it has none.
func MemoryLimit(ctx context.Context) int64 {
	limit, _ := ctx.Value(memoryKey{}).(int64)
	return limit
}

// semanticsByOption is an Algorithm whose semantics depend on its options: which engine it stands
// for is one of them.
type semanticsByOption interface {
	SemanticsWith(o Options) string
}

// SemanticsOf is the semantics of an algorithm with some options, which are resolved.
func SemanticsOf(a Algorithm, o Options) string {
	if by, ok := a.(semanticsByOption); ok {
		return by.SemanticsWith(o)
	}
	return a.Semantics()
}

// overapproximate is an Algorithm that has options with masks that are too wide.
type overapproximate interface {
	Overapproximates(o Options) bool
}

// Overapproximates reports whether an algorithm with some options, which are resolved, makes masks
// that are supersets of the right ones by design: its Commit refuses tokens that they allow.
func Overapproximates(a Algorithm, o Options) bool {
	by, ok := a.(overapproximate)
	return ok && by.Overapproximates(o)
}

// CatchProcess turns a panic with a *ProcessError into an error. State.Mask has no other way to say
// that the process of its engine failed. It is deferred.
func CatchProcess(err *error) {
	switch v := recover().(type) {
	case nil:
	case *ProcessError:
		*err = v
	default:
		panic(v)
	}
}
