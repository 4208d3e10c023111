package lark

import (
	"slices"

	"gcdbench/grammar"
)

// The directive %items: what terminals have to do with the items of arrays that are compared
// (doc.go describes it).

// addItems reads a %items directive.
func (c *config) addItems(src *source, st *statement) error {
	for _, set := range st.settings {
		role := slices.Index(grammar.ItemRoles[:], set.key)
		if role <= 0 {
			return set.at.errorf("the settings are open, other and equal", "unknown setting %s", set.key)
		}
		if c.items[role] != nil {
			return set.at.errorf("write all values behind one, separated by commas", "%s is set twice", set.key)
		}
		var err error
		if c.items[role], err = references(src, set); err != nil {
			return err
		}
	}
	if c.items[grammar.OpensItems] == nil {
		return st.at.errorf("for example: %items open=LSQB other=COMMA,RSQB", "%%items does not say open=")
	}
	return nil
}

// assembleItems gives terminals their roles. Terminals that no rule uses need none.
func (l *lowering) assembleItems(g *grammar.Grammar, ids map[string]grammar.Terminal) error {
	for role, refs := range l.b.config.items {
		for _, ref := range refs {
			name, err := ref.find(l, "%items")
			if err != nil {
				return err
			}
			t, used := ids[name]
			switch {
			case !used:
			case g.Terminals[t].Items != grammar.NoItems:
				return ref.at.errorf("define another terminal of that text", "terminal %s already has a part in %%items", name)
			case g.Terminals[t].Ignored || g.Terminals[t].Declared:
				return ref.at.errorf("", "terminal %s is ignored, or no lexeme is one", name)
			default:
				g.Terminals[t].Items = grammar.ItemRole(role)
			}
		}
	}
	return nil
}
