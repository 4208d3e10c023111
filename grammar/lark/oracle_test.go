package lark

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A question is a grammar with the files it imports.
type question struct {
	Grammar string            `json:"grammar"`
	Start   string            `json:"start"`
	Files   map[string]string `json:"files"`
	// Seconds of the processor's time are what Lark may take; 0 is without end.
	Seconds int `json:"seconds,omitempty"`
}

// parse is our answer.
func (q question) parse() (*grammar.Grammar, error) {
	files := fstest.MapFS{}
	for name, text := range q.Files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Parse([]byte(q.Grammar), Options{File: "main.lark", Start: q.Start, FS: files})
}

// An answer is Lark's.
type answer struct {
	Error     string `json:"error"`
	Terminals []struct {
		Name, Value, Flags, Type string
		Priority                 int
		Width                    float64 // characters; 2^32 - 1 or 2^64, by the version of Python, without a bound
	} `json:"terminals"`
	// Sorted are the names of the terminals in the order in which the basic lexer tries them.
	Sorted []string `json:"sorted"`
	Rules  []struct {
		LHS      string   `json:"lhs"`
		RHS      [][2]any `json:"rhs"`
		Alias    *string  `json:"alias"`
		Priority int      `json:"priority"`
	} `json:"rules"`
	Ignore   []string `json:"ignore"`
	Conflict *string  `json:"conflict"`
}

// An oracle asks Lark.
type oracle struct {
	in  io.Writer
	out *bufio.Reader
}

// newOracle starts Lark, or skips the test where it is not installed.
var newOracle = func() func(t *testing.T) *oracle {
	var once sync.Once
	var o *oracle
	var problem error
	return func(t *testing.T) *oracle {
		t.Helper()
		once.Do(func() { o, problem = startOracle() })
		if problem != nil {
			t.Skipf("Lark is needed to compare with: %v", problem)
		}
		return o
	}
}()

