package jsontokens

import (
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// sliceTokens are tokens of all slices.
var sliceTokens = []string{
	"a", "ab", "abc", "abé", "é", "é€", "b", "a b", "a b c d", "-", "", "ab", // plain, one of them twice
	`"`, `a"`, `ab"`, `ab",`, `",`, `", "`, `":`, `"a"`, `é"}`, `"b\"`, // quotes
	`\`, `a\n`, `\"`, `\",`, `ab\""}`, // slashes
	"\xc3", "a\xc3", "ab\xe2\x82", "\xa9", "\xc3\"", "\xed\xa0", "é\xf0\x9f", // broken
	"\n", "a\t", "a\n\"", // none
}

func sliceVocabulary(t testing.TB) *tokenizers.Vocabulary {
	t.Helper()
	return realtext.Vocabulary(t, sliceTokens...)
}

// TestAllBut: all tokens but some are made once, whoever asks.
func TestAllBut(t *testing.T) {
	l := Of(nil, sliceVocabulary(t), 0)
	order := l.order
	one, other := l.AllBut(order[3:5]), l.AllBut(order[4:5])
	if again := l.AllBut([]int32{order[3], order[4]}); &again[0] != &one[0] || &other[0] == &one[0] {
		t.Error("the same tokens are not the same bits, or others are")
	}
	for i, id := range order {
		if bitset.Has(one, id) != (i < 3 || i >= 5) || bitset.Has(other, id) != (i != 4) || !bitset.Has(l.trie.All(), id) {
			t.Errorf("token %d", id)
		}
	}
}
