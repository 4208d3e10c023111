package lark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/special"
)

// Patterns. There are two kinds, as in Lark: literals, which win over regexps where both match the
// same, and regexps. A terminal is a literal if it is one string and nothing else, whether
// directly, in brackets, or by being another name of such a terminal; flags do not matter.

// A pattern is what a terminal matches: a literal string, or a regular expression as text.
// Terminals that are built of others get the text that Lark would build, because the text matters
// twice: its length decides between terminals that match the same lexeme, and its meaning is not
// always that of the parts (/a|b/ "c" becomes the regexp a|bc, which matches "a").
type pattern struct {
	literal bool
	// special is the name of a special token, of which value is what stands for it; "" for others.
	special string
	// value is the literal's text, or the regexp without its flags.
	value string
	// flags are the letters of the flags, sorted.
	flags string
	// pieces say where value comes from, for errors.
	pieces []piece
	// form says how value was made of parts; of alternatives these are in the order in which Lark
	// tries them. min and max are the counts of a repeat.
	form     form
	parts    []*pattern
	min, max int
	// beyond is set if value is no regular expression, as a part is made by fBoth, fNot or fLazy.
	beyond bool
	// expr is value with its flags as an expression, nil before it is needed.
	expr *automata.Expr
}

// A form is a way to make a pattern of others.
type form uint8

const (
	fText     form = iota // of none
	fSequence             // its parts in a row
	fChoice               // one of them
	fRepeat               // parts[0], min to max times; max is negative if there is none
	fBoth                 // what all parts match
	fNot                  // a text that parts[0] does not match
	fLazy                 // a match of parts[0] that begins with no other one
)

// A piece is a part of a pattern's value that one literal of a grammar file gave.
type piece struct {
	start int // offset in the value
	from  *origin
}

// An origin is a literal as it was written.
type origin struct {
	at       place // of its inside
	inside   string
	isString bool
}

// split cuts a string or regexp token into its inside and its flags.
func split(src *source, t token) (inside, flags string) {
	text := string(src.text[t.off:t.end])
	end := strings.LastIndexAny(text, `/"`)
	return text[1:end], text[end+1:]
}

// A literal is a string, a range of two strings, or a regexp, as it is written. What is wrong
// inside it is an error only when it is used: not in rules that are never imported, nor in
// templates.
type literal struct {
	src         *source
	first, last token
	read        *pattern // nil before it is needed
}

// pattern is what the literal matches.
func (l *literal) pattern() (*pattern, error) {
	if l.read != nil {
		return l.read, nil
	}
	var err error
	if l.first == l.last {
		l.read, err = newPattern(l.src, l.first)
	} else {
		l.read, err = newRange(l.src, l.first, l.last)
	}
	return l.read, err
}

// newPattern is the pattern of a string, a regexp or a special token.
func newPattern(src *source, t token) (*pattern, error) {
	if t.kind == kSpecial {
		name := string(src.text[t.off:t.end])
		if name == "<[*]>" || strings.HasPrefix(name, "<[^") {
			return nil, src.at(t.off).errorf("name the tokens that are meant, as in <[5,7-9]>; any text is a terminal, such as /(.|\\n)+/",
				"%s names nearly all tokens, as llguidance and XGrammar allow; here a token that is named is no text anywhere", name)
		}
		return &pattern{literal: true, special: name, value: special.Text(name)}, nil
	}
	inside, flags := split(src, t)
	isString := t.kind == kString
	at := src.at(t.off + 1)
	d, bad := decode(inside, isString)
	if bad != nil {
		return nil, src.at(t.off+1+bad.off).errorf("", "%s", bad.message)
	}
	if len(d.text) == 0 && !src.dialect {
		return nil, src.at(t.off).errorf("to allow nothing, use ? or [ ], or an empty alternative in a rule", "an empty string is no terminal")
	}
	if strings.Contains(flags, "l") {
		return nil, src.at(t.end-1).errorf("leave the flag out; u, all of Unicode, is the default", "the flag l (locale) works on no text")
	}
	return &pattern{
		literal: isString,
		value:   string(d.text),
		flags:   sortFlags(flags),
		pieces:  []piece{{0, &origin{at, inside, isString}}},
	}, nil
}

