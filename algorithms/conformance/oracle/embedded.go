package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// A grammar that embeds others is read as what it is: where the state of the outer automaton takes
// an inner text, that text is read by a language of its own, and where it is over the outer lexing
// rule goes on. Which texts the inner language has is somebody else's business (Language).

// A Language decides the texts of an embedded schema.
type Language interface {
	// Legal tells whether a text is a legal prefix, and End whether it may end.
	Legal(text string) bool
	End(text string) bool
}

// NewEmbedding is New for a grammar that embeds others, given their languages in the order of
// grammar.Embedded.Starts. What texts they have is JSON.
func NewEmbedding(g *grammar.Grammar, inner []Language) (*Contract, error) {
	c, err := New(g)
	if err != nil {
		return nil, err
	}
	if c.automaton == nil {
		if c.automaton, err = newLALR(c.chart); err != nil {
			return nil, err
		}
	}
	c.inner = inner
	return c, nil
}

// embedded lists the terminals of inner texts that the state after some terminals reads.
func (c *Contract) embedded(w []grammar.Terminal) []grammar.Terminal {
	if c.inner == nil {
		return nil
	}
	s := c.automaton.after(w)
	if s == nil {
		return nil
	}
	var list []grammar.Terminal
	for t := range c.g.Terminals {
		if s.reads[grammar.Terminal(t)] && c.g.Terminals[t].Embeds > 0 {
			list = append(list, grammar.Terminal(t))
		}
	}
	return list
}

func (c *Contract) languageOf(t grammar.Terminal) Language { return c.inner[c.g.Terminals[t].Embeds-1] }

// stepInside reads a byte in a place where an inner text is read: on in the text, or behind it.
func (c *Contract) stepInside(p place, b byte) []place {
	longer := p.pending + string([]byte{b})
	ends := func(t grammar.Terminal) bool { return c.languageOf(t).End(p.pending) }
	if isOver(p.pending, longer) && slices.ContainsFunc(p.inside, ends) {
		var list []place
		for _, after := range c.leave(p) {
			list = append(list, c.step(after, b)...)
		}
		return list
	}
	p.inside = slices.DeleteFunc(slices.Clone(p.inside), func(t grammar.Terminal) bool { return !c.languageOf(t).Legal(longer) })
	if p.pending = longer; len(p.inside) == 0 {
		return nil
	}
	return []place{p}
}

// isOver tells whether a JSON value, if it is complete, is over before its next byte: it ends with
// its last byte, or is a number or a word that does not go on like that.
func isOver(value, longer string) bool {
	return value != "" && (strings.ContainsRune(`"]}`, rune(value[len(value)-1])) || !numberBegun.MatchString(longer))
}

// numberBegun is the beginning of a number.
var numberBegun = regexp.MustCompile(`^-?((0|[1-9][0-9]*)(\.[0-9]*|(\.[0-9]+)?[eE][-+]?[0-9]*)?)?$`)

// leave lists the places after the inner text that is pending, with no lexeme begun.
func (c *Contract) leave(p place) []place {
	var list []place
	for _, t := range p.inside {
		if p.pending == "" || !c.languageOf(t).End(p.pending) {
			continue
		}
		for _, way := range p.ways {
			if longer := append(slices.Clone(way), t); c.chart.viable(longer) {
				list = append(list, c.arrive(place{ways: [][]grammar.Terminal{longer}, before: int(p.pending[len(p.pending)-1])}))
			}
		}
	}
	return list
}

// arrive says of a place with one way and no pending lexeme how the next one is read.
func (c *Contract) arrive(p place) place {
	p.mode, p.inside = c.context(p.ways[0]), c.embedded(p.ways[0])
	return p
}

// mayBecomeInside is mayBecome in an inner text.
func (c *Contract) mayBecomeInside(p place) bool {
	return slices.ContainsFunc(p.inside, func(t grammar.Terminal) bool { return c.languageOf(t).Legal(p.pending) })
}

// freeText is the pattern of a terminal of free text, by its definition; ok is false for others.
func freeText(def *grammar.TerminalDef) (t *term, ok bool, err error) {
	x := &text{}
	rest := def.Source
	switch {
	case strings.HasPrefix(rest, "%until "):
		rest = rest[len("%until "):]
	case strings.HasPrefix(rest, "%without "):
		x.without, rest = true, rest[len("%without "):]
	default:
		return nil, false, nil
	}
	ends, others, _ := strings.Cut(rest, " %before ")
	if x.ends, err = quoted(ends); err == nil && others != "" {
		x.others, err = quoted(others)
	}
	return x.term(), true, err
}

// quoted reads ("a" | "b").
func quoted(s string) (list []string, err error) {
	for _, part := range strings.Split(strings.Trim(s, "()"), " | ") {
		var one string
		if _, err := fmt.Sscanf(part, "%q", &one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// A text is a term that has read some bytes of free text.
type text struct {
	without      bool
	ends, others []string
	read         string // the last bytes, as far as a trigger begins with them, or ends
	some         bool   // a byte was read
}

// met is the longest trigger that the text ends with, and whether it is one of those that end it.
func (x *text) met() (trigger string, ends bool) {
	for i, t := range slices.Concat(x.ends, x.others) {
		if strings.HasSuffix(x.read, t) && len(t) > len(trigger) {
			trigger, ends = t, i < len(x.ends)
		}
	}
	return trigger, ends
}

func (x *text) term() *term {
	return &term{op: opText, text: x, key: fmt.Sprintf("%q%v", x.read, x.some)}
}

// after reads a byte, which is of ASCII.
func (x *text) after(b byte) *term {
	if trigger, _ := x.met(); trigger != "" || b > 127 {
		return none
	}
	next := *x
	next.read += string([]byte{b})
	next.some = true
	if trigger, ends := next.met(); trigger != "" && (x.without || !ends) {
		return none
	} else if trigger == "" {
		next.forget()
	}
	return next.term()
}

// forget drops what is no beginning of a trigger.
func (x *text) forget() {
	for x.read != "" && !slices.ContainsFunc(slices.Concat(x.ends, x.others), func(t string) bool { return strings.HasPrefix(t, x.read) }) {
		x.read = x.read[1:]
	}
}

// nullable tells whether the text may end.
func (x *text) nullable() bool {
	_, ends := x.met()
	return ends || x.without && x.some
}
