package jsonschema

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/intern"
)

// Places of an object whose factors run beside each other. The cases of a factor run side by side,
// as those of an object with keys in any order do (anyorder.go), and a property must go on with a
// case of every factor. The rules of a place are written when a text comes to it:
//
//	tail -> member more | loop close | loop comma member more
//	more -> close | comma tail
//
// so nothing may lead to a place from which there is no end. Before a rule is written an end is
// looked for, which takes a few steps: most keys may be left out.

// maxChoices bounds the ways in which the value of one key can satisfy the factors.
const maxChoices = 256

// fewChoices is how many of them are not worth asking whether some value has them.
const fewChoices = 4

// An objectPlace is where a text is in an object: the number of the states of all factors, and,
// where keys keep the order of the schema, the next key.
type objectPlace struct{ state, at int }

// A factor is a disjunction of cases that run side by side. Its states are numbered, and so are the
// lists of roles that a property can have in it. Alternatives have most of their factors in common.
type factor struct {
	*keyOrder
	order   intern.Keys[grammar.Symbol] // the keys
	options map[grammar.Symbol][]choice // by key
	roles   intern.Keys[casting]
	casts   intern.Lists[int32]
	lists   [][]casting    // by number of a list of roles
	moves   []bool         // by the same: whether they can change a state
	steps   map[[2]int]int // by state and list of roles; -1 for none
	skips   map[[2]int]int // by state and key that is left out
	keys    int            // that are declared
}

// A side is a factor beside others.
type side struct {
	*factor
	ends  map[casePlace]bool // whether a case alone can reach an end
	moved []int              // classes that can change its state
	comes map[[2]int]bool    // by case and key: whether it may come
}

// A factorObject writes the rules of the objects of some factors.
type factorObject struct {
	c        *emitter
	factors  []side
	classes  []memberClass
	roles    [][]int32            // by class and factor: the number of a list of roles
	touches  [][]int              // by class: the factors whose states it can change
	position []int                // by class: of its key among those that are declared; -1 for others
	asks     [][]int              // by declared key: the factors that may ask for it; only in the order of the schema
	keys     int                  // that are declared
	apart    bool                 // no key concerns two factors
	states   intern.Lists[int32]  // of all factors
	ends     map[objectPlace]bool // whether all factors together can reach an end
	tails    map[objectPlace]grammar.Nonterminal
	mores    map[objectPlace]grammar.Nonterminal
	members  map[int]grammar.Symbol // by class
}

// A factory makes factors whose cases name the same keys and patterns.
type factory struct {
	c      *emitter
	naming *literal
	made   map[string]*factor // by clauses
}

// factoryOf makes the factors of alternatives. In the order of the schema each alternative has an
// order of its own.
func (c *emitter) factoryOf(alternatives ...[]normalForm) *factory {
	return &factory{c, c.naming(slices.Concat(alternatives...)), map[string]*factor{}}
}

// newFactorObject prepares the objects of factors; nil if they need what does not run side by side.
func (y *factory) newFactorObject(factors []normalForm) (*factorObject, error) {
	q := &factorObject{c: y.c, members: map[int]grammar.Symbol{}, ends: map[objectPlace]bool{},
		tails: map[objectPlace]grammar.Nonterminal{}, mores: map[objectPlace]grammar.Nonterminal{}}
	for _, form := range factors {
		one, err := y.factorOf(form)
		if one == nil {
			return nil, err
		}
		q.factors, q.keys = append(q.factors, side{one, map[casePlace]bool{}, nil, map[[2]int]bool{}}), one.keys
	}
	if err := q.classify(); err != nil {
		return nil, err
	}
	q.connect()
	return q, nil
}

