package completion

import (
	"slices"
	"sync"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
)

// Lengths: how many bytes a pending lexeme needs at least to be emitted as a terminal. There are
// two ways to know, one for each form of the lexer.
//
// A lexer built ahead is a table. One search backwards from the states that emit a terminal gives
// the exact length from every state, by the lexing rule: a terminal that never wins is never
// reached.
//
// A lexer built on demand must not be explored: it may be larger than any memory. Its states are
// lists of terminals with the states of their own automata, in which the way to the end is looked
// for from the states that are asked about. Where a lexeme is emitted as all its terminals these
// are exact; where one wins over others they are lower bounds.

// An ending is a terminal that a pending lexeme can become, and the bytes that it needs at least.
type ending struct {
	terminal grammar.Terminal
	bytes    cost
}

// lengths is one of the two ways to know.
type lengths interface {
	// look prepares a lexer state for questions about the terminals that are wanted.
	look(q lexer.State, wanted func(grammar.Terminal) bool) view
	// after appends the endings after one more byte; alive is whether the lexeme can go on with
	// it.
	after(dst []ending, v view, b byte) (list []ending, alive bool)
	// least is the length of the shortest lexeme that is emitted as a terminal.
	least(t grammar.Terminal) cost
}

// A view is a lexer state that was looked at. A table needs no parts.
type view struct {
	q      lexer.State
	wanted []part
	others []lexer.Part
}

// A part is a terminal that is alive in a lexer state and wanted.
type part struct {
	terminal grammar.Terminal
	dfa      *automata.DFA
	left     *distances // of dfa
	state    int32
}

// newLengths chooses by the form of the lexer. bytes are those that texts are made of.
func newLengths(g *grammar.Grammar, l lexer.Automaton, bytes []byte) lengths {
	switch l := l.(type) {
	case *lexer.DFA:
		return newTableLengths(g, l, bytes)
	case *lexer.OnDemand:
		return &partLengths{lexer: l, split: g.Split}
	}
	panic("completion: a lexer of an unknown form")
}

// A tableLengths is the lengths of a lexer built ahead.
type tableLengths struct {
	lexer *lexer.DFA
	bytes []byte     // the candidates
	ends  [][]ending // by lexer state
	first []cost     // by terminal: from the start state that is nearest
}

func newTableLengths(g *grammar.Grammar, l *lexer.DFA, bytes []byte) *tableLengths {
	t := &tableLengths{lexer: l, bytes: bytes, ends: make([][]ending, l.NumStates()), first: make([]cost, len(g.Terminals))}
	emits := make([][]lexer.State, len(g.Terminals))
	for q := range lexer.State(l.NumStates()) {
		for _, end := range l.Ends(q) {
			for _, x := range l.Members(end.Set) {
				if n := len(emits[x]); n == 0 || emits[x][n-1] != q {
					emits[x] = append(emits[x], q)
				}
			}
		}
	}
	under := t.reversed()
	left := make([]cost, l.NumStates())
	for x, queue := range emits {
		for q := range left {
			left[q] = unreachable
		}
		for _, q := range queue {
			left[q] = 0
		}
		for i := 0; i < len(queue); i++ {
			q := queue[i]
			t.ends[q] = append(t.ends[q], ending{grammar.Terminal(x), left[q]})
			for _, p := range under[q] {
				if left[p] == unreachable {
					left[p] = left[q] + 1
					queue = append(queue, p)
				}
			}
		}
		t.first[x] = unreachable
		for q := range lexer.State(len(left)) {
			if l.Begins(q) {
				t.first[x] = min(t.first[x], left[q])
			}
		}
	}
	return t
}

// reversed lists, by state, the states with a transition to it.
func (t *tableLengths) reversed() [][]lexer.State {
	under := make([][]lexer.State, t.lexer.NumStates())
	for q := range lexer.State(len(under)) {
		for _, b := range t.bytes {
			to := t.lexer.Next(q, b)
			if to == lexer.None {
				continue
			}
			if n := len(under[to]); n == 0 || under[to][n-1] != q {
				under[to] = append(under[to], q)
			}
		}
	}
	return under
}

