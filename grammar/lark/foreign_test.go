package lark_test

import (
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
)

// TestForeign reads what llguidance and XGrammar have beyond Lark's language and has no meaning
// here.
func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"start: A & B\nA: /a/\nB: /b/":                              "1:10: & and ~ are for what terminals match",
		"start: \"a\" ~ \"b\"":                                      "1:12: & and ~ are for what terminals match, and rule start is none",
		"start: A\nA: /a/ & ~/b(?=c)/":                              "2:1: terminal A: an assertion at the end of a match",
		"start: A\nA: ~" + strings.Repeat("(", 1000) + "\"a\"":      "more than 1000 nested brackets",
		"start: A\nA: " + strings.Repeat("~", 2000) + "\"a\"":       "more than 1000 nested brackets",
		"start: A\nA: /a*/ & /[ab]*/ & /b*a*/\n%lexer basic\nB: /(": "the regexp",
		"start: A\nA[lazy]: /x.*y/":                                 "2:2: terminal A cannot have attributes",
		"start: a\na[stop=\"x\"]: /.*/":                             "2:3: the attribute stop is llguidance's alone",
		"start: a\na[lazy, max_tokens=10]: /.*/":                    "2:9: the attribute max_tokens is llguidance's alone",
		"start: a\na[lazy=1]: /.*/":                                 "2:3: there is no such attribute",
		"start: a\na[suffix=1.5]: /.*/":                             "2:3: there is no such attribute",
		"start: a\na[suffix]: /.*/":                                 "2:3: there is no such attribute",
		"start: a\na[greedy]: /.*/":                                 "2:3: there is no such attribute",
		"start: a\na[lazy: /.*/":                                    `2:7: expected "," or "]"`,
		"start: a\na[lazy]: b\nb: \"x\"":                            "2:10: rule a uses rule b",
		"start: a\na[lazy]: (%json {})":                             "%json stands in rules only",
		"start: a\na[suffix=<x>]: /.*/":                             "special token <x> is no text",
		"%llguidance {\"skip_repetition\": \"once\"}\nstart: \"a\"": "1:1: the option skip_repetition of %llguidance has no meaning here",
		"%llguidance\nstart: \"a\"":                                 "what stands behind %llguidance is no JSON",
		"%grammar_options []\nstart: \"a\"":                         "1:1: the options of %grammar_options are no JSON object",
		"%grammar_options {\"no_forcing\": true}\nstart: \"a\"":     "1:1: the option no_forcing of %grammar_options",
		"%llguidance {}\n%lexer all\nstart: \"a\"":                  `1:1: where ignored text may not begin a text`,
		"start: %regex {\"substring_chunks\": []}":                  "1:8: %regex says nothing that has a meaning here",
		"start: %regex {\"type\": \"number\"}":                      "1:8: %regex says nothing that has a meaning here",
		"start: <[*]>":                                              "1:8: <[*]> names nearly all tokens",
		"start: <[^1,3]>":                                           "1:8: <[^1,3]> names nearly all tokens",
		"start: perm::0":                                            "1:12: parameters of rules (::) are llguidance's alone",
		"start: \"a\" %if x":                                        "1:12: %if is llguidance's alone",
		"start: \"a\"{2,1}":                                         "1:8: nothing can be repeated 2 to 1 times",
		"start: \"a\"{2":                                            `expected "}" after the number of repeats`,
		"start: A\nA: /a*/":                                         "2:1: terminal A matches the empty string",
		"%options {}\nstart: \"a\"":                                 "unknown directive %options",
		"start: A\nA: /a+/ & /b+/ | \"c\" & \"d\" &\nB: /x/ & (":    "",
	} {
		_, err := lark.Parse([]byte(text), lark.Options{File: "test.lark"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
	long := "start: %regex {\"substring_chars\": \"" + strings.Repeat("abcd", 200) + "\"}"
	if _, err := lark.Parse([]byte(long), lark.Options{}); err == nil || !strings.Contains(err.Error(), "of 800 chunks has more than") {
		t.Error(err)
	}
}

// TestDialect reads what has a meaning here.
func TestDialect(t *testing.T) {
	for _, c := range []struct {
		about, grammar    string
		accepted, refused []string
	}{
		{"& binds closer than |, and ~ closer than a repeat", "start: A\nA: /[a-c]+/ & ~/.*b.*/ | /x+/ & ~\"xx\" \"x\"",
			[]string{"a", "ca", "xx", "xxxx"}, []string{"abc", "b", "xxx", "y"}},
		{"parts that are built on", "start: \"<\" AB \">\"\nAB: (W & ~KEY)+ DIGIT? | KEY KEY\nW: /[a-z]{2}/\nKEY: \"if\"i\nDIGIT: /[0-9]/",
			[]string{"<abcd>", "<ab1>", "<ifIF>"}, []string{"<if>", "<abif>", "<abc>"}},
		{"not is any text but", "start: A\nA: ~/(?s:.*)\\n\\n(?s:.*)/", []string{"a\nb", "é\n", ""}, []string{"a\n\nb", "\xff"}},
		{"a lazy quantifier in a part is matched by its own rule", "start: A \"b\"*\nA: /a.*?b/ & /.{2,}/", []string{"ab", "acb", "abb"}, []string{"acbc"}},
		{"a suffix that is a terminal", "start: a \"!\"\na[suffix=END]: /(.|\\n)*/\nEND: \"x\" | \"yy\"", []string{"x!", "ayy!", "ayx!"}, []string{"ax", "axx!"}},
		{"a suffix behind a pattern that it is part of", "start: a \"b\"\na[suffix=\"ab\"]: /[ab]+/", []string{"aabb", "babb"}, []string{"abb"}},
		{"a regexp is a part of its own", "start: a \"!\" | T \"?\"\na[suffix=/c|dd/]: /x|yy/\nT: /x|yy/ \"e\"", []string{"xc!", "yydd!", "xe?"}, []string{"x!", "yyd!", "x?"}},
		{"a lazy digit", "start: d \"-\" INT\nd[lazy]: /[0-9]+/\nINT: /[a-z0-9]+/\n%lexer contextual", []string{"1-11"}, []string{"11-1"}},
		{"an attribute that is none of the language", "start: a\na[capture=\"x\", temperature=0.7]: \"a\" b\nb: \"b\"", []string{"ab"}, []string{"a"}},
		{"names with hyphens", "start: a-b A-1\na-b: \"a\"\nA-1: \"b\"", []string{"ab"}, []string{"a"}},
		{"nothing in quotes", "%llguidance {}\nstart: \"a\" (\"\" | \"b\") A\nA: \"\" | \"c\"", []string{"a", "ab", "abc", "ac"}, []string{"", "acb"}},
		{"terminals that may be empty, repeated", "%llguidance {}\nstart: T+ \"x\" U* \"y\" T?\nT: /a*/\nU: /b*/", []string{"xy", "aaxbbya", "xya"}, []string{"x", "bxy"}},
		{"chunks", "start: \"<\" S \">\"\nS: %regex {\"substring_chunks\": [\"ab\", \"c.\", \"d\"]}",
			[]string{"<ab>", "<abc.>", "<c.d>", "<>", "<abc.d>"}, []string{"<a>", "<abd>", "<abcxd>"}},
		{"characters", "start: %regex {\"substring_chars\": \"aéa\"}", []string{"", "a", "aé", "éa", "aéa"}, []string{"aa"}},
		{"the contextual lexer, unless another is asked for", "%llguidance {}\nstart: \"if\" W\nW: /[a-z]+/\n%ignore \" \"", []string{"if if"}, []string{" if a"}},
		{"another lexer", "%lexer basic\n%llguidance {\"allow_initial_skip\": true, \"no_forcing\": true}\nstart: \"if\" W\nW: /[a-z]+/\n%ignore \" \"", []string{"if a", " if a"}, []string{"if if"}},
		{"several options", "%llguidance {\"allow_initial_skip\": true}\n%llguidance {}\nstart: \"a\"\n%ignore \" \"", []string{" a"}, []string{"b"}},
		{"text before a special token", "start: head \"x\"\nhead[lazy]: TEXT <t>\nTEXT: /(.|\\n)*/", []string{"\xff<t>\xfex", "ab\xff<t>\xfex"}, []string{"x", "ab"}},
		{"repeats in braces", "start: \"a\"{2} b{,1} (\"c\" \"d\"){1,} E{0,2}\nb: \"b\"\nE: \"e\"{2,3}", []string{"aacd", "aabcdcdee", "aacdeeeee"}, []string{"acd", "aabbcd", "aacde"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			g, err := lark.Parse([]byte(c.grammar), lark.Options{File: "test.lark"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := recognizer.New(t.Context(), g, recognizer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range c.accepted {
				if err := r.Check([]byte(text)); err != nil {
					t.Errorf("%q: %v", text, err)
				}
			}
			for _, text := range c.refused {
				if r.Check([]byte(text)) == nil {
					t.Errorf("%q is accepted", text)
				}
			}
		})
	}
}

// TestStartHint names all rules that may be meant.
func TestStartHint(t *testing.T) {
	_, err := lark.Parse([]byte("a: b\nb: \"x\"\nc: c \"y\" |\nd{x}: x"), lark.Options{})
	if err == nil || !strings.Contains(err.Error(), "it may be a, c") {
		t.Error(err)
	}
	_, err = lark.Parse([]byte("a: b\nb: a"), lark.Options{})
	if err == nil || !strings.Contains(err.Error(), "it may be a") {
		t.Error(err)
	}
}

// TestLazyTerminal has what the lexer is told of a lazy terminal.
func TestLazyTerminal(t *testing.T) {
	g, err := lark.Parse([]byte("start: a | b | A\na[lazy]: A \"x\"\nb[lazy]: A \"x\"\nA: /[a-x]+/"), lark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lazy := 0
	for i := range g.Terminals {
		if g.Terminals[i].Lazy {
			lazy++
		}
	}
	if lazy != 1 || g.Lexer != grammar.LexContextual || g.SkipsLate {
		t.Errorf("%d lazy terminals of %d", lazy, len(g.Terminals))
	}
}