// factorOf is a factor, made once; nil if it needs what does not run side by side.
func (y *factory) factorOf(form normalForm) (*factor, error) {
	var key []byte
	for _, x := range form.clauses {
		key = appendText(key, x.key())
	}
	if one := y.made[string(key)]; one != nil {
		return one, nil
	}
	one := &factor{keyOrder: &keyOrder{}, options: map[grammar.Symbol][]choice{}, steps: map[[2]int]int{}, skips: map[[2]int]int{}}
	for _, x := range form.clauses {
		common := append(clause{y.naming}, x...)
		if y.c.opt.AnyOrder && slices.ContainsFunc(x, closes) { // no key that others name may come
			common = x
		}
		e, err := y.c.prepareObject(&objectGroup{common: common, clauses: []clause{x}})
		if err != nil || e == nil || len(e.s.few) > 0 || !one.add(e) {
			return nil, err
		}
	}
	for key, list := range one.options {
		one.options[key] = one.numbered(toldApart(list))
	}
	y.made[string(key)] = one
	return one, nil
}

// add adds a case; it is false if more must be remembered than there are bits.
func (one *factor) add(e *objectEmitter) bool {
	in := len(one.cases)
	one.cases, one.keys = append(one.cases, e), len(e.keys)
	for _, key := range e.keys {
		one.order.ID(key)
	}
	return e.cast(func(key grammar.Symbol, values []ref, r role) {
		one.order.ID(key)
		one.options[key] = withChoice(one.options[key], values, casting{in, r})
	})
}

// numbered gives choices the numbers of their roles.
func (one *factor) numbered(list []choice) []choice {
	for i, x := range list {
		var numbers []int32
		for _, r := range x.roles {
			n, _ := one.roles.ID(r)
			numbers = append(numbers, n)
		}
		n, isNew := one.casts.Take(numbers)
		if isNew {
			one.lists, one.moves = append(one.lists, x.roles), append(one.moves, one.moving(x.roles))
		}
		list[i].each = []int32{n}
	}
	return list
}

// moving tells whether a property with some roles can change the state.
func (one *factor) moving(roles []casting) bool {
	return len(roles) < len(one.cases) || slices.ContainsFunc(roles, func(x casting) bool {
		e := one.cases[x.in]
		return x.role != plain || e.s.n > 0 || e.s.m >= 0
	})
}

// naming is a table that names the keys and patterns of all factors and constrains none, so that
// their cases cut the keys alike.
func (c *emitter) naming(factors []normalForm) *literal {
	table := &propTable{index: map[string]int{}, extra: trueRef}
	l := literal{op: opProps, props: table}
	var required []string // after those of properties, as in any object
	for _, form := range factors {
		for _, x := range form.clauses {
			for _, o := range x {
				var langs []*language
				switch o.op {
				case opProps:
					for _, key := range o.props.keys {
						table.declare(key)
					}
					langs = o.props.langs
				case opRequired:
					required = append(required, o.strs[0])
				case opExists:
					langs = []*language{o.lang}
				}
				for _, lang := range langs {
					if !slices.Contains(table.langs, lang) {
						table.langs, table.under = append(table.langs, lang), append(table.under, trueRef)
					}
				}
				if l.node == nil {
					l.origin = o.origin
				}
			}
		}
	}
	for _, key := range required {
		table.declare(key)
	}
	return c.intern(&l)
}

// A choice is what the value of a key must satisfy for some cases of a factor, or for a choice of
// each factor, of which it has the numbers of the lists of roles.
type choice struct {
	values []ref
	roles  []casting
	each   []int32
}

// withChoice adds a case to the choice with its values.
func withChoice(list []choice, values []ref, r casting) []choice {
	once := distinctRefs(nil, values)
	if slices.Contains(once, falseRef) {
		return list
	}
	for i, x := range list { // as sets
		if len(x.values) == len(once) && !slices.ContainsFunc(once, func(v ref) bool { return !slices.Contains(x.values, v) }) {
			list[i].roles = append(x.roles, r)
			return list
		}
	}
	return append(list, choice{values: once, roles: []casting{r}})
}

