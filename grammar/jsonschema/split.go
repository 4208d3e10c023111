package jsonschema

import (
	"cmp"
	"fmt"
	"slices"

	"gcdbench/grammar/automata"
)

// Patterns of patternProperties, and literals that ask for some key, cut the keys that a clause
// does not name into classes: the keys that it is about, and the others. Patterns that people write
// are mostly disjoint, and n of them make n+1 classes. But n patterns that overlap in every way
// make 2^n, each with an automaton that goes into a terminal. Hardly any of so many classes has a
// key that somebody would write: such a key matches three of the patterns at once, or ten. So where
// there are too many classes, those of keys that match most patterns are left out. Such keys are
// then refused, and the coverage says so.

const (
	// maxSplits bounds the classes of other keys that patterns cut.
	maxSplits = 256
	// maxCut bounds the states of the automata that cutting makes, one pattern after the other; one
	// on demand counts as lateStates. Beyond it all keys that are not named are left out.
	maxCut     = 1 << 17
	lateStates = 1 << 14
)

// A keySplit has the classes of other keys, while they are cut.
type keySplit struct {
	c       *normalizer
	named   []string    // the keys that are in no class in the end
	classes []extraKeys // of which no two have a key in common
	langs   []*language // that cut them
	most    int         // patterns that a key may match; -1 for any number
	states  int         // of the automata that were made; more than maxCut if there are no classes for that
}

// splitExtras cuts the keys that are not named into classes by the patterns that they match.
func (c *normalizer) splitExtras(s *objectShape, x clause, allowed *automata.DFA) error {
	// No automaton stands for all keys that are not named, which is what most clauses have: the
	// JSON text of those is written down at once (quoted.OtherKeys).
	q := &keySplit{c: c, named: s.keys, classes: []extraKeys{{}}, most: -1}
	if allowed != automata.AnyText() || !plainExtras(x) {
		q.classes[0].d = allowed
	}
	tables := literalsOf(x, opProps)
	if err := q.together(slices.Concat(tables, s.exists), allowed); err != nil {
		return err
	}
	for _, l := range tables {
		if err := q.table(l); err != nil {
			return err
		}
	}
	for _, l := range s.exists {
		if err := q.cut(l, l.lang, &extraKeys{counts: []bool{true}}, &extraKeys{counts: []bool{false}}); err != nil {
			return err
		}
	}
	if err := q.exclude(); err != nil {
		return err
	}
	q.note(x)
	s.extras = q.classes
	return nil
}

// manyPatterns is how many patterns cut the keys together, and maxJoint bounds the states of that.
const (
	manyPatterns = 6
	maxJoint     = 1 << 16
)

// together cuts by the patterns of some literals all at once, where they are many and small, and
// overlap.
func (q *keySplit) together(list []*literal, allowed *automata.DFA) error {
	var langs []*language
	for _, l := range list {
		if l.props != nil {
			langs = append(langs, l.props.langs...)
		} else {
			langs = append(langs, l.lang)
		}
	}
	slices.SortFunc(langs, func(a, b *language) int { return cmp.Compare(a.key, b.key) })
	if langs = slices.CompactFunc(langs, (*language).equal); len(langs) < manyPatterns {
		return nil
	}
	key := togetherKey{of: allowed}
	for _, lang := range langs {
		key.langs += fmt.Sprintf("%d %s ", len(lang.key), lang.key)
	}
	kept := &q.c.kept.together
	if slices.ContainsFunc(langs, func(l *language) bool { return l.local }) {
		kept = &shared[togetherKey, cutKeys]{}
	}
	cut, err := kept.get(key, func() (cutKeys, error) {
		cut, err := q.cutTogether(list[0], langs, allowed)
		cut.bytes += len(key.langs)
		return cut, err
	})
	if err != nil {
		return err
	}
	if cut.classes != nil {
		q.langs, q.classes, q.most = langs, slices.Clone(cut.classes), cut.most
	}
	return nil
}

// cutTogether makes classes of the keys that allowed accepts; none if they are made one pattern
// after the other.
func (q *keySplit) cutTogether(l *literal, langs []*language, allowed *automata.DFA) (cut cutKeys, err error) {
	all := make([]*automata.DFA, len(langs))
	for i, lang := range langs {
		if all[i], err = lang.automaton(); err != nil {
			return cut, err
		}
	}
	joint, ok := automata.NewJoint(allowed, all, maxJoint)
	if !ok || len(joint.Combinations()) <= len(langs)+1 {
		return cut, nil
	}
	some := keySplit{c: q.c, most: -1}
	for _, members := range joint.Combinations() {
		k := extraKeys{in: len(members), within: make([]bool, len(langs))}
		for _, i := range members {
			k.within[i] = true
		}
		some.classes = append(some.classes, k)
	}
	if err := some.limit(l); err != nil {
		return cut, err
	}
	var chosen []int
	for p, members := range joint.Combinations() {
		if some.most < 0 || len(members) <= some.most {
			chosen = append(chosen, p)
		}
	}
	for i, d := range joint.Parts(chosen) {
		some.classes[i].d = d
	}
	return cutKeys{joint.Bytes(), some.classes, some.most}, nil
}

