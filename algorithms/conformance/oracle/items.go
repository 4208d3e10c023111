package oracle

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// Items of arrays that are compared. The oracle keeps no register: it takes the text apart again
// for each question.

// itemsOf are the finished items of the innermost open array of a text, each as a text that equal
// items share; ok is false if the text does not end behind an item.
func itemsOf(text string) (list []string, ok bool) {
	open := innermost(text)
	if open < 0 || text[open] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text[open:] + "]"))
	d.UseNumber()
	var items []any
	if d.Decode(&items) != nil {
		return nil, false
	}
	for _, item := range items {
		list = append(list, textOf(item))
	}
	return list, len(list) > 0
}

// innermost is where the innermost open array or object of a text begins; -1 if there is none.
func innermost(text string) int {
	open := []int{-1}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			open = append(open, i)
		case (c == ']' || c == '}') && len(open) > 1:
			open = open[:len(open)-1]
		}
	}
	return open[len(open)-1]
}

// textOf is a text that equal values share.
func textOf(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return r.String()
		}
	case []any:
		var list []string
		for _, x := range v {
			list = append(list, textOf(x))
		}
		return fmt.Sprintf("[%q]", list)
	case map[string]any:
		var list []string
		for key, x := range v {
			list = append(list, key, textOf(x))
		}
		pairs := slices.Collect(slices.Chunk(list, 2))
		slices.SortFunc(pairs, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		return fmt.Sprintf("{%q}", pairs)
	}
	return fmt.Sprintf("%#v", v)
}

// lastIsThere tells whether the last of some items equals one before it.
func lastIsThere(list []string) bool {
	return len(list) > 0 && slices.Contains(list[:len(list)-1], list[len(list)-1])
}

// itemsAllow tells whether a lexeme of terminal t may come behind a text, as far as items go.
func (c *Contract) itemsAllow(before string, t grammar.Terminal) bool {
	role := c.g.Terminals[t].Items
	if role != grammar.AfterOther && role != grammar.AfterEqual {
		return true
	}
	list, _ := itemsOf(before)
	if role == grammar.AfterOther {
		return !lastIsThere(list)
	}
	slices.Sort(list)
	return len(slices.Compact(slices.Clone(list))) < len(list)
}

// finishedAgain tells whether a place is behind an item that is there already, and that the last
// byte finished, or white space came behind it.
func (c *Contract) finishedAgain(p place) bool {
	text := p.text + p.pending
	list, ok := itemsOf(text)
	return c.items && ok && strings.IndexByte("\"]} \t\n\r", text[len(text)-1]) >= 0 && lastIsThere(list)
}

// goesOnAfterEqual tells whether a reading goes on behind such an item.
func (c *Contract) goesOnAfterEqual(p place) bool {
	for _, e := range c.endings(c.state(p.mode, p.before, p.pending), p.pending[len(p.pending)-1], atEnd) {
		next, ok := c.emit(p, e.emitted, false)
		if !ok {
			continue
		}
		for t := range c.g.Terminals {
			if c.g.Terminals[t].Items != grammar.AfterOther && !c.g.Terminals[t].Ignored && c.viableAfter(next, grammar.Terminal(t)) {
				return true
			}
		}
	}
	return false
}

// viableAfter tells whether some way of a place goes on with a terminal.
func (c *Contract) viableAfter(p place, t grammar.Terminal) bool {
	return slices.ContainsFunc(p.ways, func(way []grammar.Terminal) bool {
		return c.chart.viable(append(slices.Clone(way), t))
	})
}
