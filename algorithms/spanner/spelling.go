package spanner

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"gcdbench/automata"
)

// A spelling is what is known about the DFA of a terminal that is a JSON string: a quote, characters
// and escapes, a quote. All such terminals end at the same byte, the first quote that no backslash is
// before; so however many of them are alive, a lexeme ends where one of them accepts, and each can be
// followed without the others. A spelling does not keep its DFA alive.
type spelling struct {
	id     uint32
	phases []phase // by state
	// strict is whether a state is always at the same step of a character's bytes (characterSteps), which is
	// steps; then it has nothing but UTF-8.
	strict bool
	steps  []uint8
	alive  []byteSet   // by state: the bytes it goes on with
	shared atomic.Bool // whether more than one grammar has it

	once   sync.Once
	depths []depth // by state

	mu        sync.Mutex
	alphabets map[kinds]*alphabet
	moves     [64]*[numSteps][]move                    // by kind
	choices   atomic.Pointer[[]atomic.Pointer[choice]] // by state
}

// A phase is how far a string has come.
type phase uint8

const (
	unseen  phase = iota
	opening       // before the quote
	inside        // between the quotes, and not behind a backslash
	escaped       // behind a backslash
	closed        // behind the second quote
)

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) unite(o *byteSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *byteSet) meets(o *byteSet) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}

func (s *byteSet) holds(o *byteSet) bool {
	return o[0]&^s[0]|o[1]&^s[1]|o[2]&^s[2]|o[3]&^s[3] == 0
}

func (s *byteSet) count() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func bytesOf(f func(b byte) bool) *byteSet {
	s := &byteSet{}
	for b := range 256 {
		if f(byte(b)) {
			s.add(byte(b))
		}
	}
	return s
}

var (
	controls = bytesOf(func(b byte) bool { return b < ' ' })
	quotes   = bytesOf(func(b byte) bool { return b == '"' })
	slashes  = bytesOf(func(b byte) bool { return b == '\\' })
	ordinary = bytesOf(func(b byte) bool { return b >= ' ' && b != '"' && b != '\\' })
	// plainASCII are the plain characters of one byte.
	plainASCII = bytesOf(func(b byte) bool { return b >= ' ' && b < 0x80 && b != '"' && b != '\\' })
)

// spellings has the spelling of each DFA in use; grammars often share one. It is nil for a DFA that is no
// JSON string.
var spellings struct {
	sync.Mutex
	of   map[weak.Pointer[automata.DFA]]*spelling
	last uint32
}

// spellingOf is the spelling of a DFA, nil if it has none.
func spellingOf(d *automata.DFA) *spelling {
	key := weak.Make(d)
	t := &spellings
	t.Lock()
	defer t.Unlock()
	p, known := t.of[key]
	if known {
		if p != nil {
			p.shared.Store(true)
		}
		return p
	}
	if p = spell(d); p != nil {
		t.last++
		p.id = t.last
	}
	if t.of == nil {
		t.of = map[weak.Pointer[automata.DFA]]*spelling{}
	}
	t.of[key] = p
	runtime.AddCleanup(d, func(key weak.Pointer[automata.DFA]) {
		t.Lock()
		defer t.Unlock()
		delete(t.of, key)
	}, key)
	return p
}

// spell finds out whether a DFA is a JSON string.
func spell(d *automata.DFA) *spelling {
	if d.NumStates() == 0 {
		return nil
	}
	n := d.NumStates()
	p := &spelling{phases: make([]phase, n), strict: true, steps: make([]uint8, n), alive: make([]byteSet, n)}
	classes := classBytes(d)
	kinds := make([]classKind, len(classes))
	steps := make([][numSteps]uint8, len(classes))
	for c := range classes {
		kinds[c], steps[c] = kindOfClass(&classes[c]), stepsOfClass(&classes[c])
	}
	p.phases[d.Start()] = opening
	for todo := []int32{d.Start()}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if d.Accepting(s) != (p.phases[s] == closed) {
			return nil
		}
		for c, to := range d.Row(s) {
			if to == automata.Dead {
				continue
			}
			next, step := afterClass[p.phases[s]][kinds[c]], steps[c][p.steps[s]]
			if next == unseen || p.phases[to] != unseen && p.phases[to] != next {
				return nil
			}
			p.alive[s].unite(&classes[c])
			if p.phases[to] == unseen {
				p.phases[to], p.steps[to] = next, step
				todo = append(todo, to)
			}
			p.strict = p.strict && step == p.steps[to] && step != noStep
		}
	}
	return p
}

