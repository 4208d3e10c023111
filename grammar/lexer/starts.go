package lexer

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/internal/special"
)

// In most grammars all lexemes begin in one start state. There are more where a terminal asks what
// follows it, or what stands in front, or changes the mode. A start state then says what may come:
//
//   - the terminals of one mode;
//   - not after a byte that is excluded: it would have let a preferred terminal end there;
//   - obligations: what the terminals before asked to follow, as far as it is still open. An
//     obligation goes on while the next lexemes are read, until it is met. A byte that breaks it
//     has no transition;
//   - what stands in front, where a terminal asks for that (automata.Front): the automaton of a
//     terminal then begins behind the byte that is its kind.
//
// The list of pairs that a state is has these after its terminals. A pair whose terminal is
// startMark marks a start state; its state is the number of the set of excluded byte classes. A
// pair whose terminal is startMark+1+t is an obligation: its state is a state of the context
// automaton of t. One whose terminal is frontMark has the state of the front.

// startMark is past all terminals, and frontMark past all obligations.
const (
	startMark = 1 << 30
	frontMark = 1<<31 - 1
)

// begin makes the state that a text begins in. Of the start states of the generation before it
// keeps those of modes that have no more terminals than they had.
func (p *product) begin(before *generation) {
	p.uniform = p.g.Modes == nil && p.front == nil && !p.cuts
	var all []pair
	for i, d := range p.dfas {
		if d != nil && !d.IsEmpty() {
			all = append(all, pair{int32(i), d.Start()})
			p.uniform = p.uniform && !d.HasContexts()
		}
	}
	if p.uniform {
		// The start state is not interned: a lexeme's bytes may lead to the same pairs again, but
		// then a lexeme is pending, and at the start none is.
		p.states.Add(0)
		p.first = p.add(all)
		p.begins[p.first] = true
		return
	}
	p.starts = map[string]State{}
	if p.excluded == nil {
		p.excluded = [][]bool{make([]bool, len(p.repr))}
	}
	p.modes = [][]pair{all}
	if p.g.Modes != nil {
		p.modes = nil
	}
	for i := range p.g.Modes {
		var list []pair
		for _, t := range p.g.Modes[i].Terminals {
			if d := p.dfas[t]; d != nil && !d.IsEmpty() {
				list = append(list, pair{int32(t), d.Start()})
			}
		}
		p.modes = append(p.modes, list)
	}
	for key, q := range before.starts {
		if mode, _ := binary.Uvarint([]byte(key)); len(before.modes[mode]) == len(p.modes[mode]) {
			p.starts[key] = q
		}
	}
	p.shifted = p.shiftedLiterals()
	var front []pair
	if p.front != nil {
		front = []pair{{frontMark, 0}}
	}
	p.first = p.start(0, front, nil)
}

// shiftedLiterals tells by terminal whether it is a literal that the parser shifts wherever it is
// read.
func (p *product) shiftedLiterals() []bool {
	list := make([]bool, len(p.dfas))
	for _, is := range []bool{true, false} {
		for i := range p.g.Modes {
			if p.g.Modes[i].Shifted != is {
				continue
			}
			for _, t := range p.g.Modes[i].Terminals {
				list[t] = is && p.isText(int32(t)) && !p.g.Terminals[t].All
			}
		}
	}
	return list
}

// read is the terminals of a mode at their starts, behind what stands in front.
func (p *product) read(mode, obligations []pair) []pair {
	if p.front == nil {
		return mode
	}
	kind := p.front.Kind(obligations[len(obligations)-1].state)
	var list []pair
	for _, x := range mode {
		if d := p.dfas[x.terminal]; p.asking[d] {
			x.state = d.Next(x.state, kind)
		}
		if x.state != automata.Dead {
			list = append(list, x)
		}
	}
	return list
}

