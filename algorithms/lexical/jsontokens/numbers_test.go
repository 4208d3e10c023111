package jsontokens

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// numberPatterns are numbers that are free, bounded, divided, enumerated and strange.
var numberPatterns = []string{
	`-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`,
	`-?(0|[1-9][0-9]*)`,
	`[0-9]{1,3}`,
	`[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]`,
	`[0-9]*[02468]`,
	`-?1\.50*|12|1e\+?3`,
	`0`,
	`[0-9]{2}([0-9]{3})*`,
	`[1-9][0-9]{7}|[1-9][0-9]{2}`,
}

// numberTokens are tokens of numbers: all of up to three digits, some longer ones, what is between
// digits, and tokens that end a number and go on.
func numberTokens(rng *rand.Rand) [][]byte {
	list := [][]byte{[]byte("<eos>")}
	for width, n := 1, 10; width <= 3; width, n = width+1, 10*n {
		for i := range n {
			list = append(list, fmt.Appendf(nil, "%0*d", width, i))
		}
	}
	pieces := []string{"0", "1", "25", "-", "+", ".", "e", "E", ",", "}", "]", "\n", " ", "x", "else", "true"}
	for range 300 {
		var s []byte
		for range 1 + rng.IntN(4) {
			s = append(s, pieces[rng.IntN(len(pieces))]...)
		}
		list = append(list, s)
	}
	return append(list, []byte("000000"), []byte("12345678"), []byte("0"), []byte("7")) // the last two twice
}

// TestJudgeNumbers compares the effect on one to three states with what each token does.
func TestJudgeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	v := must.Get(tokenizers.NewVocabulary("numbers", numberTokens(rng), []int{0}, nil))(t)
	l := newLexicon(v)
	var all []NumberLive
	for _, pattern := range numberPatterns {
		d := automata.MustCompile(pattern, automata.ASCII)
		for s := range int32(d.NumStates()) {
			all = append(all, NumberLive{p: l.NumberProfile(d), state: s})
		}
	}
	for range 400 {
		var stack []NumberLive
		for range 1 + rng.IntN(3) {
			stack = append(stack, all[rng.IntN(len(all))])
		}
		slices.SortFunc(stack, func(a, b NumberLive) int { return int(a.p.id) - int(b.p.id) })
		var key []byte
		for i := range stack {
			stack[i].index = int32(i)
			key = append(key, byte(stack[i].p.id), byte(stack[i].state))
		}
		got := l.numberEffect(key, slices.Clone(stack))
		if got != l.numberEffect(key, slices.Clone(stack)) {
			t.Error("two effects")
		}
		checkNumbers(t, l, v, stack, got)
	}
}

// checkNumbers checks a effect.
func checkNumbers(t *testing.T, l *Lexicon, v *tokenizers.Vocabulary, stack []NumberLive, got *NumberEffect) {
	t.Helper()
	alive := map[int32]bool{}
	if got.Alive != nil {
		for _, r := range got.Alive.List {
			for _, id := range l.order[r.Lo:r.Hi] {
				alive[id] = true
			}
		}
	}
	exits := map[int32][]int32{} // by token: the live states behind which it goes on
	for _, e := range got.Exits {
		for _, j := range e.Nodes {
			for _, id := range l.order[l.first[j]:l.first[int(j)+l.trie.Nodes[j].Size()]] {
				if exits[id] != nil {
					t.Errorf("token %q: two exits", v.Token(int(id)))
				}
				exits[id] = e.Members
			}
		}
	}
	for _, id := range l.order {
		text := v.Token(int(id))
		n := 0
		for n < len(text) && numberBytes.has(text[n]) {
			n++
		}
		isAlive := false
		var members []int32
		for _, x := range stack {
			s := runs(x.p.d, x.state, text[:n])
			isAlive = isAlive || n == len(text) && s != automata.Dead
			if n > 0 && n < len(text) && x.p.d.Accepting(s) {
				members = append(members, x.index)
			}
		}
		if alive[id] != isAlive || !slices.Equal(exits[id], members) {
			t.Fatalf("token %q: alive %v, exits %v; it should be %v, %v", text, alive[id], exits[id], isAlive, members)
		}
	}
}