func startOracle() (*oracle, error) {
	python := cmp.Or(os.Getenv("GCDBENCH_PYTHON"), "python3")
	cmd := exec.Command(python, "testdata/oracle.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &oracle{in, bufio.NewReader(out)}
	var version string
	if err := o.read(&version); err != nil {
		return nil, fmt.Errorf("%s has no module lark (%v)", python, err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || major != 1 || minor < 2 {
		return nil, fmt.Errorf("lark is version %s; version 1.2 or a later 1.x is compared with", version)
	}
	return o, nil
}

func (o *oracle) read(v any) error {
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// ask returns Lark's answer.
func (o *oracle) ask(t *testing.T, q question) (a answer) {
	t.Helper()
	if q.Files == nil {
		q.Files = map[string]string{}
	}
	o.request(t, q, &a)
	return a
}

// lengths returns how many characters a Python regexp matches at the start of each text, or -1.
func (o *oracle) lengths(t *testing.T, pattern string, texts []string) []int {
	t.Helper()
	var a struct{ Lengths []int }
	o.request(t, map[string]any{"pattern": pattern, "texts": texts}, &a)
	return a.Lengths
}

// request asks a question of any kind.
func (o *oracle) request(t *testing.T, question, answer any) {
	t.Helper()
	line := must.Get(json.Marshal(question))(t)
	must.Get(o.in.Write(append(line, '\n')))(t)
	must.OK(t, o.read(answer))
}

// compare tells how our answer differs from Lark's; "" is not at all.
func compare(g *grammar.Grammar, err error, a answer) string {
	switch {
	case err != nil && a.Error != "":
		return ""
	case err != nil:
		return fmt.Sprintf("Lark takes it, but we say: %v", err)
	case a.Error != "":
		return fmt.Sprintf("we take it, but Lark says: %s", a.Error)
	}
	if diff := compareRules(g, a); diff != "" {
		return diff
	}
	if diff := compareTerminals(g, a); diff != "" {
		return diff
	}
	return compareOrder(g, a)
}

// compareOrder compares the order of terminals that match the same lexeme. Lark's has literals
// among the others, and prefers them later.
func compareOrder(g *grammar.Grammar, a answer) string {
	rank := lexer.Preference(g)
	for i, x := range a.Sorted {
		for _, y := range a.Sorted[i+1:] {
			s, _ := g.Lookup(x)
			t, _ := g.Lookup(y)
			if g.Terminals[s].Literal == g.Terminals[t].Literal && rank[s] > rank[t] {
				return fmt.Sprintf("Lark tries %s before %s, we do not", x, y)
			}
		}
	}
	return ""
}

const larkResolves = "Lark resolves all conflicts"

// compareConflicts compares whether the LALR tables have a conflict that cannot be resolved.
func compareConflicts(g *grammar.Grammar, a answer) string {
	_, err := lr.Build(context.Background(), g, lr.Options{})
	var conflict *lr.ConflictError
	if ours, theirs := errors.As(err, &conflict), a.Conflict != nil; ours && !theirs {
		return fmt.Sprintf("%s, but we say: %v", larkResolves, err)
	} else if !ours && theirs && err == nil {
		return fmt.Sprintf("we resolve all conflicts, but Lark says: %s", *a.Conflict)
	}
	return ""
}

// compareRules compares productions, with their names and in their order.
func compareRules(g *grammar.Grammar, a answer) string {
	var ours, theirs []string
	for i := range g.Rules {
		r := &g.Rules[i]
		var names []string
		for _, s := range r.RHS {
			names = append(names, fmt.Sprint(describeSymbol(g, s), " ", s.IsTerminal()))
		}
		ours = append(ours, fmt.Sprintf("%s.%d: %q -> %s", g.Nonterminals[r.LHS].Name, r.Priority, names, r.Alias))
	}
	for _, r := range a.Rules {
		var names []string
		for _, s := range r.RHS {
			names = append(names, fmt.Sprint(s[0], " ", s[1]))
		}
		alias := ""
		if r.Alias != nil {
			alias = *r.Alias
		}
		theirs = append(theirs, fmt.Sprintf("%s.%d: %q -> %s", r.LHS, r.Priority, names, alias))
	}
	if !slices.Equal(ours, theirs) {
		return fmt.Sprintf("rules differ; ours:\n%s\nLark's:\n%s", strings.Join(ours, "\n"), strings.Join(theirs, "\n"))
	}
	return ""
}

// compareTerminals compares names, kinds, priorities, the length of patterns and their language.
func compareTerminals(g *grammar.Grammar, a answer) string {
	theirs := 0
	for i := range g.Terminals {
		if !g.Terminals[i].Declared {
			theirs++
		}
	}
	if theirs != len(a.Terminals) {
		return fmt.Sprintf("%d terminals, Lark has %v", theirs, a.Terminals)
	}
	for _, want := range a.Terminals {
		id, ok := g.Lookup(want.Name)
		if !ok {
			return fmt.Sprintf("no terminal %s", want.Name)
		}
		t := &g.Terminals[id]
		if got, want := fmt.Sprint(t.Literal, t.Priority, t.Ignored), fmt.Sprint(want.Type == "str", want.Priority, slices.Contains(a.Ignore, want.Name)); got != want {
			return fmt.Sprintf("terminal %s: (literal, priority, ignored) is %s, with Lark %s", t.Name, got, want)
		}
		const boundless = 1<<32 - 1
		if min(float64(t.MaxWidth), boundless) != min(want.Width, boundless) {
			return fmt.Sprintf("terminal %s has width %d, with Lark %.0f", t.Name, t.MaxWidth, want.Width)
		}
		if diff := comparePattern(t, want.Value, want.Flags); diff != "" {
			return fmt.Sprintf("terminal %s: %s", t.Name, diff)
		}
	}
	return ""
}

// comparePattern compares a pattern with Lark's. Where the text differs, which it does in
// libraries, it must have the same length and language.
func comparePattern(t *grammar.TerminalDef, value, flags string) string {
	if t.Source == value || strings.Contains(value, "(?<!") && len(t.Source) == len(value) {
		value = t.Source // Lark looks behind in its strings; TestCommonStrings compares those
	}
	if utf8.RuneCountInString(t.Source) != utf8.RuneCountInString(value) {
		return fmt.Sprintf("pattern is %q, with Lark %q", t.Source, value)
	}
	fl, err := automata.ParseFlags(flags)
	if err != nil {
		return err.Error()
	}
	want := automata.Literal(value, fl)
	if !t.Literal {
		text := value
		for _, f := range flags {
			text = fmt.Sprintf("(?%c:%s)", f, text)
		}
		if want, err = automata.Parse(text, 0); err != nil {
			return err.Error()
		}
	}
	theirs, err := automata.Compile(want, automata.DefaultLimits)
	if err != nil {
		return err.Error()
	}
	ours, err := automata.Compile(t.Expr, automata.DefaultLimits)
	if err != nil {
		return err.Error()
	}
	if !ours.Equal(theirs) {
		return fmt.Sprintf("pattern %q has another language than Lark's %q with flags %q", t.Source, value, flags)
	}
	return ""
}

// TestOwnGrammars compares what we make of the grammars of this module with what Lark makes of
// them, where it takes them: it has neither our directives nor \p{...}.
func TestOwnGrammars(t *testing.T) {
	o := newOracle(t)
	names := must.Get(filepath.Glob("../languages/*.lark"))(t)
	for _, name := range seed.Some(t, names, 4, 1, 1) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			must.OK(t, err)
			var q question
			for line := range strings.Lines(string(text)) {
				if !slices.Contains([]string{"%layout", "%lexer", "%conflicts"}, strings.Fields(line + " .")[0]) {
					q.Grammar += line
				}
			}
			a := o.ask(t, q)
			if a.Error != "" {
				t.Skipf("Lark refuses it: %s", a.Error)
			}
			g, err := q.parse()
			if diff := compare(g, err, a); diff != "" {
				t.Error(diff)
			}
		})
	}
}