// exclude takes the keys that are named out of the classes. It comes last: what patterns make of
// all keys is the same for every object that has them, and small, and a few keys are quickly taken
// out of it. A class without a key goes, else a comma after the last key could be followed by
// nothing.
func (q *keySplit) exclude() error {
	var left []extraKeys
	for _, k := range q.classes {
		if k.d != nil {
			d, err := q.c.kept.except(k.d, q.named)
			if err != nil {
				return err
			}
			if k.d = d; d.IsEmpty() {
				continue
			}
		}
		left = append(left, k)
	}
	q.classes = left
	return nil
}

// plainExtras tells whether all keys that a clause does not name are alike to it.
func plainExtras(x clause) bool {
	for _, l := range x {
		if l.op == opExists || l.op == opProps && len(l.props.langs) > 0 {
			return false
		}
	}
	return true
}

// table adds what one schema's properties say to each class.
func (q *keySplit) table(l *literal) error {
	table := l.props
	// First by how many patterns match; then those that none matches get the additional schema.
	for i, lang := range table.langs {
		mark := ref(-1 - i)
		if err := q.cut(l, lang, &extraKeys{values: []ref{table.under[i], mark}}, &extraKeys{}); err != nil {
			return err
		}
	}
	var others []extraKeys
	for _, k := range q.classes {
		matched := slices.ContainsFunc(k.values, func(r ref) bool { return r < 0 })
		k.values = slices.DeleteFunc(slices.Clone(k.values), func(r ref) bool { return r < 0 })
		if !matched {
			k.values = append(k.values, table.extra)
		}
		if !slices.Contains(k.values, falseRef) {
			others = append(others, k)
		}
	}
	q.classes = others
	return nil
}

// cut cuts every class in two, the keys in lang and the others, and appends yes and no to them. The
// literal is the one that asks for it.
func (q *keySplit) cut(l *literal, lang *language, yes, no *extraKeys) error {
	if at := slices.IndexFunc(q.langs, lang.equal); at >= 0 { // another schema has cut them alike
		for i, k := range q.classes {
			more := no
			if k.within[at] {
				more = yes
			}
			q.classes[i] = k.with(more)
		}
		return nil
	}
	o, err := lang.automaton()
	if err != nil {
		return err
	}
	q.langs = append(q.langs, lang)
	var all []extraKeys
	for _, k := range q.classes {
		if err := q.c.ctx.Err(); err != nil {
			return err
		}
		out := k.d
		in, err := q.c.kept.intersect(k.d, o, false)
		if err != nil {
			return err
		}
		if !in.IsEmpty() {
			if k.in != q.most {
				all = k.appendPart(all, in, yes, true)
			}
			if out, err = q.c.kept.intersect(k.d, o, true); err != nil {
				return err
			}
		}
		all = k.appendPart(all, out, no, false)
		for _, d := range []*automata.DFA{in, out} {
			if d.Rows() == nil {
				q.states += d.NumStates()
			} else {
				q.states += lateStates
			}
		}
		if q.states > maxCut {
			q.classes = nil
			return nil
		}
	}
	q.classes = all
	return q.limit(l)
}

// appendPart appends a part of a class, if it has a key: the keys of a language, or the others.
func (k extraKeys) appendPart(all []extraKeys, d *automata.DFA, more *extraKeys, within bool) []extraKeys {
	if d.IsEmpty() {
		return all
	}
	part := k.with(more)
	part.d, part.in, part.within = d, k.in+btoi(within), append(slices.Clone(k.within), within)
	return append(all, part)
}

// with is a class of which more is known.
func (k extraKeys) with(more *extraKeys) extraKeys {
	k.values, k.counts = append(slices.Clone(k.values), more.values...), append(slices.Clone(k.counts), more.counts...)
	return k
}

// limit leaves out classes if there are too many: those whose keys match most patterns. The classes
// whose keys match one pattern more than they must are kept, since patterns are for these.
func (q *keySplit) limit(l *literal) error {
	if len(q.classes) > maxSplits {
		if err := q.exclude(); err != nil { // some may be left without a key
			return err
		}
	}
	for len(q.classes) > maxSplits {
		least, most := q.classes[0].in, 0
		for _, k := range q.classes {
			least, most = min(least, k.in), max(most, k.in)
		}
		if most <= least+1 {
			return refusal("too many classes of keys", "the patterns of patternProperties cut the keys into more than %d", maxSplits).at(l.node, patternKeyword(l))
		}
		q.most = most - 1
		q.classes = slices.DeleteFunc(q.classes, func(k extraKeys) bool { return k.in == most })
	}
	return nil
}

// patternKeyword is the keyword of a table that has patterns.
func patternKeyword(l *literal) string {
	if l.node != nil && l.node.get("patternProperties") != nil {
		return "patternProperties"
	}
	return l.keyword
}

// note says in the coverage which keys were left out.
func (q *keySplit) note(x clause) {
	reason := fmt.Sprintf("keys that match more than %d of the patterns are left out", q.most)
	if q.states > maxCut {
		reason = fmt.Sprintf("keys that are not named are left out: to tell which patterns they match takes more than %d states", maxCut)
	} else if q.most < 0 {
		return
	}
	q.c.dropped = true
	for _, l := range x {
		if l.op == opProps && len(l.props.langs) > 0 || l.op == opExists {
			q.c.cover(l.node, patternKeyword(l), Narrower, reason)
		}
	}
}
