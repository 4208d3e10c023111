package jsontokens

import (
	"testing"

	"gcdbench/algorithms/conformance/realtext"
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
