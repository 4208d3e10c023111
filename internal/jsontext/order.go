package jsontext

import (
	"bytes"
	"slices"
)

// Order is the order in which a schema names keys: every list of "properties" in it.
type Order [][]string

// DeclaredOrder reads the lists of keys of a schema, wherever they stand.
func DeclaredOrder(schema []byte) (order Order) {
	var visit func(v *Value, properties bool)
	visit = func(v *Value, properties bool) {
		var required []string
		for i, x := range v.Items {
			visit(x, v.Kind == Object && v.Keys[i] == "properties")
			if v.Kind == Object && v.Keys[i] == "required" {
				required = x.strings() // none of a property of that name
			}
		}
		switch {
		case !properties:
			order.require(v, required)
		case v.Kind == Object:
			order = append(order, v.Keys)
		}
	}
	if v, err := parseAll(schema); err == nil {
		visit(v, false)
	}
	return order
}

// strings are the items of an array of strings; nil for other values.
func (v *Value) strings() (list []string) {
	for _, x := range v.Items {
		if v.Kind != Array || x.Kind != String {
			return nil
		}
		list = append(list, x.Text)
	}
	return list
}

// require adds the keys that an object has to have after those that it declares.
func (o *Order) require(v *Value, required []string) {
	var list []string
	for i, x := range v.Items {
		if v.Kind == Object && v.Keys[i] == "properties" {
			list = append(list, x.Keys...)
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
// counted as they come. What is not JSON stays as it is.
func sortedBy(text []byte, count *int, choose func(n int, keys []string) []string) []byte {
	v, err := parseAll(text)
	if err != nil {
		return text
	}
	return slices.Concat(text[:v.From], v.sorted(text, count, choose), text[v.To:])
}

// sorted is sortedBy for a value of the text.
func (v *Value) sorted(text []byte, count *int, choose func(n int, keys []string) []string) []byte {
	at := *count
	if v.Kind == Object {
		*count++
	}
	members, order := make([][]byte, len(v.Items)), make([]int, len(v.Items))
	begins, end := make([]int, len(v.Items)+1), v.From+1
	for i, x := range v.Items {
		begins[i] = x.From
		if v.Kind == Object { // white space and a comma may come before the key
			begins[i] = end + bytes.IndexByte(text[end:], '"')
		}
		members[i], order[i], end = slices.Concat(text[begins[i]:x.From], x.sorted(text, count, choose)), i, x.To
	}
	begins[len(v.Items)] = v.To
	if v.Kind == Object {
		if list := choose(at, v.Keys); list != nil {
			slices.SortStableFunc(order, func(a, b int) int { return place(list, v.Keys[a]) - place(list, v.Keys[b]) })
		}
	}
	out := slices.Clone(text[v.From:begins[0]])
	for i, x := range v.Items {
		out = slices.Concat(out, members[order[i]], text[x.To:begins[i+1]])
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
