// Package harness runs comparisons: it feeds the documents of a workload to the
// algorithms token by token (teacher forcing), compares every mask, measures, and
// stores what it found.
//
// The way of a run through the files: prepare.go loads a workload and encodes its
// documents; group.go runs all algorithms of one workload and vocabulary; for each
// grammar prove.go asks an engine of each algorithm that nobody times, compare.go and
// judge.go judge the answers, and shrink.go makes a wrong mask small; round.go then times
// document by document, package measure holding the clock; use.go weighs what the
// engines have become; run.go strings the groups together. guard.go stands between
// the harness and the algorithms: whatever they do (panic, hang, grow) becomes an
// outcome. start.go has what comes before the time of an engine that runs in a process of its own.
//
// # Schemas
//
// A workload of programs has one grammar, compiled once. In a schema corpus each
// document is an instance of a JSON schema, and each schema is a grammar of its own:
// unit.go holds a grammar with its documents, and schema.go goes from a schema's text
// to a problem. One schema is compiled, walked by all algorithms and released before
// the next, so that ten thousand take the memory of one; what was measured is in the
// journal (resume.go) and is read back when the cells are put together. Verify spreads
// schemas over all processors, Run takes one after the other.
//
// There a failure is a wrong mask, an invalid instance that is accepted, or a crash. A
// schema that is not supported, or that is wrong itself, and a valid instance that
// is refused are limitations, which are expected of any engine and counted: see
// outcomes.
//
// # What the times mean
//
// docs/methodology.md says it in full, package measure how one generation is timed. In
// short: truth comes first, by engines of their own; then the algorithms take turns
// sample by sample, in an order drawn anew for each pass by the seed and recorded, so that
// a machine that slows down for a minute slows all of them. The first pass over a
// sample is timed, since an engine that builds on demand has not seen it; later ones
// are timed again when it has. Garbage is collected between timed operations, never in
// one (unless a single operation allocates up to the memory limit, which is counted). The
// goroutine is locked to its thread, and the thread to a core.
//
// Where a grammar is built on demand, its lexer remembers what it was asked, so every
// compile of a schema by an algorithm gets a lexer that nobody has used. What outlives
// engines belongs to the engine (algorithms.Kept): those that are timed, those whose
// answers are compared, and other engines find nothing of each other's.
//
// # What bounds it
//
// Everything runs in one process. A panic is caught, and so is a fatal error of
// the Go runtime, at the next start of the same command; but an engine that
// ignores cancellation cannot be stopped: after a grace period its goroutine is
// abandoned, the sample is a timeout, and everything measured while it still runs
// says so. Memory is what the heap holds, looked at every few milliseconds: an
// engine that allocates gigabytes in less, or outside the Go heap, is not caught
// in time. What an abandoned engine holds is charged to nobody else, up to a
// ceiling at which the run ends: see behind.go.
package harness

import (
	"fmt"
	"io"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammars"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/tokenizers"
)

// Options are what the commands have in common.
type Options struct {
	// Out is the result directory.
	Out string
	// Progress gets lines, or a bar if it is a terminal; nil for silence.
	Progress io.Writer
	// Tokenizers says where tokenizers may come from.
	Tokenizers tokenizers.Options
	// Algorithm finds algorithms by name; nil for the registry's Lookup.
	Algorithm func(name string) (algorithms.Algorithm, error)

	// In tests: what replaces the constant, and what is called before a file of results gets its name.
	grace        time.Duration
	beforeRename func(path string)
}

// lookup finds an algorithm.
func (o *Options) lookup(name string) (algorithms.Algorithm, error) {
	if o.Algorithm != nil {
		return o.Algorithm(name)
	}
	return algorithms.Lookup(name)
}

// newGuard is the guard for the algorithms of a configuration.
func (o *Options) newGuard(cfg *config.Config) *guard {
	g := &guard{timeout: cfg.Measure.Timeout, memory: memoryLimit(cfg), every: 10 * time.Millisecond, grace: grace, abandoned: &ofProcess}
	if o.grace > 0 {
		g.grace = o.grace
	}
	return g
}

