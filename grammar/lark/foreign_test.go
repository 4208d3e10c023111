package lark_test

import (
	"strings"
	"testing"

	"gcdbench/grammar/lark"
)

// TestForeign reads what other readers have beyond Lark's language.
func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"start: A\nA: /a/ & /b/":       "2:8: & between the parts of a terminal is llguidance's and XGrammar's alone",
		"start: A\nA: ~/a/":            "2:4: ~ before a part of a terminal is llguidance's and XGrammar's alone",
		"start: a\na[lazy]: /x.*y/":    "2:2: attributes in brackets, as in a[lazy], are llguidance's and XGrammar's alone",
		"%llguidance {}\nstart: \"a\"": "1:1: %llguidance is llguidance's alone",
		"%grammar_options {\"allow_initial_skip\": true}\nstart: \"a\"": "1:1: %grammar_options is XGrammar's alone",
		"start: \"a\" ~ \"b\"": "a whole number",
	} {
		if _, err := lark.Parse([]byte(text), lark.Options{File: "test.lark"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
