package jsontokens

import (
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/kept"
	"gcdbench/tokenizers"
)

// Plain lets a walk of a vocabulary's trie take plain text whole: tokens of plain characters only
// (lexicon.go), which strings and comments hold as they are. It is safe for concurrent use.
type Plain struct {
	l    *Lexicon
	once sync.Once
	need []uint8
}

// NotPlain is the need of a subtree with a token that is not plain text, or that has more
// characters than any need.
const NotPlain = math.MaxUint8

// plainKey is the key of a vocabulary's Plain in a Kept.
type plainKey struct{ vocabulary *tokenizers.Vocabulary }

// PlainOf is the Plain that a Kept has for a vocabulary, a new one if k is nil. Its tables are
// made when first asked for.
func PlainOf(k *kept.Kept, v *tokenizers.Vocabulary) *Plain {
	return kept.Value(k, plainKey{v}, func() *Plain { return &Plain{l: Of(k, v, 0)} })
}

// prepare makes what Need and UpTo answer from, at the first call.
func (p *Plain) prepare() {
	p.once.Do(func() {
		p.l.Cut()
		p.need = needs(p.l.vocabulary)
	})
}

// needs is the Need of a vocabulary's trie.
func needs(v *tokenizers.Vocabulary) []uint8 {
	t := v.Trie()
	depths := t.Depths()
	need := make([]uint8, len(t.Nodes))
	// below is by depth the need of the later nodes with the same parent.
	var below [tokenizers.MaxTokenLength + 1]uint8
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

// Need is, by node of the vocabulary's trie, the most characters of a token in the node's subtree
// if all of them are plain text, else NotPlain. It is shared: read only.
func (p *Plain) Need() []uint8 {
	p.prepare()
	return p.need
}

// UpTo is the bits of the plain tokens of at most k characters; read only.
func (p *Plain) UpTo(k int) []uint64 {
	p.prepare()
	return p.l.upToLength(int32(k))
}

// Depth is how many plain characters, whichever they are, leave a terminal's DFA alive in a
// state: at most NotPlain-1, and 0 if the state is not inside a JSON string.
func (p *Plain) Depth(d *automata.DFA, state int32) int {
	s := p.l.Profile(d)
	if s == nil || s.phase(state) != inside {
		return 0
	}
	return int(min(s.depth(state).least, NotPlain-1))
}

// maxEndless is how many places, between or inside characters, Endless looks at. A string or
// comment of unbounded length has eight, and some more if it watches for an end or an escape.
const maxEndless = 64

// Endless is what stays in reach after state q of a lexer, whatever plain text is read:
// terminals, and whether an ignored one does. It is nil if such a text may end the lexeme, or if
// finding out takes too long.
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

// meet is the intersection of two reaches. It changes a; a nil a stands for everything.
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
