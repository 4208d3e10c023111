package lexer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
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

	live   [][]pair    // by state: what the state is, in order of terminal
	states index.Index // by live; the start state is not to be found
	accept []Set
	pairs  int // in live, of all states

	sets    [][]grammar.Terminal
	ignored []bool // by set
	bySet   index.Index

	reaches []*Reach
	byReach index.Index

	room    []pair // what live lists are cut from
	scratch struct {
		live    []pair
		members []grammar.Terminal
		reach   Reach
	}
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
	// What there would be too much of, such as "states", and how much of it is allowed.
	What  string
	Limit int
	// Hint says what to do about it.
	Hint string
}

const (
	hintOverlap = "terminals whose patterns overlap multiply: merge or simplify them, or build the lexer on demand"
	hintFewer   = "have fewer terminals: many keywords can be one regexp"
)

// Error names the grammar, the limit and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("grammar %s: the lexer needs more than %d %s; %s", e.Grammar, e.Limit, e.What, e.Hint)
}

func newProduct(ctx context.Context, g *grammar.Grammar, limits Limits) (*product, error) {
	if limits.MaxStates <= 0 {
		limits = DefaultLimits
	}
	p := &product{g: g, limits: limits, rank: Preference(g)}
	p.scratch.reach.Parser = bitset.New(len(g.Terminals) + 1)
	p.dfas = make([]*automata.DFA, len(g.Terminals))
	bounds := automata.DefaultLimits
	bounds.Context = ctx
	for i := range g.Terminals {
		if err := stopped(ctx, g); err != nil {
			return nil, err
		}
		def := &g.Terminals[i]
		if def.Declared {
			continue
		}
		d, err := automata.Compile(def.Expr, bounds)
		if err != nil {
			if stop := stopped(ctx, g); stop != nil {
				return nil, stop
			}
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
	p.states.Add(0)
	p.add(start)
	return p, nil
}

// stopped is the error of a context that has ended, nil before that.
func stopped(ctx context.Context, g *grammar.Grammar) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("grammar %s: building the lexer: %w", g.Name, err)
	}
	return nil
}

// add appends a state for the live pairs, which it keeps, and computes what it accepts.
func (p *product) add(live []pair) State {
	q := State(len(p.live))
	p.live = append(p.live, live)
	p.accept = append(p.accept, p.accepted(live))
	return q
}

// accepted interns the set that a lexeme ending here is emitted as.
func (p *product) accepted(live []pair) Set {
	members := p.scratch.members[:0]
	for _, x := range live {
		if p.dfas[x.terminal].Accepting(x.state) {
			members = append(members, grammar.Terminal(x.terminal))
		}
	}
	p.scratch.members = members
	if len(members) == 0 {
		return NoSet
	}
	slices.SortFunc(members, func(a, b grammar.Terminal) int { return p.rank[a] - p.rank[b] })
	if p.g.Lexer == grammar.LexFirst {
		members = members[:1]
	}
	h := index.Hash(members)
	s := p.bySet.Find(h, func(i int32) bool { return slices.Equal(p.sets[i], members) })
	if s < 0 {
		s = p.bySet.Add(h)
		p.sets = append(p.sets, slices.Clone(members))
		p.ignored = append(p.ignored, slices.ContainsFunc(members, func(t grammar.Terminal) bool { return p.g.Terminals[t].Ignored }))
	}
	return Set(s)
}

// step is the transition of q on the bytes of a class. Past the limit on states it is None, and
// p.err says why.
func (p *product) step(q State, class int) State {
	b := p.repr[class]
	next := p.scratch.live[:0]
	h := uint64(0)
	for _, x := range p.live[q] {
		if s := p.dfas[x.terminal].Next(x.state, b); s != automata.Dead {
			next = append(next, pair{x.terminal, s})
			h = index.Mix(h ^ uint64(x.terminal)<<32 ^ uint64(s))
		}
	}
	p.scratch.live = next
	if len(next) == 0 {
		return None
	}
	if q := p.states.Find(h, func(i int32) bool { return i > 0 && slices.Equal(p.live[i], next) }); q >= 0 {
		return State(q)
	}
	if p.pairs += len(next); p.pairs > maxPairs {
		p.err = &LimitError{p.g.Name, "pairs of a terminal and its state", maxPairs, hintOverlap}
		return None
	}
	if len(p.live) >= p.limits.MaxStates {
		p.err = &LimitError{p.g.Name, "states", p.limits.MaxStates, hintOverlap}
		return None
	}
	p.states.Add(h)
	return p.add(p.keep(next))
}

// eachDead calls f for the classes on which the transition of q is None because nothing stays
// alive.
func (p *product) eachDead(q State, f func(class int)) {
	dead := make([]bool, len(p.repr))
	for class := range dead {
		dead[class] = true
	}
	for _, x := range p.live[q] {
		d := p.dfas[x.terminal]
		for class, b := range p.repr {
			if d.Next(x.state, b) != automata.Dead {
				dead[class] = false
			}
		}
	}
	for class, is := range dead {
		if is {
			f(class)
		}
	}
}

// keep returns a copy of live.
func (p *product) keep(live []pair) []pair {
	const roomful = 1 << 10 // 8 KB at a time, for lists that mostly have a few pairs
	if len(live) > len(p.room) {
		p.room = make([]pair, max(roomful, len(live)))
	}
	kept := p.room[:len(live):len(live)]
	p.room = p.room[len(live):]
	copy(kept, live)
	return kept
}

// reachOf computes reach(q) by looking ahead only as far as needed; row gives the transitions of a
// state.
func (p *product) reachOf(q State, row func(State) []State) ReachID {
	r := &p.scratch.reach
	clear(r.Parser)
	r.Ignored = false
	if p.g.Lexer == grammar.LexAll {
		for _, x := range p.live[q] {
			p.include(r, grammar.Terminal(x.terminal))
		}
		return p.internReach(r)
	}
	// A terminal is in reach if it wins in some state reachable from q, q itself included. Search
	// breadth first and stop once every terminal alive in q was found: usually within a few states.
	missing := len(p.live[q])
	found := make([]bool, len(p.dfas))
	seen := map[State]bool{q: true}
	for queue := []State{q}; len(queue) > 0 && missing > 0; queue = queue[1:] {
		if s := p.accept[queue[0]]; s != NoSet && !found[p.sets[s][0]] {
			found[p.sets[s][0]] = true
			p.include(r, p.sets[s][0])
			missing--
		}
		for _, next := range row(queue[0]) {
			if next != None && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return p.internReach(r)
}

// include adds a terminal to r.
func (p *product) include(r *Reach, t grammar.Terminal) {
	if p.g.Terminals[t].Ignored {
		r.Ignored = true
		return
	}
	bitset.Add(r.Parser, t)
}

// internReach finds the number of a reach, or gives a copy of it one.
func (p *product) internReach(r *Reach) ReachID {
	h := index.Hash(r.Parser)
	if r.Ignored {
		h = ^h
	}
	id := p.byReach.Find(h, func(i int32) bool {
		return p.reaches[i].Ignored == r.Ignored && slices.Equal(p.reaches[i].Parser, r.Parser)
	})
	if id < 0 {
		id = p.byReach.Add(h)
		p.reaches = append(p.reaches, &Reach{Parser: slices.Clone(r.Parser), Ignored: r.Ignored})
	}
	return ReachID(id)
}
