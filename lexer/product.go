package lexer

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
)

// product is the combined automaton as a construction: it turns a list of live (terminal, state)
// pairs into an interned state, and computes successors, accepted sets and reaches. It is not safe
// for concurrent use; Build uses it alone, OnDemand under a lock.
type product struct {
	g       *grammar.Grammar
	limits  Limits
	dfas    []*automata.DFA // by terminal; nil for declared ones
	rank    []int
	classes [256]uint8
	repr    []byte // one byte of each class

	live   [][]pair // by state: what the state is, in order of terminal
	byKey  map[string]State
	accept []Set
	rows   [][]State // by state; nil until expanded

	sets    [][]grammar.Terminal
	ignored []bool // by set
	bySet   map[string]Set

	reaches []*Reach
	byReach map[string]ReachID

	key []byte // scratch
	err error
}

// A pair is a terminal that is alive and the state its DFA is in.
type pair struct {
	terminal int32
	state    int32
}

// A LimitError says that the combined automaton of a grammar outgrew a limit.
type LimitError struct {
	Grammar string
	States  int // the limit
}

// Error names the grammar, the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("grammar %s: the lexer needs more than %d states; terminals whose patterns overlap multiply: "+
		"merge or simplify them, or build the lexer on demand", e.Grammar, e.States)
}

func newProduct(g *grammar.Grammar, limits Limits) (*product, error) {
	if limits.MaxStates <= 0 {
		limits = DefaultLimits
	}
	p := &product{g: g, limits: limits, rank: preference(g), byKey: map[string]State{}, bySet: map[string]Set{}, byReach: map[string]ReachID{}}
	p.dfas = make([]*automata.DFA, len(g.Terminals))
	for i := range g.Terminals {
		def := &g.Terminals[i]
		if def.Declared {
			continue
		}
		d, err := automata.Compile(def.Expr, automata.DefaultLimits)
		if err != nil {
			return nil, &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s: %v", def.Name, err)}
		}
		if d.MatchesEmpty() {
			return nil, &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s matches the empty string", def.Name),
				Hint: "a lexeme has at least one character: use + instead of *, and make the terminal optional in the rule"}
		}
		p.dfas[i] = d
	}
	p.mergeClasses()
	var start []pair
	for i, d := range p.dfas {
		if d != nil && d.NumStates() > 0 {
			start = append(start, pair{int32(i), d.Start()})
		}
	}
	// The start state is not interned: a lexeme's bytes may lead to the same pairs again, but then a
	// lexeme is pending, and at the start none is.
	p.add(start)
	return p, nil
}

// mergeClasses computes the coarsest partition of the bytes that refines every terminal's classes.
func (p *product) mergeClasses() {
	type signature struct {
		class uint8
		next  uint8
	}
	n := 1
	for _, d := range p.dfas {
		if d == nil {
			continue
		}
		of, _ := d.Classes()
		number := map[signature]uint8{}
		for b := range 256 {
			s := signature{p.classes[b], of[b]}
			c, ok := number[s]
			if !ok {
				c = uint8(len(number))
				number[s] = c
			}
			p.classes[b] = c
		}
		n = len(number)
	}
	p.repr = make([]byte, n)
	for b := 255; b >= 0; b-- {
		p.repr[p.classes[b]] = byte(b)
	}
}

// add appends a state for the live pairs and computes what it accepts.
func (p *product) add(live []pair) State {
	q := State(len(p.live))
	p.live = append(p.live, live)
	p.rows = append(p.rows, nil)
	p.accept = append(p.accept, p.accepted(live))
	return q
}

// accepted interns the set that a lexeme ending here is emitted as.
func (p *product) accepted(live []pair) Set {
	var members []grammar.Terminal
	for _, x := range live {
		if p.dfas[x.terminal].Accepting(x.state) {
			members = append(members, grammar.Terminal(x.terminal))
		}
	}
	if len(members) == 0 {
		return NoSet
	}
	slices.SortFunc(members, func(a, b grammar.Terminal) int { return p.rank[a] - p.rank[b] })
	if p.g.Lexer == grammar.LexFirst {
		members = members[:1:1]
	}
	p.key = p.key[:0]
	for _, t := range members {
		p.key = binary.AppendUvarint(p.key, uint64(t))
	}
	s, ok := p.bySet[string(p.key)]
	if !ok {
		s = Set(len(p.sets))
		p.sets = append(p.sets, members)
		p.ignored = append(p.ignored, slices.ContainsFunc(members, func(t grammar.Terminal) bool { return p.g.Terminals[t].Ignored }))
		p.bySet[string(p.key)] = s
	}
	return s
}

// row returns the transitions of q, computing them on the first call. Past the limit on states it
// leaves transitions out and records why in p.err.
func (p *product) row(q State) []State {
	if p.rows[q] != nil {
		return p.rows[q]
	}
	row := make([]State, len(p.repr))
	var next []pair
	for c, b := range p.repr {
		next = next[:0]
		for _, x := range p.live[q] {
			if s := p.dfas[x.terminal].Next(x.state, b); s != automata.Dead {
				next = append(next, pair{x.terminal, s})
			}
		}
		row[c] = p.intern(next)
	}
	p.rows[q] = row
	return row
}

func (p *product) intern(live []pair) State {
	if len(live) == 0 {
		return None
	}
	p.key = p.key[:0]
	for _, x := range live {
		p.key = binary.AppendUvarint(p.key, uint64(x.terminal))
		p.key = binary.AppendUvarint(p.key, uint64(x.state))
	}
	if q, ok := p.byKey[string(p.key)]; ok {
		return q
	}
	if len(p.live) >= p.limits.MaxStates {
		p.err = &LimitError{p.g.Name, p.limits.MaxStates}
		return None
	}
	key := string(p.key) // add reuses the scratch
	q := p.add(slices.Clone(live))
	p.byKey[key] = q
	return q
}

// reachOf computes reach(q) by looking ahead only as far as needed.
func (p *product) reachOf(q State) ReachID {
	found := make([]bool, len(p.dfas))
	if p.g.Lexer == grammar.LexAll {
		for _, x := range p.live[q] {
			found[x.terminal] = true
		}
		return p.internReach(found)
	}
	// A terminal is in reach if it wins in some state reachable from q, q itself included. Search
	// breadth first and stop once every terminal alive in q was found: usually within a few states.
	missing := len(p.live[q])
	seen := map[State]bool{q: true}
	for queue := []State{q}; len(queue) > 0 && missing > 0; queue = queue[1:] {
		if s := p.accept[queue[0]]; s != NoSet && !found[p.sets[s][0]] {
			found[p.sets[s][0]] = true
			missing--
		}
		for _, next := range p.row(queue[0]) {
			if next != None && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return p.internReach(found)
}

func (p *product) internReach(found []bool) ReachID {
	r := &Reach{Parser: make([]uint64, (len(found)+64)/64)}
	for t, ok := range found {
		switch {
		case !ok:
			continue
		case p.g.Terminals[t].Ignored:
			r.Ignored = true
		default:
			r.Parser[t>>6] |= 1 << (uint(t) & 63)
		}
	}
	p.key = p.key[:0]
	if r.Ignored {
		p.key = append(p.key, 1)
	}
	for _, w := range r.Parser {
		p.key = binary.LittleEndian.AppendUint64(p.key, w)
	}
	id, ok := p.byReach[string(p.key)]
	if !ok {
		id = ReachID(len(p.reaches))
		p.reaches = append(p.reaches, r)
		p.byReach[string(p.key)] = id
	}
	return id
}
