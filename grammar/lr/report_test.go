package lr

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
)

// reports are grammars and what is said of their conflicts: outcome, example, and the items with
// their actions (a state's number is left out).
var reports = []struct {
	name, grammar string
	mode          grammar.ConflictMode
	want          string
}{
	{
		name: "accept or reduce", grammar: "S -> S | a", mode: grammar.ResolveConflicts,
		want: `shift wins: a • end of input
  accept: S • (the whole sentence)
  reduce: S: S •`,
	}, {
		name: "a shift and two reductions", grammar: "S -> A c | B c | D; A -> x {2}; B -> x; D -> x c d", mode: grammar.ResolveConflicts,
		want: `shift wins: x • c
  shift: D: x • c d
  reduce: A: x •
  reduce: B: x •`,
	}, {
		name: "priority", grammar: "S -> A | B; A -> x; B -> x {1}", mode: grammar.ResolveConflicts,
		want: `priority wins: x • end of input
  reduce: A: x •
  reduce: B: x •`,
	}, {
		name: "kept", grammar: "S -> A | B; A -> x; B -> x", mode: grammar.KeepConflicts,
		want: `kept: x • end of input
  reduce: A: x •
  reduce: B: x •`,
	}, {
		name: "an empty rule, in the middle of things", grammar: "S -> b N c | b x d | b T c; N -> O x; T -> x; O -> | y", mode: grammar.ResolveConflicts,
		want: `shift wins: b • x
  shift: S: b • x d
  shift: T: • x
  reduce: O: •`,
	}, {
		name: "two examples, as the lookahead comes from elsewhere for each", mode: grammar.KeepConflicts,
		grammar: "S -> a A d | b B d | a B e | b A e; A -> c; B -> c",
		want: `kept: a c • d
  reduce: A: c •
  reduce: B: c •   in b c • d
kept: b c • e
  reduce: A: c •
  reduce: B: c •   in a c • e`,
	}, {
		name: "a long word is shown by name", mode: grammar.KeepConflicts,
		grammar: "S -> L A | L B; A -> x; B -> x; L -> M M M; M -> N N N; N -> O O O; O -> y y",
		want: `kept: <L> x • end of input
  reduce: A: x •
  reduce: B: x •`,
	},
}

func TestReports(t *testing.T) {
	for _, c := range reports {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			for _, k := range tablesOf(t, c.grammar, c.mode).Conflicts() {
				told = append(told, fmt.Sprintf("%s: %s", k.Outcome, k.Example))
				for _, it := range k.Items {
					line := fmt.Sprintf("  %s: %s", strings.Fields(it.Action.String())[0], it.Text)
					if it.Example != "" && it.Example != k.Example {
						line += "   in " + it.Example
					}
					told = append(told, line)
				}
			}
			if got := strings.Join(told, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A message names at most maxReported conflicts and counts the rest.
func TestManyConflicts(t *testing.T) {
	text := "S -> "
	rules := ""
	for i := range maxReported + 3 {
		text += fmt.Sprintf("| x%d A%d | x%d B%d ", i, i, i, i)
		rules += fmt.Sprintf("; A%d -> y z; B%d -> C%d z; C%d -> y", i, i, i, i)
	}
	_, err := Build(context.Background(), compact(text+rules), Options{})
	if err != nil {
		t.Fatalf("shift/reduce conflicts are resolved: %v", err)
	}
	_, err = Build(context.Background(), compact(strings.ReplaceAll(text+rules, " z;", ";")), Options{})
	if err == nil || !strings.Contains(err.Error(), "and 3 more") || strings.Count(err.Error(), "two ways") != maxReported {
		t.Errorf("got %v", err)
	}
}

// Building is a function of the grammar: twice the same.
func TestBuildIsDeterministic(t *testing.T) {
	g := language(200)
	var built [2]*Tables
	for i := range built {
		var err error
		if built[i], err = Build(context.Background(), g, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := built[0], built[1]
	if !reflect.DeepEqual(a.rows, b.rows) ||
		!reflect.DeepEqual(a.Conflicts(), b.Conflicts()) || !slices.Equal(a.Warnings(), b.Warnings()) {
		t.Error("two builds differ")
	}
}

// An engine that makes default reductions blindly comes to the same answer as one that looks.
func TestDefaultReductionsAreSafe(t *testing.T) {
	overGrammars(t, 1500, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.ResolveConflicts)
		if tables == nil || len(tables.loops) > 0 {
			return fault
		}
		return blindFault(tables, tables.Start(), 4)
	})
}

func blindFault(t *Tables, s Stacks, depth int) string {
	stack := s.Describe()[0]
	for x := range t.End() + 1 {
		m := machine{t, slices.Clone(stack)}
		for range manySteps {
			r, ok := t.DefaultReduction(m.stack[len(m.stack)-1])
			if !ok {
				break
			}
			lhs, n := t.Rule(r)
			m.stack = m.stack[:len(m.stack)-n]
			m.stack = append(m.stack, t.Goto(m.stack[len(m.stack)-1], lhs))
		}
		last, _ := m.before(x)
		if got := last.Kind() != KindNone; got != t.Accepts(s, x) {
			return fmt.Sprintf("terminal %d on %v: blindly %t", x, stack, got)
		}
		if next, ok := t.Shift(s, x); ok && depth > 0 {
			if fault := blindFault(t, next, depth-1); fault != "" {
				return fault
			}
		}
	}
	return ""
}