// stepsOfClass is where the bytes of a class lead to from each step of a character; noStep where they do
// not all lead to one.
func stepsOfClass(class *byteSet) (to [numSteps]uint8) {
	for step, sets := range stepSets {
		to[step] = noStep
		for next := range sets {
			if sets[next].holds(class) {
				to[step] = uint8(next)
			}
		}
	}
	return to
}

// A classKind says what the bytes of a class are to a JSON string.
type classKind uint8

const (
	controlClass  classKind = iota // a control character among them
	quoteClass                     // the quote
	slashClass                     // the backslash
	ordinaryClass                  // others
	mixedClass                     // several of these
)

func kindOfClass(class *byteSet) classKind {
	switch {
	case class.meets(controls):
		return controlClass
	case quotes.holds(class):
		return quoteClass
	case slashes.holds(class):
		return slashClass
	case ordinary.holds(class):
		return ordinaryClass
	}
	return mixedClass
}

// afterClass is the phase that bytes of a class lead to; unseen where a JSON string cannot have all of
// them.
var afterClass = [...][mixedClass + 1]phase{
	opening: {quoteClass: inside},
	inside:  {quoteClass: closed, slashClass: escaped, ordinaryClass: inside},
	escaped: {quoteClass: inside, slashClass: inside, ordinaryClass: inside, mixedClass: inside},
	closed:  {},
}

// classBytes are the bytes of each class of a DFA.
func classBytes(d *automata.DFA) []byteSet {
	of, n := d.Classes()
	classes := make([]byteSet, n)
	for b, c := range of {
		classes[c].add(byte(b))
	}
	return classes
}

// A depth says how many plain characters can follow a state: after any least of them it is alive, and
// after no most+1 of them. It is for states between two characters. A quote ends the string after any
// number of them that it is alive after, or after none.
type depth struct {
	least, most int32
	quote       quoteAfter
}

type quoteAfter uint8

const (
	quoteSometimes quoteAfter = iota
	quoteAlways
	quoteNever
)

// endless is the depth of a state that any number of characters can follow.
const endless = 1 << 30

// depth is the depth of a state of d, which p is the spelling of.
func (p *spelling) depth(d *automata.DFA, s int32) depth {
	// Most states of strings with a fixed beginning cannot go on with every letter, and are not worth
	// the look at the whole automaton.
	switch {
	case p.strict && p.alive[s].holds(plainASCII):
		p.once.Do(func() { p.measure(d) })
		return p.depths[s]
	case p.strict && !p.alive[s].meets(ordinary):
		return depth{}
	}
	return depth{most: endless}
}

// numSteps is the number of places between the bytes of a UTF-8 character that differ in what can follow; 0
// is between characters. noStep is not one of them.
const (
	numSteps = 8
	noStep   = numSteps
)

// characterSteps are the bytes of plain characters: from a step, bytes lo to hi lead to another.
var characterSteps = [numSteps][]struct {
	lo, hi byte
	to     uint8
}{
	{{' ', '!', 0}, {'#', '[', 0}, {']', 0x7f, 0}, {0xc2, 0xdf, 1}, {0xe0, 0xe0, 4}, {0xe1, 0xec, 2}, {0xed, 0xed, 5}, {0xee, 0xef, 2}, {0xf0, 0xf0, 6}, {0xf1, 0xf3, 3}, {0xf4, 0xf4, 7}},
	{{0x80, 0xbf, 0}},
	{{0x80, 0xbf, 1}},
	{{0x80, 0xbf, 2}},
	{{0xa0, 0xbf, 1}},
	{{0x80, 0x9f, 1}},
	{{0x90, 0xbf, 2}},
	{{0x80, 0x8f, 2}},
}

// stepSets are the bytes that lead from a step to another, those of quotes and escapes included.
var stepSets = func() (sets [numSteps][numSteps]byteSet) {
	for step, ranges := range characterSteps {
		for _, r := range ranges {
			for b := int(r.lo); b <= int(r.hi); b++ {
				sets[step][r.to].add(byte(b))
			}
		}
	}
	sets[0][0].add('"')
	sets[0][0].add('\\')
	return sets
}()

// A move is a class of bytes that a plain character can have at a step.
type move struct {
	class byte
	to    uint8
}

// movesOf are the moves of a DFA by step, over plain characters of some kinds.
func movesOf(d *automata.DFA, some kinds) (moves [numSteps][]move) {
	of, _ := d.Classes()
	for step, ranges := range characterSteps {
		for _, r := range ranges {
			for b := int(r.lo); b <= int(r.hi); b++ {
				if x := (move{of[b], r.to}); kindOfByte[b]&some != 0 && !slices.Contains(moves[step], x) {
					moves[step] = append(moves[step], x)
				}
			}
		}
	}
	return moves
}

