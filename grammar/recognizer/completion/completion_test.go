package completion_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/seed"
)

// after is the state after a prefix, every byte of which can be read.
func after(t testing.TB, r *recognizer.Recognizer, prefix string) recognizer.State {
	t.Helper()
	s := r.Start()
	for i := range len(prefix) {
		var ok bool
		if s, ok = r.Step(s, prefix[i]); !ok {
			t.Fatalf("%q is refused at byte %d", prefix, i)
		}
	}
	return s
}

// TestCases is prefixes with their completions.
func TestCases(t *testing.T) {
	const words = "start: (\"if\" NAME \"then\" start \"fi\" | NAME \"=\" NUMBER \";\")\nNAME: /[a-z]+/\nNUMBER: /[0-9]{2,}/\n%ignore \" \""
	for _, c := range []struct{ grammar, prefix, want string }{
		{words, "", "a=00;"},
		{words, "i", "=00;"},
		{words, "if", "a=00;"}, // it is no name, but may be read on to one
		{words, "if ", "a then a=00;fi"},
		{words, "if a", " then a=00;fi"},
		{words, "if a t", "hen a=00;fi"},
		{words, "if a then x=1", "0;fi"},
		{words, "if a then x=12", ";fi"},
		{words, "x=10;", ""},
		// One lexeme that is two terminals: both are tried.
		{"%lexer all\n%conflicts keep\nstart: A \"!!!\" | B \"?\"\nA: /a+/\nB: /ab*/", "a", "?"},
		{"%lexer all\n%conflicts keep\nstart: A \"!!!\" | B \"?\"\nA: /a+/\nB: /ab*/", "aa", "!!!"},
		// A lexeme that is ignored or not.
		{"%lexer all\nstart: \"x\" B? \"y\"\nA: /z+/\nB: /zz/\n%ignore A", "xzz", "y"},
		// Only one of two ways is short.
		{"%conflicts keep\nstart: a | b\na: \"(\" a \"....\" | \"x\"\nb: \"(\" b \")\" | \"y\"", "((", "y))"},
		// Hidden left recursion, whose stacks are a graph with a cycle.
		{"%conflicts keep\nstart: b start \"x\" | \"y\"\nb: \"z\" |", "y", ""},
		{"%conflicts keep\nstart: b start \"x\" | \"y\"\nb: \"z\" |", "zz", "yxx"},
	} {
		for _, onDemand := range []bool{false, true} {
			name := fmt.Sprintf("%q on demand %v:\n%s", c.prefix, onDemand, c.grammar)
			r := small(t, c.grammar, onDemand)
			got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, c.prefix))
			if err != nil || string(got.Text) != c.want || !got.Exact {
				t.Errorf("%s\n%q, %v, %v; want %q", name, got.Text, got.Exact, err, c.want)
			}
		}
	}
}

// TestDeadEnds is prefixes that nothing completes: the parser waits for b, and the lexer reads ab.
func TestDeadEnds(t *testing.T) {
	for _, c := range []struct {
		grammar, prefix string
		onDemand        bool
	}{
		{"start: \"a\" \"b\" | AB\nAB: \"ab\"", "", false}, // ab itself is a way out
		{"start: \"x\" \"a\" \"b\" | AB\nAB: \"ab\"", "x", false},
		{"start: \"x\" \"a\" \"b\" | AB\nAB: \"ab\"", "x", true},
		{"start: \"x\" \"a\" \"b\" | AB\nAB: \"ab\"", "xa", true},
		{"start: \"x\" \"a\" \"b\" | AB\nAB: \"ab\"", "xab", true},                        // not even a legal prefix
		{"start: \"x\" p | AB\np: \"(\" p \")\" | \"a\" \"b\"\nAB: \"ab\"", "x((", false}, // endlessly many texts lead there
	} {
		r := small(t, c.grammar, c.onDemand)
		got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, c.prefix))
		if c.prefix == "" && (err != nil || string(got.Text) != "ab") || c.prefix != "" && !errors.Is(err, completion.ErrDeadEnd) {
			t.Errorf("%s\n%q: %q, %v", c.grammar, c.prefix, got.Text, err)
		}
	}
}

