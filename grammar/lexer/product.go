package lexer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/arena"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// product is the combined automaton as a construction: it turns a list of live (terminal, state)
// pairs into an interned state, and computes successors, accepted sets and reaches. It is not safe
// for concurrent use; Build uses it alone, OnDemand under a lock.
type product struct {
	*generation
	limits  Limits
	dfas    []*automata.DFA // by terminal; nil for declared ones
	rank    []int
	classes [256]uint8
	repr    []byte // one byte of each class

	live   [][]pair    // by state: what the state is, in order of terminal
	states index.Index // by live; start states are not to be found
	ends   [][]End
	begins []bool // by state: whether it is a start state
	pairs  int    // in live, of all states

	front    *automata.Front        // nil: no terminal asks what stands in front
	asking   map[*automata.DFA]bool // of the terminals that ask
	uniform  bool                   // see Automaton.Uniform
	cuts     bool                   // some terminals are lazy: a lexeme ends where it matches one
	lateEnds bool                   // ends are found out when they are asked for, as they change when the grammar grows
	excluded [][]bool               // sets of byte classes, in which nothing begins; 0 is the empty one
	byExpr   map[*automata.Expr]*automata.DFA
	// nearest has, by state, the first step to a nearest text, of automata that were asked for one.
	nearest  map[*automata.DFA][]nearStep
	branches map[State]*branches // see moving

	sets    [][]grammar.Terminal
	ignored []bool // by set
	bySet   index.Index
	plain   [][]End // by set: the list of the End that any lexeme may follow

	reaches []*Reach
	byReach index.Index

	lists   arena.Arena[pair] // what live lists are cut from
	scratch struct {
		live    []pair
		members []grammar.Terminal
		reach   Reach
		classes [fewBytes]uint8
	}
	err error
}

// A generation is what depends on how much of a grammar there is.
type generation struct {
	g      *grammar.Grammar
	modes  [][]pair         // by mode: the terminals that are read in it, at their starts
	starts map[string]State // start states, by startKey
	first  State            // that a text begins in

	ownTexts []bool // by terminal: see hasOwnText; nil before it is asked
	shifted  []bool // by terminal: see OnDemand.Literals; nil without modes
}

// A pair is a terminal that is alive and the state its DFA is in. After the terminals, a state that
// is not uniform may have pairs of another kind (starts.go).
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
	p := &product{generation: &generation{g: g}, limits: limits, rank: Preference(g), byExpr: make(map[*automata.Expr]*automata.DFA, len(g.Terminals)), nearest: map[*automata.DFA][]nearStep{}, branches: map[State]*branches{}}
	p.lateEnds = g.Demand != nil && g.Modes != nil
	p.cuts = slices.ContainsFunc(g.Terminals, func(t grammar.TerminalDef) bool { return t.Lazy })
	p.scratch.reach.Parser = bitset.New(len(g.Terminals) + 1)
	if err := p.compile(ctx, g); err != nil {
		return nil, err
	}
	if g.Demand != nil {
		p.everyByte()
	} else {
		p.mergeClasses()
	}
	p.begin(&generation{})
	return p, p.err
}

// compile makes the automata of the terminals that have none.
func (p *product) compile(ctx context.Context, g *grammar.Grammar) error {
	dfas := slices.Clone(p.dfas)
	bounds := automata.DefaultLimits
	bounds.Context = ctx
	var err error
	if dfas == nil { // terminals that are written later ask nothing
		p.asking = map[*automata.DFA]bool{}
		if p.front, err = frontOf(g, bounds); err != nil {
			return err
		}
	}
	for i := len(dfas); i < len(g.Terminals); i++ {
		if err := stopped(ctx, g); err != nil {
			return err
		}
		dfas = append(dfas, nil)
		def := &g.Terminals[i]
		if def.Declared {
			continue
		}
		if d := p.byExpr[def.Expr]; d != nil { // a copy has the pattern of its terminal
			dfas[i] = d
			continue
		}
		d, err := p.dfaOf(def.Expr, bounds)
		if err != nil {
			if stop := stopped(ctx, g); stop != nil {
				return stop
			}
			return &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s: %v", def.Name, err)}
		}
		if p.matchesEmpty(d) {
			return &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s matches the empty string", def.Name),
				Hint: "a lexeme has at least one character: use + instead of *, and make the terminal optional in the rule"}
		}
		dfas[i], p.byExpr[def.Expr] = d, d
	}
	p.dfas = dfas
	return nil
}