// A measurer computes the depths of states of a strict DFA, over characters of some kinds: least by a search
// backwards from where a character is refused, most backwards from the ends; what leads to no end only is
// endless.
type measurer struct {
	d      *automata.DFA
	p      *spelling
	moves  [numSteps][]move
	depths []depth // by state; of those seen
	seen   []bool
	states []int32 // in the order they were found
	left   []int32 // by state: moves whose target's most is not known yet
	last   []int32 // by state: the last of the arrows to it, -1 for none
	arrows []arrow
	// refusing are the states that refuse a character, ends those that refuse all.
	refusing, ends []int32
}

// An arrow is a move from a state; next is the next arrow to the same one.
type arrow struct{ from, next int32 }

// explore finds the states that characters of some kinds lead to from those inside a string that are alive
// after any byte of a set.
func (p *spelling) explore(d *automata.DFA, some kinds, after *byteSet) *measurer {
	n := d.NumStates()
	m := &measurer{d: d, p: p, moves: movesOf(d, some), depths: make([]depth, n), seen: make([]bool, n), left: make([]int32, n), last: make([]int32, n)}
	for s := range int32(n) {
		if m.last[s] = -1; p.phases[s] == inside && p.alive[s].holds(after) {
			m.find(s)
		}
	}
	m.search()
	return m
}

// measure makes the depths.
func (p *spelling) measure(d *automata.DFA) {
	m := p.explore(d, ^kinds(0), plainASCII)
	m.leasts(m.refusing)
	m.mosts(m.ends)
	m.quotes(quoteAlways)
	m.quotes(quoteNever)
	p.depths = m.depths
}

func (m *measurer) find(s int32) {
	if !m.seen[s] {
		m.seen[s] = true
		m.states = append(m.states, s)
		m.depths[s] = depth{least: endless, most: endless}
	}
}

// search explores the states.
func (m *measurer) search() {
	for i := 0; i < len(m.states); i++ { // find adds to states
		s := m.states[i]
		row := m.d.Row(s)
		for _, x := range m.moves[m.p.steps[s]] {
			to := row[x.class]
			if to == automata.Dead {
				m.depths[s].least = 0
				continue
			}
			m.find(to)
			m.arrows = append(m.arrows, arrow{s, m.last[to]})
			m.last[to] = int32(len(m.arrows) - 1)
			m.left[s]++
		}
		if m.depths[s].least == 0 {
			m.refusing = append(m.refusing, s)
		}
		if m.left[s] == 0 {
			m.depths[s].most = 0
			m.ends = append(m.ends, s)
		}
	}
}

// leasts spreads least backwards, in order of its size. A move that completes a character counts one.
func (m *measurer) leasts(now []int32) {
	var later []int32
	for len(now) > 0 {
		for len(now) > 0 {
			s := now[len(now)-1]
			now = now[:len(now)-1]
			least := m.depths[s].least
			for k := m.last[s]; k >= 0; k = m.arrows[k].next {
				from := m.arrows[k].from
				if m.p.steps[s] == 0 && m.depths[from].least > least+1 {
					m.depths[from].least = least + 1
					later = append(later, from)
				} else if m.p.steps[s] != 0 && m.depths[from].least > least {
					m.depths[from].least = least
					now = append(now, from)
				}
			}
		}
		now, later = later, now
	}
}

// mosts spreads most backwards: a state's is known once those of all its successors are.
func (m *measurer) mosts(todo []int32) {
	found := make([]int32, len(m.seen))
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		most := m.depths[s].most
		if m.p.steps[s] == 0 {
			most++
		}
		for k := m.last[s]; k >= 0; k = m.arrows[k].next {
			from := m.arrows[k].from
			found[from] = max(found[from], most)
			if m.left[from]--; m.left[from] == 0 {
				m.depths[from].most = found[from]
				todo = append(todo, from)
			}
		}
	}
}