// sortFlags orders flags and drops repeated ones.
func sortFlags(flags string) string {
	if len(flags) < 2 {
		return flags
	}
	letters := []byte(flags)
	slices.Sort(letters)
	return string(slices.Compact(letters))
}

// newRange is the pattern of "a".."z". Lark puts both ends into a character class as they are
// written, whatever they mean there ("^".."a" matches all but two characters); so do we.
func newRange(src *source, first, last token) (*pattern, error) {
	var ends [2]string
	for i, t := range []token{first, last} {
		inside, flags := split(src, t)
		if flags != "" {
			return nil, src.at(t.end-1).errorf("write it as a regexp: /[a-z]/i", "the end of a range cannot have flags")
		}
		d, bad := decode(inside, false)
		if bad != nil {
			return nil, src.at(t.off+1+bad.off).errorf("", "%s", bad.message)
		}
		if utf8.RuneCount(d.text) != 1 {
			hint := `both ends are one character, which may be escaped with \n, \x or \u; write others as a regexp: /[a-z]/`
			return nil, src.at(t.off).errorf(hint, "%s is not one character", src.text[t.off:t.end])
		}
		ends[i] = inside
	}
	return &pattern{
		value:  "[" + ends[0] + "-" + ends[1] + "]",
		pieces: []piece{{0, &origin{src.at(first.off), "", true}}},
	}, nil
}

// escaped has the characters that Python's re.escape puts a backslash before.
const escaped = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"