// grow takes up the terminals that a later grammar has, and makes a start state in which lexemes of
// all of them begin.
func (p *product) grow(ctx context.Context, g *grammar.Grammar) error {
	if err := p.compile(ctx, g); err != nil {
		return err
	}
	before := p.generation
	p.generation = &generation{g: g}
	for i := len(p.rank); i < len(g.Terminals); i++ {
		p.rank = append(p.rank, i) // where all matches are emitted any order does
	}
	if n := bitset.Words(len(g.Terminals) + 1); n > len(p.scratch.reach.Parser) {
		p.scratch.reach.Parser = make([]uint64, n)
	}
	p.begin(before)
	return p.err
}

// stopped is the error of a context that has ended, nil before that.
func stopped(ctx context.Context, g *grammar.Grammar) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("grammar %s: building the lexer: %w", g.Name, err)
	}
	return nil
}

// add appends a state for the live pairs, which it keeps, and computes how a lexeme ends in it.
func (p *product) add(live []pair) State {
	q := State(len(p.live))
	p.live = append(p.live, live)
	p.begins = append(p.begins, false)
	p.ends = append(p.ends, nil)
	if !p.lateEnds {
		p.ends[q] = p.endsOf(live) // which may add start states
	}
	return q
}

// endsAt are the ends of a lexeme in state q.
func (p *product) endsAt(q State) []End {
	if p.lateEnds {
		return p.endsOf(p.live[q])
	}
	return p.ends[q]
}

// endsOf lists the ends of a lexeme that has led to these pairs.
func (p *product) endsOf(live []pair) []End {
	members := p.scratch.members[:0]
	for _, x := range p.terminals(live) {
		if p.dfas[x.terminal].Accepting(x.state) {
			members = append(members, grammar.Terminal(x.terminal))
		}
	}
	p.scratch.members = members
	if len(members) == 0 {
		return nil
	}
	slices.SortFunc(members, func(a, b grammar.Terminal) int { return p.rank[a] - p.rank[b] })
	if !p.uniform {
		return p.manyEnds(live, members)
	}
	if p.g.Lexer == grammar.LexFirst {
		members = members[:1]
	}
	return p.plain[p.setOf(members)]
}

// setOf interns a set of terminals, in order of preference.
func (p *product) setOf(members []grammar.Terminal) Set {
	h := index.Hash(members)
	s := p.bySet.Find(h, func(i int32) bool { return slices.Equal(p.sets[i], members) })
	if s < 0 {
		s = p.bySet.Add(h)
		p.sets = append(p.sets, slices.Clone(members))
		p.ignored = append(p.ignored, slices.ContainsFunc(members, func(t grammar.Terminal) bool { return p.g.Terminals[t].Ignored }))
		p.plain = append(p.plain, []End{{Set: Set(s), AtEnd: true}})
	}
	return Set(s)
}

// step is the transition of q on the bytes of a class. Past the limit on states it is None, and
// p.err says why.
func (p *product) step(q State, class int) State {
	b := p.repr[class]
	next := p.scratch.live[:0]
	h := uint64(0)
	terminals := p.terminals(p.live[q])
	if p.cuts && slices.ContainsFunc(terminals, p.isCut) {
		return None
	}
	p.moving(q, terminals, class, func(x pair) {
		if s := p.dfas[x.terminal].Next(x.state, b); s != automata.Dead {
			next = append(next, pair{x.terminal, s})
			h = index.Mix(h ^ uint64(x.terminal)<<32 ^ uint64(s))
		}
	})
	p.scratch.live = next
	if len(next) == 0 {
		return None
	}
	if obligations := p.live[q][len(terminals):]; len(obligations) > 0 {
		var ok bool
		if next, ok = p.carry(next, obligations, class); !ok {
			return None
		}
		p.scratch.live = next
	}
	if q := p.states.Find(h, func(i int32) bool { return !p.begins[i] && slices.Equal(p.live[i], next) }); q >= 0 {
		return State(q)
	}
	if !p.room(len(next)) {
		return None
	}
	p.states.Add(h)
	return p.add(p.lists.Clone(next))
}

// manyPairs is of how many terminals a state is made at least for these to be told apart by their
// next bytes when transitions are asked for: a thousand tools have a thousand names, and an object
// may have as many keys. A literal goes on with a byte, a string of JSON with a backslash as well.
const (
	manyPairs = 32
	fewBytes  = 4
)

