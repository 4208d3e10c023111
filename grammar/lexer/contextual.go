package lexer

import (
	"context"
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// A contextual lexer reads, in each state of the parser, the terminals of a set. There are as many
// sets as states, but few need modes of their own. Reading more terminals than those of a set A
// makes no difference if the parser takes none of the others and none of them disturbs A. A
// terminal x disturbs A
//
//   - if it matches a lexeme that a terminal of A matches, and is preferred to it;
//   - if it goes on with a byte after a lexeme that a terminal of A matches, where none of A does:
//     then the lexeme ends in A, and does not with x;
//   - if it is lazy, and ends a lexeme with which a terminal of A goes on;
//   - if it is ignored, since the parser refuses none that is.
//
// A lexeme that no terminal of A can become is illegal at once in A, and with x once the token ends
// or the lexeme does, since the parser refuses x. So sets that do not disturb each other share a
// mode, which has the terminals of all of them.

// Modes gathers sets of terminals that the parser takes, ignored ones included, in modes as few as
// it finds. modeOf is the mode of each set; that of the first is 0. Errors are those of Build.
func Modes(ctx context.Context, g *grammar.Grammar, limits Limits, sets [][]uint64) (modeOf []int, modes [][]uint64, err error) {
	plain := *g
	plain.Lexer = grammar.LexFirst
	p, err := newProduct(ctx, &plain, limits)
	if err != nil {
		return nil, nil, err
	}
	p.cuts = false // what lexemes can become is asked, and not where they end
	table, err := p.explore(ctx)
	if err != nil {
		return nil, nil, err
	}
	matches := p.matches(table)
	var inTheWay [][]uint64 // by mode
	for _, set := range sets {
		if err := stopped(ctx, g); err != nil {
			return nil, nil, err
		}
		others, mode := p.inTheWayOf(set, matches), 0
		for mode < len(modes) && (bitset.Intersect(set, inTheWay[mode]) || bitset.Intersect(modes[mode], others)) {
			mode++
		}
		if mode == len(modes) {
			modes, inTheWay = append(modes, make([]uint64, len(set))), append(inTheWay, make([]uint64, len(set)))
		}
		bitset.Unite(modes[mode], set)
		bitset.Unite(inTheWay[mode], others)
		modeOf = append(modeOf, mode)
	}
	return modeOf, modes, nil
}

// A match has the terminals that a lexeme matches and those that can go on after it.
type match struct {
	terminals []grammar.Terminal // in order of preference
	asks      []bool             // by place in terminals: whether the terminal asks what follows
	goOn      [][]uint64         // by class of the next byte: the terminals that go on, if there are any
}

// matches lists the matches of all lexemes of an automaton with these transitions.
func (p *product) matches(table []int32) []match {
	var list []match
	known := map[string]bool{}
	words := bitset.Words(len(p.dfas) + 1) // as sets have, with the end of input
	alive := make([][]uint64, len(p.live))
	for q := range p.live {
		alive[q] = make([]uint64, words)
		for _, x := range p.terminals(p.live[q]) {
			bitset.Add(alive[q], x.terminal)
		}
	}
	for q, live := range p.live {
		var m match
		for _, x := range p.terminals(live) {
			if p.dfas[x.terminal].Accepting(x.state) {
				m.terminals = append(m.terminals, grammar.Terminal(x.terminal))
			}
		}
		if len(m.terminals) == 0 {
			continue
		}
		slices.SortFunc(m.terminals, func(a, b grammar.Terminal) int { return p.rank[a] - p.rank[b] })
		e := ender{p: p, states: p.terminals(live)}
		var key []byte
		for _, t := range m.terminals {
			_, asks := p.obligation(int32(t), e.state(t))
			m.asks = append(m.asks, asks)
			key = binary.AppendVarint(key, int64(t))
			if asks {
				key = binary.AppendVarint(key, -2)
			}
		}
		key = binary.AppendVarint(key, -1)
		seen := map[State]bool{}
		for _, to := range table[q*len(p.repr) : (q+1)*len(p.repr)] {
			if to := State(to); to != None && !seen[to] {
				seen[to] = true
				m.goOn = append(m.goOn, alive[to])
				for _, word := range alive[to] {
					key = binary.LittleEndian.AppendUint64(key, word)
				}
			}
		}
		if !known[string(key)] {
			known[string(key)] = true
			list = append(list, m)
		}
	}
	return list
}

// inTheWayOf is the set of the terminals that would get into the way of those of a set. Of texts of
// an embedded grammar that is every other one, since no lexeme of this grammar tells them apart.
func (p *product) inTheWayOf(set []uint64, matches []match) []uint64 {
	others := make([]uint64, len(set))
	embeds := false
	for t := range p.dfas {
		embeds = embeds || p.g.Terminals[t].Embeds > 0 && bitset.Has(set, t)
	}
	for t := range p.dfas {
		if (p.g.Terminals[t].Ignored || embeds) && !bitset.Has(set, t) {
			bitset.Add(others, t)
		}
	}
	for i := range matches {
		m := &matches[i]
		// What is preferred to the first match in the set that asks nothing, or else to the last.
		last := -1
		for k, t := range m.terminals {
			if bitset.Has(set, t) {
				if last = k; !m.asks[k] {
					break
				}
			}
		}
		for _, t := range m.terminals[:last+1] {
			if !bitset.Has(set, t) {
				bitset.Add(others, t)
			}
		}
		for _, alive := range m.goOn {
			switch {
			case !bitset.Intersect(alive, set) && last >= 0:
				bitset.Unite(others, alive)
			case bitset.Intersect(alive, set):
				for _, t := range m.terminals {
					if p.g.Terminals[t].Lazy && !bitset.Has(set, int(t)) {
						bitset.Add(others, t)
					}
				}
			}
		}
	}
	return others
}
