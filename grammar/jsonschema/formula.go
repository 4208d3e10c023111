package jsonschema

// Schemas as formulas. For one kind of value (null, boolean, number, string, array, object) a schema is
// a boolean formula over literals: single constraints on values of that kind. A literal's negation is
// again a formula over literals, so that not, oneOf and if need nothing of their own. A formula is
// brought into disjunctive normal form: a list of clauses, each a conjunction of literals, which are
// what the grammar has rules for.

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
	opItems              // array: item i satisfies prefix[i], the others rest
	opContains           // array: n..m of the items from index at on satisfy goal
	opUnique             // array: no two items are equal
	opProps              // object: the values of keys satisfy what props says
	opRequired           // object: has the key strs[0]
	opNames              // object: every key satisfies goal
	opExists             // object: has a key in the language of lang whose value satisfies goal
)

// A relation of opCompare.
type relation uint8

const (
	less relation = iota
	lessEqual
	greater
	greaterEqual
)

// A literal is one constraint. It is immutable and interned by key, so that equal ones are one.
type literal struct {
	id      int
	op      op
	not     bool
	rel     relation
	n, m    int
	at      int
	num     decimal
	nums    []decimal
	strs    []string
	set     map[string]bool // strs and nums, once they have been looked up
	lang    *language
	prefix  []ref
	rest    ref
	goal    ref
	props   *propTable
	node    *node // where it comes from; the first place, if it is interned
	keyword string
	places  map[origin]bool // of an interned one: all places
	notes   []string        // what was noted about it
}

// An origin is a keyword of a schema.
type origin struct {
	node    *node
	keyword string
}

// A propTable is what properties, patternProperties and additionalProperties of one schema say.
type propTable struct {
	keys  []string
	index map[string]int
	goals []ref
	langs []*language
	under []ref // by langs
	extra ref
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
	// opposite is what is negated in place of the formula: the same in a shorter way; nil for itself.
	opposite *formula
}

// A spare says where a formula comes from that may be left out, and what is left out with it.
type spare struct {
	pairs   int // how many pairs of clauses may still be joined, for all that share it
	node    *node
	keyword string
	reason  string
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
	// unknown is what is left out (Options.Lenient): it excludes nothing, and its negation does not either.
	unknown = &formula{shape: isAnd, opposite: never}
)

func and(subs ...*formula) *formula { return &formula{shape: isAnd, subs: subs} }
func or(subs ...*formula) *formula  { return &formula{shape: isOr, subs: subs} }
func lit(l literal) *formula        { return &formula{shape: isLiteral, lit: &l} }
func schema(r ref) *formula         { return &formula{shape: isRef, ref: r} }

func truth(ok bool) *formula {
	if ok {
		return always
	}
	return never
}

// negated is the complement of a literal among the values of its kind. ok is false if no literals
// express it; what is then given is narrower.
func (l *literal) negated() (f *formula, ok bool) {
	flip := *l
	flip.id, flip.not, flip.places, flip.notes = 0, !l.not, nil, nil
	switch l.op {
	case opTruth:
		flip.not, flip.n = false, 1-l.n
	case opCompare:
		flip.not, flip.rel = false, [...]relation{less: greaterEqual, lessEqual: greater, greater: lessEqual, greaterEqual: less}[l.rel]
	case opLength, opContains:
		return l.otherCounts(), true
	case opItems:
		return l.someItem(), true
	case opProps:
		return l.someProperty(), true
	case opRequired:
		return lit(l.onKey(l.strs[0], falseRef)), true
	case opNames:
		return lit(literal{op: opExists, lang: &language{keyOf: l.goal.not()}, goal: trueRef, node: l.node, keyword: l.keyword}), true
	case opExists:
		table := &propTable{langs: []*language{l.lang}, under: []ref{l.goal.not()}, extra: trueRef}
		return lit(literal{op: opProps, props: table, node: l.node, keyword: l.keyword}), true
	case opPattern:
		if l.lang.narrow && l.lang.wide == nil {
			return never, false
		}
		if l.lang.narrow { // what is not even in the wide one is not in it
			flip.lang = l.lang.wide
		}
	case opUnique:
		return never, false
	}
	return lit(flip), true
}

// otherCounts is the negation of n..m.
func (l *literal) otherCounts() *formula {
	f := or()
	if l.n > 0 {
		few := *l
		few.id, few.n, few.m, few.places, few.notes = 0, 0, l.n-1, nil, nil
		f.subs = append(f.subs, lit(few))
	}
	if l.m >= 0 {
		many := *l
		many.id, many.n, many.m, many.places, many.notes = 0, l.m+1, -1, nil, nil
		f.subs = append(f.subs, lit(many))
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
			lit(literal{op: opLength, n: i + 1, m: -1, node: l.node, keyword: l.keyword}),
			lit(literal{op: opItems, prefix: prefix, node: l.node, keyword: l.keyword})))
	}
	if l.rest != trueRef {
		f.subs = append(f.subs, lit(literal{op: opContains, goal: l.rest.not(), at: len(l.prefix), n: 1, m: -1, node: l.node, keyword: l.keyword}))
	}
	return f
}

// onKey constrains the value of one key.
func (l *literal) onKey(key string, r ref) literal {
	table := &propTable{keys: []string{key}, index: map[string]int{key: 0}, goals: []ref{r}, extra: trueRef}
	return literal{op: opProps, props: table, node: l.node, keyword: l.keyword}
}

// someProperty is the negation of opProps.
func (l *literal) someProperty() *formula {
	f := or()
	exists := func(lang *language, r ref) {
		if r != trueRef {
			f.subs = append(f.subs, lit(literal{op: opExists, lang: lang, goal: r.not(), node: l.node, keyword: l.keyword}))
		}
	}
	for i, key := range l.props.keys {
		if r := l.props.goals[i]; r != trueRef {
			f.subs = append(f.subs, and(
				lit(literal{op: opRequired, strs: []string{key}, node: l.node, keyword: l.keyword}), lit(l.onKey(key, r.not()))))
		}
	}
	for i, lang := range l.props.langs {
		exists(lang, l.props.under[i])
	}
	exists(&language{besides: l.props.keys, and: l.props.langs}, l.props.extra)
	return f
}
