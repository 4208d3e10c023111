package languages_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestGoGrammarAgreesOnGoTree reads the Go distribution's source. What go/parser accepts is
// accepted and what it refuses is refused; testdata folders, full of wrong Go and of tests of
// parsers, are left out. One file in 40 by default, every one with GCDBENCH_FULL=1.
func TestGoGrammarAgreesOnGoTree(t *testing.T) {
	r := goGrammar(t)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	if _, missing := os.Stat(root); err != nil || missing != nil {
		t.Skip("the Go distribution's source is not on this machine")
	}
	every := seed.Rounds(200, 80, 1)
	found, read := 0, 0
	must.OK(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		if found++; found%every != 0 {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		goAgree(t, r, path, string(text))
		return nil
	}))
	t.Logf("%d of %d files read", read, found)
}

// goAgree compares the verdicts on a text. Where the grammar alone refuses it, the type checker has
// to as well, for a reason that is a matter of syntax in the specification.
func goAgree(t *testing.T, r *recognizer.Recognizer, name, text string) {
	t.Helper()
	judge := must.Get(judges.OfLanguage("go", judges.Options{Compile: true}))(t)
	byGo := must.Get(judge.Judge(t.Context(), []byte(text)))(t)
	if ours := r.Check([]byte(text)); (ours == nil) != byGo.Valid && (ours == nil || byGo.Note == "") {
		t.Errorf("%s: %v, but go/parser says %+v", name, ours, byGo)
	}
}

// goSpan is a lexeme in a text, from one byte up to another.
type goSpan struct{ from, to int }

// goLexemes cuts a text by Go's own scanner; semicolons that it adds are left out.
func goLexemes(text string) (spans []goSpan) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return spans
		case tok == token.SEMICOLON && lit == "\n":
			continue
		case lit == "":
			lit = tok.String()
		}
		from := file.Offset(pos)
		spans = append(spans, goSpan{from, from + len(lit)})
	}
}

func goSampleTexts(t *testing.T) (texts []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(goSamples, "valid", "*"))
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		texts = append(texts, string(text))
	}
	return texts
}

// goRandom is the randomness of a test.
func goRandom(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed.New(t), 0))
}

// around shows the changed place of a text.
func around(text string, at int) string {
	return fmt.Sprintf("%q", text[max(0, at-40):min(len(text), at+40)])
}

// Line breaks and comments put after any lexeme, or taken from there, decide about semicolons: the
// verdicts are go/parser's, in both directions.
func TestGoGrammarSemicolonsEverywhere(t *testing.T) {
	r, random, texts := goGrammar(t), goRandom(t), goSampleTexts(t)
	blanks := []string{"\n", " ", "", ";", " /* c */ ", "/* c\n */", " // c\n", "\n\n// c\n/* d */ ", "\r\n", ";\n"}
	for range seed.Rounds(300, 1500, 1500) {
		text := texts[random.IntN(len(texts))]
		lexemes := goLexemes(text)
		i := random.IntN(len(lexemes))
		at, end := lexemes[i].to, len(text)
		if i+1 < len(lexemes) {
			end = lexemes[i+1].from
		}
		if random.IntN(2) == 0 {
			end = at
		}
		blank := blanks[random.IntN(len(blanks))]
		if blank == "" && end < len(text) {
			blank = " " // two names must not become one
		}
		changed := text[:at] + blank + text[end:]
		goAgree(t, r, around(changed, at), changed)
	}
}

// goReadsTypeParameters reports whether go/parser refuses an index or slice expression as the
// length of an array only because it takes the bracket for one of type parameters, as it does after
// the name of a type or a field: the specification has any expression there, and so does go/parser
// if it stands in parentheses.
func goReadsTypeParameters(before, put, after string) bool {
	return strings.HasPrefix(put, "x[") && strings.HasSuffix(strings.TrimSpace(before), "[") && strings.HasPrefix(strings.TrimSpace(after), "]") &&
		goParses(before+" ("+put+") "+after) == nil
}

// Lexemes dropped, exchanged and put in: what go/parser refuses is refused. The other way the
// grammar is stricter where go/parser leaves what the specification's grammar forbids to the type
// checker: `.(type)` anywhere, `~` as an operator, types as values.
func TestGoGrammarRefusesWhatGoRefuses(t *testing.T) {
	r, random, texts := goGrammar(t), goRandom(t), goSampleTexts(t)
	extra := strings.Fields(`( ) [ ] { } , ; : := = . ... x 1 "s" 'a' func if else for range switch case default
		type struct interface map chan select go defer var const import return goto break <- * + && ! ++ += | ~
		T{} []int func() [3]int x.(T) .(type) f() L: 1.5i x[1:2] x[T] 'ab' 0b2 "\q"`)
	valid, stricter := 0, 0
	for range seed.Rounds(500, 1500, 1500) {
		text := texts[random.IntN(len(texts))]
		lexemes := goLexemes(text)
		a, b := lexemes[random.IntN(len(lexemes))], lexemes[random.IntN(len(lexemes))]
		var put string
		switch random.IntN(4) {
		case 0: // dropped
		case 1: // exchanged
			put = text[b.from:b.to]
		case 2:
			put = extra[random.IntN(len(extra))]
		case 3: // put in
			put = extra[random.IntN(len(extra))]
			a.to = a.from
		}
		changed := text[:a.from] + " " + put + " " + text[a.to:]
		byGo, ours := goParses(changed), r.Check([]byte(changed))
		if byGo != nil && ours == nil && !goReadsTypeParameters(text[:a.from], put, text[a.to:]) {
			t.Errorf("%s: accepted, but go/parser says %v", around(changed, a.from), byGo)
		}
		if byGo == nil {
			valid++
		}
		if byGo == nil && ours != nil {
			stricter++
		}
	}
	t.Logf("%d changed texts are right for go/parser, %d of them refused", valid, stricter)
	if stricter*5 > valid { // 6 % were measured
		t.Errorf("%d of %d texts that go/parser accepts are refused", stricter, valid)
	}
}

// TestGoIdentifiers: a character in an identifier, or at its beginning, is one that Unicode has as
// a letter or a digit; letters and digits of the scripts that the grammar covers are taken.
func TestGoIdentifiers(t *testing.T) {
	r := goGrammar(t)
	taken := func(name string) bool { return r.Check([]byte("package p; var "+name+" int")) == nil }
	first, later := 0, 0
	for c := rune(0x80); c <= 0xffff; c++ {
		if taken(string(c)) {
			if first++; !unicode.IsLetter(c) {
				t.Errorf("%U begins an identifier", c)
			}
		}
		if taken("x" + string(c)) {
			if later++; !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsSpace(c) {
				t.Errorf("%U is taken in an identifier", c)
			}
		}
	}
	if first < 40_000 || later < first+50 {
		t.Errorf("only %d letters, and %d of letters and digits", first, later)
	}
	for _, name := range []string{"é", "Ωmega", "жизнь", "日本", "x٣", "x۰", "xß۹", "क१", "ไทย๑", "x３"} {
		if !taken(name) {
			t.Errorf("%s is refused", name)
		}
	}
	for _, name := range []string{"٣x", "x²", "xⅧ", "x½", "x‿y", "x·", "€"} {
		if taken(name) {
			t.Errorf("%s is taken", name)
		}
	}
}