// quotes finds the states after which a quote is always, or never, alive: backwards from those between
// characters that are exceptions.
func (m *measurer) quotes(what quoteAfter) {
	not := make([]bool, len(m.seen))
	var todo []int32
	for _, s := range m.states {
		if m.p.steps[s] == 0 && m.p.alive[s].has('"') != (what == quoteAlways) {
			not[s] = true
			todo = append(todo, s)
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for k := m.last[s]; k >= 0; k = m.arrows[k].next {
			if from := m.arrows[k].from; !not[from] {
				not[from] = true
				todo = append(todo, from)
			}
		}
	}
	for _, s := range m.states {
		if !not[s] {
			m.depths[s].quote = what
		}
	}
}

// An alphabet is some kinds of characters, and by state the number of any of them after which it is alive:
// what depth's least is for all characters. Patterns such as [a-z]{1,63} have one for most of their
// states.
type alphabet struct {
	kinds kinds
	least []depth
}

// maxAlphabetStates bounds the alphabets of a DFA times its states: each takes some 50 ns a state to make. A
// pattern has a handful of alphabets; tokens over others are walked.
const maxAlphabetStates = 1 << 16

// A choice is what is known about a state between characters: the alphabet of the kinds all of which it goes
// on with, that of those among them that words are made of, and the kinds that lead back to it.
type choice struct {
	all, words *alphabet // nil: none
	loop       kinds
}

// wordKinds are the kinds of letters, of digits, and of all that is not ASCII.
const wordKinds kinds = 1<<6 - 1

// choice is the choice of state s of d, which p is the spelling of.
func (p *spelling) choice(d *automata.DFA, s int32) *choice {
	list := p.choices.Load()
	if list == nil {
		made := make([]atomic.Pointer[choice], d.NumStates())
		p.choices.CompareAndSwap(nil, &made)
		list = p.choices.Load()
	}
	if c := (*list)[s].Load(); c != nil {
		return c
	}
	c := &choice{}
	if p.strict && p.phases[s] == inside {
		var all kinds
		for i := range kindBytes {
			if k := &kindBytes[i]; p.alive[s].holds(&k.bytes) {
				all |= k.kind
				if p.returns(d, s, k.kind) {
					c.loop |= k.kind
				}
			}
		}
		c.all, c.words = p.alphabet(d, all), p.alphabet(d, all&wordKinds)
	}
	(*list)[s].Store(c)
	return c
}

// alphabet is the alphabet of some kinds, nil for none.
func (p *spelling) alphabet(d *automata.DFA, some kinds) *alphabet {
	if some == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.alphabets[some]
	if a != nil || len(p.alphabets)*len(p.phases) > maxAlphabetStates {
		return a
	}
	var after byteSet
	for i := range kindBytes {
		if k := &kindBytes[i]; k.kind&some != 0 {
			after.unite(&k.bytes)
		}
	}
	m := p.explore(d, some, &after)
	m.leasts(m.refusing)
	if p.alphabets == nil {
		p.alphabets = map[kinds]*alphabet{}
	}
	a = &alphabet{some, m.depths}
	p.alphabets[some] = a
	return a
}

// endures tells whether s, which the choice is of, is alive after any length characters of some kinds.
func (c *choice) endures(s int32, some kinds, length int32) bool {
	return some&^c.loop == 0 ||
		c.words != nil && some&^c.words.kinds == 0 && c.words.least[s].least >= length ||
		c.all != nil && some&^c.all.kinds == 0 && c.all.least[s].least >= length
}

// returns tells whether all characters of a kind lead from s to itself.
func (p *spelling) returns(d *automata.DFA, s int32, kind kinds) bool {
	var leads func(at int32, step uint8, moves *[numSteps][]move) bool
	leads = func(at int32, step uint8, moves *[numSteps][]move) bool {
		if step == 0 || at == automata.Dead {
			return at == s
		}
		row := d.Row(at)
		for _, x := range moves[step] {
			if !leads(row[x.class], x.to, moves) {
				return false
			}
		}
		return true
	}
	row := d.Row(s)
	moves := p.movesOfKind(d, kind)
	for _, x := range moves[0] {
		if !leads(row[x.class], x.to, moves) {
			return false
		}
	}
	return true
}

// movesOfKind is movesOf one kind, remembered.
func (p *spelling) movesOfKind(d *automata.DFA, kind kinds) *[numSteps][]move {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := bits.TrailingZeros64(uint64(kind))
	if p.moves[i] == nil {
		moves := movesOf(d, kind)
		p.moves[i] = &moves
	}
	return p.moves[i]
}

// kindBytes are the bytes that the characters of each kind begin with.
var kindBytes = func() (list []struct {
	kind  kinds
	bytes byteSet
}) {
	at := map[kinds]int{}
	for b, kind := range kindOfByte {
		if kind == 0 || b >= 0x80 && (b < 0xc2 || b > 0xf4) {
			continue
		}
		i, ok := at[kind]
		if !ok {
			i = len(list)
			at[kind] = i
			list = append(list, struct {
				kind  kinds
				bytes byteSet
			}{kind: kind})
		}
		list[i].bytes.add(byte(b))
	}
	return list
}()
