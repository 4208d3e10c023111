package published

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
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
	{pkg: "blark", file: "blark/iec.lark", start: "constant", long: true},
	{pkg: "blark", file: "blark/iec.lark", start: "expression", long: true},
	{pkg: "grand-cypher", file: "grandcypher/__init__.py"},
	{pkg: "asciidoctrine", file: "asciidoctrine/grammar.lark", start: "document", weRefuse: "looks without bound past the end of the match"},
	{pkg: "dotmotif", file: "dotmotif/parsers/v2/grammar.lark"},
	{pkg: "goonlang", file: "goonlang/grammar/goonlang.lark"},
	{pkg: "lark-sqlpp", file: "lark_sqlpp/sqlpp.lark", long: true},
	{pkg: "larql", file: "larql/sparql.lark"},
	{pkg: "oh-sanitizer", file: "oh_sanitizer/field.ebnf", start: "time_domain"},
	{pkg: "ucumvert", file: "ucumvert/ucum_grammar.lark", start: "main_term"},
	{pkg: "undate", file: "undate/converters/grammars/edtf.lark", start: "edtf"},
	{pkg: "undate", file: "undate/converters/grammars/combined.lark"},
	{pkg: "undate", file: "undate/converters/grammars/gregorian.lark", start: "gregorian_date"},
	{pkg: "undate", file: "undate/converters/grammars/hebrew.lark", start: "hebrew_date"},
	{pkg: "undate", file: "undate/converters/grammars/holidays.lark", start: "holiday_date"},
	{pkg: "undate", file: "undate/converters/grammars/islamic.lark", start: "islamic_date"},
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
	is := pageTable{"published grammars without a lexer", []string{"package, file, start rule", "licence",
		"accepted", "of these by Lark's `dynamic`"}, nil}
	for i := range dynamics {
		p := &dynamics[i]
		t.Run(strings.ReplaceAll(p.label(), "/", " "), func(t *testing.T) {
			p.skip(t, i)
			folder, licence := t.TempDir(), ""
			for _, pkg := range Packages() {
				if pkg.Name == p.pkg {
					licence = pkg.Licence
					if err := pkg.Unpack(archives, folder); err != nil {
						t.Skip(err)
					}
				}
			}
			counts := l.dynamic(t, p, folder, rand.New(rand.NewPCG(random, uint64(i))))
			is.lines = append(is.lines, [2]string{fmt.Sprintf("| %s | %s |", p.label(), licence), counts})
		})
	}
	if !t.Failed() && (!*update || len(is.lines) == len(dynamics)) {
		checkPage(t, is)
	}
}

// dynamic reads a grammar, and compares verdicts on random texts. The result is its line's counts.
func (l *larkProcess) dynamic(t *testing.T, p *published, folder string, rng *rand.Rand) string {
	path := p.edited(t, filepath.Join(folder, filepath.FromSlash(p.file)))
	options := lark.Options{Start: p.start, Context: t.Context(), Lexer: new(grammar.LexDynamic)}
	if p.imports != "" {
		options.ImportPaths = []string{filepath.Join(folder, filepath.FromSlash(p.imports))}
	}
	g, err := lark.Load(path, options)
	if p.weRefuse != "" {
		if err == nil || !strings.Contains(err.Error(), p.weRefuse) {
			t.Errorf("we say %v, not %q", err, p.weRefuse)
		}
		return " refused | |"
	}
	must.OK(t, err)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return l.compareDynamic(t, r, path, options, randomTexts(t, r, rng))
}

// compareDynamic compares verdicts on texts with those of Lark's two dynamic lexers.
func (l *larkProcess) compareDynamic(t *testing.T, r *recognizer.Recognizer, path string, o lark.Options, texts []string) string {
	t.Helper()
	verdicts := map[string][]*bool{}
	for _, lexer := range []string{"dynamic", "dynamic_complete"} {
		var answer larkTables
		l.ask(t, map[string]any{"path": path, "start": cmp.Or(o.Start, "start"), "import_paths": o.ImportPaths, "lexer": lexer}, &answer)
		if answer.Error != "" {
			t.Fatalf("Lark's %s lexer: %s", lexer, answer.Error)
		}
		verdicts[lexer] = l.accepted(t, texts)
	}
	accepted, longest, none := 0, 0, 0
	for i, text := range texts {
		complete, dynamic, err := verdicts["dynamic_complete"][i], verdicts["dynamic"][i], r.Check([]byte(text))
		if complete == nil || dynamic == nil {
			none++
			t.Logf("%q: %s", text, noVerdict)
			continue
		}
		if (err == nil) != *complete {
			t.Errorf("%q: accepted by Lark %t, we say %v", text, *complete, err)
		}
		if err != nil && *dynamic {
			t.Errorf("%q: accepted by the dynamic lexer alone", text)
		}
		accepted += btoi(err == nil)
		longest += btoi(*dynamic)
	}
	return fmt.Sprintf(" %d/%d | %d |", accepted, len(texts)-none, longest)
}
