// Package koo composes automata over characters with a vocabulary (Koo, Liu, He, "Automata-based
// constraints for language model decoding", COLM 2024). It is the algorithm "automata".
package koo

import (
	"context"
	"fmt"
	"strconv"

	"gcdbench/algorithms"
)

func init() { algorithms.Register(algorithm{}) }

// name is the algorithm's name; the folder's is another since a package automata exists already.
const name = "automata"

// Semantics is the name of the semantics: the package comment defines it.
const Semantics = "characters"

// maxEagerStates bounds what compile=eager composes: at some 4 ms each for 128,000 tokens, 5 minutes.
const maxEagerStates = 1 << 16

// A LimitError says that a limit kept the offline work from being finished.
type LimitError struct {
	What  string // what there was too much of
	Limit int64
	Hint  string // what to do
}

// Error names the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("automata: more than %d %s; %s", e.Limit, e.What, e.Hint)
}

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return name }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "composes the detokenizing transducer with character-level automata of the grammar, or of a regex"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return Semantics }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo {
	return []algorithms.OptionInfo{
		{Name: "compile", Default: "lazy", Values: []string{"lazy", "eager"},
			Help: "compose states when they are first visited, or ahead of time"},
		{Name: "shared-masks", Default: "on", Values: []string{"on", "off"},
			Help: "keep a mask per state of the terminals' automaton; off reads the whole vocabulary for each mask"},
		{Name: "pattern", Default: "", Check: checkPattern,
			Help: "a regular expression, with named groups as extensions, to enforce instead of the grammar"},
		{Name: "memory", Default: "512", Check: positive,
			Help: "MiB of composed states held at a time; lazy forgets them beyond that, eager fails"},
	}
}

func positive(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n <= 0 || n > 1<<20 {
		return fmt.Errorf("%q is not a number from 1 to %d", value, 1<<20)
	}
	return nil
}

// checkPattern refuses a pattern that cannot be compiled.
func checkPattern(value string) error {
	if value == "" {
		return nil
	}
	_, err := compilePattern(value)
	return err
}

// settings are the options, read.
type settings struct {
	eager, shared bool
	memory        int64 // bytes
}

// Compile implements algorithms.Algorithm.
func (a algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	o, err := algorithms.Resolve(a, o)
	if err != nil {
		return nil, err
	}
	s := settings{eager: o["compile"] == "eager", shared: o.Bool("shared-masks"), memory: int64(o.Int("memory")) << 20}
	if o["pattern"] != "" {
		m, err := compileRegular(ctx, o["pattern"], p.Vocabulary, s)
		if err != nil {
			return nil, err
		}
		return engine[*tokenState]{m}, nil
	}
	m, err := compileGrammar(ctx, p, s)
	if err != nil {
		return nil, err
	}
	return engine[configuration]{m}, nil
}
