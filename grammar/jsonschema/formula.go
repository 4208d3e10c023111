package jsonschema

import "gcdbench/grammar/jsonschema/internal/number"

// Schemas as formulas. For one kind of value (null, boolean, number, string, array, object) a
// schema is a boolean formula over literals, which are single constraints on values of that kind.
// The negation of a literal is again a formula over literals, so that not, oneOf and if need
// nothing of their own. A formula is brought into disjunctive normal form: a list of clauses, each
// a conjunction of literals, for which the grammar has rules.

// An op says what a literal constrains.
type op uint8

const (
	opTruth    op = iota // boolean: is n != 0
	opCompare            // number: compares with num as rel says
	opMultiple           // number: is a multiple of num
	opNumbers            // number: is one of nums
	opWhole              // number: is written without fraction and exponent
	opLength             // string: n..m characters; array: items; object: properties. m < 0: no limit
	opPattern            // string: is in the language of lang
	opStrings            // string: is one of strs
	opItems              // array: item i satisfies prefix[i], any item after those rest
	opContains           // array: n..m of the items from index at on satisfy goal
	opUnique             // array: no two items are equal
	opProps              // object: the values of keys satisfy what props says
	opRequired           // object: has the key strs[0]
	opNames              // object: every key satisfies goal
	opExists             // object: has a key in the language of lang whose value satisfies goal
)

// An origin is a keyword of a schema.
type origin struct {
	node    *node
	keyword string
}

// A literal is one constraint. It is immutable and interned, so that equal literals are one. Which
// fields count depends on op.
type literal struct {
	id     int // of an interned one, from 1
	op     op
	not    bool
	rel    number.Relation
	n, m   int
	at     int
	num    number.Decimal
	nums   []number.Decimal
	strs   []string
	set    map[string]bool // strs and nums, once they have been looked up
	lang   *language
	prefix []ref
	rest   ref
	goal   ref
	props  *propTable
	origin                 // the keyword that says it; of an interned one, the first
	places map[origin]bool // of an interned one: all keywords that say it
	notes  []string        // of an interned one: why it is enforced narrowly
}

// A propTable is what properties, patternProperties and additionalProperties of one schema say.
type propTable struct {
	keys  []string
	index map[string]int // of keys
	goals []ref          // by key
	langs []*language
	under []ref // by language: what the values of its keys satisfy
	extra ref   // what the values of all other keys satisfy
}

// declare names a key of which nothing is asked; it is false if the key is named.
func (p *propTable) declare(key string) bool {
	_, known := p.index[key]
	if !known {
		p.index[key] = len(p.keys)
		p.keys, p.goals = append(p.keys, key), append(p.goals, trueRef)
	}
	return !known
}

// valueOf appends the schemas that the value of a key must satisfy.
func (p *propTable) valueOf(key string, list []ref) ([]ref, error) {
	found := false
	if i, ok := p.index[key]; ok {
		list, found = append(list, p.goals[i]), true
	}
	for i, l := range p.langs {
		d, err := l.automaton()
		if err != nil {
			return nil, err
		}
		if d.MatchString(key) {
			list, found = append(list, p.under[i]), true
		}
	}
	if !found {
		list = append(list, p.extra)
	}
	return list, nil
}

// A formula is a literal, a conjunction, a disjunction, or another schema.
type formula struct {
	shape shape
	lit   *literal
	subs  []*formula
	ref   ref
	spare *spare // of a conjunction that may be left out, if it takes too long; nil if it may not
	// opposite is negated in place of the formula: it says the same in a shorter way; nil for the
	// formula itself.
	opposite *formula
}

// A spare says where a formula comes from that may be left out, and what the coverage says if it
// is.
type spare struct {
	origin
	pairs  int // pairs of clauses that may still be joined, by all formulas that share it
	run    int // in this run
	reason string
}

type shape uint8

const (
	isAnd shape = iota // the empty one is true
	isOr               // the empty one is false
	isLiteral
	isRef
)

var (
	always = &formula{shape: isAnd}
	never  = &formula{shape: isOr}
	// unknown stands for a keyword that is left out (Options.Lenient): it excludes nothing, and its
	// negation does not either.
	unknown = &formula{shape: isAnd, opposite: never}
)

