package tokenizers

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// tiny makes a vocabulary out of a space-separated list of tokens; "-" has no bytes.
func tiny(t testing.TB, list string, eos, special []int) *Vocabulary {
	t.Helper()
	var tokens [][]byte
	for _, f := range strings.Fields(list) {
		if f == "-" {
			tokens = append(tokens, nil)
			continue
		}
		tokens = append(tokens, []byte(f))
	}
	v := must.Get(NewVocabulary("tiny", tokens, eos, special))(t)
	return v
}

func TestVocabularyKinds(t *testing.T) {
	v := tiny(t, "a - <s> </s> b a", []int{3}, []int{2})
	cases := []struct {
		id    int
		token string
		kind  Kind
	}{
		{-1, "", Unused}, {0, "a", Ordinary}, {1, "", Unused}, {2, "<s>", SpecialToken},
		{3, "</s>", SpecialToken}, {4, "b", Ordinary}, {5, "a", Ordinary}, {6, "", Unused},
	}
	for _, c := range cases {
		if got := string(v.Token(c.id)); got != c.token {
			t.Errorf("Token(%d) = %q, want %q", c.id, got, c.token)
		}
		if got := v.Kind(c.id); got != c.kind {
			t.Errorf("Kind(%d) = %v, want %v", c.id, got, c.kind)
		}
		if v.Legal(c.id) != (c.kind == Ordinary) {
			t.Errorf("id %d: Legal %v", c.id, v.Legal(c.id))
		}
	}
	if !slices.Equal(v.EOS(), []int{3}) || !v.IsEOS(3) || v.IsEOS(2) {
		t.Errorf("EOS() = %v", v.EOS())
	}
	if v.Token(1) != nil {
		t.Error("a token without bytes must be nil")
	}
}

func TestVocabularyRefuses(t *testing.T) {
	one := [][]byte{[]byte("a")}
	if _, err := NewVocabulary("x", one, []int{1}, nil); err == nil || !strings.Contains(err.Error(), "EOS id 1 is outside 0..0") {
		t.Errorf("EOS out of range: %v", err)
	}
	if _, err := NewVocabulary("x", one, nil, []int{-1}); err == nil || !strings.Contains(err.Error(), "special id -1") {
		t.Errorf("special out of range: %v", err)
	}
	if _, err := NewVocabulary("x", make([][]byte, MaxVocabulary+1), nil, nil); err == nil {
		t.Error("too many ids accepted")
	}
	long := [][]byte{bytes.Repeat([]byte("x"), MaxTokenLength), bytes.Repeat([]byte("x"), MaxTokenLength+1)}
	if v, err := NewVocabulary("x", long[:1], nil, nil); err != nil || v.Trie().MaxDepth() != MaxTokenLength {
		t.Errorf("the longest token: %v", err)
	}
	if _, err := NewVocabulary("x", long, nil, nil); err == nil || !strings.Contains(err.Error(), "token 1 has 256 bytes, above the limit of 255") {
		t.Errorf("a token above the limit: %v", err)
	}
}

// The sum is over contents: any change of a byte, a boundary, a kind or an EOS id changes it.
func TestVocabularySHA256(t *testing.T) {
	base := tiny(t, "ab c </s>", []int{2}, nil)
	same := tiny(t, "ab c </s>", []int{2}, []int{2})
	same.name = "other"
	if base.SHA256() != same.SHA256() || len(base.SHA256()) != 64 {
		t.Errorf("equal contents: %s and %s", base.SHA256(), same.SHA256())
	}
	for _, other := range []*Vocabulary{
		tiny(t, "a bc </s>", []int{2}, nil), tiny(t, "ab d </s>", []int{2}, nil),
		tiny(t, "ab c </s>", nil, []int{2}), tiny(t, "ab c </s>", []int{2}, []int{1}),
	} {
		if other.SHA256() == base.SHA256() {
			t.Errorf("%v has the sum of another vocabulary", other)
		}
	}
}

func TestVocabularyDecode(t *testing.T) {
	v := tiny(t, "ab c </s>", []int{2}, nil)
	got, err := v.Decode([]int32{1, 0, 2, 1})
	if err != nil || string(got) != "cabc" {
		t.Errorf("Decode = %q, %v", got, err)
	}
	if _, err := v.Decode([]int32{0, 3}); err == nil || !strings.Contains(err.Error(), "id 3 at position 1") {
		t.Errorf("id out of range: %v", err)
	}
}

func TestKindNames(t *testing.T) {
	for kind, want := range map[Kind]string{Ordinary: "ordinary", SpecialToken: "special", AddedToken: "added", Unused: "unused"} {
		if kind.String() != want {
			t.Errorf("%d is called %s", kind, kind)
		}
	}
}

