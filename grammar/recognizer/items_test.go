package recognizer_test

import (
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
)

// TestItemRefusals: a refusal says that an item is there already, or that none is.
func TestItemRefusals(t *testing.T) {
	const grammar = "%lexer all\n%items open=OPEN other=CLOSE,COMMA equal=END\nstart: OPEN N (COMMA N)* CLOSE | \"!\" OPEN N (AND N)* END\n" +
		"OPEN: \"[\"\nCOMMA: \",\"\nCLOSE: \"]\"\nEND: /\\]/\nAND: /,/\nN: /[0-9]+/\n"
	r := compile(t, grammar, recognizer.Options{})
	for text, want := range map[string]string{
		"[1,2]": "", "![1,1]": "", "![1,2,1]": "",
		"[1,2,1]":  "1:7: unexpected \"]\": the item before it equals an earlier one",
		"[10,10,2": "1:7: unexpected \",\": the item before it equals an earlier one",
		"![1,2]":   "1:6: unexpected \"]\": two items of the array must be equal",
		"[1,]":     "unexpected",
	} {
		err := r.Check([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
