package dialects

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// The engines themselves read the translations. They are asked through python3, or the interpreter
// that GCDBENCH_PYTHON names; an engine that it cannot import is skipped. GCDBENCH_FULL adds the
// compiles that take minutes.

// A job is what testdata/engines.py is given.
type job struct {
	Dialect   string     `json:"dialect"`
	Text      string     `json:"text"`
	EndMark   string     `json:"end_mark"`
	Documents []document `json:"documents"`
}

type document struct {
	ID      string `json:"id"`
	Content []byte `json:"base64"`
	valid   bool
}

// An answer is what it says.
type answer struct {
	Error    string  `json:"error"`
	CompileS float64 `json:"compile_s"`
	Results  map[string]struct {
		Accepted bool
		At, Of   int
	} `json:"results"`
}

// ask runs an engine, and skips the test where it is not there.
func ask(t *testing.T, g *grammar.Grammar, dialect string, documents []document) *answer {
	t.Helper()
	tr := translate(t, g, dialect)
	input, err := json.Marshal(job{dialect, tr.Text, tr.EndMark, documents})
	must.OK(t, err)
	python := must.Python(t, "sys")
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "engines.py"))
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Skipf("%s does not run: %v\n%s", python, err, stderr.String())
	}
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		t.Fatalf("%v in %q", err, output)
	}
	if strings.HasPrefix(a.Error, "ModuleNotFoundError") || strings.HasPrefix(a.Error, "ImportError") {
		t.Skipf("the engine of %s is not there: %s", dialect, a.Error)
	}
	if a.Error != "" {
		t.Fatalf("the engine refuses the grammar: %s", a.Error)
	}
	return &a
}

// What a widening lets through of the invalid samples: keywords as names. All others are refused
// everywhere.
var widerVerdicts = map[string]bool{
	"keyword_as_parameter.go.txt": true, "KeywordAsIdentifier.java": true, "keyword_as_column.sql": true,
	"comma_before_from.sql": true,
}

func TestEnginesReadTheTranslations(t *testing.T) {
	seed.Usual(t)
	full := seed.Full()
	for _, c := range []struct {
		dialect, quick, slow string
	}{
		{"lark", "json java", "sql"}, // Lark's own lexer takes the first match, not the longest, which Go needs
		{"llguidance-lark", "json go java sql", ""},
		{"glrmask-lark", "json go", "java sql"},
		{"ebnf", "json go java sql", ""},
		{"gbnf", "json go java sql", ""},
		{"kbnf", "json go java", ""}, // see TestKBNFLosesReadings for sql
	} {
		names := strings.Fields(c.quick)
		if full {
			names = append(names, strings.Fields(c.slow)...)
		}
		for _, language := range seed.Some(t, names, 2, 1, 1) {
			t.Run(c.dialect+"/"+language, func(t *testing.T) {
				g := must.Get(languages.Load(t.Context(), language))(t)
				exact := c.dialect == "lark" || c.dialect == "llguidance-lark"
				checkVerdicts(t, g, c.dialect, sampleDocuments(t, language), exact)
			})
		}
	}
}

// sampleDocuments are the embedded samples, with the verdict of the grammar's author.
func sampleDocuments(t *testing.T, language string) []document {
	t.Helper()
	var list []document
	for _, d := range samples(t, language) {
		content := must.Get(d.Read())(t)
		list = append(list, document{d.ID, content, !d.Negative})
	}
	return list
}

// checkVerdicts checks that an engine accepts all valid documents, and refuses the invalid ones,
// all of them if the dialect is exact.
func checkVerdicts(t *testing.T, g *grammar.Grammar, dialect string, documents []document, exact bool) {
	t.Helper()
	a := ask(t, g, dialect, documents)
	for _, d := range documents {
		r, ok := a.Results[d.ID]
		switch {
		case !ok:
			t.Errorf("%s: no verdict", d.ID)
		case d.valid && !r.Accepted:
			t.Errorf("%s: refused at byte %d of %d, before %q", d.ID, r.At, r.Of, d.Content[r.At:min(r.At+20, r.Of)])
		case !d.valid && r.Accepted && (exact || !widerVerdicts[filepath.Base(d.ID)]):
			t.Errorf("%s: accepted", d.ID)
		}
	}
	t.Logf("%d documents, compiled in %g s", len(documents), a.CompileS)
}

