package lark

import (
	"fmt"
	"strings"
	"unicode"
)

// Literals in rules. Each stands for a terminal: the one that is defined by this very literal, if
// there is one, or else an anonymous one, which all equal literals share. Its name matters, since
// rules may use it as well ("+" and PLUS are the same), and so do the names of Lark that users know
// from messages. Words are called by themselves in upper case and punctuation by a table, unless
// the name is taken; the rest is numbered, in the order in which Lark comes across them: rule by
// rule, in each from the inside out.

// punctuationNames are the names that Lark gives to literals that are no words.
var punctuationNames = map[string]string{
	"!": "BANG", "\"": "DBLQUOTE", "#": "HASH", "$": "DOLLAR", "%": "PERCENT", "&": "AMPERSAND",
	"'": "QUOTE", "(": "LPAR", ")": "RPAR", "*": "STAR", "+": "PLUS", ",": "COMMA", "-": "MINUS",
	".": "DOT", "/": "SLASH", ":": "COLON", ";": "SEMICOLON", "<": "LESSTHAN", "=": "EQUAL",
	">": "MORETHAN", "?": "QMARK", "@": "AT", "[": "LSQB", "\\": "BACKSLASH", "]": "RSQB",
	"^": "CIRCUMFLEX", "_": "UNDERSCORE", "`": "BACKQUOTE", "{": "LBRACE", "|": "VBAR", "}": "RBRACE",
	"~": "TILDE", " ": "SPACE", "\t": "TAB", "\n": "NEWLINE", "\r\n": "CRLF",
}

// A terminal is a terminal of the grammar that is being lowered.
type terminal struct {
	name     string
	pattern  *pattern // nil: only declared
	priority int
	at       place
	anchor   int32
	// anonymous terminals are those that a literal in a rule made.
	anonymous bool
	scope     int
	embedded  *embedded // what a directive in a rule says; nil for others
	least     int       // characters of the shortest match, and 1; 0: not measured
}

// mayBeEmpty tells whether t matches the empty text.
func (t *terminal) mayBeEmpty() bool {
	if t == nil || t.pattern == nil {
		return false
	}
	if t.least == 0 {
		t.least = 1 + t.pattern.width().min
	}
	return t.least == 1
}

// title is how messages call t.
func (t *terminal) title() string {
	if strings.HasPrefix(t.name, "__") {
		return "this regexp"
	}
	return "terminal " + t.name
}

// terminals are the named terminals and, as rules are lowered, the anonymous ones.
type terminals struct {
	list      []*terminal
	byName    map[string]*terminal
	byPattern map[patternKey]*terminal
	schemas   map[string]string // the names of those that schemas stand for
	numbered  int               // anonymous terminals that got a number for a name
	composer  composer
}

// namedTerminals builds the patterns of all terminals that have a definition. stopped is asked
// between them whether to go on.
func namedTerminals(ds *definitions, stopped func() error) (*terminals, error) {
	ts := &terminals{byName: map[string]*terminal{}, byPattern: map[patternKey]*terminal{}, schemas: map[string]string{}, composer: composer{done: map[*node]*pattern{}}}
	for _, d := range ds.order {
		if !d.isTerminal || d.body == nil {
			continue
		}
		if err := stopped(); err != nil {
			return nil, err
		}
		p, err := ts.composer.terminal(d.body)
		if err != nil {
			return nil, err
		}
		ts.add(&terminal{name: d.name, pattern: p, priority: d.priority, at: d.at, anchor: d.anchor, scope: d.scope})
	}
	return ts, nil
}

// add adds a terminal. Of two with equal patterns, literals in rules mean the later one.
func (ts *terminals) add(t *terminal) {
	ts.list = append(ts.list, t)
	ts.byName[t.name] = t
	ts.byPattern[t.pattern.key(t.scope)] = t
}

// of is the terminal that a pattern in a rule stands for: one that is defined with this very
// pattern, or an anonymous one.
func (ts *terminals) of(n *node, p *pattern, anchor int32, scope int) *terminal {
	if t := ts.byPattern[p.key(scope)]; t != nil {
		if t.anonymous && (anchor < t.anchor || anchor == t.anchor && n.at.off < t.at.off) {
			t.anchor, t.at = anchor, n.at
		}
		return t
	}
	name := p.special
	if p.literal && name == "" {
		name = literalName(p.value)
	}
	if name == "" || ts.byName[name] != nil {
		name = fmt.Sprintf("__ANON_%d", ts.numbered)
		ts.numbered++
	}
	t := &terminal{name: name, pattern: p, at: n.at, anchor: anchor, anonymous: true, scope: scope}
	ts.add(t)
	return t
}

// literalName is the name of a literal that reads as a word or is punctuation; "" if it is neither.
// What reads as a word is a matter of Unicode categories, as for Python's identifiers.
func literalName(s string) string {
	if name := punctuationNames[s]; name != "" {
		return name
	}
	for i, r := range s {
		if r == ' ' || r == '"' { // as in most literals that are no words
			return ""
		}
		if r != '_' && !unicode.In(r, idStart...) && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Nl)) {
			return ""
		}
	}
	return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS"))
}

// idStart are the Unicode categories of characters that Lark lets a name start with.
var idStart = []*unicode.RangeTable{
	unicode.Lu, unicode.Ll, unicode.Lt, unicode.Lm, unicode.Lo, unicode.Mn, unicode.Mc, unicode.Pc,
}

// name turns the patterns in the body of rule d into references to terminals.
func (ts *terminals) name(d *definition) error {
	for _, n := range d.body.bottomUp() {
		switch n.kind {
		case nEmbedded:
			if n.embedded.grammar != nil {
				n.ref(n.name, false, false)
			} else {
				n.ref(ts.embedded(n, d.anchor, d.scope).name, true, false)
			}
		case nBoth, nNot:
			return n.at.errorf("define a terminal, with a name in upper case, and name it here", "& and ~ are for what terminals match, and %s is none", d.title())
		case nPattern, nLazy:
			p, err := ts.composer.inRule(n)
			switch {
			case err != nil:
				return err
			case p.value == "":
				*n = node{kind: nSequence, at: n.at}
			default:
				n.ref(ts.of(n, p, d.anchor, d.scope).name, true, p.literal && !d.keepAll)
			}
		}
	}
	return nil
}