// regexp is p as part of a larger regular expression.
func (p *pattern) regexp() string {
	s := p.value
	if p.literal {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if strings.IndexByte(escaped, s[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	for _, f := range p.flags {
		s = "(?" + string(f) + ":" + s + ")"
	}
	return s
}

// A joiner builds a pattern of text and parts, and keeps the pieces' offsets.
type joiner struct {
	text   strings.Builder
	pieces []piece
	parts  []*pattern
	beyond bool
}

func (j *joiner) add(p *pattern) {
	shift := j.text.Len() + len("(?i:")*len(p.flags)
	for _, pc := range p.pieces {
		pc.start += shift
		j.pieces = append(j.pieces, pc)
	}
	j.text.WriteString(p.regexp())
	j.parts, j.beyond = append(j.parts, p), j.beyond || p.beyond
}

// pattern is what was built, of the parts in some form.
func (j *joiner) pattern(f form, flags string) *pattern {
	return &pattern{value: j.text.String(), flags: flags, pieces: j.pieces, form: f, parts: j.parts, beyond: j.beyond || f >= fBoth}
}

// sequencePattern is the pattern of parts in a row. A single part is returned unchanged, so that a
// literal stays one. No part is the empty literal, which is an error only if a rule uses it.
func sequencePattern(parts []*pattern) *pattern {
	switch len(parts) {
	case 0:
		return &pattern{literal: true}
	case 1:
		return parts[0]
	}
	var j joiner
	for _, p := range parts {
		j.add(p)
	}
	return j.pattern(fSequence, "")
}

// choicePattern is the pattern of alternatives. Lark sorts the ones that may be longer to the
// front. The order matters to the text, and to the match if one has a lazy quantifier.
func choicePattern(parts []*pattern) *pattern {
	if len(parts) == 1 {
		return parts[0]
	}
	widths := make(map[*pattern]width, len(parts))
	for _, p := range parts {
		widths[p] = p.width()
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *pattern) int {
		return cmp.Or(
			cmp.Compare(widths[b].max, widths[a].max),
			cmp.Compare(widths[b].min, widths[a].min),
			cmp.Compare(utf8.RuneCountInString(b.value), utf8.RuneCountInString(a.value)))
	})
	var j joiner
	j.text.WriteString("(?:")
	for i, p := range parts {
		if i > 0 {
			j.text.WriteByte('|')
		}
		j.add(p)
	}
	j.text.WriteByte(')')
	return j.pattern(fChoice, "")
}

// repeatPattern is the pattern of a part that is repeated by an operator as regexps write it. The
// flags are in the part already; that the whole has them too is Lark's way, and shows when it is
// compared with a regexp in a rule.
func repeatPattern(p *pattern, op string, least, most int) *pattern {
	var j joiner
	j.text.WriteString("(?:")
	j.add(p)
	j.text.WriteString(")" + op)
	whole := j.pattern(fRepeat, p.flags)
	whole.min, whole.max = least, most
	return whole
}

// beyondPattern is the pattern of parts in a form that regular expressions lack. Each part of its
// text is a group that no regexp has: (?&a)(?&b) for both, (?~a) and (?*a) for the others.
func beyondPattern(f form, parts []*pattern) *pattern {
	var j joiner
	for _, p := range parts {
		j.text.WriteString("(?" + string("&~*"[f-fBoth]))
		j.add(p)
		j.text.WriteByte(')')
	}
	return j.pattern(f, "")
}

// A patternCompiler compiles the patterns of a grammar.
type patternCompiler struct {
	ctx    context.Context
	states int // of all automata so far
	costly int // automata so far that took long
	// mayBeEmpty says that a terminal may match the empty text, which is taken away from it, as it is
	// optional where rules name it.
	mayBeEmpty bool
}

// dfa compiles an expression.
func (c *patternCompiler) dfa(e *automata.Expr) (*automata.DFA, error) {
	limits := automata.DefaultLimits
	limits.Context = c.ctx
	limits.MaxSteps = cheapSteps
	d, err := automata.Compile(e, limits)
	var limit *automata.LimitError
	if errors.As(err, &limit) && c.costly < maxCostly {
		c.costly++
		limits.MaxSteps = automata.DefaultLimits.MaxSteps
		return automata.Compile(e, limits)
	}
	return d, err
}

// compile parses a pattern and checks that a lexer can use it.
func (c *patternCompiler) compile(t *terminal) (*automata.Expr, error) {
	p := t.pattern
	expr, err := c.expr(p, t)
	if err != nil || p.literal && p.value != "" {
		return expr, err
	}
	dfa, err := c.dfa(expr)
	if limit := (*automata.LimitError)(nil); automata.LooksInFront(err) || expr.HasLookbehind() && errors.As(err, &limit) {
		return expr, nil // whoever reads texts compiles it with all others
	}
	if err != nil {
		return nil, p.syntaxError(t, err)
	}
	if c.states += dfa.NumStates(); c.states > maxStates {
		return nil, t.at.errorf("lower the counts of repeats", "the automata of all regexps up to here have more than %d states", maxStates)
	}
	if dfa.NumStates() == 0 || !dfa.MatchesEmpty() {
		return expr, nil
	}
	if c.mayBeEmpty && !dfa.HasContexts() {
		return c.beyond(fNot, []*automata.DFA{automata.MustCompile("", 0), dfa})
	}
	hint := "every lexeme has at least one character; take what is optional out of the terminal, or use + for *"
	return nil, t.at.errorf(hint, "%s matches the empty string", t.title())
}

// expr is the expression of a pattern.
func (c *patternCompiler) expr(p *pattern, t *terminal) (*automata.Expr, error) {
	flags, err := automata.ParseFlags(p.flags)
	if err != nil {
		return nil, t.at.errorf("", "%s: %v", t.title(), err)
	}
	if p.literal {
		return automata.Literal(p.value, flags), nil
	}
	if p.beyond {
		return c.composed(p, t)
	}
	expr, err := p.parsed()
	if err != nil {
		if _, err := automata.Parse(p.value, flags); err == nil {
			return nil, t.at.errorf("end the comment with a line break", "%s: the comment in the regexp has no end", t.title())
		}
		return nil, p.syntaxError(t, err)
	}
	if expr.HasLazy() {
		expr = p.preferred(expr)
	}
	return expr, nil
}

// parsed is the expression of a regexp. As in composed terminals, flags are written out. A regexp
// whose end is swallowed by a comment of the x flag is thus one that lacks a parenthesis.
func (p *pattern) parsed() (*automata.Expr, error) {
	if p.expr != nil {
		return p.expr, nil
	}
	var err error
	p.expr, err = automata.Parse(p.regexp(), 0)
	return p.expr, err
}

// composed is the expression of a pattern with a part that is beyond regular expressions. Each part
// is matched by its own rule.
func (c *patternCompiler) composed(p *pattern, t *terminal) (*automata.Expr, error) {
	parts := make([]*automata.Expr, len(p.parts))
	dfas := make([]*automata.DFA, len(p.parts))
	for i, part := range p.parts {
		var err error
		if parts[i], err = c.expr(part, t); err != nil || p.form < fBoth && !parts[i].HasLazy() {
			if err != nil {
				return nil, err
			}
			continue
		}
		if dfas[i], err = c.dfa(parts[i]); err == nil && dfas[i].HasContexts() {
			err = automata.ErrContext
		}
		if err != nil {
			return nil, part.syntaxError(t, err)
		}
		parts[i] = automata.FromDFA(dfas[i])
	}
	switch p.form {
	case fSequence:
		return automata.Concat(parts...), nil
	case fChoice:
		return automata.Alternate(parts...), nil
	case fRepeat:
		return automata.Repeat(parts[0], p.min, p.max), nil
	case fNot:
		dfas = append(dfas, automata.AnyText())
	}
	expr, err := c.beyond(p.form, dfas)
	if err != nil {
		return nil, t.at.errorf("", "%s: %v", t.title(), err)
	}
	return expr, nil
}

// beyond is one of three automata: of the texts that all accept, of those that only the second
// accepts, or of the first one's shortest matches.
func (c *patternCompiler) beyond(f form, dfas []*automata.DFA) (*automata.Expr, error) {
	limits := automata.DefaultLimits
	limits.Context = c.ctx
	d := dfas[0]
	var err error
	switch f {
	case fNot:
		d, err = d.Complement(dfas[1], limits)
	case fLazy:
		d = d.Lazy()
	default:
		for _, other := range dfas[1:] {
			if d, err = d.Intersect(other, limits); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return automata.FromDFA(d), nil
}

// preferred is the expression of a pattern with a lazy quantifier: alternatives that are written
// apart are matched by their own rules. It is the given one, of the joined text, if that means
// something only as a whole.
func (p *pattern) preferred(whole *automata.Expr) *automata.Expr {
	if p.form != fChoice {
		return whole
	}
	parts := make([]*automata.Expr, len(p.parts))
	for i, choice := range p.parts {
		e, err := choice.parsed()
		if err != nil {
			return whole
		}
		parts[i] = choice.preferred(e)
	}
	return automata.Prefer(parts...)
}

// syntaxError is an error of package automata, moved to the place in the grammar file that caused
// it.
func (p *pattern) syntaxError(t *terminal, err error) *grammar.Error {
	bad, ok := err.(*automata.SyntaxError)
	if !ok {
		return t.at.errorf("", "%s: %v", t.title(), err)
	}
	off := bad.Offset - len("(?i:")*len(p.flags)
	i := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].start > off }) - 1
	message := fmt.Sprintf("%s: %s", t.title(), bad.Message)
	if i < 0 {
		return t.at.errorf("", "%s", message)
	}
	e := p.pieces[i].place(off).errorf("", "%s", message)
	if len(p.pieces) > 1 {
		e.Hint = "the whole regexp is /" + visible.Replace(shorten(bad.Pattern)) + "/"
	}
	return e
}

// place is where the byte at an offset of the pattern's value was written.
func (pc piece) place(off int) place {
	d, bad := decode(pc.from.inside, pc.from.isString)
	at := pc.from.at
	switch off -= pc.start; {
	case bad != nil || pc.from.isString || off < 0:
	case off < len(d.from):
		at.off += d.from[off]
	default:
		at.off += int32(len(pc.from.inside))
	}
	return at
}

// shorten cuts a long text for a message.
func shorten(s string) string {
	const limit = 200
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
