package lark_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
)

// embeddedFiles stand beside the grammars of these tests.
var embeddedFiles = fstest.MapFS{
	"args.json":   {Data: []byte(`{"type": "array", "items": {"type": "integer"}}`)},
	"sum.lark":    {Data: []byte("start: INT (\"+\" INT)*\nINT: /[0-9]+/\n%ignore \" \"\n")},
	"bad.json":    {Data: []byte(`{"type": }`)},
	"broken.lark": {Data: []byte("start: nothing\n")},
	"again.lark":  {Data: []byte("start: \"x\" %json {\"type\": \"null\"} \";\" @sum \".\"\n")},
	"self.lark":   {Data: []byte("start: \"a\" @self\n")},
}

// TestEmbeddedFiles reads texts of grammars that name other files.
func TestEmbeddedFiles(t *testing.T) {
	for text, want := range map[string][2][]string{
		`start: "f" %json_file "args.json" "."`:                          {{"f[1, 2]."}, {"f[", "f[x].", "f[1]"}},
		`start: "f" @args "." @sum "!"`:                                  {{"f[]. 1 + 2!", "f[1].3!"}, {"f[] .1!", "f[].1+!"}},
		"%import .again (start)\n%override start: start2\nstart2: \"y\"": {{"y"}, {"x"}},
		"start: \"<\" a \">\"\n%import .again.start -> a":                {{"<xnull; 1 + 1.>"}, {"<xnull;.>", "< xnull;1.>"}},
		"start: \"<\" @again \">\"":                                      {{"<xnull;1+1.>"}, {"<xnull;.>"}},
	} {
		g, err := lark.Parse([]byte(text+"\n"), lark.Options{File: "main.lark", FS: embeddedFiles})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r, err := recognizer.New(t.Context(), g, recognizer.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for i, list := range want {
			for _, s := range list {
				at, ok := r.Read(r.Start(), []byte(s))
				if got := ok && r.End(at); got != (i == 0) {
					t.Errorf("%s: %q: accepted %v", text, s, got)
				}
			}
		}
	}
}

// TestEmbeddedErrors reads grammars with mistakes in what stands in their rules.
func TestEmbeddedErrors(t *testing.T) {
	for text, want := range map[string]string{
		`start: "f" %json {"type": }`:                                 "main.lark:1:27: what stands behind %json is no JSON",
		`start: "f" %json`:                                            "what stands behind %json is no JSON",
		`start: "f" %json {"type": "strin"}`:                          "strin",
		`start: "f" %json false`:                                      "false",
		`start: "f" %json_file "none.json"`:                           "main.lark:1:12: there is no file none.json",
		`start: "f" %json_file "bad.json"`:                            "bad.json",
		`start: "f" @none`:                                            "main.lark:1:12: there is nothing called @none",
		`start: "f" @broken`:                                          "nothing is not defined",
		`start: "f" @self`:                                            "embeds itself",
		`start: "f" %lark { a: "x" }`:                                 "has no rule start",
		`start: "f" %lark { start: "x"`:                               `expected "}"`,
		"start: \"f\" %lark { %conflicts keep\nstart: \"x\" }":        "a grammar in a rule has neither",
		`start: "f" %until`:                                           "a trigger, which is a string",
		`start: "f" %until ("a" "b")`:                                 `"|" or ")"`,
		`start: "f" %until "a"i`:                                      "a trigger has no flags",
		`start: "f" %untill "a"`:                                      "expected an item of a rule",
		"start: T\nT: %until \"a\"":                                   "stands in rules only",
		`start: "f" (%json {"type": "null"} | "n")`:                   "may stand where an embedded schema begins",
		`start: a | b` + "\na: \"x\" %json true\nb: \"x\" %json true": "reduce/reduce conflict",
	} {
		g, err := lark.Parse([]byte(text+"\n"), lark.Options{File: "main.lark", FS: embeddedFiles})
		if err == nil {
			_, err = recognizer.New(t.Context(), g, recognizer.Options{})
		}
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		var e *grammar.Error
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v (a *grammar.Error: %v)", text, err, errors.As(err, &e))
		}
	}
}
