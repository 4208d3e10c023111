package lr

import (
	"fmt"
	"slices"
	"testing"

	"gcdbench/grammar"
)

// machine is a parser as a textbook has it, on a plain slice and the raw tables.
type machine struct {
	t     *Tables
	stack []int32
}

// manySteps is more reductions than any small grammar makes before one terminal, unless for ever.
const manySteps = 2000

// before reduces until term can be shifted or accepted. How it ended: the last action, or
// "endless" if it did not.
func (m *machine) before(term grammar.Terminal) (last Action, endless bool) {
	for range manySteps {
		a := m.t.Action(m.stack[len(m.stack)-1], term)
		if a.Kind() != KindReduce {
			return a, false
		}
		lhs, n := m.t.Rule(a.Target())
		m.stack = m.stack[:len(m.stack)-n]
		m.stack = append(m.stack, m.t.Goto(m.stack[len(m.stack)-1], lhs))
	}
	return 0, true
}

// guarded is before by way of GotoBefore: it must end in few steps, and refuse where before is
// endless.
func (m *machine) guarded(term grammar.Terminal) (last Action, fault string) {
	for range manySteps {
		a := m.t.Action(m.stack[len(m.stack)-1], term)
		if a.Kind() != KindReduce {
			return a, ""
		}
		lhs, n := m.t.Rule(a.Target())
		m.stack = m.stack[:len(m.stack)-n]
		to := m.t.GotoBefore(m.stack[len(m.stack)-1], lhs, term)
		if to < 0 {
			return 0, ""
		}
		m.stack = append(m.stack, to)
	}
	return 0, "a machine with GotoBefore does not end"
}

// Stacks on deterministic tables do what the textbook machine does, where that ends; where it does
// not, they refuse.
func TestAgainstMachine(t *testing.T) {
	endless := 0
	overGrammars(t, 3000, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.ResolveConflicts)
		if tables == nil {
			return fault
		}
		if len(tables.loops) > 0 {
			endless++
		}
		return followMachine(tables, tables.Start(), []int32{0}, 4)
	})
	if endless == 0 {
		t.Error("no grammar had endless reductions: the test does not test them")
	}
}

func followMachine(t *Tables, s Stacks, stack []int32, depth int) string {
	if got := s.Describe(); len(got) != 1 || !slices.Equal(got[0], stack) {
		return fmt.Sprintf("stack is %v, want %v", got, stack)
	}
	for term := range t.End() + 1 {
		m := machine{t, slices.Clone(stack)}
		last, endless := m.before(term)
		want := last.Kind() != KindNone
		if got := t.Accepts(s, term); got != want {
			return fmt.Sprintf("terminal %d on %v: accepted %t, the machine says %t (endless: %t)", term, stack, got, want, endless)
		}
		g := machine{t, slices.Clone(stack)}
		if a, fault := g.guarded(term); fault != "" || a != last {
			return fmt.Sprintf("terminal %d on %v: %v with GotoBefore, want %v; %s", term, stack, a, last, fault)
		}
		if depth == 0 || last.Kind() != KindShift {
			continue
		}
		next, _ := t.Shift(s, term)
		if fault := followMachine(t, next, append(m.stack, last.Target()), depth-1); fault != "" {
			return fault
		}
	}
	return ""
}

// The search for endless reductions is only made where they are possible at all, and finds none
// where nothing was resolved.
func TestLoopsNeedRecursion(t *testing.T) {
	overGrammars(t, 2000, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.ResolveConflicts)
		if tables == nil {
			return fault
		}
		l, err := analyse(t.Context(), g)
		if err != nil {
			return err.Error()
		}
		tables.loops = nil
		if err := tables.searchLoops(l); err != nil {
			return err.Error()
		}
		may, err := l.mayLoop()
		if err != nil {
			return err.Error()
		}
		if len(tables.loops) > 0 && (!may || len(tables.clashes) == 0) {
			return fmt.Sprintf("%d loops, may loop: %t, %d conflicts", len(tables.loops), may, len(tables.clashes))
		}
		return ""
	})
}

