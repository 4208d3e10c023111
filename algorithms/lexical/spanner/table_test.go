package spanner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
)

// tableGrammar is a small part of JSON, in which strings and numbers overlap.
const tableGrammar = `
%lexer all
start: value
value: ANY | KEY | NUM | INT | "[" value ("," value)* "]" | "{" KEY ":" value "}"
ANY: /"[^"\\\x00-\x1f]*"/
KEY: "\"ab\""
NUM: /[0-9]+(\.[0-9]+)?/
INT: /[0-9]{1,2}/
`

// tableTokens are the tokens of the table.
var tableTokens = []string{"a", "b", "ab", `"`, `":`, `",`, `b"`, `b":`, `b",[`, `"]`, "1", "12", "123", ".5", "1,", "2]", `,"`, `1,"a`, "[", "}"}

// TestRootTable is a table of texts, of the terminals that a parser takes of what is pending
// there, and of the tree of these alone: its groups as tokens, each branch after its terminals.
func TestRootTable(t *testing.T) {
	v := realtext.Vocabulary(t, tableTokens...)
	for _, c := range []struct{ text, takes, want string }{
		{`"`, "ANY KEY", `" ," .5 1 1, 12 123 2] [ a ab b b" } ANY(", "] ","(b",[))`},
		{`"`, "KEY", `a ab`},
		{`"a`, "ANY KEY", `" ," .5 1 1, 12 123 2] [ a ab b b" } ANY(", "]) ANY|KEY(b": ","(b",[))`},
		{`"a`, "KEY", `b b" KEY(b": ","(b",[))`},
		{`"ab"`, "KEY", `KEY(} ","(,"))`},
		{`"a"`, "ANY", `ANY(} ","(,"))`},
		{`1`, "NUM INT", `.5 1 12 123 NUM|INT(1, 2] ","(1,"a)) NUM|INT(} ","(,"))`},
		{`1`, "INT", `1 INT(1, 2] ","(1,"a)) INT(} ","(,"))`},
		{`123`, "INT", ``},
		{`1.`, "NUM", `1 12 123 NUM(1, 2] ","(1,"a))`},
		{`"a`, "", ``},
	} {
		r := compile(t, tableGrammar, true)
		s := spanner.New(r, v, spanner.Options{Prune: true})
		q := r.Lexer.Start()
		for _, b := range []byte(c.text) {
			q = r.Lexer.Next(q, b)
		}
		parts, ok := s.Narrow(nil, s.Pending(nil, q), func(t grammar.Terminal) spanner.Takes {
			if slices.Contains(strings.Fields(c.takes), r.Grammar.Terminals[t].Name) {
				return spanner.Yes
			}
			return spanner.No
		})
		if got := written(s, r, s.Root(parts)); got != c.want || !ok {
			t.Errorf("%s taken as %s:\n%s, want\n%s", c.text, c.takes, got, c.want)
		}
	}
}

// written is a tree: the tokens of its groups, then in brackets each branch after its symbol.
func written(s *spanner.Spanner, r *recognizer.Recognizer, id spanner.NodeID) string {
	var out []string
	n := s.Node(id)
	for _, l := range n.Leaves {
		for _, token := range slices.Sorted(slices.Values(s.AppendLeaf(nil, l.ID))) {
			out = append(out, tableTokens[token])
		}
	}
	slices.Sort(out)
	var kids []string
	for _, k := range n.Kids {
		if below := written(s, r, k.Node); below != "" {
			kids = append(kids, fmt.Sprintf("%s(%s)", partNamesOf(r, s.Members(k.Symbol)), below))
		}
	}
	slices.Sort(kids)
	return strings.Join(append(out, kids...), " ")
}

// partNamesOf joins the names of terminals.
func partNamesOf(r *recognizer.Recognizer, list []grammar.Terminal) string {
	var names []string
	for _, x := range list {
		names = append(names, strings.ReplaceAll(r.Grammar.TerminalName(x), `"\"ab\""`, "KEY"))
	}
	return strings.Join(names, "|")
}

// TestNarrow is a table of answers about the parts of a lexer state, and of what is left.
func TestNarrow(t *testing.T) {
	parts := []lexer.Part{{Terminal: 0}, {Terminal: 1}, {Terminal: 2}}
	for _, c := range []struct {
		answers []spanner.Takes
		want    []grammar.Terminal
		ok      bool
	}{
		{[]spanner.Takes{spanner.Yes, spanner.No, spanner.Yes}, []grammar.Terminal{0, 2}, true},
		{[]spanner.Takes{spanner.No, spanner.No, spanner.No}, nil, true},
		{[]spanner.Takes{spanner.Yes, spanner.Depends, spanner.Yes}, nil, false},
		{[]spanner.Takes{spanner.No, spanner.No, spanner.Depends}, nil, false},
	} {
		got, ok := new(spanner.Spanner).Narrow(nil, parts, func(x grammar.Terminal) spanner.Takes { return c.answers[x] })
		var left []grammar.Terminal
		for _, p := range got {
			left = append(left, p.Terminal)
		}
		if ok != c.ok || ok && !slices.Equal(left, c.want) {
			t.Errorf("%v: %v, %v; want %v, %v", c.answers, left, ok, c.want, c.ok)
		}
	}
}