// branches are the pairs of a state by the class that they go on with: those that go on with few
// bytes, of class c in few[from[c]:from[c+1]], and the others.
type branches struct {
	from        [257]int32
	few, others []pair
}

// moving calls f for the pairs of a state that may have a transition on a class, in their order. A
// text asks for one transition, so the pairs are told apart when a second one is asked for.
func (p *product) moving(q State, live []pair, class int, f func(pair)) {
	var few []pair
	if len(live) >= manyPairs {
		b, asked := p.branches[q]
		switch {
		case !asked:
			p.branches[q] = nil
		case b == nil:
			b = p.branch(live)
			p.branches[q] = b
		}
		if b != nil {
			few, live = b.few[b.from[class]:b.from[class+1]], b.others
		}
	}
	for len(few) > 0 {
		for len(live) > 0 && live[0].terminal < few[0].terminal {
			f(live[0])
			live = live[1:]
		}
		f(few[0])
		few = few[1:]
	}
	for _, x := range live {
		f(x)
	}
}

// branch tells the pairs of a state apart.
func (p *product) branch(live []pair) *branches {
	b := &branches{}
	n := int32(0)
	for _, x := range live {
		classes, few := p.fewClasses(x)
		if !few {
			b.others = append(b.others, x)
		}
		for _, c := range classes {
			b.from[int(c)+1]++
			n++
		}
	}
	for c := range p.repr {
		b.from[c+1] += b.from[c]
	}
	b.few = make([]pair, n)
	at := b.from
	for _, x := range live {
		classes, _ := p.fewClasses(x)
		for _, c := range classes {
			b.few[at[c]] = x
			at[c]++
		}
	}
	return b
}

