package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/gbnf"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// notations are texts by file of grammar/gbnf/testdata, and of one with what XGrammar alone has.
var notations = map[string]string{
	"arithmetic.gbnf": "1 + 2*(x - 3) =5\n", "chess.gbnf": "1. O-O-O Qxd4#\n", "english.gbnf": "Hello, world. It works!\n", "japanese.gbnf": "これはカタカナ。",
	"json.gbnf": `{"a": [1, -2.5e3, "\u00e9"], "b": {}}`, "list.gbnf": "- a\n- b c\n", "program.gbnf": "void f(int a){ x = a<=f(1+2)*3; }", "records.gbnf": "[\n  {\"c\": \"d\"}\n]",
	"root ::= TagDispatch((\"<a>\", r), excludes=(\"!\",)) \"!\" Regex(\"[0-9a]*\")\nr[lazy] ::= Substring(\"x\", \"yz\") \".\"+\n": "t<<a>yz.<a>.!1a",
}

// TestNotations compares the masks of all algorithms with naive's on grammars of llama.cpp's and
// XGrammar's notations.
func TestNotations(t *testing.T) {
	for file, text := range notations {
		t.Run(filepath.Base(file), func(t *testing.T) {
			name, source := "macros.ebnf", []byte(file)
			if filepath.Ext(file) == ".gbnf" {
				name, source = file, must.Get(os.ReadFile(filepath.Join("../../grammar/gbnf/testdata", file)))(t)
			}
			g := must.Get(gbnf.Parse(t.Context(), name, source, ""))(t)
			r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
			pieces := realtext.Bytes(256)
			for n := 2; n < 5; n++ {
				for i := 0; i+n < len(text); i += n {
					pieces = append(pieces, text[i:i+n])
				}
			}
			c := &realtext.Case{Problem: &algorithms.Problem{Recognizer: r, Vocabulary: realtext.Vocabulary(t, pieces...)}}
			c.Texts = append(c.Texts, nil)
			for i := range len(text) {
				c.Texts[0] = append(c.Texts[0], int32(text[i]))
			}
			engines := map[string]algorithms.Engine{}
			for _, e := range entries(t) {
				if name := e.Algorithm.Name(); name != "naive" {
					engines[name] = realtext.MustCompile(t, name, c.Problem, nil)
				}
			}
			n := must.Get(c.Compare(realtext.MustCompile(t, "naive", c.Problem, nil), engines))(t)
			if n <= len(text) || len(engines) < 5 {
				t.Errorf("%d positions of %d engines", n, len(engines))
			}
		})
	}
}
