package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestMutants changes the instances of the embedded schemas a little, and compares with a
// validator that shares no code with this project: a text that it refuses must be refused, in any
// order of keys. Texts that it accepts and the grammar does not are counted; there must be few.
// GCDBENCH_FULL makes it long.
func TestMutants(t *testing.T) {
	rounds := seed.Rounds(10, 20, 5000)
	seed := seed.New(t)
	src := must.Get(datasets.Lookup("schema-samples"))(t)
	d := must.Get(datasets.Load(t.Context(), src, datasets.Query{Negatives: -1}))(t)
	bySchema, all := map[*datasets.Schema][]*tree{}, &pool{}
	for i := range d.Samples {
		x := treeOf(d.Samples[i].Content)
		bySchema[d.Samples[i].Schema] = append(bySchema[d.Samples[i].Schema], x)
		all.add(x)
	}
	var total mutantCounts
	for _, s := range d.Schemas {
		own := &pool{}
		for _, x := range bySchema[s] {
			own.add(x)
		}
		total.compare(t, s, bySchema[s], mutator{rand.New(rand.NewPCG(seed, 9)), own, all}, rounds)
	}
	t.Logf("%d schemas, %d texts, %d of them valid; of those %d are refused, %d if keys may come in any order", total.schemas, total.texts, total.valid, total.refusedInOrder, total.refused)
	if total.valid*20 < total.texts || total.refused*20 > total.valid {
		t.Error("too few valid texts, or too many refused")
	}
}

// mutantCounts is how the comparison went.
type mutantCounts struct {
	schemas, texts, valid, refused, refusedInOrder int
}

// compare is for one schema; one that is not supported is skipped.
func (n *mutantCounts) compare(t *testing.T, s *datasets.Schema, seeds []*tree, m mutator, rounds int) {
	inOrder, _, err := acceptsWith(t, s.Text, jsonschema.Options{})
	if err != nil {
		return
	}
	anyOrder, _, err := acceptsWith(t, s.Text, jsonschema.Options{AnyOrder: true})
	if err != nil {
		t.Errorf("%s, in any order: %v", s.ID, err)
		return
	}
	judge, err := labels.New(s.Text)
	if err != nil {
		t.Fatalf("%s: %v", s.ID, err)
	}
	n.schemas++
	for range rounds {
		text := m.mutant(seeds[m.IntN(len(seeds))]).String()
		valid, err := judge.Valid([]byte(text))
		if err != nil {
			t.Fatalf("%s: %s: %v", s.ID, text, err)
		}
		ordered, loose := inOrder([]byte(text)), anyOrder([]byte(text))
		if !valid && (ordered || loose) && !escapedHost.MatchString(text) {
			t.Errorf("%s: an invalid text is accepted (in order: %v, in any order: %v): %s", s.ID, ordered, loose, text)
		}
		if n.texts++; valid {
			n.valid++
			if !ordered {
				n.refusedInOrder++
			}
			if !loose {
				if n.refused++; n.refused <= 10 {
					t.Logf("%s: valid, refused: %s", s.ID, text)
				}
			}
		}
	}
}

// escapedHost finds what the validator refuses and RFC 3986 does not: escapes of ASCII in the name
// of a host.
var escapedHost = regexp.MustCompile(`//[^/"?#]*%`)

// A tree is a JSON text in parts: an object has keys, as they are written, and items; an array
// items; all else is raw.
type tree struct {
	kind  byte // the first character
	raw   string
	keys  []string
	items []*tree
}

// treeOf parses a JSON text, which is right.
func treeOf(text []byte) *tree {
	text = bytes.TrimSpace(text)
	x := &tree{kind: text[0], raw: string(text)}
	if x.kind != '{' && x.kind != '[' {
		return x
	}
	in := json.NewDecoder(bytes.NewReader(text))
	next := func(v any) {
		if err := in.Decode(v); err != nil {
			panic(err)
		}
	}
	for in.Token(); in.More(); {
		var item json.RawMessage
		if x.kind == '{' {
			key, _ := in.Token()
			written, _ := json.Marshal(key)
			x.keys = append(x.keys, string(written))
		}
		next(&item)
		x.items = append(x.items, treeOf(item))
	}
	return x
}