// hard is a grammar whose dead end a lexer built on demand cannot prove: there are endlessly many
// texts.
const hard = "start: \"(\" p | AB\np: \"(\" p \")\" | \"[\" p \"]\" | \"a\" \"b\" | \"a\" \"c\" \"....................\"\nAB: \"ab\" | \"ac\""

// TestLimit gives up in two ways: with an error, and with a text that is not proved.
func TestLimit(t *testing.T) {
	r := small(t, hard, true)
	s := after(t, r, "(")
	_, err := completion.New(r, completion.Options{Nodes: 500}).Shortest(t.Context(), s)
	var limit *completion.LimitError
	if !errors.As(err, &limit) || limit.Nodes != 500 || !strings.Contains(err.Error(), "500") {
		t.Errorf("got %v", err)
	}
	// Words must be told apart by blanks, which a lexer built on demand does not know ahead.
	r = small(t, "start: w~12\nw: /[a-z]+/ | \"(\" w \")\" | \"[\" w \"]\"\n%ignore \" \"", true)
	got, err := completion.New(r, completion.Options{Nodes: 500}).Shortest(t.Context(), r.Start())
	if err != nil || got.Exact || got.Nodes <= 500 || !ends(r, r.Start(), got.Text) {
		t.Errorf("%q, exact %v with %d nodes, %v", got.Text, got.Exact, got.Nodes, err)
	}
}

// TestManyReadings gives up early where reading gets slower with each byte: a text of n letters has
// as many readings as there are binary trees, and T, which could end it, is never emitted.
func TestManyReadings(t *testing.T) {
	r := small(t, "%conflicts keep\nstart: p T | \"x\" S\np: p p | p p p | \"a\"\nT: /b/\nS: \"b\"", true)
	got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, "a"))
	var limit *completion.LimitError
	if !errors.As(err, &limit) || got.Text != nil || limit.Nodes > completion.DefaultNodes/10 {
		t.Errorf("%q with %d nodes, %v", got.Text, got.Nodes, err)
	}
	// What was read before counts for nothing.
	long := "x" + strings.Repeat("a", 150)
	r = small(t, "%conflicts keep\nstart: \"x\" p \"y\"\np: p p | p p p | \"a\"", true)
	got, err = completion.New(r, completion.Options{Nodes: 20}).Shortest(t.Context(), after(t, r, long))
	if err != nil || string(got.Text) != "y" || !got.Exact {
		t.Errorf("%q, %v, %v", got.Text, got.Exact, err)
	}
}

// TestCancelled stops with the error of the context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := small(t, hard, true)
	if _, err := completion.New(r, completion.Options{}).Shortest(ctx, after(t, r, "(")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestAvoid completes without some bytes.
func TestAvoid(t *testing.T) {
	r := small(t, "start: statement+\nstatement: \"p\" NL | \"i\" NL INDENT statement+ DEDENT\nNL: /(\\n[ \\t]*)+/\n%declare INDENT DEDENT\n"+
		"%layout newline=NL indent=INDENT dedent=DEDENT tab=8", true)
	text := "i\n        i\n"
	for avoid, want := range map[string]string{"": "\t p", "\t": "         p"} {
		got, err := completion.New(r, completion.Options{Avoid: []byte(avoid)}).Shortest(t.Context(), after(t, r, text))
		if err != nil || string(got.Text) != want || !got.Exact {
			t.Errorf("without %q: %q, %v, %v; want %q", avoid, got.Text, got.Exact, err, want)
		}
	}
}

// TestTwoWidths completes lines whose column must agree with the open blocks for two tab widths.
func TestTwoWidths(t *testing.T) {
	r := embedded(t, "python")
	for text, want := range map[string]string{
		"class A:\n    def f(self):\n        try:\n            x = 1\n": "        except:a",
		"class A:\n    def f(self):\n\t    try:\n\t     \tx = 1\n":      "\t    except:a",
		"if x:\n\tif y:\n":       "\t a",
		"if x:\n        if y:\n": "         a",
	} {
		got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, text))
		if err != nil || string(got.Text) != want || !got.Exact {
			t.Errorf("%q: %q, %v, %v; want %q", text, got.Text, got.Exact, err, want)
		}
	}
}

