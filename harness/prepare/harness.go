package prepare

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/tools"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/stats"
	"gcdbench/tokenizers"
)

// Of is the guard of an entry's operations.
func Of(g *bounds.Guard, e *Entry) *bounds.Guard {
	own := *g
	own.Elsewhere = e.Outside()
	return &own
}

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

	// In tests: whether no engine is weighed, which spares the collections of garbage around each;
	// what replaces the constant; and what is called before a file of results gets its name.
	Unweighed    bool
	Grace        time.Duration
	BeforeRename func(path string)
}

// Lookup finds an algorithm.
func (o *Options) Lookup(name string) (algorithms.Algorithm, error) {
	if o.Algorithm != nil {
		return o.Algorithm(name)
	}
	return algorithms.Lookup(name)
}

// NewGuard is the guard for the algorithms of a configuration.
func (o *Options) NewGuard(cfg *config.Config) *bounds.Guard {
	g := &bounds.Guard{Timeout: cfg.Measure.Timeout, Memory: memoryLimit(cfg), Every: 10 * time.Millisecond, Grace: bounds.Grace, Abandoned: &bounds.OfProcess}
	if o.Grace > 0 {
		g.Grace = o.Grace
	}
	return g
}

// Known lists what a configuration may name, from the registries.
func Known() config.Names {
	names := config.Names{Algorithms: map[string][]config.Option{}, Grammars: languages.Known(),
		Datasets: append(datasets.Names(), toolcalls.SamplesName), SchemaDatasets: datasets.SchemaNames(), ToolsDatasets: []string{toolcalls.SamplesName},
		ToolsFormats: append(tools.Formats(), "qwen"), ToolsChoices: tools.Choices(), ToolsTexts: tools.Texts(), Keywords: jsonschema.Keywords()}
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

// Entry is an algorithm of the configuration, ready to compile.
type Entry struct {
	config.Algorithm
	Maker     algorithms.Algorithm
	Options   algorithms.Options // with defaults
	Rewritten uint64             // the seed by which its grammars are rewritten; 0 if they are not
}

// Semantics is the language that it enforces.
func (e *Entry) Semantics() string { return algorithms.SemanticsOf(e.Maker, e.Options) }

// Outside reports whether it runs in a process of its own.
func (e *Entry) Outside() bool { return algorithms.IsOutside(e.Maker) }

// Entries looks the algorithms of a configuration up.
func Entries(cfg *config.Config, opt *Options) ([]*Entry, error) {
	var list []*Entry
	for _, a := range cfg.Algorithms {
		alg, err := opt.Lookup(a.Name)
		if err == nil {
			var full algorithms.Options
			if full, err = algorithms.Resolve(alg, a.Options); err == nil {
				err = ready(alg, full)
			}
			if err == nil {
				a.Copy = copiesIn(list, a.Name, full)
				list = append(list, &Entry{Algorithm: a, Maker: alg, Options: full})
				continue
			}
		}
		return nil, &InputError{cfg.File, a.Pos, "algorithm " + a.Name, err}
	}
	return list, nil
}

// copiesIn counts the entries with the same name and options. An option that is written as its
// default makes no other entry, which package config, that does not know defaults, takes for one.
func copiesIn(list []*Entry, name string, options algorithms.Options) (n int) {
	for _, e := range list {
		if e.Name == name && maps.Equal(e.Options, options) {
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

// IdOf is the ID of the cell of an entry on a prepared group.
func (g *Prepared) IdOf(e *Entry, cfg *config.Config, env environment.Environment) cell.ID {
	id := g.Question
	id.Schema = cell.Schema
	id.Algorithm, id.Options, id.Copy, id.Semantics = e.Name, e.Options, e.Copy, e.Semantics()
	id.Seed = cfg.Seed
	id.Warmup, id.Repeat, id.Compiles = cfg.Measure.Warmup, cfg.Measure.Repeat, cfg.Measure.Compiles
	id.Positions, id.Between = cfg.Measure.Positions, cfg.Measure.Between
	id.TimeoutNS, id.Memory = int64(cfg.Measure.Timeout), memoryLimit(cfg)
	if from, ok := e.Maker.(algorithms.Outside); ok {
		id.Version = from.Version(e.Options)
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

// ReferenceFirst orders entries by how well they serve as the reference: naive,
// which is the contract read literally, before the others as they stand.
func ReferenceFirst(list []*Entry) []*Entry {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *Entry) int {
		return stats.Truth(!a.Literal()) - stats.Truth(!b.Literal())
	})
	return sorted
}
