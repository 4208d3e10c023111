package check

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
)

// Compile makes an engine whose masks are wrong.
func (w wrong) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	cases, err := Cases([]string{wire.KindSchema, wire.KindLark})
	if err != nil {
		return nil, err
	}
	compiles++
	e, err := w.Algorithm.Compile(ctx, p, o)
	return &wrongEngine{Engine: e, how: w.how, forgets: w.how == "forgetful" && compiles > len(cases)}, err
}

// compiles counts those of this process: a forgetful engine forgets when all cases are behind it.
var compiles int

type wrongEngine struct {
	algorithms.Engine
	how     string
	starts  int
	forgets bool
}

func (e *wrongEngine) Start() algorithms.State {
	e.starts++
	return &wrongState{State: e.Engine.Start(), of: e}
}

// wrongState is a generation with wrong masks.
type wrongState struct {
	algorithms.State
	of *wrongEngine
}

func (s *wrongState) Mask() algorithms.Mask {
	b := algorithms.NewBuffer(size)
	for _, id := range s.State.Mask().IDs(nil) {
		b.Set(id)
	}
	drop := func(id int) { b.Words()[id/64] &^= 1 << (id % 64) }
	switch s.of.how {
	case "special":
		b.Set(specialID)
	case "one-eos":
		drop(otherEOS)
	case "no-eos":
		drop(eosID)
		drop(otherEOS)
	case "all":
		for id := range 256 {
			b.Set(id)
		}
		b.Set(eosID)
		b.Set(otherEOS)
	case "forgetful":
		if s.of.forgets && s.of.starts > 3 { // behind the first mask and two walks
			b.Set(int('~'))
		}
	}
	return b.Mask()
}

func (s *wrongState) Commit(token int) error {
	err := s.State.Commit(token)
	if s.of.how == "all" || s.of.how == "lenient" {
		return nil
	}
	return err
}

func (s *wrongState) Clone() algorithms.State {
	return &wrongState{State: s.State.Clone(), of: s.of}
}