// TestInsideCharacter finishes a character that a prefix ends in.
func TestInsideCharacter(t *testing.T) {
	for _, language := range []string{"json", "go", "java", "python"} {
		r := embedded(t, language)
		c := completion.New(r, completion.Options{})
		before := map[string]string{"json": `{"`, "go": `package p; var x = "`, "java": `class A { String s = "`, "python": `x = "`}[language]
		for _, char := range []string{"é", "€", "𝄞"} {
			for cut := 1; cut < len(char); cut++ {
				prefix := before + char[:cut]
				got, err := c.Shortest(t.Context(), after(t, r, prefix))
				whole := prefix + string(got.Text)
				if err != nil || !utf8.ValidString(whole) || r.Check([]byte(whole)) != nil {
					t.Errorf("%s: %q: %q, %v", language, prefix, got.Text, err)
				}
			}
		}
	}
}

// TestDeep completes what is nested deeply.
func TestDeep(t *testing.T) {
	const deep = 20_000
	r := embedded(t, "json")
	got, err := completion.New(r, completion.Options{Nodes: 2 * deep}).Shortest(t.Context(), after(t, r, strings.Repeat("[", deep)))
	if err != nil || !bytes.Equal(got.Text, bytes.Repeat([]byte("]"), deep)) || !got.Exact {
		t.Errorf("%d bytes, %v, %v", len(got.Text), got.Exact, err)
	}
}

// TestAlwaysTheSame completes many prefixes of a schema, one by one, in another order and at the
// same time: on one Completer and lexer, which both keep what they find out, and on new ones. The
// texts are the same.
func TestAlwaysTheSame(t *testing.T) {
	const text = `{"type":"object","properties":{"name":{"type":"string","minLength":3},"kind":{"enum":["one","two","three"]},
		"list":{"type":"array","items":{"type":"integer","minimum":12,"maximum":345},"minItems":2}},"required":["name","kind","list"]}`
	const instance = `{"name":"wörld","kind":"three","list":[13,99,345,20]}`
	var want [len(instance) + 1]string
	r := schema(t, []byte(text))
	for i := range want { // each on new ones
		r := schema(t, []byte(text))
		got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, instance[:i]))
		if err != nil {
			t.Fatal(instance[:i], err)
		}
		want[i] = string(got.Text)
	}
	c := completion.New(r, completion.Options{})
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for k := range want {
				i := (k*7 + g*13) % len(want)
				s := after(t, r, instance[:i])
				if got, err := c.Shortest(context.Background(), s); err != nil || string(got.Text) != want[i] {
					t.Errorf("%s: %q, %v; was %q", instance[:i], got.Text, err, want[i])
				}
			}
		})
	}
	all.Wait()
	t.Log(want[0], want[2], want[10])
}

// TestVeryDeep: brackets that are open by the ten thousand are closed, and of more than a
// million it is said that they are too many; the stack of the program does not grow with them.
func TestVeryDeep(t *testing.T) {
	r := small(t, "start: \"[\" start? \"]\"", false)
	c := completion.New(r, completion.Options{})
	open := seed.Rounds(20_000, 20_000, 60_000)
	got, err := c.Shortest(t.Context(), after(t, r, strings.Repeat("[", open)))
	if err != nil || !got.Exact || string(got.Text) != strings.Repeat("]", open) {
		t.Errorf("of %d open brackets: %d bytes, %v", open, len(got.Text), err)
	}
	if testing.Short() {
		return
	}
	var limit *completion.LimitError
	_, err = c.Shortest(t.Context(), after(t, r, strings.Repeat("[", 1_200_000)))
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "at least 1199999 bytes are missing, more than the limit of 1000000: close some") {
		t.Errorf("of 1,200,000 open brackets: %v", err)
	}
}
