package parserdwa

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// A LimitError says that the automaton grew beyond the limit it was given while it was compiled.
type LimitError struct {
	Grammar string
	MiB     int // the limit
	States  int // states that had been built
	Arcs    int
}

// Error names the grammar, how far the compilation came, and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the weighted automaton of %s has more than %d MiB, at %d states and %d transitions: raise the option limit, or use determinize=lazy",
		e.Grammar, e.MiB, e.States, e.Arcs)
}

// eager builds all states and arcs that a run can come to: from the start state of each lexer
// state with each LR state that can be on top meanwhile, and on with the LR states that can lie
// below the one just read. A lexer built on demand has no list of its states, and layout
// registers have no bound: the states that depend on either are built when they are met.
type eager struct {
	a    *automaton
	ctx  context.Context
	todo []pending
	seen map[pending]bool
}

// pending is a state that was entered by reading a symbol.
type pending struct {
	at     *state
	symbol int32
}

// build does it. It fails with ctx's error or a *LimitError.
func (e *eager) build() error {
	p := e.a.composer.problem
	dfa, ok := p.Lexer.(*lexer.DFA)
	if !ok {
		return e.ctx.Err()
	}
	e.seen = map[pending]bool{}
	tops := p.Tables.Tops()
	for q := range lexer.State(dfa.NumStates()) {
		reach := dfa.ReachSet(dfa.Reach(q))
		if err := algorithms.Step(e.ctx, "lexer states", int(q), dfa.NumStates()); err != nil {
			return err
		}
		root := e.a.root(q)
		for _, top := range tops {
			if dfa.Begins(q) && (top != 0 || q != dfa.Start()) || !reach.Ignored && !bitset.Intersect(reach.Parser, p.Tables.Live(top)) {
				continue // the one before the first byte only; the other is never a legal prefix
			}
			e.enter(root.plain, top)
			if err := e.drain(); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter reads a symbol in a state, and notes the state that is come to.
func (e *eager) enter(s *state, symbol int32) {
	to := e.a.step(s, symbol).to
	if to == nil {
		return
	}
	if next := (pending{to, symbol}); !e.seen[next] {
		e.seen[next] = true
		e.todo = append(e.todo, next)
	}
}

// drain follows the noted states until none is left.
func (e *eager) drain() error {
	for len(e.todo) > 0 {
		next := e.todo[len(e.todo)-1]
		e.todo = e.todo[:len(e.todo)-1]
		for _, below := range e.a.composer.problem.Tables.Predecessors(next.symbol) {
			e.enter(next.at, below)
		}
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		if e.a.full() {
			return &LimitError{e.a.composer.problem.Grammar.Name, e.a.limit >> 20, len(e.a.states), e.a.arcs}
		}
	}
	return nil
}
