package lark

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"strings"
	"unicode"

	"gcdbench/grammar"
	"gcdbench/internal/index"
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
	symbol    symbolID  // hole: no rule has it
	kept      bool      // it is used, ignored or needed
	ignored   bool
	number    grammar.Terminal // if it is kept
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
	list     []*terminal
	declared []*terminal          // those that are not defined
	byName   map[string]*terminal // but for schemas
	numbered int                  // anonymous terminals that got a number for a name
	schemas  int
	composer composer
	// byText has those with a pattern, and schemas, of which byNumber are the latest that are equal.
	byText   index.Index
	byNumber []*terminal
}

// namedTerminals builds the patterns of all terminals that have a definition, and has those that
// are only declared. stopped is asked between them whether to go on.
func namedTerminals(ds *definitions, stopped func() error) (*terminals, error) {
	ts := &terminals{byName: map[string]*terminal{}, composer: composer{done: map[*node]*pattern{}}}
	for _, d := range ds.order {
		if !d.isTerminal {
			continue
		}
		if d.body == nil {
			t := &terminal{name: d.name, at: d.at, anchor: d.anchor, scope: d.scope}
			ts.declared, ts.byName[d.name] = append(ts.declared, t), t
			continue
		}
		if err := stopped(); err != nil {
			return nil, err
		}
		p, err := ts.composer.terminal(d.body)
		if err != nil {
			return nil, err
		}
		t := &terminal{name: d.name, pattern: p, priority: d.priority, at: d.at, anchor: d.anchor, scope: d.scope}
		ts.byName[d.name] = t
		if i, hash := ts.find(t); i < 0 {
			ts.add(t, hash)
		} else { // literals in rules mean the later one
			ts.list, ts.byNumber[i] = append(ts.list, t), t
		}
	}
	return ts, nil
}

// add adds a terminal whose text has a hash.
func (ts *terminals) add(t *terminal, hash uint64) {
	ts.list = append(ts.list, t)
	ts.byText.Add(hash)
	ts.byNumber = append(ts.byNumber, t)
}

// find is the number of the terminal of the same pattern, or schema; -1 if there is none. hash is
// that of its text.
func (ts *terminals) find(t *terminal) (number int32, hash uint64) {
	if t.pattern != nil {
		hash = maphash.String(textSeed, t.pattern.value)
	} else {
		hash = maphash.Bytes(textSeed, t.embedded.schema)
	}
	return ts.byText.Find(hash, func(i int32) bool { return ts.byNumber[i].equal(t) }), hash
}

// textSeed is that of the hashes of terminals.
var textSeed = maphash.MakeSeed()

// equal tells whether two terminals have the same pattern, in one grammar of those that stand in
// rules of each other, or the same schema.
func (t *terminal) equal(o *terminal) bool {
	if p, q := t.pattern, o.pattern; p != nil && q != nil {
		return p.literal == q.literal && p.value == q.value && p.flags == q.flags && t.scope == o.scope
	}
	return t.pattern == nil && o.pattern == nil && bytes.Equal(t.embedded.schema, o.embedded.schema)
}

// meant is the terminal that a reference means.
func (ts *terminals) meant(n *node) *terminal {
	if n.means != nil {
		return n.means
	}
	return ts.byName[n.name]
}

// of is the terminal that a pattern in a rule stands for: one that is defined with this very
// pattern, or an anonymous one.
func (ts *terminals) of(n *node, p *pattern, anchor int32, scope int) *terminal {
	made := terminal{pattern: p, at: n.at, anchor: anchor, anonymous: true, scope: scope}
	i, hash := ts.find(&made)
	if i >= 0 {
		t := ts.byNumber[i]
		if t.anonymous && (anchor < t.anchor || anchor == t.anchor && n.at.off < t.at.off) {
			t.anchor, t.at = anchor, n.at
		}
		return t
	}
	name := p.special
	if p.literal && name == "" {
		name = literalName(p.value)
	}
	t := ts.byName[name]
	if name == "" || t != nil && t.pattern != nil {
		name, t = "__ANON_"+strconv.Itoa(ts.numbered), nil
		ts.numbered++
	}
	if t == nil {
		t = new(terminal)
		ts.byName[name] = t
	}
	made.name, made.symbol = name, t.symbol // a literal may read as the name of a declared terminal, and is that
	*t = made
	ts.add(t, hash)
	return t
}

// literalName is the name of a literal that reads as a word or is punctuation; "" if it is neither.
// What reads as a word is a matter of Unicode categories, as for Python's identifiers.
func literalName(s string) string {
	if name := punctuationNames[s]; name != "" {
		return name
	}
	if strings.ContainsAny(s, ` "`) { // as most literals that are no words
		return ""
	}
	for i, r := range s {
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

// name turns the patterns among the nodes of rule d into references to terminals.
func (ts *terminals) name(d *definition, nodes []*node) error {
	for _, n := range nodes {
		switch n.kind {
		case nEmbedded:
			if n.embedded.grammar != nil {
				n.ref(n.name, nil, false)
			} else {
				t := ts.embedded(n, d.anchor, d.scope)
				n.ref(t.name, t, false)
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
				t := ts.of(n, p, d.anchor, d.scope)
				n.ref(t.name, t, p.literal && !d.keepAll)
			}
		}
	}
	return nil
}
