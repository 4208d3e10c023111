package automata

import "gcdbench/internal/constants"

// Anchors: $ \Z \b \B, which are short for lookarounds. \b is a lookbehind and a lookahead for one
// character of \w, of which exactly one holds. $ is a lookahead for what it does not allow: any
// byte but a line break, or a line break with any byte after it. What stands in front of the match
// is unknown (a lexeme may begin anywhere), so that ^ and \A are errors, and \b at the start of a
// match mostly is.

// anchors are those that are supported, as they are written.
var anchors = []string{"$", `\Z`, `\b`, `\B`}

var (
	// anyByte is one byte of any kind, be it part of a character.
	anyByte = constants.Of(&fixed, func() *Expr { return oneByte(Transition{0, 0, 0xFF, 1}) })
	// byteInLine is a byte that is no line break.
	byteInLine = constants.Of(&fixed, func() *Expr {
		return oneByte(Transition{0, 0, '\n' - 1, 1}, Transition{0, '\n' + 1, 0xFF, 1})
	})
	// moreThanBreak begins what is more than a final line break.
	moreThanBreak = constants.Of(&fixed, func() *Expr {
		return Alternate(byteInLine(), Concat(Literal("\n", 0), anyByte()))
	})
)

// oneByte matches the bytes by which state 0 leads to state 1.
func oneByte(transitions ...Transition) *Expr {
	d, err := FromTransitions(2, []int32{1}, transitions, DefaultLimits)
	if err != nil {
		panic(err) // two states are within the limits
	}
	return FromDFA(d)
}

// anchor is the expression of an anchor as it is written.
func (p *parser) anchor(start int, written string) (*Expr, error) {
	if p.inBehind {
		return nil, p.errorf(start, "%s inside of a lookbehind is not supported; move it out", written)
	}
	p.pos = start + len(written)
	look := func(negative, behind bool, body *Expr) *Expr {
		return lookaround{negative: negative, behind: behind, pattern: p.src, offset: start, text: written}.expr(body)
	}
	switch written {
	case "$":
		if p.flags&Multiline != 0 {
			return look(true, false, byteInLine()), nil
		}
		return look(true, false, moreThanBreak()), nil
	case `\Z`:
		return look(true, false, anyByte()), nil
	case `\b`, `\B`:
		w, same := wordChar(), written == `\B`
		if p.flags&ASCII != 0 {
			w = class(asciiWordSet)
		}
		return Alternate(
			Concat(look(false, true, w), look(!same, false, w)),
			Concat(look(true, true, w), look(same, false, w))), nil
	}
	return nil, p.errorf(start, `%s asks what stands before the match, but a lexeme starts anywhere in the text: leave it out; write \^ for a literal caret`, written)
}
