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
func (l *lowering) assembleItems(g *grammar.Grammar) error {
	for role, refs := range l.b.config.items {
		for _, ref := range refs {
			t, err := ref.find(l, "%items")
			if err != nil {
				return err
			}
			if !t.kept {
				continue
			}
			switch def := &g.Terminals[t.number]; {
			case def.Items != grammar.NoItems:
				return ref.at.errorf("define another terminal of that text", "terminal %s already has a part in %%items", t.name)
			case def.Ignored || def.Declared:
				return ref.at.errorf("", "terminal %s is ignored, or no lexeme is one", t.name)
			default:
				def.Items = grammar.ItemRole(role)
			}
		}
	}
	return nil
}
