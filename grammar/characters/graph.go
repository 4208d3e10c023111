package characters

import (
	"errors"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
)

// A graph is the automaton of a terminal, read by characters.
type graph struct {
	edges []edge                 // by the state that they leave, ascending
	ends  map[int32]*restriction // by state that a match can end in
}

// An edge leads from one state to another on some characters.
type edge struct {
	from, to int32
	ranges   []automata.RuneRange
	classes  []grammar.Terminal // of the ranges
}

// A restriction is what may not follow a match.
type restriction struct {
	ranges []automata.RuneRange
	end    bool               // nor may the end of the text
	not    []grammar.Terminal // both
}

// errLongContext is that of a context of several characters.
var errLongContext = errors.New("what it asks of the text after its match is more than one character, and without a lexer one is all that is looked at")

// newGraph reads the automaton of a pattern.
func newGraph(e *automata.Expr, limits automata.Limits) (*graph, error) {
	x := &graph{ends: map[int32]*restriction{}}
	d, err := automata.Compile(e, limits)
	switch {
	case err != nil || d.IsEmpty():
		return x, err
	case d.MatchesEmpty():
		return x, errors.New("it matches the empty string")
	}
	read := d.ByCharacters()
	todo, seen := []int32{d.Start()}, map[int32]bool{d.Start(): true}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var edges []automata.CharEdge
		if edges, err = read(s); err != nil {
			return x, err
		}
		for _, e := range edges {
			x.edges = append(x.edges, edge{from: s, to: e.To, ranges: e.Ranges})
			if !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
		if d.Accepting(s) {
			ranges, ok := d.BreakingCharacters(d.Context(s))
			if !ok {
				return x, errLongContext
			}
			x.ends[s] = &restriction{ranges: ranges, end: !d.ContextAtEnd(d.Context(s))}
		}
	}
	slices.SortStableFunc(x.edges, func(a, b edge) int { return int(a.from - b.from) })
	return x, nil
}

// holdOn lets a match end only before a character that it cannot go on with.
func (x *graph) holdOn() {
	for s, r := range x.ends {
		for _, e := range x.edges {
			if e.from == s {
				r.ranges = append(r.ranges, e.ranges...)
			}
		}
	}
}

// The strings of a terminal are written out if they are few and short.
const (
	maxStrings = 16
	maxLength  = 64
)

// strings lists the strings of a graph, as classes, with the state that each ends in. It is not ok
// if they are too many.
func (x *graph) strings() (list []ended, ok bool) {
	todo := []ended{{}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if _, ends := x.ends[at.state]; ends && len(at.classes) > 0 {
			list = append(list, at)
		}
		for _, e := range x.edges {
			for _, c := range e.classes {
				if e.from == at.state {
					todo = append(todo, ended{append(slices.Clone(at.classes), grammar.T(c)), e.to})
				}
			}
		}
		if len(list)+len(todo) > maxStrings || len(at.classes) > maxLength {
			return nil, false
		}
	}
	return list, true
}

// An ended is a string with the state that it ends in.
type ended struct {
	classes []grammar.Symbol
	state   int32
}

// text writes the rules of a terminal's matches and returns their nonterminal.
func (w *writer) text(x *graph, def *grammar.TerminalDef) grammar.Symbol {
	text := w.nonterminal(def.Name, def.Pos)
	if list, ok := x.strings(); ok {
		for _, s := range list {
			w.rule(text, def.Pos, x.ends[s.state].not, s.classes...)
		}
		return text
	}
	after := map[int32]grammar.Symbol{} // by state: what leads to it
	for _, e := range x.edges {
		if _, ok := after[e.to]; !ok {
			after[e.to] = w.nonterminal(def.Name, def.Pos)
			if r, ends := x.ends[e.to]; ends {
				w.rule(text, def.Pos, r.not, after[e.to])
			}
		}
	}
	for _, e := range x.edges {
		for _, c := range e.classes {
			if e.from == start {
				w.rule(after[e.to], def.Pos, nil, grammar.T(c))
			}
			if from, ok := after[e.from]; ok {
				w.rule(after[e.to], def.Pos, nil, from, grammar.T(c))
			}
		}
	}
	return text
}

// start is the state that every automaton starts in.
const start = int32(0)