// dump writes a trie as indented lines: byte, token, size.
func dump(tr *Trie) string {
	var b strings.Builder
	for i, n := range tr.Nodes {
		fmt.Fprintf(&b, "%s%c %d %d\n", strings.Repeat(" ", tr.Depth(i)), n.Byte(), n.Token(), n.Size())
	}
	return b.String()
}

func TestTrieLayout(t *testing.T) {
	//                 0   1 2  3   4    5 6  7   8
	v := tiny(t, "bcd b - abc </s> b ab x abd", []int{4}, []int{7})
	want := "" +
		"a -1 4\n" +
		" b 6 3\n" +
		"  c 3 1\n" +
		"  d 8 1\n" +
		"b 1 3\n" +
		" c -1 2\n" +
		"  d 0 1\n"
	tr := v.Trie()
	if got := dump(tr); got != want {
		t.Errorf("trie:\n%swant:\n%s", got, want)
	}
	if got := tr.Same(1); !slices.Equal(got, []int32{5}) {
		t.Errorf("Same(1) = %v", got)
	}
	if got := tr.Same(0); got != nil {
		t.Errorf("Same(0) = %v", got)
	}
	if len(tr.Equal()) != 1 || !slices.Equal(tr.Equal()[0], []int32{1, 5}) {
		t.Errorf("Equal() = %v", tr.Equal())
	}
	if tr.MaxDepth() != 3 {
		t.Errorf("MaxDepth() = %d", tr.MaxDepth())
	}
	if got := tr.Depths(); !slices.Equal(got, []uint8{0, 1, 2, 2, 0, 1, 2}) {
		t.Errorf("Depths() = %v", got)
	}
	if v.Trie() != tr {
		t.Error("the trie is built twice")
	}
}

func TestTrieEmpty(t *testing.T) {
	tr := tiny(t, "- </s>", []int{1}, nil).Trie()
	if len(tr.Nodes) != 0 || tr.MaxDepth() != 0 || tr.Equal() != nil {
		t.Errorf("trie of no legal tokens: %+v", tr)
	}
}

// walk is the loop that Trie documents: all tokens whose every byte keep accepts.
func walk(tr *Trie, keep func(prefix []byte, b byte) bool) map[int32]bool {
	found := map[int32]bool{}
	prefix := make([]byte, tr.MaxDepth()+1)
	for i := 0; i < len(tr.Nodes); {
		n, d := tr.Nodes[i], tr.Depth(i)
		if !keep(prefix[:d], n.Byte()) {
			i += n.Size()
			continue
		}
		prefix[d] = n.Byte()
		if id := n.Token(); id >= 0 {
			found[id] = true
		}
		i++
	}
	for _, ids := range tr.Equal() {
		for _, id := range ids[1:] {
			if found[ids[0]] {
				found[id] = true
			}
		}
	}
	return found
}

// Any walk over a random trie finds exactly the legal tokens that a look at each token alone
// finds.
func TestTrieWalk(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	for range 200 {
		tokens := make([][]byte, 1+rng.Intn(60))
		for i := range tokens {
			tokens[i] = make([]byte, rng.Intn(5))
			for j := range tokens[i] {
				tokens[i][j] = "abc\xff"[rng.Intn(4)]
			}
		}
		v := must.Get(NewVocabulary("random", tokens, []int{rng.Intn(len(tokens))}, []int{rng.Intn(len(tokens))}))(t)
		banned := []byte{"abc\xff"[rng.Intn(4)], "abc\xff"[rng.Intn(4)]} // never adjacent in this order
		found := walk(v.Trie(), func(p []byte, b byte) bool {
			return len(p) == 0 || p[len(p)-1] != banned[0] || b != banned[1]
		})
		for id := range tokens {
			want := v.Legal(id) && !bytes.Contains(v.Token(id), banned)
			if found[int32(id)] != want {
				t.Fatalf("seed %d: token %d %q: found %v, want %v", seed, id, tokens[id], found[int32(id)], want)
			}
		}
	}
}

func BenchmarkTrie(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	tokens := make([][]byte, 262144)
	for i := range tokens {
		tokens[i] = make([]byte, 1+rng.Intn(9))
		for j := range tokens[i] {
			tokens[i][j] = 'a' + byte(rng.ExpFloat64()*4)%26
		}
	}
	v := must.Get(NewVocabulary("random", tokens, nil, nil))(b)
	for b.Loop() {
		buildTrie(v)
	}
}
