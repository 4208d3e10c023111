package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Order is the order in which a schema names keys: every list of "properties" in it.
type Order [][]string

// DeclaredOrder reads the lists of keys of a schema, wherever they stand.
func DeclaredOrder(schema []byte) (order Order) {
	var visit func(text []byte, properties bool)
	visit = func(text []byte, properties bool) {
		n, ok := parse(text)
		if !ok {
			return
		}
		var keys []string
		var required []string
		for _, m := range n.parts {
			keys = append(keys, m.key)
			visit(m.value, n.object && m.key == "properties")
			if n.object && m.key == "required" && json.Unmarshal(m.value, &required) != nil {
				required = nil // a property of that name
			}
		}
		if properties && n.object {
			order = append(order, keys)
		}
		if !properties {
			order.require(n, required)
		}
	}
	visit(schema, false)
	return order
}

// require adds the keys that an object has to have after those that it declares.
func (o *Order) require(n node, required []string) {
	var list []string
	for _, m := range n.parts {
		if m.key == "properties" {
			if properties, ok := parse(m.value); ok && properties.object {
				for _, p := range properties.parts {
					list = append(list, p.key)
				}
			}
		}
	}
	declared := len(list)
	for _, k := range required {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	if len(list) > declared {
		*o = append(Order{list}, *o...) // before the shorter list of the same keys
	}
}

// Together is an order of one list, of all keys by where they stand first. It is for objects
// whose keys are declared in several places, as by allOf.
func (o Order) Together() Order {
	var all []string
	seen := map[string]bool{}
	for _, list := range o {
		for _, k := range list {
			if !seen[k] {
				seen[k] = true
				all = append(all, k)
			}
		}
	}
	return Order{all}
}

// ShortestFirst is the same order with the shorter lists first: of those that have as many keys
// of an object it prefers the one that has the fewest others, as a choice among variants of an
// object would.
func (o Order) ShortestFirst() Order {
	return slices.SortedStableFunc(slices.Values(o), func(a, b []string) int { return len(a) - len(b) })
}

// Of is the list that most keys of an object are in.
func (o Order) Of(keys []string) (best []string) {
	most := 0
	for _, list := range o {
		n := 0
		for _, k := range keys {
			if slices.Contains(list, k) {
				n++
			}
		}
		if n > most {
			best, most = list, n
		}
	}
	return best
}

// Sorted writes objects with their keys in the order of the schema, and others after them. White
// space stays where it was: members change places, and what stands between them does not.
func (o Order) Sorted(text []byte) []byte {
	return sortedBy(text, new(int), func(_ int, keys []string) []string { return o.Of(keys) })
}

// SortedFor is Sorted, but each object has that list of keys with which a reader gets furthest,
// or all lists together. reads says how far it gets.
func (o Order) SortedFor(text []byte, reads func([]byte) int) []byte {
	chosen := map[int][]string{}
	choose := func(n int, keys []string) []string {
		if list, ok := chosen[n]; ok {
			return list
		}
		return o.Of(keys)
	}
	var further Order // each list, and what others declare after it, as where allOf has several
	for _, list := range o {
		further = append(further, slices.Concat(list, o.Together()[0]))
	}
	objects := new(int)
	best := sortedBy(text, objects, choose)
	most := reads(best)
	for n := range *objects {
		before, had := chosen[n]
		for _, list := range slices.Concat(o, further) {
			chosen[n] = list
			if t := sortedBy(text, new(int), choose); reads(t) > most {
				best, most, before, had = t, reads(t), list, true
			}
		}
		if delete(chosen, n); had {
			chosen[n] = before
		}
	}
	return best
}

// sortedBy sorts each object by the list that is chosen for it; nil leaves it as it is. Objects are
// counted as they come.
func sortedBy(text []byte, count *int, choose func(n int, keys []string) []string) []byte {
	if !json.Valid(text) {
		return text
	}
	n, ok := parse(text)
	if !ok {
		return text
	}
	at := *count
	if n.object {
		*count++
	}
	var keys []string
	members := make([][]byte, len(n.parts))
	for i, m := range n.parts {
		keys = append(keys, m.key)
		members[i] = slices.Concat(m.head, sortedBy(m.value, count, choose))
	}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	if list := choose(at, keys); n.object && list != nil {
		slices.SortStableFunc(order, func(a, b int) int { return place(list, keys[a]) - place(list, keys[b]) })
	}
	out := slices.Clone(n.before)
	for i, m := range n.parts {
		out = append(append(out, members[order[i]]...), m.behind...)
	}
	return out
}

// place is where a key stands in a list, its end if it does not.
func place(list []string, key string) int {
	if i := slices.Index(list, key); i >= 0 {
		return i
	}
	return len(list)
}

// node is an object or an array, taken apart so that its parts put together are its text.
type node struct {
	object bool
	before []byte // up to the first part
	parts  []part
}

// part is a member or an item.
type part struct {
	key    string
	head   []byte // key and colon, with the white space there
	value  []byte
	behind []byte // up to the next part, or to the end
}

// parse takes an object or an array apart; ok is false for other values, and for what is not
// JSON.
func parse(text []byte) (n node, ok bool) {
	if !json.Valid(text) {
		return n, false
	}
	depth, at, end, from, colon := 0, 0, 0, 0, -1 // end: of the last piece that is no space
	add := func() {                               // what was read since from is a part, up to end
		p := part{value: text[from:end]}
		if colon >= 0 {
			p.head, p.value = text[from:colon], text[colon:end]
			json.Unmarshal(bytes.TrimRight(p.head, " \t\r\n:"), &p.key) // a string, since the text is valid
		}
		n.parts, from, colon = append(n.parts, p), end, -1
	}
	for _, p := range Pieces(text) {
		begin := at
		at += len(p)
		opens, closes := p[0] == '{' || p[0] == '[', p[0] == '}' || p[0] == ']'
		switch {
		case p.IsSpace():
			continue
		case depth == 0 && opens:
			n.object, n.before, ok, from = p[0] == '{', slices.Clone(text[:at]), true, at
		case depth == 1 && (closes || p[0] == ','):
			if end > from {
				add()
			}
		case depth == 1 && p[0] == ':' && n.object:
			colon = at
		case depth == 1 && len(bytes.Trim(text[from:begin], ", \t\r\n")) == 0: // a part begins
			n.between(text[from:begin])
			from = begin
		}
		if opens {
			depth++
		}
		if closes {
			depth--
		}
		end = at
	}
	n.between(text[from:])
	return n, ok
}

// between adds what stands between two parts, before the first, or after the last.
func (n *node) between(text []byte) {
	if len(n.parts) == 0 {
		n.before = append(n.before, text...)
		return
	}
	n.parts[len(n.parts)-1].behind = text
}
