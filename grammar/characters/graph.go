package characters

import (
	"errors"
	"slices"
	"unicode"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A graph is the automaton of a terminal, read by characters.
type graph struct {
	edges   []edge                 // by the state that they leave, ascending
	entries []int32                // by kind of what stands in front: the state that a match begins in
	ends    map[int32]*restriction // by state that a match can end in
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
var errLongContext = errors.New("its condition on the text after its match covers more than one character, and a grammar without a lexer looks at one")

// newGraph reads the automaton of a pattern.
func newGraph(e *automata.Expr, front *automata.Front, limits automata.Limits) (*graph, error) {
	x := &graph{ends: map[int32]*restriction{}}
	d, err := x.enter(e, front, limits)
	if err != nil {
		return x, err
	}
	read := d.ByCharacters()
	var todo []int32
	seen := map[int32]bool{automata.Dead: true}
	for _, s := range x.entries {
		switch {
		case s != automata.Dead && d.Accepting(s):
			return x, errors.New("it matches the empty string")
		case !seen[s]:
			seen[s], todo = true, append(todo, s)
		}
	}
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

// firstLetter is behind all code points. Those from there on stand for special tokens, in order of
// their terminals: each is a letter that no character is.
const firstLetter = unicode.MaxRune + 1

// letter is the graph of a special token. What stands in front of a match is a character, and what
// is asked of one says nothing of a token.
func (w *writer) letter(t grammar.Terminal) (*graph, error) {
	if w.front != nil {
		return nil, &grammar.Error{Pos: w.g.Terminals[t].Pos, Message: "a grammar that is read without a lexer names a token, and a terminal asks what stands in front of its match",
			Hint: "leave the assertion out, or read the grammar with a lexer: %lexer contextual"}
	}
	r := firstLetter + rune(t)
	return &graph{entries: []int32{0}, edges: []edge{{from: 0, to: 1, ranges: []automata.RuneRange{{Lo: r, Hi: r}}}}, ends: map[int32]*restriction{1: {}}}, nil
}

// enter compiles a pattern and finds the entries.
func (x *graph) enter(e *automata.Expr, front *automata.Front, limits automata.Limits) (*automata.DFA, error) {
	if front == nil {
		d, err := automata.Compile(e, limits)
		if err == nil {
			x.entries = []int32{d.Start()}
		}
		return d, err
	}
	d, err := front.Compile(e)
	if err == nil {
		for kind := range front.Kinds() {
			x.entries = append(x.entries, d.Next(d.Start(), byte(kind)))
		}
	}
	return d, err
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

// strings lists the strings of a graph, as terminals, with the state that each ends in. It is not
// ok if they are too many.
func (w *writer) strings(x *graph) (list []ended, ok bool) {
	var todo []ended
	for kind, s := range x.entries {
		todo = append(todo, ended{kind: kind, state: s})
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if _, ends := x.ends[at.state]; ends && len(at.text) > 0 {
			list = append(list, at)
		}
		for _, e := range x.edges {
			for _, c := range e.classes {
				if e.from == at.state {
					t := w.behind(c, at.kind)
					todo = append(todo, ended{append(slices.Clone(at.text), grammar.T(t)), e.to, w.out.Terminals[t].Next})
				}
			}
		}
		if len(list)+len(todo) > maxStrings*w.kinds || len(at.text) > maxLength {
			return nil, false
		}
	}
	return list, true
}

// An ended is a string with the state that it ends in, and the kind of what stands in front of what
// follows.
type ended struct {
	text  []grammar.Symbol
	state int32
	kind  int
}

// text writes the rules of a terminal's matches and returns their nonterminal.
func (w *writer) text(x *graph, def *grammar.TerminalDef) grammar.Symbol {
	text := w.nonterminal(def.Name, def.Pos)
	if list, ok := w.strings(x); ok {
		for _, s := range list {
			w.rule(text, def.Pos, x.ends[s.state].not, s.text...)
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
			w.follow(x, e, c, after, def)
		}
	}
	return text
}

// follow writes the rules of one class of an edge.
func (w *writer) follow(x *graph, e edge, class grammar.Terminal, after map[int32]grammar.Symbol, def *grammar.TerminalDef) {
	for kind, entry := range x.entries {
		t := grammar.T(w.behind(class, kind))
		if e.from == entry {
			w.rule(after[e.to], def.Pos, nil, t)
		}
		if from, ok := after[e.from]; ok {
			w.rule(after[e.to], def.Pos, nil, from, t)
		}
	}
}
