package lark

import (
	"fmt"
	"strings"
)

// Terminals are written out as one regexp each, from the inside out, in the notation that Lark uses
// ((?:...) around alternatives and repeats, (?i:...) around what has flags). A part that is built
// of other terminals contains their text, so that sizes multiply; the sum of all is limited.

// A composer builds the patterns of terminals.
type composer struct {
	done  map[*node]*pattern // by body
	total int                // bytes of all patterns built
}

// beyond are the nodes that make a pattern of no regular expression.
var beyond = map[nodeKind]form{nBoth: fBoth, nNot: fNot, nLazy: fLazy}

// terminal is the pattern of a terminal's body.
func (c *composer) terminal(body *node) (*pattern, error) {
	if p, ok := c.done[body]; ok {
		return p, nil
	}
	p, err := c.pattern(body)
	if err != nil {
		return nil, err
	}
	c.done[body] = p
	return p, nil
}

// inRule is the pattern of a node of a rule that stands for a terminal.
func (c *composer) inRule(n *node) (*pattern, error) {
	if n.kind == nPattern {
		return n.literal.pattern()
	}
	return c.pattern(n)
}

// pattern is the pattern of a node of a terminal. The size is checked before the text is made.
func (c *composer) pattern(n *node) (*pattern, error) {
	if n.kind == nRef {
		return c.terminal(n.target)
	}
	if n.kind == nPattern {
		p, err := n.literal.pattern()
		if err == nil && p.special != "" {
			return nil, n.at.errorf("name it in a rule", "special token %s is no text, and a terminal is made of text", p.special)
		}
		return p, err
	}
	if n.kind == nEmbedded {
		return nil, n.at.errorf("make the terminal a rule, with a name in lower case", "%s stands in rules only", n.embedded.kind)
	}
	if err := n.checkCounts(); err != nil {
		return nil, err
	}
	parts := make([]*pattern, len(n.kids))
	size := 0
	for i, kid := range n.kids {
		p, err := c.pattern(kid)
		if err != nil {
			return nil, err
		}
		parts[i] = p
		size += len(p.value)
	}
	if c.total += size; size > maxPattern || c.total > maxPatterns {
		return nil, n.at.errorf("make it a rule, so that it is not written out", "the regexp of this terminal, with all it is built of, has more than %d bytes", maxPattern)
	}
	if f, ok := beyond[n.kind]; ok {
		return beyondPattern(f, parts), nil
	}
	switch n.kind {
	case nSequence:
		if n.at.src.dialect {
			groupEach(parts)
		}
		return sequencePattern(parts), nil
	case nAlternatives:
		return choicePattern(parts), nil
	case nMaybe:
		return repeatPattern(parts[0], "?", 0, 1), nil
	}
	op, least, most := operator(n)
	return repeatPattern(parts[0], op, least, most), nil
}

// groupEach puts brackets around regexps with alternatives. Lark writes parts behind one another as
// they are, so that /a|b/ "c" is a or bc; in its dialects it is ac or bc.
func groupEach(parts []*pattern) {
	for i, p := range parts {
		if len(parts) > 1 && !p.literal && strings.Contains(p.value, "|") {
			parts[i] = repeatPattern(p, "{1}", 1, 1)
		}
	}
}

// operator is how a regexp writes a node's repetition, with its counts; the greater is negative if
// there is no limit.
func operator(n *node) (op string, least, most int) {
	switch {
	case n.op == '*':
		return "*", 0, -1
	case n.op == '+':
		return "+", 1, -1
	case n.op == '?':
		return "?", 0, 1
	case n.min == n.max:
		return fmt.Sprintf("{%d}", n.min), n.min, n.min
	}
	return fmt.Sprintf("{%d,%d}", n.min, n.max), n.min, n.max
}
