package jsonschema

import (
	"unicode/utf8"

	"gcdbench/automata"
)

// finiteNumbers is the list of numbers that satisfy x, if x names finitely many.
func finiteNumbers(x clause) (list []decimal, finite bool) {
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

// satisfiesNumber tells whether a number, written in some way, satisfies a clause, of which it is
// known to satisfy one literal.
func satisfiesNumber(x clause, known *literal, d decimal) bool {
	for _, l := range x {
		if l == known {
			continue
		}
		ok := true
		switch l.op {
		case opCompare:
			ok = l.rel.holds(d.cmp(l.num))
		case opMultiple:
			ok = d.multiple(l.num) != l.not
		case opNumbers:
			ok = l.lists(d.String()) != l.not
		case opWhole: // every number may be written with a fraction
			ok = l.not || d.multiple(parseDecimal("1"))
		}
		if !ok {
			return false
		}
	}
	return true
}

// lists tells whether a string, or the text of a number, is one of those that the literal names.
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

// holds tells whether a comparison satisfies the relation.
func (rel relation) holds(cmp int) bool {
	switch rel {
	case less:
		return cmp < 0
	case lessEqual:
		return cmp <= 0
	case greater:
		return cmp > 0
	}
	return cmp >= 0
}

// finiteStrings is the list of strings that satisfy x, if x names finitely many. What a language leaves out
// that is narrower than its keyword may satisfy x, so it is in the list; stringLanguage takes it off.
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

// satisfiesString is the same for strings.
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

// mayMatch is false if a string does not satisfy a literal about a language, whatever that leaves out.
func (l *literal) mayMatch(s string) bool {
	lang := l.loosest()
	if lang == nil {
		return true
	}
	d, err := lang.automaton()
	return err != nil || d.MatchString(s) != l.not
}

// loosest is the language by which a literal about one excludes what it certainly excludes: the wide one of what
// is narrow, and for a negation the narrow one of what is wide. Nil if there is none.
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

// mayHold is false if no string satisfies a clause, whatever is left out.
func (c *compiler) mayHold(x clause) bool {
	d := automata.AnyText()
	for _, l := range x {
		var o *automata.DFA
		var err error
		switch {
		case l.op == opStrings:
			o, err = c.kept.someStrings(l.strs)
		case l.op == opPattern && l.loosest() != nil:
			o, err = l.loosest().automaton()
		case l.op == opLength && max(l.n, l.m) <= maxCharacters:
			o, err = c.kept.textBetween(l.n, l.m)
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

const (
	// maxCharacters bounds the lengths that are counted. A character costs about 25 states of the
	// automaton over JSON text, so this is 25,000 states: some 50 ms.
	maxCharacters = 1000
	// maxProduct bounds the states of a pattern times the lengths counted beside it.
	maxProduct = 40_000
	// minCharacters is counted in any case.
	minCharacters = 64
)

// stringLanguage is the automaton over characters of a clause.
func (c *compiler) stringLanguage(x clause) (*automata.DFA, error) {
	if list, finite := finiteStrings(x); finite {
		return c.kept.someStrings(c.withoutNarrowed(list, x))
	}
	d := automata.AnyText()
	var err error
	for _, l := range x {
		if l.op != opPattern && l.op != opStrings {
			continue
		}
		o := d
		if l.op == opPattern {
			c.narrowings += btoi(l.uncertain())
			o, err = l.lang.automaton()
		} else {
			o, err = c.kept.someStrings(l.strs)
		}
		if err == nil && !l.not && d == automata.AnyText() {
			d = o // every language is of text
			continue
		}
		if err == nil {
			d, err = c.kept.intersect(d, o, l.not)
		}
		if err != nil {
			if err = c.unsupported(l.node, l.keyword, refusalOf(err)); err != nil {
				return nil, err
			}
		}
	}
	return c.withLength(d, x)
}

// withoutNarrowed is a list of strings without those that a narrow language leaves out.
func (c *compiler) withoutNarrowed(list []string, x clause) []string {
	var kept []string
	for _, s := range list {
		leftOut := false
		for _, l := range x {
			if l.uncertain() {
				d, err := l.lang.automaton()
				leftOut = leftOut || err != nil || d.MatchString(s) == l.not
			}
		}
		if leftOut {
			c.narrowings++
		} else {
			kept = append(kept, s)
		}
	}
	return kept
}

// withLength restricts d to the lengths that x allows.
func (c *compiler) withLength(d *automata.DFA, x clause) (*automata.DFA, error) {
	n, m := limits(x)
	if n == 0 && m < 0 || d.IsEmpty() {
		return d, nil
	}
	if d == automata.AnyText() {
		return c.textOfAnyKind(x, n, m)
	}
	// No string has fewer characters than a fourth of its bytes, or more than those.
	least, most := lengths(d)
	if least >= n {
		n = 0
	}
	if most >= 0 && (m < 0 || most < m) {
		m = most
	}
	if n == 0 && m == most {
		return d, nil
	}
	if m < 0 {
		if n > maxCharacters {
			return c.uncounted(d, x, maxCharacters)
		}
		o, err := c.kept.textBetween(n, m)
		if err != nil {
			return nil, err
		}
		return c.kept.intersect(d, o, false)
	}
	counted, limit, err := c.kept.ofLength(d, n, m)
	if err != nil {
		return nil, err
	}
	if limit < m {
		if n > limit {
			return c.uncounted(d, x, limit)
		}
		c.shortened(x, limit)
	}
	return counted, nil
}

// textOfAnyKind is the automaton of all strings of some lengths.
func (c *compiler) textOfAnyKind(x clause, n, m int) (*automata.DFA, error) {
	if n > maxCharacters {
		return c.uncounted(automata.AnyText(), x, maxCharacters)
	}
	if m > maxCharacters {
		m = maxCharacters
		c.shortened(x, m)
	}
	return c.kept.textBetween(n, m)
}

// uncounted is what becomes of a minimum that is larger than what is counted. It is unsupported, but if it is
// the negation of a maximum: longer strings than are counted are refused in any case.
func (c *compiler) uncounted(d *automata.DFA, x clause, limit int) (*automata.DFA, error) {
	for _, l := range x {
		if l.op != opLength || l.n <= limit {
			continue
		}
		if l.keyword == "maxLength" {
			c.narrowings++
			c.narrow(l, "strings of more characters than are counted are refused")
			return c.kept.someStrings(nil)
		}
		return d, c.unsupported(l.node, l.keyword, refusal(reasonUncounted, "at most %d characters are, beside this pattern", limit))
	}
	return d, nil
}

// shortened notes that strings of more characters are left out.
func (c *compiler) shortened(x clause, limit int) {
	c.narrowings++
	for _, l := range x {
		if l.op == opLength && l.m > limit {
			c.narrow(l, "strings of more characters than are counted are refused")
		}
	}
}

// ofLength is the strings of d of n to m characters, or to as many as can be counted beside d, at least
// minCharacters. It is kept.
func (k *Kept) ofLength(d *automata.DFA, n, m int) (counted *automata.DFA, limit int, err error) {
	try := func(most, states int) (*automata.DFA, error) {
		lim := automatonLimits
		lim.MaxStates = states
		return k.counted.get(countedKey{d, n, most, states}, func() (*automata.DFA, error) { return d.WithLength(n, most, lim) })
	}
	high := min(m, maxCharacters)
	// So many fit in any case, or else a few of a large pattern are counted at any price.
	limit = min(high, max(minCharacters, maxProduct/d.NumStates()))
	if counted, err = try(limit, maxProduct); err != nil {
		counted, err = try(limit, 0)
		return counted, limit, err
	}
	for limit < high {
		more := min(high, limit*3/2)
		if counted.NumStates()/limit*more > maxProduct {
			break // it takes more still
		}
		longer, err := try(more, maxProduct)
		if err != nil {
			break
		}
		counted, limit = longer, more
	}
	return counted, limit, nil
}

// lengths estimates the least number of characters of a language from below, and the greatest from above: -1 if
// it is unbounded.
func lengths(d *automata.DFA) (least, greatest int) {
	text, ok := d.Shortest()
	if !ok {
		return 0, 0
	}
	greatest = longest(d)
	return len(text) / utf8.UTFMax, greatest
}

// longest is the length of the longest string of d, or -1 if there is a cycle.
func longest(d *automata.DFA) int {
	const open = -2
	depth := make([]int, d.NumStates())
	for i := range depth {
		depth[i] = -3
	}
	var visit func(s int32) int
	visit = func(s int32) int {
		if depth[s] != -3 {
			return depth[s]
		}
		depth[s] = open
		best := 0
		for _, next := range d.Row(s) {
			if next == automata.Dead {
				continue
			}
			n := visit(next)
			if n < 0 {
				depth[s] = -1
				return -1
			}
			best = max(best, n+1)
		}
		depth[s] = best
		return best
	}
	if n := visit(d.Start()); n >= 0 {
		return n
	}
	return -1
}

// textOfLength is every string of n to m characters; m < 0 for no limit. A character is a chain of
// states for its UTF-8, so the automaton is written down directly.
func textOfLength(n, m int) (*automata.DFA, error) {
	last := n
	if m >= 0 {
		last = m
	}
	const size = 8 // states of a character: before it, then the tails
	var t []automata.Transition
	var accepting []int32
	for i := 0; i <= last; i++ {
		if i >= n {
			accepting = append(accepting, int32(i*size))
		}
		if i < last {
			t = appendCharacter(t, int32(i)*size, int32(i)*size, int32(i+1)*size)
		}
	}
	states := last*size + 1 // no character follows the last
	switch {
	case m < 0 && n == 0:
		return automata.AnyText(), nil
	case m < 0: // what follows shares its tails with the character before
		end := int32(last) * size
		t = appendCharacter(t, end, end-size, end)
	}
	return automata.FromMinimal(states, accepting, t, automatonLimits)
}

// appendCharacter adds one character of UTF-8 from state from to next, with the states s+1 .. s+7 inside.
// Those are added when s is from.
func appendCharacter(t []automata.Transition, from, s, next int32) []automata.Transition {
	add := func(from int32, lo, hi byte, to int32) {
		t = append(t, automata.Transition{From: from, Lo: lo, Hi: hi, To: to})
	}
	add(from, 0, 0x7f, next)
	add(from, 0xc2, 0xdf, s+1)
	add(from, 0xe0, 0xe0, s+2)
	add(from, 0xe1, 0xec, s+3)
	add(from, 0xed, 0xed, s+4)
	add(from, 0xee, 0xef, s+3)
	add(from, 0xf0, 0xf0, s+5)
	add(from, 0xf1, 0xf3, s+6)
	add(from, 0xf4, 0xf4, s+7)
	if s != from {
		return t
	}
	add(s+1, 0x80, 0xbf, next)
	add(s+2, 0xa0, 0xbf, s+1)
	add(s+3, 0x80, 0xbf, s+1)
	add(s+4, 0x80, 0x9f, s+1)
	add(s+5, 0x90, 0xbf, s+3)
	add(s+6, 0x80, 0xbf, s+3)
	add(s+7, 0x80, 0x8f, s+3)
	return t
}
