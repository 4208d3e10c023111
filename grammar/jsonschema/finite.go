package jsonschema

import (
	"unicode/utf8"

	"gcdbench/grammar/jsonschema/internal/number"
)

// Clauses that name finitely many numbers or strings.

// finiteNumbers is the list of numbers that satisfy x, if x names finitely many.
func finiteNumbers(x clause) (list []number.Decimal, finite bool) {
	for _, l := range x {
		if l.op == opNumbers && !l.not {
			for _, d := range l.nums {
				if satisfiesNumber(x, l, d) {
					list = append(list, d)
				}
			}
			return list, true
		}
	}
	return nil, false
}

// satisfiesNumber tells whether a number, written in some way, satisfies a clause. One of its
// literals the number is known to satisfy.
func satisfiesNumber(x clause, known *literal, d number.Decimal) bool {
	for _, l := range x {
		if l == known {
			continue
		}
		ok := true
		switch l.op {
		case opCompare:
			ok = l.rel.Holds(d.Cmp(l.num))
		case opMultiple:
			ok = d.Multiple(l.num) != l.not
		case opNumbers:
			ok = l.lists(d.String()) != l.not
		case opWhole: // every number may be written with a fraction
			ok = l.not || d.Multiple(number.One)
		}
		if !ok {
			return false
		}
	}
	return true
}

// lists tells whether the literal names a string, or the number of a text.
func (l *literal) lists(text string) bool {
	if l.set == nil {
		l.set = make(map[string]bool, len(l.strs)+len(l.nums))
		for _, s := range l.strs {
			l.set[s] = true
		}
		for _, d := range l.nums {
			l.set[d.String()] = true
		}
	}
	return l.set[text]
}

// finiteStrings is the list of strings that satisfy x, if x names finitely many. A string that a
// language narrower than its keyword leaves out may satisfy x, so it is in the list; stringLanguage
// takes it off.
func finiteStrings(x clause) (list []string, finite bool) {
	for _, l := range x {
		if l.op == opStrings && !l.not {
			for _, s := range l.strs {
				if satisfiesString(x, l, s) {
					list = append(list, s)
				}
			}
			return list, true
		}
	}
	return nil, false
}

// satisfiesString is satisfiesNumber for strings.
func satisfiesString(x clause, known *literal, s string) bool {
	for _, l := range x {
		if l == known {
			continue
		}
		ok := true
		switch l.op {
		case opLength:
			n := utf8.RuneCountInString(s)
			ok = n >= l.n && (l.m < 0 || n <= l.m)
		case opStrings:
			ok = l.lists(s) != l.not
		case opPattern:
			ok = l.mayMatch(s)
		}
		if !ok {
			return false
		}
	}
	return true
}

// mayMatch is false if a string does not satisfy a literal about a language, whatever the language
// leaves out.
func (l *literal) mayMatch(s string) bool {
	lang := l.loosest()
	if lang == nil {
		return true
	}
	d, err := lang.automaton()
	return err != nil || d.MatchString(s) != l.not
}

// loosest is the language that certainly has all strings that a literal allows, or for a negation
// none of them: the wide one of a narrow language, and for a negation the narrow one of a wide
// language. Nil if there is none.
func (l *literal) loosest() *language {
	switch {
	case l.not && l.lang.tight != nil:
		return l.lang.tight
	case l.lang.narrow:
		return l.lang.wide
	}
	return l.lang
}

// uncertain tells whether a literal excludes strings that it should not.
func (l *literal) uncertain() bool { return l.op == opPattern && l.loosest() != l.lang }