// toldApart makes two choices exclude each other where one asks for a schema more than the other: a
// value that satisfies it is one for the cases of both. So a parser need not follow both.
func toldApart(list []choice) []choice {
	if len(list) != 2 {
		return list
	}
	less, more := list[0], list[1]
	if len(less.values) > len(more.values) {
		less, more = more, less
	}
	extra := slices.DeleteFunc(slices.Clone(more.values), func(r ref) bool { return slices.Contains(less.values, r) })
	if len(extra) != 1 || len(more.values) != len(less.values)+1 {
		return list
	}
	return []choice{
		{values: more.values, roles: slices.Concat(more.roles, less.roles)},
		{values: append(slices.Clone(less.values), extra[0].not()), roles: less.roles},
	}
}

// classify makes the classes of properties: by key in the order of the schema, and of those with
// the same roles together where their order does not matter.
func (q *factorObject) classify() error {
	var order intern.Keys[grammar.Symbol]
	for _, one := range q.factors {
		for i := range one.order.Len() {
			order.ID(one.order.At(int32(i)))
		}
	}
	var names intern.Lists[int32]
	for at := range order.Len() {
		key := order.At(int32(at))
		choices := q.combinedChoices(key)
		if len(choices) > maxChoices {
			return refusal(reasonCombinations, "the value of one key can satisfy the conditions in more than %d ways", maxChoices).at(nil, "")
		}
		position := -1
		if at < q.keys && !q.c.opt.AnyOrder {
			position = at
		}
		for _, x := range choices {
			g, ok := q.c.goalOf(x.values)
			if !ok {
				continue
			}
			i, isNew := names.ID(append(x.each, int32(position)))
			if isNew {
				q.classes, q.position = append(q.classes, memberClass{}), append(q.position, position)
				q.roles = append(q.roles, x.each)
			}
			q.classes[i].members = append(q.classes[i].members, classMember{key, g.nt})
		}
	}
	return nil
}

// combinedChoices are the ways in which the value of a key satisfies a choice of every factor, or a
// few more than are allowed. Those that no value has are dropped on the way.
func (q *factorObject) combinedChoices(key grammar.Symbol) []choice {
	all := []choice{{}}
	for _, one := range q.factors {
		list := one.options[key]
		if len(list) == 1 {
			for i, x := range all {
				all[i] = choice{values: append(x.values, list[0].values...), each: append(x.each, list[0].each...)}
			}
			continue
		}
		var more []choice
		for _, x := range all {
			for _, y := range list {
				more = append(more, choice{values: slices.Concat(x.values, y.values), each: slices.Concat(x.each, y.each)})
			}
		}
		if len(more) > fewChoices {
			more = slices.DeleteFunc(more, func(x choice) bool { return !q.c.inhabited(x.values, scope{pairs: maxPairs}, aliveDepth) })
		}
		if all = more; len(all) > maxChoices {
			break
		}
	}
	return all
}

// askers finds which factors may ask for a key that is left out for good. In any order none is.
func (q *factorObject) askers() {
	for f, one := range q.factors {
		for _, e := range one.cases {
			for _, d := range e.open.lists[e.start] {
				for _, key := range d.required {
					if !slices.Contains(q.asks[key], f) {
						q.asks[key] = append(q.asks[key], f)
					}
				}
			}
		}
	}
}

// connect finds which factors a class and a key concern.
func (q *factorObject) connect() {
	q.asks, q.apart = make([][]int, q.keys), true
	if !q.c.opt.AnyOrder {
		q.askers()
	}
	for class := range q.classes {
		var touched []int
		for f := range q.factors {
			if one := &q.factors[f]; one.factor.moves[q.roles[class][f]] {
				touched, one.moved = append(touched, f), append(one.moved, class)
			}
		}
		q.touches = append(q.touches, touched)
		if at := q.position[class]; at >= 0 {
			touched = slices.Concat(touched, q.asks[at])
		}
		slices.Sort(touched)
		q.apart = q.apart && len(slices.Compact(touched)) <= 1
	}
}

