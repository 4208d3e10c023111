package pattern

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Reading patterns. The syntax is that of ECMA-262, section 22.2.1, with the flag u, which JSON
// Schema recommends (2020-12 core, section 6.4). Authors of schemas write for the engine at hand,
// so the parser reads more than that where the meaning is clear:
//
//   - Annex B.1.2 reads some mistakes as characters: \- and \@ outside of classes, a brace that
//     begins no quantifier, ] alone. All engines agree on these.
//   - \A, \Z and \z are anchors everywhere but in ECMAScript. The letter, which ECMAScript reads,
//     would accept texts that no validator in use accepts. (?P<name> is a group for that reason.
//   - An escape with different meanings in different engines (\h, \e, \G) is an error that says so.
//
// Whether a quantifier is lazy does not matter to whether there is a match. Groups capture nothing,
// so back references are refused.

// maxGroups bounds the nesting of groups in a pattern.
const maxGroups = 200

// A parser reads one pattern by recursive descent.
type parser struct {
	pattern string
	src     []rune
	pos     int // in src
	depth   int // of groups
}

func (p *parser) fail(message string) error { return &Error{p.pattern, p.pos, message} }

func (p *parser) more() bool { return p.pos < len(p.src) }

// at skips text if it comes next.
func (p *parser) at(text string) bool {
	if !strings.HasPrefix(string(p.src[p.pos:min(len(p.src), p.pos+len(text))]), text) {
		return false
	}
	p.pos += len([]rune(text))
	return true
}

func (p *parser) parse() (*Node, error) {
	n, err := p.alternatives()
	if err == nil && p.more() {
		err = p.fail("there is no group that ) ends")
	}
	return n, err
}

// alternatives reads a Disjunction, down to the ) or the end that ends it.
func (p *parser) alternatives() (*Node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxGroups {
		return nil, p.fail("groups are nested too deep")
	}
	n := &Node{op: opAlt}
	for {
		sub, err := p.sequence()
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sub)
		if !p.at("|") {
			break
		}
	}
	if len(n.subs) == 1 {
		return n.subs[0], nil
	}
	return n, nil
}

// sequence reads an Alternative: terms until the next | or ). It may be empty.
func (p *parser) sequence() (*Node, error) {
	n := &Node{op: opCat}
	for p.more() && p.src[p.pos] != '|' && p.src[p.pos] != ')' {
		sub, err := p.atom()
		if err == nil {
			sub, err = p.quantified(sub)
		}
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sub)
	}
	return n, nil
}

// quantified reads a quantifier after n, if there is one.
func (p *parser) quantified(n *Node) (*Node, error) {
	least, most := 0, -1
	switch {
	case p.at("*"):
	case p.at("+"):
		least = 1
	case p.at("?"):
		most = 1
	default:
		ok := false
		if least, most, ok = p.braces(); !ok {
			return n, nil
		}
	}
	if n.op >= opStart && n.op != opLook {
		return nil, p.fail("a quantifier has nothing to repeat")
	}
	if most >= 0 && most < least {
		return nil, p.fail("the numbers of a quantifier are in the wrong order")
	}
	p.at("?") // lazy or not, the same strings match
	if p.more() && strings.ContainsRune("*+?", p.src[p.pos]) {
		return nil, p.fail("a quantifier has nothing to repeat")
	}
	return &Node{op: opRepeat, subs: []*Node{n}, min: least, max: most}, nil
}

// braces reads {n}, {n,} or {n,m}; otherwise the brace is a character.
func (p *parser) braces() (least, most int, ok bool) {
	if !p.more() || p.src[p.pos] != '{' {
		return 0, 0, false
	}
	text, _, found := strings.Cut(string(p.src[p.pos+1:]), "}")
	first, second, comma := strings.Cut(text, ",")
	least, err := strconv.Atoi(first)
	if !found || err != nil || first[0] < '0' {
		return 0, 0, false
	}
	most = least
	if comma && second == "" {
		most = -1
	} else if comma {
		if most, err = strconv.Atoi(second); err != nil || second[0] < '0' {
			return 0, 0, false
		}
	}
	p.pos += len([]rune(text)) + 2
	return least, most, true
}

