package jsonschema

import (
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
)

// Clauses about strings, as automata over their characters. Patterns, formats and lists are joined
// first. Lengths come last, since their automata are the largest: they are written down only where
// a text comes to them, and the strings of a pattern are counted only as far as the pattern leaves
// their length open.

// mayHold is false if no string satisfies a clause, whatever is left out.
func (c *languages) mayHold(x clause) bool {
	d := automata.AnyText()
	for _, l := range x {
		var o *automata.DFA
		var err error
		switch {
		case l.op == opStrings:
			o, err = c.kept.someStrings(l.strs)
		case l.op == opPattern && l.loosest() != nil:
			o, err = l.loosest().automaton()
		case l.op == opLength && max(l.n, l.m) <= automata.AnyText().MostCounted():
			o, err = c.kept.ofLength(automata.AnyText(), l.n, l.m)
		default:
			continue
		}
		if err == nil {
			d, err = c.kept.intersect(d, o, l.not)
		}
		if err != nil {
			return true
		}
	}
	return !d.IsEmpty()
}

// stringLanguage is the automaton over characters of a clause.
func (c *languages) stringLanguage(x clause) (all clauseText, err error) {
	if list, finite := finiteStrings(x); finite {
		kept := withoutNarrowed(list, x)
		all.narrow = len(kept) < len(list)
		all.d, err = c.kept.someStrings(kept)
		return all, err
	}
	n, m := limits(x)
	if d, least, most, ok := countedPattern(x); ok && max(n, least, m, most) <= d.MostCounted() {
		if n = max(n, least); m < 0 || most < m {
			m = most
		}
		all.d, err = c.kept.ofLength(d, n, m)
		return all, err
	}
	all.d = automata.AnyText()
	for _, l := range x {
		if l.op != opPattern && l.op != opStrings {
			continue
		}
		var o *automata.DFA
		if l.op == opPattern {
			all.narrow = all.narrow || l.uncertain()
			o, err = l.lang.automaton()
		} else {
			o, err = c.kept.someStrings(l.strs)
		}
		if err == nil {
			o, err = c.kept.intersect(all.d, o, l.not)
		}
		if err == nil {
			all.d = o
		} else if err = c.unsupported(l.node, l.keyword, refusalOf(err)); err != nil {
			return all, err
		}
	}
	return c.withLength(all, x)
}

// countedPattern is language.counted of the only pattern of a clause, if nothing but lengths is
// said beside it.
func countedPattern(x clause) (d *automata.DFA, least, most int, ok bool) {
	var only *literal
	for _, l := range x {
		switch {
		case l.op == opLength:
		case l.op != opPattern || l.not || l.lang.counted == nil || only != nil:
			return nil, 0, 0, false
		default:
			only = l
		}
	}
	if only == nil {
		return nil, 0, 0, false
	}
	return only.lang.counted()
}

// withoutNarrowed is a list of strings without those that a narrow language leaves out.
func withoutNarrowed(list []string, x clause) []string {
	var kept []string
	for _, s := range list {
		leftOut := false
		for _, l := range x {
			if l.uncertain() {
				d, err := l.lang.automaton()
				leftOut = leftOut || err != nil || d.MatchString(s) == l.not
			}
		}
		if !leftOut {
			kept = append(kept, s)
		}
	}
	return kept
}

// withLength restricts a language to the lengths that x allows.
func (c *languages) withLength(all clauseText, x clause) (_ clauseText, err error) {
	d := all.d
	n, m := limits(x)
	if n == 0 && m < 0 || d.IsEmpty() {
		return all, nil
	}
	least, most := dfa.Lengths(d)
	if least >= n {
		n = 0
	}
	if most >= 0 && (m < 0 || most < m) {
		m = most
	}
	if n == 0 && m == most {
		return all, nil
	}
	limit := d.MostCounted()
	if n > limit && (m < 0 || m > limit) {
		return c.uncounted(d, all.narrow, x, limit)
	}
	if m > limit {
		all.narrow = true
		c.shortened(x, limit)
	}
	all.d, err = c.kept.ofLength(d, n, min(m, limit))
	return all, err
}

// uncounted is what becomes of the strings of d beside a minimum that is larger than what is
// counted. The minimum is unsupported, unless it is the negation of a maximum: strings of more
// characters than are counted are refused in any case.
func (c *languages) uncounted(d *automata.DFA, narrow bool, x clause, limit int) (clauseText, error) {
	for _, l := range x {
		if l.op != opLength || l.n <= limit {
			continue
		}
		if l.keyword == "maxLength" {
			c.narrow(l, uncountedCharacters)
			none, err := c.kept.someStrings(nil)
			return clauseText{none, true}, err
		}
		return clauseText{d, narrow}, c.unsupported(l.node, l.keyword, refusal(reasonUncounted, "at most %d characters are, beside this pattern", limit))
	}
	return clauseText{d, narrow}, nil
}

const uncountedCharacters = "strings of more characters than are counted are refused"

// shortened notes that strings of more characters are left out.
func (c *languages) shortened(x clause, limit int) {
	for _, l := range x {
		if l.op == opLength && l.m > limit {
			c.narrow(l, uncountedCharacters)
		}
	}
}
