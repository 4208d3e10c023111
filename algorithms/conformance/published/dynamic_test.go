package published

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// dynamics are grammars that are read without a lexer. Their packages read the first ones so.
var dynamics = []published{
	{pkg: "rfc3987-syntax", file: "rfc3987_syntax/syntax_rfc3987.lark", start: "iri"},
	{pkg: "rfc3987-syntax", file: "rfc3987_syntax/syntax_rfc3987.lark", start: "iri_reference"},
	{pkg: "rfc3987-syntax", file: "rfc3987_syntax/syntax_rfc3987.lark", start: "absolute_iri"},
	{pkg: "blark", file: "blark/iec.lark", start: "constant"},
	{pkg: "blark", file: "blark/iec.lark", start: "expression"},
	{pkg: "grand-cypher", file: inProgram},
	{pkg: "optimade", file: "optimade/grammar/v1.2.0.lark"},
	{pkg: "poetry-core", file: "poetry/core/version/grammars/pep508.lark"},
	{pkg: "poetry-core", file: "poetry/core/version/grammars/markers.lark"},
	{pkg: "gdtoolkit", file: "gdtoolkit/parser/comments.lark"},
	{pkg: "pylogics", file: "pylogics/parsers/pl.lark", imports: "pylogics/parsers"},
	{pkg: "syncode", file: "syncode/parsers/grammars/calc.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/json.lark"},
	{pkg: "syncode", file: "syncode/parsers/grammars/tiny.lark"},
	{pkg: "cel-python", file: "celpy/cel.lark", start: "expr"},
}

// TestDynamic compares verdicts with Lark's Earley parser. Its dynamic_complete lexer tries matches
// of any length, as we do; its dynamic one the longest at each place, and so takes fewer texts.
func TestDynamic(t *testing.T) {
	archives := need(t)
	l := startLark(t)
	random := seed.New(t)
	for i := range dynamics {
		p := &dynamics[i]
		t.Run(p.label(), func(t *testing.T) {
			folder := t.TempDir()
			for _, pkg := range Packages() {
				if pkg.Name == p.pkg {
					if err := pkg.Unpack(archives, folder); err != nil {
						t.Skip(err)
					}
				}
			}
			path := p.edited(t, filepath.Join(folder, filepath.FromSlash(p.file)))
			options := lark.Options{Start: p.start, Context: t.Context(), Lexer: new(grammar.LexDynamic)}
			if p.imports != "" {
				options.ImportPaths = []string{filepath.Join(folder, filepath.FromSlash(p.imports))}
			}
			g := must.Get(lark.Load(path, options))(t)
			r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
			texts := randomTexts(t, r, rand.New(rand.NewPCG(random, uint64(i))))
			t.Log(l.compareDynamic(t, r, path, options, texts))
		})
	}
}

// compareDynamic compares verdicts on texts with those of Lark's two dynamic lexers.
func (l *larkProcess) compareDynamic(t *testing.T, r *recognizer.Recognizer, path string, o lark.Options, texts []string) string {
	t.Helper()
	verdicts := map[string][]bool{}
	for _, lexer := range []string{"dynamic", "dynamic_complete"} {
		var answer larkTables
		start := o.Start
		if start == "" {
			start = "start"
		}
		l.ask(t, map[string]any{"path": path, "start": start, "import_paths": o.ImportPaths, "lexer": lexer}, &answer)
		if answer.Error != "" {
			t.Fatalf("Lark's %s lexer: %s", lexer, answer.Error)
		}
		verdicts[lexer] = l.accepted(t, texts)
	}
	accepted, shorter := 0, 0
	for i, text := range texts {
		err := r.Check([]byte(text))
		if (err == nil) != verdicts["dynamic_complete"][i] {
			t.Errorf("%q: accepted by Lark %t, we say %v", text, verdicts["dynamic_complete"][i], err)
		}
		switch {
		case err != nil && verdicts["dynamic"][i]:
			t.Errorf("%q: accepted by the dynamic lexer alone", text)
		case err == nil && !verdicts["dynamic"][i]:
			shorter++
		}
		if err == nil {
			accepted++
		}
	}
	return fmt.Sprintf("%d texts, %d accepted; with the dynamic lexer Lark refuses %d of them: a shorter match", len(texts), accepted, shorter)
}
