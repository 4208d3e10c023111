package jsontokens

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// effectTokens are the tokens of the tables, without quotes around them.
var effectTokens = []string{"a", "ab", "abc", "b", "c", "cc", "é", " ", `"`, `",`, `a"`, `a":`, `ab"`, `ab",`, `":"`, `\n`, `\`, `\"`, "\n", "1", "12", "123", "-", ".5", "e", "1,", "12]", "1.5,", "1 "}

func effectVocabularyOf(t *testing.T) *tokenizers.Vocabulary {
	t.Helper()
	var list [][]byte
	for _, s := range effectTokens {
		list = append(list, []byte(s))
	}
	v := must.Get(tokenizers.NewVocabulary("effects", list, nil, nil))(t)
	return v
}

// written lists the tokens of an effect: those that leave a live state alive, then after the
// numbers of the live states that a quote completes those that go on.
func (v *Effect) written(order []int32) string {
	words := make([]uint64, bitset.Words(len(effectTokens)))
	copy(words, v.Alive)
	bitset.RemoveAll(words, v.Minus)
	bitset.AddAll(words, v.Plus)
	bitset.AddAll(words, v.Few)
	lines := []string{writtenTokens(slices.Collect(bitset.All[int32](words)))}
	var closings []string
	for _, c := range v.Closings {
		var members []int
		for _, m := range c.Members {
			members = append(members, int(order[m]))
		}
		slices.Sort(members)
		closings = append(closings, fmt.Sprintf("%d %s", members, writtenTokens(c.List.Tokens)))
	}
	slices.Sort(closings)
	return strings.Join(append(lines, closings...), "; ")
}

// writtenTokens lists tokens by their ids.
func writtenTokens(ids []int32) string {
	var list []string
	for _, id := range slices.Sorted(slices.Values(ids)) {
		list = append(list, effectTokens[id])
	}
	return strings.Join(list, "|")
}

// TestEffectTable is a table of strings, each after a text, and the effect of the tokens on them,
// with every mechanism and without each.
func TestEffectTable(t *testing.T) {
	v := effectVocabularyOf(t)
	const all = `a|ab|abc|b|c|cc|é| |"|a"|ab"|\n|\|\"|1|12|123|-|.5|e|1,|12]|1.5,|1 `
	const any = `(?:[^"\\\x00-\x1f]|\\["\\n])*`
	for _, c := range []struct {
		at   []string // a pattern, a blank and a text
		want string
	}{
		{[]string{`"ab" "`}, `a|ab|ab"; [0] ab",`},
		{[]string{`"ab" "a`}, `b`},
		{[]string{`"ab" "ab`}, `"; [0] ",|":"`},
		{[]string{`"ab" "`, `"abc" "`}, `a|ab|abc|ab"; [0] ab",`},
		{[]string{`"ab" "a`, `"a" "a`}, `b|"; [1] ",|":"`},
		{[]string{`"[a-c]{1,2}" "`}, `a|ab|b|c|cc|a"|ab"; [0] a":|ab",`},
		{[]string{`"[a-c]*" "`, `"ab" "`}, `a|ab|abc|b|c|cc|"|a"|ab"; [0 1] ab",; [0] ",|a":|":"`},
		{[]string{`"` + any + `" "`}, all + `; [0] ",|a":|ab",|":"`},
		{[]string{`"` + any + `" "\`}, `"|",|":"|\n|\|\"`},
		{[]string{`"` + any + `" "`, `"ab" "`}, all + `; [0 1] ab",; [0] ",|a":|":"`},
		{[]string{`"(?:[^ab"\\\x00-\x1f]|a[^b"\\\x00-\x1f])[a-z]*" "`}, `a|c|cc|é| |1|-|e`},
	} {
		for without := -1; without < len(MechanismNames); without++ {
			set := Mechanisms(0)
			if without >= 0 {
				set = 1 << without
			}
			l := Of(nil, v, set)
			l.Cut()
			var lives []Live
			for _, at := range c.at {
				i := strings.LastIndexByte(at, ' ')
				p := l.Profile(automata.MustCompile(at[:i], 0))
				lives = append(lives, p.At(p.At(p.d.Start()).after([]byte(at[i+1:]))))
			}
			effect, order := l.NewEffects().Of(lives)
			if got := effect.written(order); got != c.want {
				t.Errorf("%q without %d:\n%s, want\n%s", c.at, without, got, c.want)
			}
		}
	}
}

// TestNumberEffectTable is a table of numbers, each after a text, and the effect of the tokens on
// them.
func TestNumberEffectTable(t *testing.T) {
	l := newLexicon(effectVocabularyOf(t))
	const free = `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`
	for _, c := range []struct {
		at   []string // a pattern, a blank and a text
		want string
	}{
		{[]string{`[0-9]{1,2} `}, `1|12; [0] 1,|12]|1 `},
		{[]string{`[0-9]{1,2} 1`}, `1; [0] 1,|1 `},
		{[]string{free + ` 1`}, `1|12|123|.5|e; [0] 1,|12]|1.5,|1 `},
		{[]string{free + ` 1.`}, `1|12|123; [0] 1,|12]|1 `},
		{[]string{free + ` 0`, `[0-9]+ 0`}, `1|12|123|.5|e; [1] 1,|12]|1 `},
		{[]string{`12|1e5 1`}, `e`},
	} {
		var lives []NumberLive
		for _, at := range c.at {
			i := strings.LastIndexByte(at, ' ')
			p := l.NumberProfile(automata.MustCompile(at[:i], automata.ASCII))
			lives = append(lives, p.At(runs(p.d, p.d.Start(), []byte(at[i+1:]))))
		}
		v, order := l.NumberEffect(lives)
		var alive []int32
		if v.Alive != nil {
			for _, r := range v.Alive.List {
				alive = append(alive, l.order[r.Lo:r.Hi]...)
			}
		}
		got := writtenTokens(alive)
		for _, e := range v.Exits {
			var ids []int32
			for _, j := range e.Nodes {
				ids = append(ids, l.order[l.first[j]:l.first[int(j)+l.trie.Nodes[j].Size()]]...)
			}
			var members []int32
			for _, m := range e.Members {
				members = append(members, order[m])
			}
			slices.Sort(members)
			got += fmt.Sprintf("; %d %s", members, writtenTokens(ids))
		}
		if got != c.want {
			t.Errorf("%q:\n%s, want\n%s", c.at, got, c.want)
		}
	}
}

// TestParseMechanisms is a table of sets of mechanisms.
func TestParseMechanisms(t *testing.T) {
	for _, c := range []struct {
		text string
		want Mechanisms
		ok   bool
	}{
		{"none", 0, true},
		{"lists", Lists, true},
		{"depths+digits", Depths | Digits, true},
		{"lists+lists", Lists, true},
		{strings.Join(MechanismNames, "+"), Digits<<1 - 1, true},
		{"", 0, false},
		{"lists,digits", 0, false},
		{"Lists", 0, false},
	} {
		if got, err := ParseMechanisms(c.text); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %b, %v; want %b", c.text, got, err, c.want)
		}
	}
}
