package realtext

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// A World is a small problem with what goes wrong in vocabularies: tokens with equal bytes, without
// bytes, special ones with bytes that would be legal, parts of characters, and more than one EOS.
type World struct {
	Name, Grammar string
	OnDemand      bool
	Tokens        []string
}

// Worlds are one of each kind of grammar.
var Worlds = []World{
	{"brackets", "start: \"(\" start \")\" | \"x\"\n", false, []string{"(", ")", "x", "((", "))", "x)", ")))", "(x)", "()"}},
	{"nothing", "start:\n", false, []string{"a", " "}},
	{"nothing but blanks", "start:\n%ignore \" \"\n", false, []string{"a", " ", "  ", " a"}},
	{"words", "start: (WORD | IF WORD)+\nIF: \"if\"\nWORD: /[a-z]+|é+/\n%ignore /[ \\n]+/\n", false,
		[]string{"i", "f", "if", "if ", "ifx", " if", "x", "é", "\xc3", "\xa9", "\xc3\xa9\xc3", " ", "\n", "1", "\xff"}},
	{"strings", "%lexer all\nstart: \"[\" (FREE | SHORT) (\",\" FREE)* \"]\" | KEY \":\" SHORT\nKEY: /\"[a-z]{1,3}\"/\nFREE: /\"([^\"\\\\\\x00-\\x1f]|\\\\[\"n])*\"/\nSHORT: /\"[^\"\\\\\\x00-\\x1f]{0,3}\"/\n", true,
		[]string{"[", "]", ",", ":", "\"", "a", "ab", "abcd", "é", "\xc3", "\xa9", "\\", "\\n", "\\\"", "\",", "\"]", "[\"", "a\",\"b", "\":\"", "\xe2\x82", "\xac\""}},
	{"forks", "%conflicts keep\nstart: e\ne: e \"+\" e | e e | \"x\" |\n", false, []string{"x", "+", "xx", "x+", "+x", "+x+"}},
	{"two ways", "%lexer all\n%conflicts keep\nstart: (A | B \";\" | start A)*\nA: /a+/\nB: /[ab]+/\n%ignore \" \"\n", true, []string{"a", "b", "ab;", "a ", ";", " ", "a;b"}},
	{"blocks", "start: (line | \"if\" NL INDENT line+ DEDENT)+\nline: \"(\"? \"p\" \")\"? NL\nNL: /(\\n *)+/\n%declare INDENT DEDENT\n%ignore \" \"\n%layout newline=NL indent=INDENT dedent=DEDENT open=\"(\" close=\")\" tab=8\n", false,
		[]string{"p", "if", "\n", " ", "  ", "p\n", "\n ", "if\n ", "\n  p", "p\np", "(", ")", "(p", "\n\n"}},
}

// Problem compiles the world. Behind its tokens the vocabulary has the first of them once more, an
// id without bytes, two EOS ids, and a special token with the bytes of the first.
func (w World) Problem(t testing.TB) *algorithms.Problem {
	t.Helper()
	p := Small(t, w.Grammar, w.OnDemand, nil)
	var list [][]byte
	for _, s := range append(slices.Clone(w.Tokens), w.Tokens[0], "", "<eos>", "<end>", w.Tokens[0]) {
		list = append(list, []byte(s))
	}
	n := len(list)
	p.Vocabulary = must.Get(tokenizers.NewVocabulary(w.Name, list, []int{n - 3, n - 2}, []int{n - 1}))(t)
	return p
}

// Lives takes generations of an algorithm through random lives in every world: a pool of them is
// committed to, cloned, taken back, asked for masks and asked to take what is refused, in turn.
// Each must be at any time what a new generation of the reference is that was given the same
// tokens, and a mask must stay as it is until its own generation is touched, and a row into which
// one was delivered for good. The engine's context is done before the first of them is born. It
// returns the number of masks compared.
func Lives(t *testing.T, seed uint64, of conformance.Entry, reference string) (masks int) {
	t.Helper()
	for i, w := range Worlds {
		p := w.Problem(t)
		ctx, cancel := context.WithCancel(t.Context())
		e, err := compile(ctx, of, p)
		cancel()
		var unsupported *algorithms.UnsupportedError
		if errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%s, %v: %v", w.Name, of.Options, err)
		}
		pool := &pool{
			rng: rand.New(rand.NewPCG(seed, uint64(i))), problem: p, engine: e,
			reference: MustCompile(t, reference, p, nil), known: map[string]algorithms.Mask{},
		}
		if err := pool.live(400); err != nil {
			t.Fatalf("%s %v, %s, seed %d: %v", of.Algorithm.Name(), of.Options, w.Name, seed, err)
		}
		masks += pool.masks
	}
	return masks
}

// pool is some generations of one engine.
type pool struct {
	rng       *rand.Rand
	problem   *algorithms.Problem
	engine    algorithms.Engine
	reference algorithms.Engine
	known     map[string]algorithms.Mask // the reference's masks, by the tokens before
	lives     []*life
	masks     int
}

// A life is a generation, the tokens it took, the mask it gave last, if nothing happened to it
// since, and the row it filled last.
type life struct {
	state  algorithms.State
	tokens []int
	mask   algorithms.Mask
	sum    uint64
	held   bool
	row    algorithms.Mask
	rowSum uint64
}

