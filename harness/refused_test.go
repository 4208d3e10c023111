package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
)

// foreign writes a corpus of n documents that are in the language and those given, which are
// not but are not marked as such.
func (w *world) foreign(t *testing.T, texts ...string) {
	t.Helper()
	w.file(t, "list.lark", strings.Replace(listGrammar, `%ignore " "`, `%ignore /[ \n]/`, 1))
	lines := `{"id": "good", "content": "[1]"}` + "\n"
	for i, text := range texts {
		content := must.Get(json.Marshal(text))(t)
		lines += fmt.Sprintf("{\"id\": \"bad%d\", \"content\": %s}\n", i, content)
	}
	w.file(t, "docs.jsonl", lines)
}

// TestRefusedDocument: a document outside the grammar is shown at its place, with what to do.
func TestRefusedDocument(t *testing.T) {
	long := "[" + strings.Repeat("1, ", 100) + "?" + strings.Repeat(", 2", 100) + "]"
	for _, c := range []struct{ name, text, first, shown, grammar string }{
		{"second line", "[1,\n \"é\", 2]", "line 2, column 3 (position 6, token 195)", "\n   \"é\", 2]\n    ^\n", "; 2:2: unfinished STRING"},
		{"escapes", "[\"a\", \x1b[31m]", `line 1, column 7 (position `, "\n  [\"a\", \\x1b[31m]\n        ^^^^\n", `; 1:7: no lexeme begins with '\x1b'`},
		{"half a character", "[1, ü]", "line 1, column 5 (position 3, token 195)", "\n  [1, ü]\n      ^\n", "; 1:5: no lexeme begins with 'ü'"},
		{"long line", long, "line 1, column 302 (position ", "?, 2, 2", "; 1:302: no lexeme"},
		{"the end", "[1,\n[2]", "line 2, column 4 (position 7, the end)", "\n  [2]\n     ^\n", "; 2:4: the text ends too early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.foreign(t, c.text)
			w.run(t, w.config(t, "naive, trie", "warmup: 0, repeat: 1"))
			s := sample(t, w.records(t)["trie"], "bad0")
			first, rest, _ := strings.Cut(s.Detail, "\n")
			if s.Outcome != cell.WrongVerdict || !strings.Contains(first, "bad0 is refused at "+c.first) {
				t.Errorf("%s: %q; want %q", s.Outcome, first, c.first)
			}
			for _, want := range []string{c.grammar, "\"filter: parses\"", "gcdbench grammar check"} {
				if !strings.Contains(rest, want) {
					t.Errorf("no %q in\n%s", want, s.Detail)
				}
			}
			if !strings.Contains(s.Detail, c.shown) {
				t.Errorf("no %q in\n%s", c.shown, s.Detail)
			}
			checkExcerpt(t, s.Detail)
		})
	}
}

// checkExcerpt: the line of the document is printable and not long, and the caret is below it.
func checkExcerpt(t *testing.T, detail string) {
	t.Helper()
	lines := strings.Split(detail, "\n")
	text, caret := []rune(lines[1]), strings.IndexByte(lines[2], '^')
	if len(text) > 2+2*prepare.ExcerptSide+6 || caret < 0 || caret > len(text) {
		t.Errorf("%d characters, caret at %d:\n%s", len(text), caret, detail)
	}
	if strings.ContainsFunc(detail, func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Errorf("control characters in %q", detail)
	}
	if strings.Contains(lines[1], "?") && text[caret] != '?' {
		t.Errorf("the caret is not below the place:\n%s", detail)
	}
}

// TestRefusedIsShown: a run shows a refused document once for all algorithms, the first few of
// many, and verify with the outcome.
func TestRefusedIsShown(t *testing.T) {
	w := newWorld(t)
	w.foreign(t, "[?]", "[1?]", "[2?]", "[3?]", "[4?]")
	cfg := w.config(t, "naive, trie", "warmup: 0, repeat: 1")
	var log strings.Builder
	opt := w.options()
	opt.Progress = &log
	must.Get(Run(t.Context(), cfg, opt))(t)
	for want, times := range map[string]int{
		"wrong verdict of naive, trie on list/docs.jsonl with tok.json: bad": prepare.MaxRefusedShown,
		"further documents are refused":                                      1,
		"\"filter: parses\" in the dataset leaves such documents out":        prepare.MaxRefusedShown,
	} {
		if got := strings.Count(log.String(), want); got != times {
			t.Errorf("%q stands there %d times, want %d:\n%s", want, got, times, log.String())
		}
	}
	v := must.Get(verify.Verify(t.Context(), cfg, opt))(t)
	var text strings.Builder
	must.OK(t, v.WriteText(&text))
	for _, want := range []string{" is refused at line 1, column ", "?]\n", "^\nthe document is not in the grammar's language; 1:"} {
		if strings.Count(text.String(), want) != 2 { // for each algorithm
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("a\nb\x1b\xffc"), 3)
	f.Add([]byte(strings.Repeat("\t", 300)), 150)
	f.Add([]byte("\xa1\xa1\xa1\xa1\xa1\u286a"), 0)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		if at < 0 || at > len(text) {
			t.Skip("the place is not in the text")
		}
		for to := at; to <= len(text) && to < at+2*prepare.ExcerptSide; to += 7 {
			line, before, marked := prepare.ExcerptAt(text, at, to)
			if n := len([]rune(line)); n > 2*prepare.ExcerptSide+6 || before > n || marked < 1 || before+marked > n+1 || strings.ContainsAny(line, "\n\r\t\x1b") {
				t.Errorf("%d characters, %d before %d: %q", n, before, marked, line)
			}
		}
	})
}