// terminals are the pairs of a list that are terminals.
func (p *product) terminals(live []pair) []pair {
	if p.uniform {
		return live
	}
	n := len(live)
	for n > 0 && live[n-1].terminal >= startMark {
		n--
	}
	return live[:n]
}

// start is the start state of a mode with some obligations, in ascending order; nothing begins with
// a byte of the excluded classes (nil: of none). It is None past the limit on states.
func (p *product) start(mode int, obligations []pair, excluded []bool) State {
	mark := pair{startMark, p.exclusion(excluded)}
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(mode)), uint64(mark.state))
	for _, x := range obligations {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(x.terminal)), uint64(x.state))
	}
	if q, ok := p.starts[string(key)]; ok {
		return q
	}
	live := slices.Concat(p.read(p.modes[mode], obligations), []pair{mark}, obligations)
	if !p.room(len(live)) {
		return None
	}
	q := State(p.states.Add(0))
	p.live, p.ends, p.begins = append(p.live, live), append(p.ends, nil), append(p.begins, true)
	p.starts[string(key)] = q
	return q
}

// exclusion numbers a set of classes.
func (p *product) exclusion(classes []bool) int32 {
	if classes == nil {
		return 0
	}
	for i, known := range p.excluded {
		if slices.Equal(known, classes) {
			return int32(i)
		}
	}
	p.excluded = append(p.excluded, slices.Clone(classes))
	return int32(len(p.excluded) - 1)
}

// carry appends what a byte of a class leaves of the pairs after the terminals. ok is false if the
// byte is excluded, or breaks an obligation.
func (p *product) carry(dst, pairs []pair, class int) (_ []pair, ok bool) {
	n, b := len(dst), p.repr[class]
	for _, x := range pairs {
		t := int(x.terminal) - startMark - 1
		if t < 0 {
			if p.excluded[x.state][class] {
				return dst, false
			}
			continue
		}
		if x.terminal == frontMark {
			dst = append(dst, pair{x.terminal, p.front.Next(x.state, b)})
			continue
		}
		switch c := nextContext(p.dfas[t], x.state, b); c {
		case automata.Dead:
			return dst, false
		case 0:
		default:
			dst = append(dst, pair{x.terminal, c})
		}
	}
	if len(dst) > n+1 {
		sortPairs(dst[n:])
		dst = append(dst[:n], slices.Compact(dst[n:])...)
	}
	return dst, true
}

// nextContext is what a context of a terminal asks of the text after a byte. A special token that
// begins there is no character: the context sees the end of the text.
func nextContext(d *automata.DFA, context int32, b byte) int32 {
	switch {
	case b != special.Begin:
		return d.NextContext(context, b)
	case d.ContextAtEnd(context):
		return 0
	}
	return automata.Dead
}

// obligation is what terminal t asks to follow where its automaton is in a state; ok is false if it
// asks nothing.
func (p *product) obligation(t int32, state int32) (x pair, ok bool) {
	c := p.dfas[t].Context(state)
	return pair{startMark + 1 + t, c}, c != 0
}

// atEnd tells whether the end of the text meets all obligations.
func (p *product) atEnd(obligations []pair) bool {
	for _, x := range obligations {
		if t := int(x.terminal) - startMark - 1; t >= 0 && x.terminal != frontMark && !p.dfas[t].ContextAtEnd(x.state) {
			return false
		}
	}
	return true
}

func sortPairs(list []pair) {
	slices.SortFunc(list, func(a, b pair) int {
		if a.terminal != b.terminal {
			return int(a.terminal - b.terminal)
		}
		return int(a.state - b.state)
	})
}

// moves tells whether a state that is such a list has a transition on a byte of a class.
func (p *product) moves(live []pair, class int) bool {
	terminals := p.terminals(live)
	if _, ok := p.carry(nil, live[len(terminals):], class); !ok {
		return false
	}
	return slices.ContainsFunc(terminals, func(x pair) bool { return p.dfas[x.terminal].Next(x.state, p.repr[class]) != automata.Dead })
}