func and(subs ...*formula) *formula { return &formula{shape: isAnd, subs: subs} }
func or(subs ...*formula) *formula  { return &formula{shape: isOr, subs: subs} }
func lit(l literal) *formula        { return &formula{shape: isLiteral, lit: &l} }
func schema(r ref) *formula         { return &formula{shape: isRef, ref: r} }

// schemas are formulas of references.
func schemas(list []ref) []*formula {
	subs := make([]*formula, len(list))
	for i, r := range list {
		subs[i] = schema(r)
	}
	return subs
}

func truth(ok bool) *formula {
	if ok {
		return always
	}
	return never
}

// fresh is a copy of a literal that may be changed and interned.
func (l *literal) fresh() literal {
	z := *l
	z.id, z.places, z.notes = 0, nil, nil
	return z
}

// negated is the complement of a literal among the values of its kind. If no literals express it,
// exact is false, and the formula is narrower.
func (c *normalizer) negated(l *literal) (f *formula, exact bool) {
	flip := l.fresh()
	flip.not = !l.not
	switch l.op {
	case opTruth:
		flip.not, flip.n = false, 1-l.n
	case opCompare:
		flip.not, flip.rel = false, l.rel.Not()
	case opLength, opContains:
		return l.otherCounts(), true
	case opItems:
		return l.someItem(), true
	case opProps:
		return c.someProperty(l), true
	case opRequired:
		return lit(l.onKey(l.strs[0], falseRef)), true
	case opNames:
		return lit(literal{op: opExists, lang: c.nameLanguage(l.goal.not()), goal: trueRef, origin: l.origin}), true
	case opExists:
		table := &propTable{langs: []*language{l.lang}, under: []ref{l.goal.not()}, extra: trueRef}
		return lit(literal{op: opProps, props: table, origin: l.origin}), true
	case opPattern:
		if l.lang.narrow && l.lang.wide == nil {
			return never, false
		}
		if l.lang.narrow { // what is not even in the wide one is not in it
			flip.lang = l.lang.wide
		}
	}
	return lit(flip), true
}

// otherCounts is the negation of n..m.
func (l *literal) otherCounts() *formula {
	f := or()
	other := l.fresh()
	if l.n > 0 {
		other.n, other.m = 0, l.n-1
		f.subs = append(f.subs, lit(other))
	}
	if l.m >= 0 {
		other.n, other.m = l.m+1, -1
		f.subs = append(f.subs, lit(other))
	}
	return f
}

// someItem is the negation of opItems: one of the items is not as it should be.
func (l *literal) someItem() *formula {
	f := or()
	for i, r := range l.prefix {
		if r == trueRef {
			continue
		}
		prefix := make([]ref, i+1)
		prefix[i] = r.not()
		f.subs = append(f.subs, and(
			lit(literal{op: opLength, n: i + 1, m: -1, origin: l.origin}),
			lit(literal{op: opItems, prefix: prefix, origin: l.origin})))
	}
	if l.rest != trueRef {
		f.subs = append(f.subs, lit(literal{op: opContains, goal: l.rest.not(), at: len(l.prefix), n: 1, m: -1, origin: l.origin}))
	}
	return f
}

// requires asks for a key.
func (o origin) requires(key string) literal {
	return literal{op: opRequired, strs: []string{key}, origin: o}
}

// onKey constrains the value of one key.
func (o origin) onKey(key string, r ref) literal {
	table := &propTable{keys: []string{key}, index: map[string]int{key: 0}, goals: []ref{r}, extra: trueRef}
	return literal{op: opProps, props: table, origin: o}
}

// someProperty is the negation of opProps: the value of one of the keys is not as it should be.
func (c *normalizer) someProperty(l *literal) *formula {
	f := or()
	exists := func(lang *language, r ref) {
		if r != trueRef {
			f.subs = append(f.subs, lit(literal{op: opExists, lang: lang, goal: r.not(), origin: l.origin}))
		}
	}
	for i, key := range l.props.keys {
		if r := l.props.goals[i]; r != trueRef {
			f.subs = append(f.subs, and(lit(l.requires(key)), lit(l.onKey(key, r.not()))))
		}
	}
	for i, lang := range l.props.langs {
		exists(lang, l.props.under[i])
	}
	if l.props.extra != trueRef {
		exists(c.outsideLanguage(l.props.keys, l.props.langs), l.props.extra)
	}
	return f
}