func (p *parser) atom() (*Node, error) {
	c := p.src[p.pos]
	p.pos++
	switch c {
	case '^':
		return &Node{op: opStart}, nil
	case '$':
		return &Node{op: opEnd}, nil
	case '.':
		return &Node{set: lineEnds.not()}, nil
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '*', '+', '?':
		return nil, p.fail("a quantifier has nothing to repeat")
	}
	return &Node{set: Set{c, c}}, nil
}

// group reads the rest of a group after its (: a lookaround, a group with or without a name, or one
// that does not capture. Python writes (?P<name>, which ECMAScript does not, and which cannot be
// mistaken.
func (p *parser) group() (*Node, error) {
	open := ""
	for _, o := range []string{"?=", "?!", "?<=", "?<!"} {
		if p.at(o) {
			open = "(" + o
			break
		}
	}
	if open == "" && p.at("?") && !p.at(":") {
		if !p.at("<") && !p.at("P<") {
			return nil, p.fail("a group begins with (? in a way that is not known")
		}
		for p.more() && p.src[p.pos] != '>' {
			p.pos++
		}
		if !p.at(">") {
			return nil, p.fail("the name of a group does not end")
		}
	}
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.at(")") {
		return nil, p.fail("a group does not end")
	}
	if open == "" {
		return n, nil
	}
	look := &Node{op: opLook, open: open, subs: []*Node{n}}
	if !look.ahead() && n.asserts() {
		return nil, &Unsupported{"an assertion inside of a lookbehind is not supported"}
	}
	return look, nil
}

// asserts tells whether a part has an assertion.
func (n *Node) asserts() bool { return n.op >= opStart || slices.ContainsFunc(n.subs, (*Node).asserts) }

func (p *parser) escape() (*Node, error) {
	if !p.more() {
		return nil, p.fail("a \\ ends the pattern")
	}
	switch c := p.src[p.pos]; {
	case c == 'b':
		p.pos++
		return &Node{op: opBoundary}, nil
	case c == 'B':
		p.pos++
		return &Node{op: opNotBoundary}, nil
	case c == 'A': // an anchor in all syntaxes that know it; ECMAScript's does not
		p.pos++
		return &Node{op: opStart}, nil
	case c == 'Z' || c == 'z':
		p.pos++
		return &Node{op: opEnd}, nil
	case c >= '1' && c <= '9' || c == 'k':
		return nil, &Unsupported{"back references are not regular"}
	}
	set, _, err := p.classEscape()
	return &Node{set: set}, err
}

// classEscape reads what may follow a \ in a class; single tells that it is one character.
func (p *parser) classEscape() (set Set, single bool, err error) {
	if !p.more() {
		return nil, false, p.fail("a \\ ends the pattern")
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'd':
		return digits, false, nil
	case 'D':
		return digits.not(), false, nil
	case 'w':
		return wordRunes, false, nil
	case 'W':
		return wordRunes.not(), false, nil
	case 's':
		return spaceRunes, false, nil
	case 'S':
		return spaceRunes.not(), false, nil
	case 'p', 'P':
		set, err = p.property()
		if c == 'P' {
			set = set.not()
		}
		return set, false, err
	}
	r, err := p.character(c)
	return Set{r, r}, true, err
}

