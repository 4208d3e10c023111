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
	phases []phase     // by state
	alive  []byteSet   // by state: the bytes it goes on with
	shared atomic.Bool // whether more than one grammar has it

	once   sync.Once
	depths []depth // by state
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
	p := &spelling{phases: make([]phase, d.NumStates()), alive: make([]byteSet, d.NumStates())}
	classes := classBytes(d)
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
			next, ok := p.phases[s].after(&classes[c])
			if !ok || p.phases[to] != unseen && p.phases[to] != next {
				return nil
			}
			p.alive[s].unite(&classes[c])
			if p.phases[to] == unseen {
				p.phases[to] = next
				todo = append(todo, to)
			}
		}
	}
	return p
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

// after is the phase after bytes of a class, if they all lead to one and a JSON string can have them.
func (p phase) after(class *byteSet) (next phase, ok bool) {
	if class.meets(controls) {
		return 0, false
	}
	switch p {
	case opening:
		return inside, quotes.holds(class)
	case escaped:
		return inside, true
	case inside:
		switch {
		case quotes.holds(class):
			return closed, true
		case slashes.holds(class):
			return escaped, true
		}
		return inside, ordinary.holds(class)
	}
	return 0, false
}

// A depth says how many plain characters can follow a state: after any least of them it is alive, and
// after no most+1 of them. It is for states between two characters.
type depth struct{ least, most int32 }

// endless is the depth of a state that any number of characters can follow.
const endless = 1 << 30

// depth is the depth of a state of d, which p is the spelling of.
func (p *spelling) depth(d *automata.DFA, s int32) depth {
	// Most states of strings with a fixed beginning cannot go on with every letter, and few other
	// automata are asked: what is here is not worth making the whole table.
	if !p.alive[s].holds(plainASCII) {
		if !p.alive[s].meets(ordinary) {
			return depth{}
		}
		return depth{0, endless}
	}
	p.once.Do(func() { p.measure(d) })
	return p.depths[s]
}

// The bytes of a UTF-8 character: from a step, bytes lo to hi lead to another; step 0 is between
// characters.
var characterSteps = [][]struct {
	lo, hi byte
	to     int32
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

// A measurer computes the depths of all states of a DFA. Its nodes are pairs of a state and a step inside
// a character.
type measurer struct {
	d     *automata.DFA
	moves [8][]move // by step
	nodes []measured
	of    map[int32]int32 // state*8+step -> node
}

// A move is a class of bytes that a character can have at a step, and the step it leads to.
type move struct {
	class byte
	to    int32
}

type measured struct {
	state, step int32
	into        []int32 // nodes that lead here, once for each move
	left        int     // moves whose target's most is not known yet
	least, most int32
}

// measure computes the depths: least by a breadth-first search backwards from where a character is
// refused, most backwards from the ends; what leads to no end only is endless.
func (p *spelling) measure(d *automata.DFA) {
	p.depths = make([]depth, d.NumStates())
	m := &measurer{d: d, of: map[int32]int32{}}
	of, _ := d.Classes()
	for step, ranges := range characterSteps {
		for _, r := range ranges {
			for b := int(r.lo); b <= int(r.hi); b++ {
				if x := (move{of[b], r.to}); !slices.Contains(m.moves[step], x) {
					m.moves[step] = append(m.moves[step], x)
				}
			}
		}
	}
	for s := range p.phases {
		if p.phases[s] == inside {
			m.node(int32(s), 0)
		}
	}
	m.search()
	for i := range m.nodes {
		if n := &m.nodes[i]; n.step == 0 {
			p.depths[n.state] = depth{n.least, n.most}
		}
	}
}

func (m *measurer) node(state, step int32) int32 {
	key := state<<3 | step
	i, ok := m.of[key]
	if !ok {
		i = int32(len(m.nodes))
		m.of[key] = i
		m.nodes = append(m.nodes, measured{state: state, step: step, least: endless, most: endless})
	}
	return i
}

// search explores the nodes and computes their least and most.
func (m *measurer) search() {
	var refusing, ends []int32
	for i := int32(0); int(i) < len(m.nodes); i++ { // node adds to nodes
		state, step := m.nodes[i].state, m.nodes[i].step
		row := m.d.Row(state)
		for _, x := range m.moves[step] {
			to := row[x.class]
			if to == automata.Dead {
				m.nodes[i].least = 0
				continue
			}
			k := m.node(to, x.to)
			m.nodes[k].into = append(m.nodes[k].into, i)
			m.nodes[i].left++
		}
		if m.nodes[i].least == 0 {
			refusing = append(refusing, i)
		}
		if m.nodes[i].left == 0 {
			m.nodes[i].most = 0
			ends = append(ends, i)
		}
	}
	m.leasts(refusing)
	m.mosts(ends)
}

// leasts spreads least backwards, in order of its size. A move that completes a character, to a node
// between characters, counts one.
func (m *measurer) leasts(now []int32) {
	var later []int32
	for len(now) > 0 {
		for len(now) > 0 {
			i := now[len(now)-1]
			now = now[:len(now)-1]
			n := m.nodes[i]
			for _, k := range n.into {
				if n.step == 0 && m.nodes[k].least > n.least+1 {
					m.nodes[k].least = n.least + 1
					later = append(later, k)
				} else if n.step != 0 && m.nodes[k].least > n.least {
					m.nodes[k].least = n.least
					now = append(now, k)
				}
			}
		}
		now, later = later, now
	}
}

// mosts spreads most backwards: a node's is known once those of all its successors are.
func (m *measurer) mosts(todo []int32) {
	sum := make([]int32, len(m.nodes))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		most := m.nodes[i].most
		if m.nodes[i].step == 0 {
			most++
		}
		for _, k := range m.nodes[i].into {
			n := &m.nodes[k]
			sum[k] = max(sum[k], most)
			if n.left--; n.left == 0 {
				n.most = sum[k]
				todo = append(todo, k)
			}
		}
	}
}
