package lark

import (
	"slices"

	"gcdbench/grammar"
)

// The directive %mode: which terminals the lexer reads when (doc.go describes it). A mode is named
// in one directive. Like %layout it is read at once, and its terminals are found when all are
// known.

// defaultMode is the name of the mode that a text begins in, and that the terminals are in which no
// directive names.
const defaultMode = "default"

// A mode is a %mode directive.
type mode struct {
	name  string
	at    place
	in    []reference // the terminals that are read in it
	after []reference // the terminals after which it is the mode
}

// addMode reads a %mode directive.
func (c *config) addMode(src *source, st *statement) error {
	m := &mode{name: st.name, at: st.at}
	for _, other := range c.modes {
		if other.name == m.name {
			return st.nameAt.errorf("write all terminals in one directive", "mode %s is given twice; the first one is at %s", m.name, other.at.position())
		}
	}
	seen := map[string]bool{}
	for _, set := range st.settings {
		if seen[set.key] {
			return set.at.errorf("write all values behind one, separated by commas", "%s is set twice", set.key)
		}
		seen[set.key] = true
		refs, err := references(src, set)
		if err != nil {
			return err
		}
		switch set.key {
		case "in":
			m.in = refs
		case "after":
			m.after = refs
		default:
			return set.at.errorf("the settings of a %mode are in and after", "unknown setting %s", set.key)
		}
	}
	if m.name != defaultMode && (m.in == nil || m.after == nil) {
		return st.at.errorf("for example: %mode text in=CHARS,END after=BEGIN", "mode %s does not say which terminals are in= it, and after= which it begins", m.name)
	}
	c.modes = append(c.modes, m)
	return nil
}

// inModes are the terminals that modes name, whether rules use them or not.
func (c *config) inModes(l *lowering) ([]*terminal, error) {
	var list []*terminal
	for _, m := range c.modes {
		for _, ref := range slices.Concat(m.in, m.after) {
			t, err := ref.find(l, "%mode")
			if err != nil {
				return nil, err
			}
			if t.pattern == nil {
				return nil, ref.at.errorf("give it a definition", "terminal %s is only declared, and no mode has a lexeme of it", t.name)
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// assembleModes gives the grammar its modes. A terminal that no after= names stays in its mode.
func (l *lowering) assembleModes(g *grammar.Grammar) error {
	modes := l.b.config.modes
	if len(modes) == 0 {
		return nil
	}
	if i := slices.IndexFunc(modes, func(m *mode) bool { return m.name == defaultMode }); i >= 0 {
		modes = slices.Concat(modes[i:i+1], modes[:i], modes[i+1:])
	} else {
		modes = slices.Concat([]*mode{{name: defaultMode, at: modes[0].at}}, modes)
	}
	in := make([][]int, len(g.Terminals)) // the modes of each terminal
	for i, m := range modes {
		for _, ref := range m.in {
			t, _ := ref.find(l, "%mode")
			if !slices.Contains(in[t.number], i) {
				in[t.number] = append(in[t.number], i)
			}
		}
	}
	g.Modes = make([]grammar.Mode, len(modes))
	for i, m := range modes {
		g.Modes[i] = grammar.Mode{Name: m.name, Pos: m.at.position()}
	}
	for t := range in {
		if g.Terminals[t].Declared {
			continue
		}
		if in[t] == nil {
			in[t] = []int{0}
		}
		for _, i := range in[t] {
			g.Modes[i].Terminals = append(g.Modes[i].Terminals, grammar.Terminal(t))
		}
	}
	return l.assembleNext(g, modes, in)
}

// assembleNext says which mode is after each terminal.
func (l *lowering) assembleNext(g *grammar.Grammar, modes []*mode, in [][]int) error {
	named := make([]bool, len(g.Terminals))
	for i, m := range modes {
		for _, ref := range m.after {
			t, _ := ref.find(l, "%mode")
			def := &g.Terminals[t.number]
			if named[t.number] && def.Next != i {
				return ref.at.errorf("", "mode %s is already after terminal %s", modes[def.Next].name, t.name)
			}
			named[t.number], def.Next = true, i
		}
	}
	for t := range in {
		if named[t] || g.Terminals[t].Declared {
			continue
		}
		if len(in[t]) > 1 {
			def := &g.Terminals[t]
			return modes[in[t][1]].at.errorf("name it under after= of one mode", "terminal %s is in modes %s and %s, and none is said to be after it", def.Name, modes[in[t][0]].name, modes[in[t][1]].name)
		}
		g.Terminals[t].Next = in[t][0]
	}
	return nil
}