// character is the character of an escape, whose first letter after the backslash is c. \x and \u
// without their digits are the letters, as annex B has it.
func (p *parser) character(c rune) (rune, error) {
	if i := strings.IndexRune("tnvfr0", c); i >= 0 {
		return rune("\t\n\v\f\r\x00"[i]), nil
	}
	switch c {
	case 'c':
		if p.more() && unicode.IsLetter(p.src[p.pos]) && p.src[p.pos] < 128 {
			p.pos++
			return p.src[p.pos-1] & 31, nil
		}
		return 0, p.fail("\\c wants a letter")
	case 'x':
		if r, ok := p.hex(2); ok {
			return r, nil
		}
		return 'x', nil
	case 'u':
		return p.unicodeEscape()
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		// Annex B would read the letter, but those who write \h or \G mean what it is in another
		// syntax.
		return 0, p.fail("\\" + string(c) + " is no escape of ECMAScript")
	}
	return c, nil
}

// unicodeEscape reads what follows \u: \u{1f600}, \u00e9, or a surrogate pair as two of the latter,
// which the flag u takes for one character.
func (p *parser) unicodeEscape() (rune, error) {
	if p.at("{") {
		end := p.pos
		for end < len(p.src) && p.src[end] != '}' {
			end++
		}
		n, err := strconv.ParseUint(string(p.src[p.pos:end]), 16, 32)
		if err != nil || n > unicode.MaxRune || end == len(p.src) {
			return 0, p.fail("\\u{ wants a code point")
		}
		p.pos = end + 1
		return rune(n), nil
	}
	r, ok := p.hex(4)
	if !ok {
		return 'u', nil
	}
	if utf16.IsSurrogate(r) {
		back := p.pos
		if p.at(`\u`) {
			if low, ok := p.hex(4); ok && utf16.DecodeRune(r, low) != unicode.ReplacementChar {
				return utf16.DecodeRune(r, low), nil
			}
		}
		p.pos = back
	}
	return r, nil
}

func (p *parser) hex(n int) (rune, bool) {
	if p.pos+n > len(p.src) {
		return 0, false
	}
	x, err := strconv.ParseUint(string(p.src[p.pos:p.pos+n]), 16, 32)
	if err != nil {
		return 0, false
	}
	p.pos += n
	return rune(x), true
}

// property reads {Name} or {Name=Value} of a Unicode property.
func (p *parser) property() (Set, error) {
	if !p.at("{") {
		return nil, p.fail("\\p wants the name of a property in braces")
	}
	text, _, ok := strings.Cut(string(p.src[p.pos:]), "}")
	if !ok {
		return nil, p.fail("the name of a property does not end")
	}
	set, err := propertyRunes(text)
	if err != nil {
		return nil, err
	}
	if set == nil {
		return nil, p.fail("there is no Unicode property " + text)
	}
	p.pos += len([]rune(text)) + 1
	return set, nil
}

// propertyRunes is the set of a Unicode property as \p{...} names it; nil if there is none of that
// name.
func propertyRunes(text string) (Set, error) {
	name, value, has := strings.Cut(text, "=")
	switch {
	case has && (name == "Script_Extensions" || name == "scx"):
		return nil, &Unsupported{"the Unicode property " + text + " is not supported"}
	case has:
		name = value
	}
	switch name {
	case "Any":
		return Set(nil).not(), nil
	case "ASCII":
		return Set{0, 0x7f}, nil
	case "Assigned":
		return FromTable(unicode.Cn).not(), nil
	}
	if alias, ok := unicode.CategoryAliases[name]; ok {
		name = alias
	} else if long, ok := longNames[name]; ok {
		name = long
	}
	if slices.Contains(unknownProperties, name) {
		return nil, &Unsupported{"the Unicode property " + text + " is not supported"}
	}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		if t := tables[name]; t != nil {
			return FromTable(t), nil
		}
	}
	var set Set
	for _, part := range derivedProperties[name] {
		if t := unicode.Categories[part]; t != nil {
			set = set.Union(FromTable(t))
		} else {
			set = set.Union(FromTable(unicode.Properties[part]))
		}
	}
	if strings.HasPrefix(name, "ID_") {
		set = set.without(FromTable(unicode.Pattern_Syntax).Union(FromTable(unicode.Pattern_White_Space)))
	}
	return set, nil
}