// step is the state of a factor after a property of a class; -1 if it may not come.
func (q *factorObject) step(f, state, class int) int {
	one, roles := q.factors[f], int(q.roles[class][f])
	to, known := one.steps[[2]int{state, roles}]
	if !known {
		to = -1
		if list := one.after(one.states[state], one.lists[roles]); len(list) > 0 {
			to = one.intern(list)
		}
		one.steps[[2]int{state, roles}] = to
	}
	return to
}

// skip is the state of a factor after a key was left out for good; -1 if it was asked for.
func (q *factorObject) skip(f, state, key int) int {
	one := q.factors[f]
	to, known := one.skips[[2]int{state, key}]
	if !known {
		to = -1
		list := slices.DeleteFunc(slices.Clone(one.states[state]), func(x caseState) bool { return one.cases[x.in].missed(x.st, key+1) })
		if len(list) > 0 {
			to = one.intern(list)
		}
		one.skips[[2]int{state, key}] = to
	}
	return to
}

// next is the place after a property of a class; false if it may not come.
func (q *factorObject) next(p objectPlace, class int) (objectPlace, bool) {
	at, to := 0, slices.Clone(q.statesAt(p))
	if !q.c.opt.AnyOrder {
		until := q.position[class]
		if until < 0 { // others come last
			until = q.keys
		}
		if until < p.at {
			return p, false
		}
		if !q.skipTo(to, p.at, until) {
			return p, false
		}
		at = min(until+1, q.keys)
	}
	for _, f := range q.touches[class] {
		if to[f] = int32(q.step(f, int(to[f]), class)); to[f] < 0 {
			return p, false
		}
	}
	return q.place(to, at), true
}

// skipTo leaves keys out; it is false if one of them was asked for.
func (q *factorObject) skipTo(states []int32, from, until int) bool {
	for key := from; key < until; key++ {
		for _, f := range q.asks[key] {
			if states[f] = int32(q.skip(f, int(states[f]), key)); states[f] < 0 {
				return false
			}
		}
	}
	return true
}

// place is that of the states of all factors, which are given away.
func (q *factorObject) place(states []int32, at int) objectPlace {
	n, _ := q.states.Take(states)
	return objectPlace{int(n), at}
}

func (q *factorObject) statesAt(p objectPlace) []int32 { return q.states.At(int32(p.state)) }

// missed tells whether a case asks for a key before number at that did not come.
func (e *objectEmitter) missed(st objectState, at int) bool {
	for n, key := range e.sequence {
		if key < at && st.came&(1<<n) == 0 {
			return true
		}
	}
	return len(e.sequence) == 0 && !slices.ContainsFunc(e.open.lists[st.open], func(d demand) bool { return len(d.required) == 0 || d.required[0] >= at })
}

// endsAt tells whether an object may end at a place.
func (q *factorObject) endsAt(p objectPlace) bool {
	for f, one := range q.factors {
		if !one.endsIn(int(q.statesAt(p)[f])) {
			return false
		}
	}
	return true
}

// canEnd tells whether an end is found from a place. Where factors have keys in common, a way to an
// end of each may exclude one of another, so that all factors are looked at together.
func (q *factorObject) canEnd(p objectPlace) bool {
	return q.eachEnds(p) && (q.apart || reaches(q.ends, p, q.endsAt, q.jointStep))
}

// jointStep calls visit for the places after a property that may lead to an end. In any order the
// first factor that is not satisfied may be served first: what it needs comes at some time.
func (q *factorObject) jointStep(p objectPlace, visit func(objectPlace)) {
	for f, one := range q.factors {
		if q.c.opt.AnyOrder && one.endsIn(int(q.statesAt(p)[f])) {
			continue
		}
		for _, class := range one.moved {
			if to, ok := q.next(p, class); ok && to.state != p.state && q.hasValue(class) && q.eachEnds(to) {
				visit(to)
			}
		}
		if q.c.opt.AnyOrder {
			return
		}
	}
}