const maxLives = 6

// live does some things to the lives of a pool, one at a time.
func (p *pool) live(things int) error {
	for range things {
		if len(p.lives) == 0 || len(p.lives) < maxLives && p.rng.IntN(20) == 0 {
			p.lives = append(p.lives, &life{state: p.engine.Start()})
		}
		l := p.lives[p.rng.IntN(len(p.lives))]
		if err := p.something(l); err != nil {
			return fmt.Errorf("after %q: %w", p.text(l.tokens), err)
		}
		for _, other := range p.lives {
			if other.held && other.mask.Hash() != other.sum {
				return fmt.Errorf("after %q: its mask changed while %q lived on", p.text(other.tokens), p.text(l.tokens))
			}
			if other.row.Hash() != other.rowSum {
				return fmt.Errorf("after %q: a row delivered before changed while %q lived on", p.text(other.tokens), p.text(l.tokens))
			}
		}
	}
	return nil
}

// something does one thing to a life.
func (p *pool) something(l *life) error {
	switch p.rng.IntN(8) {
	case 0:
		return p.refuse(l)
	case 1:
		return p.rollback(l)
	case 2:
		if len(p.lives) < maxLives {
			p.lives = append(p.lives, &life{state: l.state.Clone(), tokens: slices.Clone(l.tokens)})
		}
		return nil
	case 3:
		p.lives = slices.DeleteFunc(p.lives, func(x *life) bool { return x == l && len(p.lives) > 1 })
		return nil
	case 4, 5:
		return p.look(l)
	}
	return p.commit(l)
}

// look compares a mask, as it is returned or as it is delivered.
func (p *pool) look(l *life) error {
	want, err := p.want(l.tokens)
	if err != nil {
		return err
	}
	p.masks++
	how, got := "returned", algorithms.Mask{}
	if p.rng.IntN(2) == 0 {
		how, got = "delivered", p.deliver(l, want.Len())
	} else {
		l.mask = l.state.Mask()
		l.sum, l.held = l.mask.Hash(), true
		got = l.mask
	}
	if id := got.FirstDifference(want); id >= 0 || got.Len() != want.Len() {
		return fmt.Errorf("a mask of %d ids, %s: token %d %q: the reference says legal=%v", got.Len(), how, id, p.text([]int{id}), want.Has(id))
	}
	return nil
}

// deliver is the mask of n ids that a life writes into a new row, which holds anything before.
func (p *pool) deliver(l *life, n int) algorithms.Mask {
	row := make([]uint64, algorithms.MaskWords(n))
	for i := range row {
		row[i] = p.rng.Uint64()
	}
	algorithms.Deliver(l.state, row)
	l.held = false
	l.row = algorithms.MaskOf(row, n)
	l.rowSum = l.row.Hash()
	return l.row
}

// want is the reference's mask behind some tokens.
func (p *pool) want(tokens []int) (algorithms.Mask, error) {
	key := fmt.Sprint(tokens)
	m, ok := p.known[key]
	if !ok {
		s := p.reference.Start()
		for _, id := range tokens {
			if err := s.Commit(id); err != nil {
				return m, fmt.Errorf("the reference: %w", err)
			}
		}
		m = s.Mask().Clone()
		p.known[key] = m
	}
	return m, nil
}

// commit takes a legal token, if there is one.
func (p *pool) commit(l *life) error {
	want, err := p.want(l.tokens)
	if err != nil {
		return err
	}
	ids := want.IDs(nil)
	if len(ids) == 0 {
		return nil
	}
	id := ids[p.rng.IntN(len(ids))]
	l.held = false
	if err := l.state.Commit(id); err != nil {
		return fmt.Errorf("a legal token: %w", err)
	}
	l.tokens = append(l.tokens, id)
	return nil
}

// refuse tries an illegal token: of the vocabulary, or beyond it.
func (p *pool) refuse(l *life) error {
	want, err := p.want(l.tokens)
	if err != nil {
		return err
	}
	id := p.rng.IntN(want.Len()+4) - 2
	if want.Has(id) {
		return nil
	}
	l.held = false
	var refused *algorithms.RefusedError
	if err := l.state.Commit(id); !errors.As(err, &refused) || refused.Token != id || refused.Reason == "" {
		return fmt.Errorf("token %d, which is illegal: %v", id, err)
	}
	return p.look(l)
}

// rollback takes back some tokens, or tries to take back more than there are.
func (p *pool) rollback(l *life) error {
	r, ok := l.state.(algorithms.Rewinder)
	if !ok {
		return fmt.Errorf("%T cannot take back tokens", l.state)
	}
	l.held = false
	k := p.rng.IntN(len(l.tokens)+4) - 1
	err := r.Rollback(k)
	switch {
	case k < 0 || k > len(l.tokens):
		if err == nil {
			return fmt.Errorf("%d of %d tokens were taken back", k, len(l.tokens))
		}
	case err != nil:
		return err
	default:
		l.tokens = l.tokens[:len(l.tokens)-k]
	}
	return p.look(l)
}

// text is the bytes of some tokens.
func (p *pool) text(tokens []int) string {
	var text []byte
	for _, id := range tokens {
		if id >= 0 && id < p.problem.Vocabulary.Len() {
			text = append(text, p.problem.Vocabulary.Token(id)...)
		}
	}
	return string(text)
}