// longNames are the names of properties that have others, which are shorter.
var longNames = map[string]string{
	"space": "White_Space", "AHex": "ASCII_Hex_Digit", "Alpha": "Alphabetic", "Lower": "Lowercase", "Upper": "Uppercase",
	"Bidi_C": "Bidi_Control", "Dep": "Deprecated", "Dia": "Diacritic", "Ext": "Extender", "Hex": "Hex_Digit", "Ideo": "Ideographic",
	"IDSB": "IDS_Binary_Operator", "IDST": "IDS_Trinary_Operator", "Join_C": "Join_Control", "LOE": "Logical_Order_Exception",
	"NChar": "Noncharacter_Code_Point", "Pat_Syn": "Pattern_Syntax", "Pat_WS": "Pattern_White_Space", "QMark": "Quotation_Mark",
	"RI": "Regional_Indicator", "STerm": "Sentence_Terminal", "SD": "Soft_Dotted", "Term": "Terminal_Punctuation",
	"UIdeo": "Unified_Ideograph", "VS": "Variation_Selector", "IDS": "ID_Start", "IDC": "ID_Continue", "Gr_Ext": "Grapheme_Extend",
}

// derivedProperties are unions of categories and properties, as the Unicode Character Database
// derives them.
var derivedProperties = map[string][]string{
	"Alphabetic": {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Other_Alphabetic"},
	"Lowercase":  {"Ll", "Other_Lowercase"},
	"Uppercase":  {"Lu", "Other_Uppercase"},
	"Math":       {"Sm", "Other_Math"},
	"Cased":      {"Lu", "Ll", "Lt", "Other_Lowercase", "Other_Uppercase"},
	"ID_Start":   {"L", "Nl", "Other_ID_Start"},

	"ID_Continue":     {"L", "Nl", "Other_ID_Start", "Mn", "Mc", "Nd", "Pc", "Other_ID_Continue"},
	"Grapheme_Extend": {"Me", "Mn", "Other_Grapheme_Extend"},
}

// unknownProperties are properties of ECMAScript whose tables package unicode lacks.
var unknownProperties = strings.Fields(`Emoji Emoji_Presentation Emoji_Modifier Emoji_Modifier_Base Emoji_Component Extended_Pictographic
	EPres EMod EBase EComp ExtPict XID_Start XIDS XID_Continue XIDC Case_Ignorable CI Bidi_Mirrored Bidi_M
	Default_Ignorable_Code_Point DI Grapheme_Base Gr_Base Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM
	Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU`)

// class reads a class of characters after its [.
func (p *parser) class() (*Node, error) {
	negated := p.at("^")
	var set Set
	for !p.at("]") {
		if !p.more() {
			return nil, p.fail("a class of characters does not end")
		}
		lo, single, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if p.pos+1 < len(p.src) && p.src[p.pos] == '-' && p.src[p.pos+1] != ']' && single {
			back := p.pos
			p.pos++
			hi, one, err := p.classAtom()
			if err != nil {
				return nil, err
			}
			if one && hi[0] < lo[0] {
				return nil, p.fail("a range of characters is in the wrong order")
			}
			if one {
				lo = Set{lo[0], hi[0]}
			} else {
				p.pos = back // - stands for itself
			}
		}
		set = set.Union(lo)
	}
	if negated {
		set = set.not()
	}
	return &Node{set: set}, nil
}

// classAtom reads a character of a class, or an escape that stands for several; single tells which
// it is. \b is a backspace here.
func (p *parser) classAtom() (Set, bool, error) {
	c := p.src[p.pos]
	p.pos++
	if c != '\\' {
		return Set{c, c}, true, nil
	}
	if p.at("b") {
		return Set{'\b', '\b'}, true, nil
	}
	return p.classEscape()
}
