package jsontokens

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
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

// TestNumeral tells numbers from what only looks like them.
func TestNumeral(t *testing.T) {
	l := &Lexicon{}
	for _, pattern := range numberPatterns {
		d := automata.MustCompile(pattern, automata.ASCII)
		if p := l.NumberProfile(d); p == nil || p != l.NumberProfile(d) {
			t.Errorf("%s: no number, or two", pattern)
		}
	}
	for _, pattern := range []string{`[0-9]+,`, `0x[0-9a-f]+`, `"1"`, `[0-9]+|null`, `1 `, `[0-9]+[^0-9]`} {
		if l.NumberProfile(automata.MustCompile(pattern, automata.ASCII)) != nil {
			t.Errorf("%s: a number", pattern)
		}
	}
}

// TestNumeralEndures compares endures, asked in any order, with all sequences of digits.
func TestNumeralEndures(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	for _, pattern := range numberPatterns {
		d := automata.MustCompile(pattern, automata.ASCII)
		p := (&Lexicon{}).NumberProfile(d)
		for range 200 {
			s, n := int32(rng.IntN(d.NumStates())), rng.IntN(5)
			reached := []int32{s}
			for range n {
				var next []int32
				for _, at := range reached {
					for b := byte('0'); b <= '9'; b++ {
						next = append(next, runs(d, at, []byte{b}))
					}
				}
				slices.Sort(next)
				reached = slices.Compact(next)
			}
			if got, want := p.endures(s, uint8(n)), !slices.Contains(reached, automata.Dead); got != want {
				t.Errorf("%s, state %d, any %d digits: %v", pattern, s, n, got)
			}
		}
		for s := range int32(d.NumStates()) {
			for b := range 256 {
				if alive := p.alive(s)&numberBit[b] != 0; alive != (d.Next(s, byte(b)) != automata.Dead) {
					t.Errorf("%s, state %d, byte %#x: alive %v", pattern, s, b, alive)
				}
			}
		}
	}
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
	v, err := tokenizers.NewVocabulary("numbers", numberTokens(rng), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
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

// TestNumberTree: each prefix has the most digits that a token has after it, or none if one has
// something else there.
func TestNumberTree(t *testing.T) {
	v, err := tokenizers.NewVocabulary("numbers", numberTokens(rand.New(rand.NewPCG(1, 1))), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := newLexicon(v).numbers
	var visit func(i int, prefix string)
	visit = func(i int, prefix string) {
		most := int16(0)
		for id := range v.Len() {
			rest, has := strings.CutPrefix(string(v.Token(id)), prefix)
			switch {
			case !has:
			case strings.Trim(rest, "0123456789") != "":
				most = -1
			case most >= 0:
				most = max(most, int16(len(rest)))
			}
		}
		if got := tree.nodes[i].digits; i > 0 && got != most {
			t.Errorf("after %q: %d digits, not %d", prefix, got, most)
		}
		for k := tree.nodes[i].kidLo; k < tree.nodes[i].kidHi; k++ {
			visit(int(k), prefix+string(rune(tree.nodes[k].byte)))
		}
	}
	visit(0, "")
}

// TestNumberLists: states that no token tells apart have one list of tokens.
func TestNumberLists(t *testing.T) {
	v, err := tokenizers.NewVocabulary("numbers", numberTokens(rand.New(rand.NewPCG(1, 1))), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := newLexicon(v)
	d := automata.MustCompile(`[0-9]{1,20}`, automata.ASCII)
	list := func(digits int) *Ranges {
		s := runs(d, d.Start(), []byte("00000000000000000000")[:digits])
		return l.numberEffect([]byte{byte(digits)}, []NumberLive{{l.NumberProfile(d), s, 0}}).Alive
	}
	if list(1) != list(2) || list(1) != list(12) {
		t.Error("8 digits fit in any way, but the lists differ")
	}
	if list(12) == list(13) || list(18) == list(19) || list(20) != nil {
		t.Error("fewer than 8 digits fit, but the lists are alike")
	}
}
