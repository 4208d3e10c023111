package items

import (
	"hash/fnv"
	"strings"
	"unicode/utf8"
)

// A tree is a set of values, in the order of their texts: a treap, whose shape depends on the set
// alone. It is never changed, and nil is the empty one.
type tree struct {
	value       *value
	weight      uint32 // no child has more
	left, right *tree
}

// with is the set with one value more.
func (t *tree) with(v *value) *tree {
	h := fnv.New32a()
	h.Write([]byte(v.text))
	return t.insert(&tree{value: v, weight: h.Sum32()})
}

func (t *tree) insert(n *tree) *tree {
	if t == nil {
		return n
	}
	c := *t
	switch strings.Compare(n.value.text, t.value.text) {
	case 0:
		return t
	case -1:
		if c.left = t.left.insert(n); c.left.weight > c.weight {
			up := *c.left
			c.left, up.right = up.right, &c
			return &up
		}
	case 1:
		if c.right = t.right.insert(n); c.right.weight > c.weight {
			up := *c.right
			c.right, up.left = up.left, &c
			return &up
		}
	}
	return &c
}

// from is the first value whose text is not before a text; nil if there is none.
func (t *tree) from(text string) (first *value) {
	for t != nil {
		if t.value.text >= text {
			first, t = t.value, t.left
		} else {
			t = t.right
		}
	}
	return first
}

// has tells whether a value is in the set.
func (t *tree) has(v *value) bool {
	first := t.from(v.text)
	return first != nil && first.text == v.text
}

// all calls visit for each value.
func (t *tree) all(visit func(*value)) {
	if t != nil {
		t.left.all(visit)
		visit(t.value)
		t.right.all(visit)
	}
}

// goingOn calls visit for each way in which texts of the set go on behind a text: for a character,
// or a byte that is none, and what comes behind it in one of those texts.
func (t *tree) goingOn(text string, visit func(rest string)) {
	for first := t.from(text); first != nil; {
		rest, ok := strings.CutPrefix(first.text, text)
		if !ok || rest == "" {
			return
		}
		visit(rest)
		_, n := utf8.DecodeRuneInString(rest)
		if rest[n-1] == endOfString {
			return // nothing comes behind it
		}
		after := []byte(text + rest[:n])
		after[len(after)-1]++
		first = t.from(string(after))
	}
}