// Known lists what a configuration may name, from the registries.
func Known() config.Names {
	names := config.Names{Algorithms: map[string][]config.Option{}, Grammars: grammars.Names(),
		Datasets: datasets.Names(), SchemaDatasets: datasets.SchemaNames()}
	for _, name := range algorithms.Names() {
		a, err := algorithms.Lookup(name)
		if err != nil {
			panic(err) // Names lists what Lookup finds
		}
		names.Algorithms[name] = configOptions(a)
	}
	for _, info := range tokenizers.Names() {
		names.Tokenizers = append(names.Tokenizers, info.Name)
	}
	return names
}

// configOptions turns an algorithm's description of its options into what package
// config checks against, which does not know algorithms.
func configOptions(a algorithms.Algorithm) []config.Option {
	var list []config.Option
	for _, o := range a.Options() {
		list = append(list, config.Option{Name: o.Name, Values: o.Values, Check: o.Check})
	}
	return list
}

// InputError says that a workload or a tokenizer of the configuration cannot be
// loaded. It carries the place in the configuration.
type InputError struct {
	File string
	Pos  config.Position
	What string
	Err  error
}

// Error is the place in the configuration, what could not be loaded, and why.
func (e *InputError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %v", e.File, e.Pos.Line, e.Pos.Column, e.What, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// entry is an algorithm of the configuration, ready to compile.
type entry struct {
	config.Algorithm
	algorithm algorithms.Algorithm
	options   algorithms.Options // with defaults
}

// semantics is the language that it enforces.
func (e *entry) semantics() string { return algorithms.SemanticsOf(e.algorithm, e.options) }

// outside reports whether it runs in a process of its own.
func (e *entry) outside() bool { return algorithms.IsOutside(e.algorithm) }

// entries looks the algorithms of a configuration up.
func entries(cfg *config.Config, opt *Options) ([]*entry, error) {
	var list []*entry
	for _, a := range cfg.Algorithms {
		alg, err := opt.lookup(a.Name)
		if err == nil {
			var full algorithms.Options
			if full, err = algorithms.Resolve(alg, a.Options); err == nil {
				err = ready(alg, full)
			}
			if err == nil {
				list = append(list, &entry{a, alg, full})
				continue
			}
		}
		return nil, &InputError{cfg.File, a.Pos, "algorithm " + a.Name, err}
	}
	return list, nil
}

// ready is nil if an algorithm can be called here: one from outside has to be installed.
func ready(a algorithms.Algorithm, o algorithms.Options) error {
	if from, ok := a.(algorithms.Outside); ok {
		return from.Ready(o)
	}
	return nil
}

// id is the ID of the cell of an entry on a prepared group.
func (g *prepared) id(e *entry, cfg *config.Config, env environment.Environment) cell.ID {
	id := g.question
	id.Schema = cell.Schema
	id.Algorithm, id.Options, id.Copy, id.Semantics = e.Name, e.options, e.Copy, e.semantics()
	id.Seed = cfg.Seed
	id.Warmup, id.Repeat, id.Compiles = cfg.Measure.Warmup, cfg.Measure.Repeat, cfg.Measure.Compiles
	id.Positions, id.Between = cfg.Measure.Positions, cfg.Measure.Between
	id.TimeoutNS, id.Memory = int64(cfg.Measure.Timeout), memoryLimit(cfg)
	if from, ok := e.algorithm.(algorithms.Outside); ok {
		id.Version = from.Version(e.options)
	}
	id.Machine = env.Machine
	return id
}

// memoryLimit resolves measure.memory: half of the machine's memory if it is not
// set, so that a run never takes a machine down.
func memoryLimit(cfg *config.Config) int64 {
	if cfg.Measure.Memory > 0 {
		return cfg.Measure.Memory
	}
	const fallback = 4 << 30 // where the machine does not tell
	if total := environment.Memory(); total > 0 {
		return total / 2
	}
	return fallback
}

// referenceFirst orders entries by how well they serve as the reference: naive,
// which is the contract read literally, before the others as they stand.
func referenceFirst(list []*entry) []*entry {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *entry) int {
		return boolToInt(a.Name != naive) - boolToInt(b.Name != naive)
	})
	return sorted
}

// boolToInt is 1 for true.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
