package legality

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
)

// nested is a grammar of n objects, each but the last with the next one as its only value, and a
// list of them all at the innermost place: a comma and a closing brace are each shifted to a state
// of every object.
func nested(n int, head string) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("start: o0\n")
	for i := range n {
		value := "V"
		if i+1 < n {
			value = fmt.Sprintf("o%d", i+1)
		}
		fmt.Fprintf(&b, "o%d: \"{\" m%d \"}\"\nm%d: \"k%d\" %s | m%d \",\" \"k%d\" %s\n", i, i, i, i, value, i, i, value)
	}
	b.WriteString("V: \"v\"\n")
	return b.String()
}

// terminalOf is the terminal that a string of a grammar is.
func terminalOf(t testing.TB, g *grammar.Grammar, text string) grammar.Terminal {
	t.Helper()
	for x := range g.Terminals {
		if g.Terminals[x].Source == text {
			return grammar.Terminal(x)
		}
	}
	t.Fatalf("no terminal is %q", text)
	return -1
}

// TestWorkIsThatOfDebts reads closing braces on all stacks that a closing brace is on top of: the n
// objects around share what becomes of their debts, so the parser is run some times for each
// object, and not for each pair of them.
func TestWorkIsThatOfDebts(t *testing.T) {
	for name, head := range map[string]string{"one way": "", "forks": "%conflicts keep\n%lexer all\n"} {
		t.Run(name, func(t *testing.T) {
			var runs []int64
			for _, n := range []int{20, 40, 80} {
				p := realtext.Small(t, nested(n, head), true, []string{"}"})
				m := newMachine(p.Tables, head != "", DefaultStack)
				b := &builder{machine: m}
				brace := terminalOf(t, p.Grammar, "}")
				s := m.start([]basis{basis(brace)})
				if len(m.branchesOf(s.all)) != n {
					t.Fatalf("%d objects: a brace is shifted to %d states", n, len(m.branchesOf(s.all)))
				}
				sym := m.symbol([]grammar.Terminal{brace}, false)
				for range 3 {
					s, _ = b.step(s, sym)
				}
				if s.may == nothing {
					t.Fatalf("%d objects: three more braces are refused", n)
				}
				runs = append(runs, m.runs)
			}
			t.Logf("runs of the parser for 20, 40, 80 objects: %d", runs)
			if runs[2]-runs[1] > 2*(runs[1]-runs[0])+8 {
				t.Errorf("20, 40, 80 objects take %d runs of the parser: more than in proportion", runs)
			}
		})
	}
}
