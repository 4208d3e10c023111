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
			Help: "lazy: subsets of items are built when a stack first reaches them; eager: all of them offline; none: the automaton is run as it is, items with token sets"},
		{Name: "masks", Default: "built", Values: []string{"built", "cached"},
			Help: "built: unite the weights met at each mask; cached: keep the mask of each path read"},
		{Name: "limit", Default: "4096", Check: checkLimit, Help: "largest size of the automaton, in MiB; an eager compile fails beyond it, a lazy engine starts anew"},
	}
}

// Compile implements algorithms.Algorithm.
func (algorithm) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	return compile(ctx, p, o)
}
