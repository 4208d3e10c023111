package lark

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gcdbench/internal/seed"
)

// bombs are small texts that would take long, or much memory, without limits; each has a part of
// the message with which it is refused, or "" if it is no bomb after all.
var bombs = map[string]struct{ grammar, want string }{
	"ten nested counts of 49":           {"start: " + strings.Repeat("(", 10) + `"a"` + strings.Repeat("~49)", 10), "beyond 4194304 symbols"},
	"ten nested counts of 100":          {"start: " + strings.Repeat("(", 10) + `"a"` + strings.Repeat("~100)", 10), ""},
	"ten nested counts in [ ]":          {"start: " + strings.Repeat("[", 10) + `a` + strings.Repeat("~49]", 10) + "\na: \"a\"", "more than 4194304 symbols"},
	"a billion repeats":                 {`start: "a"~1..1000000000`, ""},
	"40 optional items":                 {"start:" + optionals(40), "more than 65536 alternatives"},
	"16 optional items":                 {"start:" + optionals(16), ""},
	"40 optional groups":                {"start: (" + strings.ReplaceAll(strings.TrimSpace(optionals(40)), " ", ") (") + ")", "more than 65536 alternatives"},
	"40 choices of two":                 {"start:" + strings.Repeat(` ("a" | "b")`, 40), "more than 65536 alternatives"},
	"many equal optional items":         {"start:" + strings.Repeat(` "a"?`, 500), "beyond 4194304 symbols"},
	"a few equal optional items":        {"start:" + strings.Repeat(` "a"?`, 100), ""},
	"deep parentheses":                  {"start: " + strings.Repeat("(", 100000) + `"a"` + strings.Repeat(")", 100000), "more than 1000 nested brackets"},
	"deep brackets":                     {"start: " + strings.Repeat("[", 100000), "more than 1000 nested brackets"},
	"deep arguments":                    {"start: " + strings.Repeat("t{", 100000), "more than 1000 nested brackets"},
	"terminals that double":             {"start: T60\nT0: \"a\"\n" + chain(60, "T%d: T%d T%[2]d\n"), "regexp of this terminal"},
	"rules that double":                 {"start: r60\nr0: \"a\"\n" + chain(60, "r%d: r%d r%[2]d\n"), ""},
	"a long chain of terminals":         {"start: T5000\nT0: \"a\"\n" + chain(5000, "T%d: T%d\n"), ""},
	"a terminal of huge counts":         {`start: A` + "\n" + `A: ((((("a"~1000)~1000)~1000)~1000)~1000)~1000`, "terminal A"},
	"a terminal of a huge count":        {`start: A` + "\n" + `A: "a"~1000000000`, "terminal A"},
	"many costly terminals":             {"start: T1\n%ignore T1\n" + chain(200, "T%d: /(?:.{0,%d}x){0,50}z/\n%%ignore T%[1]d\n"), "the automata of all regexps up to here have more than"},
	"templates without end":             {"start: t{\"a\"}\nt{x}: t{u{x}}\nu{x}: x", "do not come to an end"},
	"templates that double":             {"start: t{\"a\"}\nt{x}: t{u{x, x}}\nu{x, y}: x y", "do not come to an end"},
	"templates that count":              {"start: t{\"a\", \"b\"}\nt{x, y}: t{y, u{x}} | t{u{y}, x}\nu{x}: x", "do not come to an end"},
	"too long a chain of terminals":     {"start: T0\n" + chain(20000, "T%[2]d: T%[1]d\n") + "T20000: \"a\"", "more than 10000 levels deep"},
	"one rule extended again and again": {"start: \"a\"\n" + chain(20000, "%%extend start: \"a%d b%d\"\n"), "extended more than 4096 times"},
	"a long chain of rules":             {"start: \"x\"\n" + chain(20000, "r%d: r%d\n") + "r0: \"a\"", ""},
	"nothing to stop at":                {"start: start", ""},
}

// optionals are n different optional items.
func optionals(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` "a%d"?`, i)
	}
	return b.String()
}

// chain formats i and i-1 for each i from 1 to n.
func chain(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format, i, i-1)
	}
	return b.String()
}

func TestBombs(t *testing.T) {
	seed.Usual(t)
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(bomb.grammar), Options{})
			switch {
			case err == nil && bomb.want != "":
				t.Errorf("is taken")
			case err != nil && bomb.want == "":
				t.Error(err)
			case err != nil && !strings.Contains(err.Error(), bomb.want):
				t.Errorf("%v\nwant a message with %q", err, bomb.want)
			}
		})
	}
}

// TestMatchesNothing: a terminal that no text can be is read, as Lark does; lexer.Unread tells of
// it. One that the empty text can be is refused, as by Lark.
func TestMatchesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"start: A | \"b\"\nA: /a(?=b)c/":  "",
		"start: \"x\" /a(?=b)c/":          "",
		"start: A\nA: /[^\\s\\S]/":        "",
		"start: A\nA: /a(?=b)bc/":         "",
		"start: \"x\"\nUNUSED: /a(?=b)c/": "",
		"start: A\nA: /a*/":               "2:1: terminal A matches the empty string",
		"start: \"x\" /(a|b?)/":           "1:12: this regexp matches the empty string",
		"start: A\nA: \"a\"?":             "2:1: terminal A matches the empty string",
	} {
		_, err := Parse([]byte(text), Options{})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestImportBomb has files that import the next one under two names each.
func TestImportBomb(t *testing.T) {
	files := fstest.MapFS{}
	const n = 40
	for i := range n {
		for _, side := range "ab" {
			text := fmt.Sprintf("x: y z\n%%import .a%d.x -> y\n%%import .b%[1]d.x -> z\n", i+1)
			if i == n-1 {
				text = "x: \"x\""
			}
			files[fmt.Sprintf("%c%d.lark", side, i)] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	_, err := Parse([]byte("start: x\n%import .a0.x"), Options{FS: files})
	if err == nil || !strings.Contains(err.Error(), "more than 1000 imports") {
		t.Errorf("got %v", err)
	}
}

// TestReadingIsCancelled: a grammar that takes long to read is given up soon after the context
// ends. The bound allows for a machine that has twenty other things to do.
func TestReadingIsCancelled(t *testing.T) {
	seed.Usual(t)
	for name, text := range map[string]string{
		"many costly terminals":  "start: T1\n%ignore T1\n" + chain(12, "T%d: /(?:.{0,%d}x){0,50}z/\n%%ignore T%[1]d\n"),
		"very many rules":        "start: r60000\nr0: \"a\"\n" + chain(60000, "r%d: r%d\n"),
		"very many alternatives": "start:" + optionals(16) + "\n" + "a:" + strings.ReplaceAll(optionals(16), "a", "b"),
	} {
		if _, err := Parse([]byte(text), Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for part := range 3 {
			after := time.Duration(part) * 20 * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), after)
			begin := time.Now()
			_, err := Parse([]byte(text), Options{Context: ctx})
			cancel()
			if late := time.Since(begin) - after; !errors.Is(err, context.DeadlineExceeded) || late > 2*time.Second {
				t.Errorf("%s: %v after its context ended, with %v", name, late, err)
			}
		}
	}
}
