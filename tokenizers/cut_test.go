package tokenizers

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// The ids of a cut: those below n stay, EOS and single bytes follow, the rest is gone.
func TestCutIDs(t *testing.T) {
	tok := build(t, spmFile(), "</s>")
	n := 259 // after the bytes
	cut, err := tok.Cut(n)
	must.OK(t, err)
	v := cut.Vocabulary()
	var behind []string
	for id := n; id < v.Len(); id++ {
		behind = append(behind, string(v.Token(id)))
	}
	if got := strings.Join(behind, "|"); got != " |a|b|c|\n" {
		t.Errorf("behind the cut: %q", got)
	}
	if v.Name() != "test[:259]" || !slices.Equal(v.EOS(), []int{2}) || v.Kind(1) != SpecialToken {
		t.Errorf("name %s, EOS %v", v.Name(), v.EOS())
	}
	ids, err := cut.Encode([]byte("ab é"))
	if got := tokens(t, cut, ids); err != nil || got != " |a|b| |\xc3|\xa9" {
		t.Errorf("%q, %v", got, err)
	}
	// "▁▁", "ab" stay, "▁a" does not, and so neither does "▁ab", which is made of "▁" and "ab"
	// but lies after it.
	cut = must.Get(tok.Cut(266))(t)
	ids, err = cut.Encode([]byte("ab  ab"))
	if got := tokens(t, cut, ids); err != nil || got != " |ab|  |ab" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCutRefuses(t *testing.T) {
	tok := build(t, byteLevelFile(), "<|end|>")
	for _, n := range []int{-1, 0, 259} {
		if _, err := tok.Cut(n); err == nil || !strings.Contains(err.Error(), "it has 258") {
			t.Errorf("Cut(%d): %v", n, err)
		}
	}
	whole, err := tok.Cut(258)
	if err != nil || whole.Vocabulary().SHA256() != tok.Vocabulary().SHA256() {
		t.Errorf("a cut of everything differs: %v", err)
	}
}

// A byte-level vocabulary cut to fewer ids than bytes still has all bytes and its EOS.
func TestCutBelowBytes(t *testing.T) {
	tok := build(t, byteLevelFile("h e"), "<|end|>")
	cut, err := tok.Cut(10)
	must.OK(t, err)
	if v := cut.Vocabulary(); v.Len() != 257 || v.EOS()[0] != 256 || v.Legal(256) {
		t.Errorf("%d ids, EOS %v", v.Len(), v.EOS())
	}
	ids, err := cut.EncodeContinuation([]byte("hey\xff"))
	if got := tokens(t, cut, ids); err != nil || got != "h|e|y|\xff" {
		t.Errorf("%q, %v", got, err)
	}
}

// A cut encodes as the definition does over the merges whose three symbols remain.
func TestCutMatchesDefinition(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	for range 200 {
		m, rules, symbols := randomModel(rng, []string{"a", "b", "c"}, 20)
		var all [][]byte
		for _, s := range symbols {
			all = append(all, []byte(s))
		}
		v := must.Get(NewVocabulary("random", append(all, []byte("</s>")), []int{len(all)}, nil))(t)
		tok := must.Get(newTokenizer(&definition{vocabulary: v, model: m}))(t)
		n := 1 + rng.Intn(len(all))
		cut := must.Get(tok.Cut(n))(t)
		kept := func(s string) bool { return len(s) == 1 || slices.Index(symbols, s) < n }
		var remaining [][2]string
		for _, r := range rules {
			if kept(r[0]) && kept(r[1]) && kept(r[0]+r[1]) {
				remaining = append(remaining, r)
			}
		}
		text := strings.Repeat("abcacb"[:1+rng.Intn(6)], rng.Intn(20))
		ids := must.Get(cut.Encode([]byte(text)))(t)
		want := strings.Join(reference(strings.Split(text, ""), remaining), "|")
		if got := tokens(t, cut, ids); got != want {
			t.Fatalf("seed %d: cut to %d: %q encodes to %q, want %q", seed, n, text, got, want)
		}
	}
}

// Real vocabularies at several sizes: ids below n are the same tokens, texts can be written,
// and only with legal ids.
func TestCutNamed(t *testing.T) {
	for _, name := range []string{"r50k_base", "llama3", "gemma3", "llama2"} {
		t.Run(name, func(t *testing.T) {
			tok := fetched(t, name)
			for _, n := range []int{300, 5000, 20000} {
				cut := must.Get(tok.Cut(n))(t)
				v := cut.Vocabulary()
				if v.Len() < n || v.Len() > n+400 || len(v.EOS()) != len(tok.Vocabulary().EOS()) {
					t.Errorf("cut to %d: %d ids, EOS %v", n, v.Len(), v.EOS())
				}
				for id := range n {
					if string(v.Token(id)) != string(tok.Vocabulary().Token(id)) || v.Kind(id) != tok.Vocabulary().Kind(id) {
						t.Fatalf("cut to %d changes token %d", n, id)
					}
				}
				const text = "public static void main(String[] args) {\n\treturn \"naïve 日本\" + 42;\n}\n"
				ids := must.Get(cut.EncodeContinuation([]byte(text)))(t)
				for _, id := range ids {
					if !v.Legal(int(id)) {
						t.Errorf("cut to %d: id %d is not legal", n, id)
					}
				}
			}
		})
	}
}