// fewClasses are the classes that a pair goes on with, if they are those of few bytes.
func (p *product) fewClasses(x pair) (classes []uint8, few bool) {
	classes = p.scratch.classes[:0]
	bytes := p.dfas[x.terminal].Live(x.state)
	if bitset.Count(bytes[:]) > fewBytes {
		return nil, false
	}
	for c := range bitset.All[int](bytes[:]) {
		if class := p.classes[c]; !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	return classes, true
}

// isText tells whether a terminal is one text.
func (p *product) isText(t int32) bool { return p.dfas[t] != nil && p.dfas[t].Text() != "" }

// isCut tells whether a lazy terminal matches that has led to a pair.
func (p *product) isCut(x pair) bool {
	return p.g.Terminals[x.terminal].Lazy && p.dfas[x.terminal].Accepting(x.state)
}

// room tells whether the limits allow one more state of so many pairs; else p.err says why.
func (p *product) room(pairs int) bool {
	if p.pairs += pairs; p.pairs > maxPairs {
		p.err = &LimitError{p.g.Name, "pairs of a terminal and its state", maxPairs, hintOverlap}
		return false
	}
	if len(p.live) >= p.limits.MaxStates {
		p.err = &LimitError{p.g.Name, "states", p.limits.MaxStates, hintOverlap}
		return false
	}
	return true
}

// eachDead calls f for the classes on which the transition of q is None because nothing stays
// alive.
func (p *product) eachDead(q State, f func(class int)) {
	var alive [4]uint64
	for _, x := range p.terminals(p.live[q]) {
		live := p.dfas[x.terminal].Live(x.state)
		bitset.Unite(alive[:], live[:])
	}
	for class, b := range p.repr {
		if !bitset.Has(alive[:], int(b)) {
			f(class)
		}
	}
}

// reachOf computes reach(q) by looking ahead only as far as needed; row gives the transitions of a
// state.
func (p *product) reachOf(q State, row func(State) []State) ReachID {
	r := &p.scratch.reach
	clear(r.Parser)
	r.Ignored = false
	if p.g.Lexer == grammar.LexAll && p.uniform {
		for _, x := range p.live[q] {
			p.include(r, grammar.Terminal(x.terminal))
		}
		return p.internReach(r)
	}
	// A terminal is in reach if it wins in some state reachable from q, q itself included. Search
	// breadth first and stop once every terminal alive in q was found: usually within a few states.
	missing := 0
	found := make([]bool, len(p.dfas))
	var rivals []pair
	for _, x := range p.terminals(p.live[q]) {
		if !p.hasOwnText(x.terminal) {
			rivals = append(rivals, x)
		}
	}
	for _, x := range p.terminals(p.live[q]) {
		copies := p.g.Split.EmittedAs(grammar.Terminal(x.terminal))
		if !p.surelyWins(p.live[q], rivals, x) {
			missing += len(copies)
			continue
		}
		for _, t := range copies {
			found[t] = true
			p.include(r, t)
		}
	}
	seen := map[State]bool{q: true}
	for queue := []State{q}; len(queue) > 0 && missing > 0; queue = queue[1:] {
		for _, end := range p.endsAt(queue[0]) {
			for _, t := range p.sets[end.Set] {
				if !found[t] {
					found[t] = true
					p.include(r, t)
					missing--
				}
			}
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

// surelyWins tells, without a search, whether some continuation is emitted as a terminal of a list
// of live ones: it is emitted whatever else is, or no other terminal that is preferred matches the
// nearest text that it matches. A literal whose own text no other literal has need not be compared
// with literals: rivals are the other live terminals. There may be a thousand literals, such as the
// names of functions, and a search would walk to the end of each.
func (p *product) surelyWins(live, rivals []pair, x pair) bool {
	if p.g.Terminals[x.terminal].All {
		return true
	}
	d := p.dfas[x.terminal]
	if p.g.Lexer != grammar.LexFirst || p.cuts || len(p.terminals(live)) < len(live) || d.HasContexts() { // or something is open
		return false
	}
	if !p.hasOwnText(x.terminal) {
		rivals = live
	}
	var better []pair
	for _, y := range rivals {
		if p.rank[y.terminal] < p.rank[x.terminal] {
			better = append(better, y)
		}
	}
	if len(better) > 0 && !d.Within(maxNear) {
		return false
	}
	for at := x.state; len(better) > 0 && !d.Accepting(at); {
		var b byte
		b, at = p.nearer(d, at)
		kept := better[:0]
		for _, y := range better {
			if y.state = p.dfas[y.terminal].Next(y.state, b); y.state != automata.Dead {
				kept = append(kept, y)
			}
		}
		better = kept
	}
	return !slices.ContainsFunc(better, func(y pair) bool { return p.dfas[y.terminal].Accepting(y.state) })
}

// maxNear bounds the states of an automaton in which the nearest text is looked for.
const maxNear = 1000

// nearer is a byte that leads from a state, which does not accept, nearer to acceptance, and where
// to.
func (p *product) nearer(d *automata.DFA, from int32) (byte, int32) {
	if text := d.Text(); text != "" {
		return text[from], from + 1
	}
	steps := p.nearest[d]
	if steps == nil {
		left := d.Distances()
		steps = make([]nearStep, len(left))
		for s := range steps {
			for b := 0; b < 256 && left[s] > 0; b++ {
				if to := d.Next(int32(s), byte(b)); to != automata.Dead && left[to] < left[s] {
					steps[s] = nearStep{byte(b), to}
					break
				}
			}
		}
		p.nearest[d] = steps
	}
	return steps[from].b, steps[from].to
}

// A nearStep is a byte that leads nearer to acceptance, and where to.
type nearStep struct {
	b  byte
	to int32
}

// hasOwnText tells whether a terminal is a literal of one text, which no other literal has.
func (p *product) hasOwnText(t int32) bool {
	if p.ownTexts == nil {
		p.ownTexts = ownTexts(p.g)
	}
	return int(t) < len(p.ownTexts) && p.ownTexts[t]
}

func ownTexts(g *grammar.Grammar) []bool {
	count := map[string]int{}
	isFirst := func(t int) bool { return g.Split == nil || g.Split.Copies[t] != nil } // of copies
	for i := range g.Terminals {
		if g.Terminals[i].Literal && isFirst(i) {
			count[g.Terminals[i].Source]++
		}
	}
	own := make([]bool, len(g.Terminals))
	for i := range own {
		def := &g.Terminals[i]
		own[i] = def.Literal && !def.All && count[def.Source] == 1 && def.Expr.IsLiteral(def.Source)
	}
	return own
}

// include adds a terminal to r.
func (p *product) include(r *Reach, t grammar.Terminal) {
	if p.g.Terminals[t].Ignored {
		r.Ignored = true
		return
	}
	bitset.Add(r.Parser, t)
	if l := p.g.Layout; l != nil && slices.Contains(p.g.Split.EmittedAs(l.Newline), t) { // a copy stands for all
		bitset.Add(r.Parser, l.Newline)
	}
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
