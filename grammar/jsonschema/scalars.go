package jsonschema

import (
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/jsontext"
)

// Clauses about numbers and strings, as automata.

// languages has the automata of clauses about numbers and strings.
type languages struct {
	*ledger
	kept     *Kept
	patterns map[string]*language
	clauses  map[string]clauseText // of a kind, by what the clause says
}

// A clauseText is the language of a clause about numbers or strings: of characters for strings, of
// JSON text for numbers.
type clauseText struct {
	d      *automata.DFA
	narrow bool // values are left out, not only ways to write them: that it is empty proves nothing
}

// clauseLanguage is the language of a clause. That of strings may be an automaton on demand with
// millions of states.
func (c *languages) clauseLanguage(x clause, k jsontext.Kind) (l clauseText, err error) {
	key := k.String() + x.key()
	if l, ok := c.clauses[key]; ok {
		return l, nil
	}
	if k == jsontext.String {
		l, err = c.stringLanguage(x)
	} else {
		l, err = c.numberLanguage(x)
	}
	if err != nil {
		if _, ok := err.(*automata.LimitError); ok && len(x) > 0 {
			err = refusalOf(err).at(x[0].node, x[0].keyword)
		}
		return clauseText{}, err
	}
	c.clauses[key] = l
	return l, nil
}

// scalarLanguages are the languages of clauses, of which those that are written down are one. Where
// strings are counted on demand a union would have to write them down.
func (c *languages) scalarLanguages(clauses []clause, k jsontext.Kind) ([]*automata.DFA, error) {
	var list, whole []*automata.DFA
	for _, x := range clauses {
		l, err := c.clauseLanguage(x, k)
		switch {
		case err != nil:
			return nil, err
		case l.d.Rows() == nil:
			whole = append(whole, l.d)
		case !slices.Contains(list, l.d):
			list = append(list, l.d)
		}
	}
	d, err := dfa.Union(whole)
	if err != nil {
		return nil, err
	}
	if !d.IsEmpty() {
		list = append(list, d)
	}
	return list, nil
}

// keyLanguage is the strings that satisfy all of refs.
func (c *normalizer) keyLanguage(refs []ref) (*automata.DFA, error) {
	form, err := c.clausesOf(refs, outermost(jsontext.String))
	if err != nil {
		return nil, err
	}
	var list []*automata.DFA
	for _, x := range form.clauses {
		l, err := c.clauseLanguage(x, jsontext.String)
		if err != nil {
			return nil, err
		}
		list = append(list, l.d)
	}
	return dfa.Union(list)
}

// aloneText is the JSON text of a language that is all that is said of a string, if it has one made
// ahead.
func aloneText(clauses []clause) func() *automata.DFA {
	if len(clauses) == 1 && len(clauses[0]) == 1 && clauses[0][0].op == opPattern && !clauses[0][0].not {
		return clauses[0][0].lang.alone
	}
	return nil
}
