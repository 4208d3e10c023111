package maskstore

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
	"gcdbench/tokenizers"
)

// dmatch for all tokens at once: one walk of the vocabulary's prefix tree for each state of a
// terminal's DFA. What a token's rest may begin with is known for every rest of every token
// beforehand.

// matcher knows the terminals' DFAs and the vocabulary.
type matcher struct {
	trie      *tokenizers.Trie
	terminals *lexer.OnDemand // the product of the terminals' DFAs, for the DFAs
	count     int             // of terminals, ignored ones included
	words     int             // of a mask
	depth     int             // of the trie
	all       []uint64        // the tokens that are legal anywhere
	first     []int32         // by place in the trie's order: where the rests of the token begin
	rests     []int32         // by place and length of what was consumed: a set of terminals
	sets      intern.Lists[uint64]
	live      [][]uint64 // by state of the product: the terminals that are alive
	accepting [][]uint64 // by state of the product: the terminals that accept and are not ignored
	skips     []bool     // by state of the product: whether an ignored terminal accepts
	ignored   []bool     // by terminal
	begun     [][]uint64 // by terminal: the tokens that begin with it
}

// newMatcher finds out what the rests of tokens begin with.
func newMatcher(p *algorithms.Problem, terminals *lexer.OnDemand) *matcher {
	m := &matcher{
		trie: p.Vocabulary.Trie(), terminals: terminals,
		count: len(p.Grammar.Terminals), words: algorithms.MaskWords(p.Vocabulary.Len()), depth: p.Vocabulary.Trie().MaxDepth(),
	}
	for _, t := range p.Grammar.Terminals {
		m.ignored = append(m.ignored, t.Ignored)
	}
	m.all = make([]uint64, m.words)
	m.begun = make([][]uint64, m.count)
	for t := range m.begun {
		m.begun[t] = make([]uint64, m.words)
	}
	for _, id := range m.trie.Order() {
		m.restsOf(p.Vocabulary.Token(int(id)))
		bitset.Add(m.all, id)
		for t := range bitset.All[int](m.sets.At(m.rests[m.first[len(m.first)-1]])) {
			bitset.Add(m.begun[t], id)
		}
	}
	return m
}

// restsOf finds what each rest of a token begins with, the shortest first.
func (m *matcher) restsOf(text []byte) {
	from := len(m.rests)
	m.first = append(m.first, int32(from))
	m.rests = append(m.rests, make([]int32, len(text))...)
	for i := range slices.Backward(text) {
		m.rests[from+i] = m.begins(text, i, m.rests[from:])
	}
}

// begins is the set of terminals that the text from place i begins with: dmatch holds for the text,
// the terminal's start state and no more terminals. Ignored terminals may come before; the text
// begins with one of them itself if it ends inside it. rests are those of later places.
func (m *matcher) begins(text []byte, i int, rests []int32) int32 {
	found := make([]uint64, bitset.Words(m.count))
	q := m.terminals.Start()
	for ; i < len(text); i++ {
		if q = m.terminals.Next(q, text[i]); q == lexer.None {
			break
		}
		m.know(q)
		if i == len(text)-1 {
			algorithms.Unite(found, m.live[q])
			break
		}
		algorithms.Unite(found, m.accepting[q])
		if m.skips[q] {
			algorithms.Unite(found, m.sets.At(rests[i+1]))
		}
	}
	id, _ := m.sets.ID(found)
	return id
}

// know finds the terminals of the states of the product up to q.
func (m *matcher) know(q lexer.State) {
	var parts []lexer.Part
	for at := len(m.live); at <= int(q); at++ {
		live, accepting, skips := make([]uint64, bitset.Words(m.count)), make([]uint64, bitset.Words(m.count)), false
		parts = m.terminals.Parts(parts[:0], lexer.State(at))
		for _, x := range parts {
			bitset.Add(live, x.Terminal)
			switch {
			case !m.terminals.Terminal(x.Terminal).Accepting(x.State):
			case m.ignored[x.Terminal]:
				skips = true
			default:
				bitset.Add(accepting, x.Terminal)
			}
		}
		m.live, m.accepting, m.skips = append(m.live, live), append(m.accepting, accepting), append(m.skips, skips)
	}
}

// A match sorts tokens by their effect on a state of a terminal's DFA.
type match struct {
	// inside are the tokens that the DFA consumes, to a live state.
	inside []uint64
	// beyond are, by the terminal that comes next, the tokens of which the DFA accepts a beginning and
	// that terminal matches the rest, or accepts a beginning of it; nil for none.
	beyond [][]uint64
	// own says which lists of beyond are not shared with other states.
	own []bool
	// reached are the tokens of which the DFA accepts a beginning, whatever the rest.
	reached []uint64
}

// match sorts tokens by their effect on a state.
func (m *matcher) match(dfa *automata.DFA, state int32) *match {
	out := &match{
		inside: make([]uint64, m.words), beyond: make([][]uint64, m.count), own: make([]bool, m.count), reached: make([]uint64, m.words),
	}
	if dfa.Accepting(state) {
		copy(out.reached, m.all)
		copy(out.beyond, m.begun)
	}
	nodes, order, first := m.trie.Nodes, m.trie.Order(), m.trie.First()
	states := make([]int32, m.depth+1)
	states[0] = state
	for i := 0; i < len(nodes); {
		depth := m.trie.Depth(i)
		next := dfa.Next(states[depth], nodes[i].Byte())
		if next == automata.Dead {
			i += nodes[i].Size()
			continue
		}
		states[depth+1] = next
		for _, id := range order[first[i]:first[i+1]] {
			bitset.Add(out.inside, id)
		}
		if dfa.Accepting(next) {
			m.pass(out, first[i+1], first[i+nodes[i].Size()], depth+1)
		}
		i++
	}
	return out
}

// pass adds the tokens at some places of the order, of which the DFA has accepted so many bytes.
func (m *matcher) pass(out *match, from, to int32, consumed int) {
	order := m.trie.Order()
	for at := from; at < to; at++ {
		bitset.Add(out.reached, order[at])
		for t := range bitset.All[grammar.Terminal](m.sets.At(m.rests[int(m.first[at])+consumed])) {
			if !out.own[t] {
				out.own[t] = true
				words := make([]uint64, m.words)
				copy(words, out.beyond[t])
				out.beyond[t] = words
			}
			bitset.Add(out.beyond[t], order[at])
		}
	}
}