func (t *tableLengths) look(q lexer.State, _ func(grammar.Terminal) bool) view { return view{q: q} }

func (t *tableLengths) after(dst []ending, v view, b byte) (list []ending, alive bool) {
	to := t.lexer.Next(v.q, b)
	if to == lexer.None {
		return dst, false
	}
	return append(dst, t.ends[to]...), true
}

func (t *tableLengths) least(x grammar.Terminal) cost { return t.first[x] }

// A partLengths is the lengths of a lexer built on demand.
type partLengths struct {
	lexer *lexer.OnDemand
	split *grammar.Split // nil: a lexeme is emitted as the terminal that it is
	left  sync.Map       // of *distances, by automaton: terminals may share one
}

func (p *partLengths) distances(d *automata.DFA) *distances {
	known, ok := p.left.Load(d)
	if !ok {
		known, _ = p.left.LoadOrStore(d, &distances{dfa: d, known: map[int32]cost{}})
	}
	return known.(*distances)
}

// distances are the bytes to the end from states of an automaton, which may have millions of them.
type distances struct {
	dfa *automata.DFA

	mu    sync.Mutex
	known map[int32]cost
}

// A footstep is a state on a way to the end.
type footstep struct {
	state int32
	from  int // the number of the step before; -1 for none
	bytes cost
}

// of is the bytes from a state to the end. The ways from it are followed breadth first, as far as
// they may be shorter than the best one that is known. What is found out about the states of that
// way is kept, so that the search from a state close by ends at the first of them.
func (x *distances) of(s int32) cost {
	x.mu.Lock()
	defer x.mu.Unlock()
	best, last := unreachable, -1
	steps := []footstep{{s, -1, 0}}
	seen := map[int32]bool{s: true}
	for i := 0; i < len(steps) && steps[i].bytes < best; i++ {
		at := steps[i]
		if left, ok := x.known[at.state]; ok || x.dfa.Accepting(at.state) {
			if at.bytes+left < best {
				best, last = at.bytes+left, i
			}
			continue
		}
		for _, to := range x.dfa.Row(at.state) {
			if to != automata.Dead && !seen[to] {
				seen[to] = true
				steps = append(steps, footstep{to, i, at.bytes + 1})
			}
		}
	}
	for i := last; i >= 0; i = steps[i].from {
		x.known[steps[i].state] = best - steps[i].bytes
	}
	return best
}

func (p *partLengths) look(q lexer.State, wanted func(grammar.Terminal) bool) view {
	v := view{q: q}
	for _, x := range p.lexer.Parts(nil, q) {
		n := len(v.wanted)
		for _, t := range p.split.EmittedAs(x.Terminal) {
			if wanted(t) {
				d := p.lexer.Terminal(t)
				v.wanted = append(v.wanted, part{t, d, p.distances(d), x.State})
			}
		}
		if len(v.wanted) == n {
			v.others = append(v.others, x)
		}
	}
	return v
}

func (p *partLengths) after(dst []ending, v view, b byte) (list []ending, alive bool) {
	for _, x := range v.wanted {
		if s := x.dfa.Next(x.state, b); s != automata.Dead {
			dst, alive = append(dst, ending{x.terminal, x.left.of(s)}), true
		}
	}
	return dst, alive || slices.ContainsFunc(v.others, func(x lexer.Part) bool {
		return p.lexer.Terminal(x.Terminal).Next(x.State, b) != automata.Dead
	})
}

func (p *partLengths) least(t grammar.Terminal) cost {
	d := p.lexer.Terminal(t)
	if d == nil || d.IsEmpty() {
		return unreachable
	}
	return p.distances(d).of(d.Start())
}