// String is the text, as Python writes it.
func (x *tree) String() string {
	var parts []string
	for i, item := range x.items {
		if x.kind == '{' {
			parts = append(parts, x.keys[i]+": "+item.String())
		} else {
			parts = append(parts, item.String())
		}
	}
	switch x.kind {
	case '{':
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return x.raw
}

func (x *tree) clone() *tree {
	c := &tree{kind: x.kind, raw: x.raw, keys: slices.Clone(x.keys)}
	for _, item := range x.items {
		c.items = append(c.items, item.clone())
	}
	return c
}

// all appends the tree and those inside it.
func (x *tree) all(list []*tree) []*tree {
	list = append(list, x)
	for _, item := range x.items {
		list = item.all(list)
	}
	return list
}

// A pool has what mutants are made of.
type pool struct {
	values []*tree
	keys   []string
}

func (p *pool) add(x *tree) {
	for _, part := range x.all(nil) {
		p.keys = append(p.keys, part.keys...)
		if len(part.raw) < 200 {
			p.values = append(p.values, part)
		}
	}
}

// A mutator changes texts, with parts of those of the same schema mostly, and of all schemas.
type mutator struct {
	*rand.Rand
	own, others *pool
}

func (m mutator) pool() *pool {
	if m.IntN(3) > 0 {
		return m.own
	}
	return m.others
}

func (m mutator) value() *tree { p := m.pool(); return p.values[m.IntN(len(p.values))].clone() }

// key is one that an object does not have; false if there is no luck.
func (m mutator) key(x *tree) (string, bool) {
	p := m.pool()
	if len(p.keys) == 0 {
		p = m.others
	}
	key := p.keys[m.IntN(len(p.keys))]
	return key, !slices.Contains(x.keys, key)
}

// mutant is a tree with one or two changes.
func (m mutator) mutant(x *tree) *tree {
	x = x.clone()
	for range 1 + m.IntN(2) {
		parts := x.all(nil)
		part := parts[m.IntN(len(parts))]
		switch part.kind {
		case '{', '[':
			m.changeMembers(part)
		case '"':
			m.changeString(part)
		default:
			m.changeNumber(part)
		}
	}
	return x
}

// changeMembers removes, adds, replaces or renames a member or item.
func (m mutator) changeMembers(x *tree) {
	i := m.IntN(len(x.items) + 1)
	full := i < len(x.items)
	switch what := m.IntN(5); {
	case what == 0 && full:
		x.items = slices.Delete(x.items, i, i+1)
		if x.kind == '{' {
			x.keys = slices.Delete(x.keys, i, i+1)
		}
	case what == 1 && x.kind == '{':
		if key, ok := m.key(x); ok {
			x.keys, x.items = slices.Insert(x.keys, i, key), slices.Insert(x.items, i, m.value())
		}
	case what == 1:
		item := m.value()
		if full && m.IntN(2) == 0 {
			item = x.items[i].clone()
		}
		x.items = append(x.items, item)
	case what == 2 && full:
		x.items[i] = m.value()
	case what == 3 && full && x.kind == '{':
		if key, ok := m.key(x); ok {
			x.keys[i] = key
		}
	case what == 4:
		*x = *m.value()
	}
}

// changeString removes, changes or doubles a character.
func (m mutator) changeString(x *tree) {
	text := []rune(x.raw[1 : len(x.raw)-1])
	if len(text) == 0 || strings.Contains(x.raw, `\`) || m.IntN(3) == 0 {
		*x = *m.value()
		return
	}
	i := m.IntN(len(text))
	switch m.IntN(3) {
	case 0:
		text = slices.Delete(text, i, i+1)
	case 1:
		text[i] = []rune("aZ09_-./: +é🎉")[m.IntN(13)]
	case 2:
		text = slices.Insert(text, i, text[i])
	}
	x.raw = `"` + string(text) + `"`
}

var someNumbers = strings.Fields(`0 1 -1 2 8 16 60 100 120 400 599 600 1000 0.5 0.05 1.5 12.34 1.0 3.0 -0
	1e2 0e0 1.5e1 2e-1 10e-1 1E+3 0.5e1 1.2e3 12e1 65536 2147483648`)

// changeNumber replaces what is neither string, array nor object.
func (m mutator) changeNumber(x *tree) {
	if m.IntN(2) == 0 {
		*x = *m.value()
		return
	}
	*x = tree{kind: '0', raw: someNumbers[m.IntN(len(someNumbers))]}
}