// Texts of the small grammar, with the verdict of our recognizer when it follows all readings, as
// the engines do.
func TestEnginesReadTheSmallGrammar(t *testing.T) {
	g := must.Get(lark.Load(filepath.Join("testdata", "small.lark"), lark.Options{}))(t)
	all := *g
	all.Conflicts = grammar.KeepConflicts
	r := compile(t, &all)
	var documents []document
	valid := 0
	for _, text := range []string{
		"let x = 1", "LET x", " let  é = 0xfF + \"\\\"\" ", "# c\nx", "x # c", "x\n# c", "x; y; (z)", "f()()", "@f()", "@@f()", "x;\n\n# a\ny # b",
		"let = 1", "12_345 + 0x", "'ab'", "'a'", "'abcd'", "'abcde'", "\\\"", "/* a */ x ~-y", "~-y x /* b */", "x /* b", "x y", "", "let x =", "123_45", "x ;",
		"let x = \"é\n\"", "x +\n y", "ü_1", "1 2", "x /* a */ b */",
	} {
		ok := r.Check([]byte(text)) == nil
		if ok {
			valid++
		}
		documents = append(documents, document{text, []byte(text), ok})
	}
	if valid < 10 || len(documents)-valid < 10 {
		t.Fatalf("%d of %d texts are valid", valid, len(documents))
	}
	for _, name := range Names()[1:] {
		t.Run(name, func(t *testing.T) {
			a := ask(t, g, name, documents)
			for _, d := range documents {
				switch r := a.Results[d.ID]; {
				case d.valid && !r.Accepted:
					t.Errorf("%q: refused at byte %d", d.ID, r.At)
				case !d.valid && r.Accepted && name == "llguidance-lark":
					t.Errorf("%q: accepted", d.ID)
				}
			}
		})
	}
}

// A JSON schema's grammar is one like others: its terminals overlap, and the parser is given all
// that match.
func TestEnginesReadASchema(t *testing.T) {
	seed.Usual(t)
	schema := `{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"enum": ["x", "yé"]}}}`
	result := must.Get(jsonschema.Compile(t.Context(), []byte(schema), jsonschema.Options{Name: "schema"}))(t)
	var documents []document
	for text, valid := range map[string]bool{
		`{"a": 3}`: true, `{"a": 2}`: false, `{"a": 10, "b": "yé"}`: true, `{"a": 10, "b": "y"}`: false, `{"b": "x"}`: false,
		`{"a": 3, "b": "x", "c": [1, {"d": null}]}`: true, `{"a": 3, "b": "x", "c": [1, {"d": nul}]}`: false, `{"a": 3`: false,
	} {
		documents = append(documents, document{text, []byte(text), valid})
	}
	for _, name := range Names()[1:] {
		t.Run(name, func(t *testing.T) { checkVerdicts(t, result.Grammar, name, documents, true) })
	}
}

// kbnf 0.4.2 loses readings of a text that has several: of the same text with a longer name, it
// takes no reading at all. This is why some SQL queries are refused there; ebnf, which is the same
// grammar, has them all.
func TestKBNFLosesReadings(t *testing.T) {
	g := parse(t, "start: item \"!\"\nitem: expr ID | expr\nexpr: col | fn\ncol: ID\nfn: ID \"(\" ID \")\"\nID: /[a-z]+/\n%ignore \" \"")
	a := ask(t, g, "kbnf", []document{{"f (b)!", []byte("f (b)!"), true}, {"ff (b)!", []byte("ff (b)!"), true}})
	if !a.Results["f (b)!"].Accepted {
		t.Error("the short text is refused")
	}
	if a.Results["ff (b)!"].Accepted {
		t.Error("the long text is accepted: the fault is mended, and sql can be tested with kbnf")
	}
	a = ask(t, g, "ebnf", []document{{"ff (b)!", []byte("ff (b)!"), true}})
	if !a.Results["ff (b)!"].Accepted {
		t.Error("the long text is refused in ebnf too: the translation is wrong")
	}
}
