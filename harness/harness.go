// Package harness runs comparisons: it feeds the documents of a workload to the algorithms token by
// token (teacher forcing), compares every mask, measures, and stores the results.
//
// # The way of a run
//
//	prepare.go    loads a workload and encodes its documents
//	unit.go       a grammar with its documents; schema.go compiles the grammar of a schema
//	run.go        one group after the other: a workload on a vocabulary
//	group.go      the algorithms of a group (type engine), unit by unit
//	warmup.go     before the first schema; start.go starts engines in processes of their own
//	prove.go      has an untimed instance of each algorithm walk each document (a trial)
//	judge.go      compares the answers; compare.go has the rules, shrink.go makes a wrong mask small
//	round.go      times the trials of a document; package measure has the clock
//	use.go        weighs the engines after all documents
//	throughput.go measures batches of generations
//	resume.go     reads the journal of an interrupted run
//	shard.go      takes the part of a shard out of a group
//
// verify.go has Verify, which compares masks by judge.go and times nothing. guard.go stands between
// the harness and the algorithms: a panic, an endless loop and a growing heap become outcomes.
//
// # Schemas
//
// A workload of programs has one grammar, compiled once. In a schema corpus each document is an
// instance of a JSON schema, and each schema is a grammar of its own. One schema is compiled,
// walked by all algorithms and released before the next, so that ten thousand schemas take the
// memory of one. Their results are in the journal, from which the cells are made at the end. Verify
// spreads schemas over all processors; Run takes one after the other.
//
// There a failure is a wrong mask, an invalid instance that is accepted, or a crash. A schema that
// is not supported or faulty, and a valid instance that is refused, are limitations, which are
// expected of any engine and counted: see outcomes.
//
// # What the times mean
//
// docs/methodology.md has the rules, package measure how one generation is timed. In short: masks
// are compared first, on engines of their own. Then the algorithms take turns document by document,
// in an order that the seed draws anew for each pass and the result records, so that a machine that
// slows down for a minute slows all of them. The first pass over a document is timed, since an
// engine that builds on demand has not seen it; later passes are timed again. Garbage is collected
// between timed operations, never in one (unless a single operation allocates up to the memory
// limit, which is counted). The goroutine is locked to its thread, and the thread to a core.
//
// A lexer that is built on demand grows with every question, so every compile of a schema by an
// algorithm gets a new lexer. An algorithms.Kept outlives engines. The timed engines of an
// algorithm have one, the engines whose answers are compared have another, and no algorithm finds
// what another one built.
//
// # What bounds it
//
// Algorithms of this module run in this process. A panic is caught. A fatal error of the Go runtime
// is attributed at the next start of the same command. An engine that ignores cancellation cannot
// be stopped: after a grace period its operation is abandoned, the sample is a timeout, and
// everything measured while the operation still runs says so. The memory limit is on the heap, read
// every few milliseconds: an engine that allocates gigabytes in less time, or outside of the Go
// heap, is not caught in time. The memory of abandoned operations is charged to no other engine, up
// to a ceiling at which the run ends: see abandoned.go.
package harness

import (
	"gcdbench/harness/stats"

	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/tools"
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
	// Shard is the part of the work to do; nil for all of it.
	Shard *cell.Shard
	// Rewritten is on how many rewritten forms of each grammar Verify and VerifyOn ask each algorithm
	// again; their seeds are drawn from the configuration's. See rewritten.go.
	Rewritten int
	// Algorithm finds algorithms by name; nil for the registry's Lookup.
	Algorithm func(name string) (algorithms.Algorithm, error)

	// splitPrograms has shards by documents divide the documents of one grammar, too.
	splitPrograms bool

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
	names := config.Names{Algorithms: map[string][]config.Option{}, Grammars: languages.Known(),
		Datasets: append(datasets.Names(), toolcalls.SamplesName), SchemaDatasets: datasets.SchemaNames(), ToolsDatasets: []string{toolcalls.SamplesName},
		ToolsFormats: append(tools.Formats(), "qwen"), ToolsChoices: tools.Choices(), ToolsTexts: tools.Texts()}
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
	rewritten uint64             // the seed by which its grammars are rewritten; 0 if they are not
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
				a.Copy = copiesIn(list, a.Name, full)
				list = append(list, &entry{Algorithm: a, algorithm: alg, options: full})
				continue
			}
		}
		return nil, &InputError{cfg.File, a.Pos, "algorithm " + a.Name, err}
	}
	return list, nil
}

// copiesIn counts the entries with the same name and options. An option that is written as its
// default makes no other entry, which package config, that does not know defaults, takes for one.
func copiesIn(list []*entry, name string, options algorithms.Options) (n int) {
	for _, e := range list {
		if e.Name == name && maps.Equal(e.options, options) {
			n++
		}
	}
	return n
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
	if g.part != nil {
		id.Part = g.part.Shard.String()
	}
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
		return stats.Truth(!a.literal()) - stats.Truth(!b.literal())
	})
	return sorted
}
