package recognizer

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer/items"
	"gcdbench/internal/bitset"
)

// Items that are compared (docs/contract.md). Package items keeps the values; here is what they
// mean for the parser. The array is the same for all of its stacks, but one may compare the items
// and another not. So nothing is said of the stacks before a comma or a bracket: a terminal that
// the values do not allow is left out of what a lexeme is emitted as.

// comparing is what a grammar says of items that are compared.
type comparing struct {
	opens []uint64 // terminals before arrays whose items are
	after []uint64 // those that may come after an item that is there already
	roles []grammar.ItemRole
	equal bool // there are arrays of which two items must be equal
}

// compares is what a grammar says of items; nil if it compares none.
func compares(t *lr.Tables, g *grammar.Grammar) *comparing {
	if !g.ComparesItems() {
		return nil
	}
	c := &comparing{opens: t.NewSet(), after: t.NewSet(), roles: make([]grammar.ItemRole, len(g.Terminals))}
	for i := range g.Terminals {
		def := &g.Terminals[i]
		c.equal = c.equal || def.Items == grammar.AfterEqual
		if c.roles[i] = def.Items; def.Items == grammar.OpensItems {
			bitset.Add(c.opens, i)
		}
		if def.Items != grammar.AfterOther && !def.Ignored {
			bitset.Add(c.after, i)
		}
	}
	return c
}

// Compares tells whether the grammar compares the items of some arrays.
func (r *Recognizer) Compares() bool { return r.items != nil }

// CountsEqual tells whether the grammar has arrays of which two items must be equal.
func (r *Recognizer) CountsEqual() bool {
	return r.items != nil && r.items.equal
}

// own gives a state a copy of its register, which may then be changed.
func (s *State) own() {
	if s.Items != nil {
		own := *s.Items
		s.Items = &own
	}
}

// readItem reads a byte that begins a lexeme into a register that its caller owns; stacks are what
// the lexemes before have led to.
func (r *Recognizer) readItem(s State, register *items.Register, b byte) *items.Register {
	if register != nil && register.Closed() {
		register = nil
	}
	r = r.Current()
	compared := b == '[' && r.Tables.AcceptsAny(s.Stacks, r.items.opens)
	switch {
	case register != nil:
		register.Read(b, compared)
	case compared:
		return items.Open()
	}
	return register
}

// allowed leaves out the members of a set that the items do not allow.
func (r *Recognizer) allowed(register *items.Register, members []grammar.Terminal) []grammar.Terminal {
	if register == nil || register.Blocked() == (items.Blocked{}) {
		return members
	}
	blocked := register.Blocked()
	return slices.DeleteFunc(slices.Clone(members), func(t grammar.Terminal) bool {
		role := r.items.roles[t]
		return role == grammar.AfterOther && blocked.Other || role == grammar.AfterEqual && blocked.Equal
	})
}

// legalItem is Legal for a state with a register.
func (r *Recognizer) legalItem(s State, reach []uint64) bool {
	if !s.Items.Again() {
		reach = slices.Clone(reach)
		for t := range bitset.All[grammar.Terminal](reach) {
			if len(r.allowed(s.Items, []grammar.Terminal{t})) == 0 {
				bitset.Remove(reach, t)
			}
		}
		return r.Tables.AcceptsAny(s.Stacks, reach)
	}
	for _, end := range r.Lexer.Ends(s.Lexer) {
		if next, ok := r.EmitSet(s, end.Set); ok && r.Tables.AcceptsAny(next.Stacks, r.Current().items.after) {
			return true
		}
	}
	return false
}

// againstItems is why the items of an array do not allow the lexeme pending in s, which the parser
// would accept; "" if that is not so.
func (r *Recognizer) againstItems(s State) string {
	if s.Items == nil || s.Items.Blocked() == (items.Blocked{}) {
		return ""
	}
	other := s.Items.Blocked().Other
	s.Items = nil
	_, parsed := r.EmitAny(s)
	switch {
	case !parsed:
		return ""
	case other:
		return "the item before it equals an earlier one of its array, whose items must differ"
	}
	return "two items of the array must be equal, and none are"
}
