package spanner

import (
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/automata"
	"gcdbench/lexer"
	"gcdbench/tokenizers"
)

// Plain is what a walk of a vocabulary's trie needs to take plain text whole: tokens of plain characters only
// (slices.go), which strings and comments hold as they are. It is safe for concurrent use.
type Plain struct {
	l    *lexicon
	once sync.Once
	need []uint8
}

// NotPlain is the need of a subtree with a token that is not plain text, or of more characters than any need.
const NotPlain = math.MaxUint8

// plainKey is the key of a vocabulary's Plain in a Kept.
type plainKey struct{ vocabulary *tokenizers.Vocabulary }

// PlainOf is the Plain that a Kept has for a vocabulary; one that nobody else has if k is nil. What
// takes long is made when it is first asked for.
func PlainOf(k *algorithms.Kept, v *tokenizers.Vocabulary) *Plain {
	return algorithms.KeptValue(k, plainKey{v}, func() *Plain { return &Plain{l: lexiconOf(k, v, 0)} })
}

// prepare makes what Need and UpTo answer from, at the first call.
func (p *Plain) prepare() {
	p.once.Do(func() {
		p.l.cut()
		p.need = needs(p.l.vocabulary)
	})
}

// needs is the Need of a vocabulary's trie.
func needs(v *tokenizers.Vocabulary) []uint8 {
	t := v.Trie()
	depths := t.Depths()
	need := make([]uint8, len(t.Nodes))
	var below [tokenizers.MaxTokenLength + 1]uint8 // by depth: of the nodes behind that have the same parent
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		d := depths[i]
		n := below[d+1]
		below[d+1] = 0
		if id := t.Nodes[i].Token(); id >= 0 {
			n = max(n, plainLength(v.Token(int(id))))
		}
		need[i] = n
		below[d] = max(below[d], n)
	}
	return need
}

// plainLength is the characters of a plain text, NotPlain for another one.
func plainLength(text []byte) uint8 {
	if kind, ok := kindOf(text); !ok || kind != plainSlice {
		return NotPlain
	}
	return uint8(min(utf8.RuneCount(text), NotPlain))
}

// Need is, by node of the vocabulary's trie, the most characters of a token in the node's subtree if all of them
// are plain text, else NotPlain. It is shared: read only.
func (p *Plain) Need() []uint8 {
	p.prepare()
	return p.need
}

// UpTo is the bits of the plain tokens of at most k characters; read only.
func (p *Plain) UpTo(k int) []uint64 {
	p.prepare()
	return p.l.upToLength(int32(k))
}

// Depth is how many plain characters, whichever they are, a terminal's DFA stays alive after in a
// state, at most NotPlain-1; 0 if it is not inside a JSON string.
func (p *Plain) Depth(d *automata.DFA, state int32) int {
	s := p.l.spelling(d)
	if s == nil || s.phases[state] != inside {
		return 0
	}
	return int(min(s.depth(d, state).least, NotPlain-1))
}

// maxEndless is how many places, between or inside characters, Endless looks at. A string or comment of any
// length has eight, and some more if it has an end or escapes to look out for.
const maxEndless = 64

// Endless finds out what stays in reach after state q of a lexer, whatever plain text is read on: the terminals, and
// whether an ignored one does. It is nil if such a text may end the lexeme, or if that takes too long to find
// out.
func Endless(lex lexer.Automaton, q lexer.State) *lexer.Reach {
	type place struct {
		q    lexer.State
		step uint8
	}
	seen := map[place]bool{{q, 0}: true}
	var always *lexer.Reach
	for todo := []place{{q, 0}}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range characterSteps[at.step] {
			for b := int(r.lo); b <= int(r.hi); b++ {
				to := place{lex.Next(at.q, byte(b)), r.to}
				if to.q == lexer.None || len(seen) > maxEndless {
					return nil
				}
				if to.step == 0 {
					always = meet(always, lex.ReachSet(lex.Reach(to.q)))
				}
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
	}
	return always
}

// meet is what is in both of two reaches; a is changed, or nil for all there is.
func meet(a, b *lexer.Reach) *lexer.Reach {
	if a == nil {
		return &lexer.Reach{Parser: slices.Clone(b.Parser), Ignored: b.Ignored}
	}
	for i := range a.Parser {
		a.Parser[i] &= b.Parser[i]
	}
	a.Ignored = a.Ignored && b.Ignored
	return a
}