// eachEnds tells whether each factor alone can reach an end from a place.
func (q *factorObject) eachEnds(p objectPlace) bool {
	for f := range q.factors {
		if !q.oneEnds(f, objectPlace{int(q.statesAt(p)[f]), p.at}) {
			return false
		}
	}
	return true
}

// A casePlace is where a text is in an object for one case.
type casePlace struct {
	caseState
	at int
}

// oneEnds tells whether a factor can reach an end from a state of its own: whether a case can, to
// which the others do not matter.
func (q *factorObject) oneEnds(f int, p objectPlace) bool {
	return slices.ContainsFunc(q.factors[f].states[p.state], func(x caseState) bool { return q.caseEnds(f, casePlace{x, p.at}) })
}

// caseEnds tells whether a case alone can reach an end.
func (q *factorObject) caseEnds(f int, p casePlace) bool {
	one := q.factors[f]
	if q.c.opt.AnyOrder {
		if may := q.mayHave(f, p.caseState); !may || q.free(f, p.in) {
			return may
		}
	}
	return reaches(one.ends, p, func(p casePlace) bool { return one.cases[p.in].endsAnyOrder(p.st) },
		func(at casePlace, visit func(casePlace)) { q.eachStep(f, at, visit) })
}

// free tells whether nothing but required keys decides where a case ends.
func (q *factorObject) free(f, in int) bool {
	e := q.factors[f].cases[in]
	all := e.open.lists[e.start]
	return len(all) == 1 && len(all[0].forbidden) == 0 && e.s.n == 0 && e.s.m < 0 && len(e.s.exists) == 0
}

// mayHave tells whether each key that a case still requires may come, by one of its demands.
func (q *factorObject) mayHave(f int, x caseState) bool {
	e := q.factors[f].cases[x.in]
	if len(e.sequence) > 0 {
		for n, key := range e.sequence {
			if x.st.came&(1<<n) == 0 && !q.mayCome(f, x.in, key) {
				return false
			}
		}
		return true
	}
	return slices.ContainsFunc(e.open.lists[x.st.open], func(d demand) bool {
		return !slices.ContainsFunc(d.required, func(key int) bool { return !q.mayCome(f, x.in, key) })
	})
}

// mayCome tells whether a key of a case surely has a value.
func (q *factorObject) mayCome(f, in, key int) bool {
	known := q.factors[f].comes
	yes, found := known[[2]int{in, key}]
	if !found {
		symbol := q.factors[f].cases[in].keys[key]
		for class, roles := range q.roles {
			yes = yes || slices.ContainsFunc(q.factors[f].lists[roles[f]], func(x casting) bool { return x.in == in }) &&
				slices.ContainsFunc(q.classes[class].members, func(m classMember) bool { return m.key == symbol && q.c.surely(m.value) })
		}
		known[[2]int{in, key}] = yes
	}
	return yes
}

// endsIn tells whether a factor is satisfied in a state.
func (one *factor) endsIn(state int) bool {
	return slices.ContainsFunc(one.states[state], func(x caseState) bool { return one.cases[x.in].endsAnyOrder(x.st) })
}

// eachStep calls visit for the places of one case after a property that concerns its factor.
func (q *factorObject) eachStep(f int, p casePlace, visit func(casePlace)) {
	one := q.factors[f]
	for _, class := range one.moved {
		at := 0
		if !q.c.opt.AnyOrder {
			until := q.position[class]
			if until < 0 {
				until = q.keys
			}
			if until < p.at || one.cases[p.in].missed(p.st, until) {
				continue
			}
			at = min(until+1, q.keys)
		}
		for _, to := range one.after([]caseState{p.caseState}, one.lists[q.roles[class][f]]) {
			if q.hasValue(class) {
				visit(casePlace{to, at})
			}
		}
	}
}