func TestEndlessReductions(t *testing.T) {
	for _, c := range []struct {
		name, grammar, read string
		next                string
		accept              bool
	}{
		{"the start symbol derives itself", "S -> S | a", "a", "", true},
		{"a cycle of two, a shift instead", "S -> A b; A -> B | a; B -> A", "a", "b", true},
		{"a cycle of two, never ended", "S -> A | b; A -> B {2} | a; B -> A {2} | c", "c", "", false},
		{"empty rules pile up", "S -> A S b {1} | c; A -> {2} | d", "", "b", false},
		{"empty rules instead of the text", "S -> A S | c d; A -> ", "", "c", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := tablesOf(t, c.grammar, grammar.ResolveConflicts)
			s, n := read(tables, words(t, tables.Grammar(), c.read))
			if n != len(words(t, tables.Grammar(), c.read)) {
				t.Fatalf("read %d terminals", n)
			}
			next := tables.End()
			if c.next != "" {
				next = words(t, tables.Grammar(), c.next)[0]
			}
			if got := tables.Accepts(s, next); got != c.accept {
				t.Errorf("accepts is %t; %v", got, tables.Warnings())
			}
		})
	}
}

// stackSet is a parser with conflicts that holds each stack on its own, as the graph-structured
// stack is meant to do in effect. It gives up where stacks are many or long.
type stackSet map[string][]int32

const (
	manyStacks = maxDescribed
	longStack  = 24
)

func (set stackSet) add(stack []int32) bool {
	key := fmt.Sprint(stack)
	if _, ok := set[key]; ok || len(stack) > longStack {
		return false
	}
	set[key] = stack
	return true
}

// shift is nil if the stacks get too many.
func (set stackSet) shift(t *Tables, term grammar.Terminal) stackSet {
	reduced, next := stackSet{}, stackSet{}
	var todo [][]int32
	for _, stack := range set {
		reduced.add(stack)
		todo = append(todo, stack)
	}
	for ; len(todo) > 0; todo = todo[1:] {
		stack := todo[0]
		if len(stack) == longStack || len(reduced) > 50*manyStacks {
			return nil
		}
		for _, a := range t.Actions(stack[len(stack)-1], term) {
			switch a.Kind() {
			case KindShift:
				next.add(append(slices.Clone(stack), a.Target()))
			case KindReduce:
				lhs, n := t.Rule(a.Target())
				under := stack[:len(stack)-n]
				over := append(slices.Clone(under), t.Goto(under[len(under)-1], lhs))
				if reduced.add(over) {
					todo = append(todo, over)
				}
			}
		}
	}
	if len(next) > manyStacks {
		return nil
	}
	return next
}

// The graph holds exactly the stacks that single stacks would come to.
func TestStacksAreExact(t *testing.T) {
	compared := 0
	overGrammars(t, 1500, func(g *grammar.Grammar) string {
		tables, fault := build(g, grammar.KeepConflicts)
		if tables == nil {
			return fault
		}
		return compareStacks(tables, tables.Start(), stackSet{"": {0}}, 4, &compared)
	})
	if compared < 1000 {
		t.Errorf("only %d comparisons", compared)
	}
}

func compareStacks(t *Tables, s Stacks, set stackSet, depth int, compared *int) string {
	var want, got []string
	for _, stack := range set {
		want = append(want, fmt.Sprint(stack))
	}
	for _, stack := range s.Describe() {
		got = append(got, fmt.Sprint(stack))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Sprintf("stacks %v, want %v", got, want)
	}
	if *compared++; depth == 0 {
		return ""
	}
	for term := range t.End() {
		next := set.shift(t, term)
		after, ok := t.Shift(s, term)
		if next == nil {
			continue
		}
		if ok != (len(next) > 0) {
			return fmt.Sprintf("terminal %d on %v: shifted %t, want %t", term, want, ok, !ok)
		}
		if ok {
			if fault := compareStacks(t, after, next, depth-1, compared); fault != "" {
				return fault
			}
		}
	}
	return ""
}
