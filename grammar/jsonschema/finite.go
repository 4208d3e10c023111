package jsonschema

import (
	"slices"
	"unicode/utf8"

	"gcdbench/grammar/jsonschema/internal/number"
)

// Clauses that name finitely many numbers or strings. Their values are checked against the other
// literals one by one, which is quicker than a conjunction of automata, and decides at once
// whether the clause has an instance.

// finite lists the values that satisfy x, if a literal of x names finitely many: the values of that
// list that the other literals allow.
func finite[T any](x clause, o op, named func(*literal) []T, allows func(*literal, T) bool) (list []T, ok bool) {
	at := slices.IndexFunc(x, func(l *literal) bool { return l.op == o && !l.not })
	if at < 0 {
		return nil, false
	}
	for _, v := range named(x[at]) {
		if !slices.ContainsFunc(x, func(l *literal) bool { return l != x[at] && !allows(l, v) }) {
			list = append(list, v)
		}
	}
	return list, true
}

// finiteNumbers is the list of numbers that satisfy x, if x names finitely many.
func finiteNumbers(x clause) (list []number.Decimal, ok bool) {
	return finite(x, opNumbers, func(l *literal) []number.Decimal { return l.nums }, (*literal).allowsNumber)
}

// finiteStrings is the list of strings that satisfy x, if x names finitely many. A string that a
// language narrower than its keyword leaves out may satisfy x, so it is in the list; stringLanguage
// takes it off.
func finiteStrings(x clause) (list []string, ok bool) {
	return finite(x, opStrings, func(l *literal) []string { return l.strs }, (*literal).allowsString)
}

// allowsNumber tells whether a number, written in some way, satisfies a literal.
func (l *literal) allowsNumber(d number.Decimal) bool {
	switch l.op {
	case opCompare:
		return l.rel.Holds(d.Cmp(l.num))
	case opMultiple:
		return d.Multiple(l.num) != l.not
	case opNumbers:
		return l.lists(d.String()) != l.not
	case opWhole: // every number may be written with a fraction
		return l.not || d.Multiple(number.One)
	}
	return true
}

// allowsString is allowsNumber for strings.
func (l *literal) allowsString(s string) bool {
	switch l.op {
	case opLength:
		n := utf8.RuneCountInString(s)
		return n >= l.n && (l.m < 0 || n <= l.m)
	case opStrings:
		return l.lists(s) != l.not
	case opPattern:
		return l.mayMatch(s)
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