// hasValue tells whether a property of a class surely has a value.
func (q *factorObject) hasValue(class int) bool {
	return slices.ContainsFunc(q.classes[class].members, func(m classMember) bool { return q.c.surely(m.value) })
}

// write adds the rules for nt, of which the places have theirs later. It is false if no end is
// found.
func (q *factorObject) write(nt grammar.Nonterminal) (bool, error) {
	var states []int32
	for _, one := range q.factors {
		var start []caseState
		for i, e := range one.cases {
			start = append(start, caseState{i, objectState{open: e.start}})
		}
		states = append(states, int32(one.intern(start)))
	}
	p := q.place(states, 0)
	if !q.canEnd(p) {
		return false, nil
	}
	open, closing := q.c.literalTerminal("{"), q.c.literalTerminal("}")
	if q.endsAt(p) {
		q.c.rule(nt, open, closing)
	}
	if q.goesOn(p) {
		q.c.rule(nt, open, grammar.N(q.tail(p)))
	}
	return true, nil
}

// An edge of a place is a class of properties, and the place after it.
type placeEdge struct {
	class int
	to    objectPlace
}

// edges are the properties that may come at a place: those that lead on, and those that change
// nothing.
func (q *factorObject) edges(p objectPlace) (on, loops []placeEdge) {
	for class := range q.classes {
		to, ok := q.next(p, class)
		switch {
		case !ok:
		case to == p:
			loops = append(loops, placeEdge{class, to})
		case q.canEnd(to):
			on = append(on, placeEdge{class, to})
		}
	}
	return on, loops
}

// goesOn tells whether a property may come at a place from which there is an end: where the object
// may not end yet, one that leads there.
func (q *factorObject) goesOn(p objectPlace) bool {
	if !q.endsAt(p) {
		return true
	}
	for class := range q.classes {
		if to, ok := q.next(p, class); ok && (to == p || q.canEnd(to)) {
			return true
		}
	}
	return false
}

// tail is the nonterminal of the rest of an object that begins with a property. It stands behind a
// terminal, since parsers want to know what follows a nonterminal.
func (q *factorObject) tail(p objectPlace) grammar.Nonterminal {
	nt, ok := q.tails[p]
	if !ok {
		nt = q.c.numbered("tail")
		q.tails[p] = nt
		q.c.later(nt, func() { q.writeTail(p, nt) })
	}
	return nt
}

func (q *factorObject) writeTail(p objectPlace, nt grammar.Nonterminal) {
	on, loops := q.edges(p)
	for _, e := range on {
		q.c.rule(nt, q.member(e.class), grammar.N(q.more(e.to)))
	}
	if len(loops) == 0 {
		return
	}
	list := q.c.numbered("list")
	for _, e := range loops {
		q.c.rule(list, q.member(e.class))
		q.c.rule(list, grammar.N(list), q.c.comma(), q.member(e.class))
	}
	if q.endsAt(p) {
		q.c.rule(nt, grammar.N(list), q.c.literalTerminal("}"))
	}
	for _, e := range on {
		q.c.rule(nt, grammar.N(list), q.c.comma(), q.member(e.class), grammar.N(q.more(e.to)))
	}
}

// more is the nonterminal of the rest of an object behind a property.
func (q *factorObject) more(p objectPlace) grammar.Nonterminal {
	nt, ok := q.mores[p]
	if !ok {
		nt = q.c.numbered("more")
		q.mores[p] = nt
		if q.endsAt(p) {
			q.c.rule(nt, q.c.literalTerminal("}"))
		}
		if q.goesOn(p) {
			q.c.rule(nt, q.c.comma(), grammar.N(q.tail(p)))
		}
	}
	return nt
}

// member is the nonterminal of a property of a class.
func (q *factorObject) member(class int) grammar.Symbol {
	m, made := q.members[class]
	if !made {
		m = q.c.memberOf(q.classes[class])
		q.members[class] = m
	}
	return m
}
