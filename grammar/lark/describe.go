package lark

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Describe writes a grammar as it is after lowering: its rules as productions, in groups by
// left-hand side, then its terminals with their patterns, then what its directives say. The form is
// that of a grammar file, except that names which lowering made are not allowed in one.
func Describe(w io.Writer, g *grammar.Grammar) error {
	b := bufio.NewWriter(w)
	describeRules(b, g)
	b.WriteByte('\n')
	describeTerminals(b, g)
	describeDirectives(b, g)
	return b.Flush()
}

// describeRules writes the productions, the start rule's first and the others in order. Lowering
// leaves the productions of a rule together, other makers of grammars may not.
func describeRules(b *bufio.Writer, g *grammar.Grammar) {
	groups := make([][]*grammar.Rule, len(g.Nonterminals))
	for i := range g.Rules {
		r := &g.Rules[i]
		groups[r.LHS] = append(groups[r.LHS], r)
	}
	describeGroup(b, g, groups[g.Start])
	for n, group := range groups {
		if grammar.Nonterminal(n) != g.Start {
			describeGroup(b, g, group)
		}
	}
}

// describeGroup writes the productions of one nonterminal.
func describeGroup(b *bufio.Writer, g *grammar.Grammar, group []*grammar.Rule) {
	for i, r := range group {
		if i == 0 {
			head := g.Nonterminals[r.LHS].Name
			if r.Priority != 0 {
				head += fmt.Sprintf(".%d", r.Priority)
			}
			fmt.Fprintf(b, "%s:", head)
		} else {
			b.WriteString("    |")
		}
		for _, s := range r.RHS {
			b.WriteByte(' ')
			b.WriteString(describeSymbol(g, s))
		}
		if r.Alias != "" {
			fmt.Fprintf(b, " -> %s", r.Alias)
		}
		b.WriteByte('\n')
	}
}

// describeSymbol is a symbol's name.
func describeSymbol(g *grammar.Grammar, s grammar.Symbol) string {
	if s.IsTerminal() {
		t := &g.Terminals[s.Terminal()]
		return cmp.Or(t.Special, t.Name)
	}
	return g.Nonterminals[s.Nonterminal()].Name
}

// describeTerminals writes the terminals in order.
func describeTerminals(b *bufio.Writer, g *grammar.Grammar) {
	for i := range g.Terminals {
		t := &g.Terminals[i]
		if t.Name[0] == '%' { // rules have what it is (embedded.go)
			continue
		}
		if t.Declared {
			fmt.Fprintf(b, "%%declare %s\n", t.Name)
			continue
		}
		if t.Special != "" { // rules name it, and nothing defines it
			continue
		}
		head := t.Name
		if t.Priority != 0 {
			head += fmt.Sprintf(".%d", t.Priority)
		}
		fmt.Fprintf(b, "%s: %s\n", head, describePattern(t))
		if t.Ignored {
			fmt.Fprintf(b, "%%ignore %s\n", t.Name)
		}
	}
}

// describePattern writes a pattern as a literal of the grammar language. One that was made as an
// automaton, as most of a JSON schema's are, has no such form: its source is no more than a name,
// and it is told by its size, in parentheses, which no literal begins with.
func describePattern(t *grammar.TerminalDef) string {
	if e := t.Expr.String(); strings.HasPrefix(e, "<automaton") && strings.HasSuffix(e, ">") {
		return "(an " + e[1:len(e)-1] + ")"
	}
	if t.Literal {
		text := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.Source)
		return `"` + visible.Replace(text) + `"` + describeFlags(t)
	}
	text := strings.NewReplacer(`\/`, `\/`, `/`, `\/`, `\\`, `\\`).Replace(t.Source)
	return "/" + visible.Replace(text) + "/" + describeFlags(t)
}

// describeFlags finds the flags of a pattern, which its source does not have: the fewest with which
// the source is read as the same expression. One without an effect, such as u, is not found and not
// missed.
func describeFlags(t *grammar.TerminalDef) string {
	want := t.Expr.String()
	for _, letters := range []string{"", "i", "s", "x", "is", "ix", "sx", "isx"} {
		flags, err := automata.ParseFlags(letters)
		if err != nil {
			continue
		}
		if t.Literal {
			if automata.Literal(t.Source, flags).String() == want {
				return letters
			}
		} else if e, err := automata.Parse(t.Source, flags); err == nil && e.String() == want {
			return letters
		}
	}
	return ""
}

// visible writes control characters as escapes.
var visible = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`)

// describeDirectives writes what is not the default.
func describeDirectives(b *bufio.Writer, g *grammar.Grammar) {
	if g.Lexer != grammar.LexFirst {
		fmt.Fprintf(b, "%%lexer %s\n", g.Lexer)
	}
	if g.Conflicts != grammar.ResolveConflicts {
		fmt.Fprintf(b, "%%conflicts %s\n", g.Conflicts)
	}
	name := func(t grammar.Terminal) string { return g.Terminals[t].Name }
	describeModes(b, g, name)
	describeItems(b, g, name)
	y := g.Layout
	if y == nil {
		return
	}
	fmt.Fprintf(b, "%%layout newline=%s indent=%s dedent=%s", name(y.Newline), name(y.Indent), name(y.Dedent))
	for i, list := range [][]grammar.Terminal{y.Open, y.Close} {
		names := make([]string, len(list))
		for i, t := range list {
			names[i] = name(t)
		}
		if len(names) > 0 {
			fmt.Fprintf(b, " %s=%s", []string{"open", "close"}[i], strings.Join(names, ","))
		}
	}
	fmt.Fprintf(b, " tab=%d", y.Tab)
	if y.Alternate > 0 {
		fmt.Fprintf(b, " alternate=%d", y.Alternate)
	}
	if y.Join != "" {
		fmt.Fprintf(b, " join=%q", y.Join)
	}
	if y.BeginsLine {
		fmt.Fprintf(b, " begin=%s", name(y.Newline))
	}
	b.WriteByte('\n')
}

// describeModes writes each mode with all of its terminals.
func describeModes(b *bufio.Writer, g *grammar.Grammar, name func(grammar.Terminal) string) {
	for i := range g.Modes {
		m := &g.Modes[i]
		var in, after []string
		for _, t := range m.Terminals {
			in = append(in, name(t))
		}
		for t := range g.Terminals {
			if g.Terminals[t].Next == i && !g.Terminals[t].Declared {
				after = append(after, name(grammar.Terminal(t)))
			}
		}
		fmt.Fprintf(b, "%%mode %s in=%s after=%s\n", m.Name, strings.Join(in, ","), strings.Join(after, ","))
	}
}

// describeItems writes which terminals have a part in comparing items.
func describeItems(b *bufio.Writer, g *grammar.Grammar, name func(grammar.Terminal) string) {
	sign := "%items"
	for role := grammar.OpensItems; int(role) < len(grammar.ItemRoles); role++ {
		var list []string
		for t := range g.Terminals {
			if g.Terminals[t].Items == role {
				list = append(list, name(grammar.Terminal(t)))
			}
		}
		if len(list) > 0 {
			fmt.Fprintf(b, "%s %s=%s", sign, grammar.ItemRoles[role], strings.Join(list, ","))
			sign = ""
		}
	}
	if sign == "" {
		b.WriteByte('\n')
	}
}
