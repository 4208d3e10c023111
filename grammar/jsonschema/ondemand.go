package jsonschema

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/jsontext"
)

// Rules on demand. A text of a schema visits a hundredth of its rules. So Open writes the rules of
// the goals nearest to the root, and those of another goal when a parser first predicts it: with
// its normal forms, its keys, its patterns.
//
// A rule may have no nonterminal that derives nothing, and the grammar written whole is trimmed of
// those. Here each goal in a written rule is known to have an instance. Mostly its keywords show
// that (plainly); if they do not, its rules are written too, and the least fixpoint over all that
// is written together decides.
//
// What cannot be expressed is an error of Open if a look at the keywords can tell (foreseeable);
// where it cannot, all rules are written at once. What remains can only fail later, as an error of
// Write: normal forms with too many cases, automata of several keywords together that are too
// large. Then less is kept of the goal (budget.go) before it is given up.

// defaultBatch is how many rules Open writes: those that the first bytes of a text lead to. Write
// adds as many, whatever there is: a step of a text waits for them. For a place inside an object it
// adds what leads to its keys only.
const defaultBatch = 200

// onDemand writes the rules of an emitter's goals when they are asked for.
type onDemand struct {
	*emitter
	whole func(context.Context) (*grammar.Grammar, error)
	byNT  map[grammar.Nonterminal]*goal
	batch []*goal // whose rules are being written
	// files are several schemas that are written together (OpenAll), and starts theirs; nil for one.
	// Those that are unread yet are found by their starts.
	files  []File
	starts []grammar.Nonterminal
	unread map[grammar.Nonterminal]int // by start: its number
	// places are nonterminals inside of objects whose rules are not written (places.go).
	places map[grammar.Nonterminal]func()
	// productive tells of each nonterminal whether it has an instance, by the rules that there are
	// and those that can be written.
	productive []bool
	sure       map[*goal]bool // of surely
	// What was found plain, or not, at a depth: one schema may be reached in very many ways.
	plain   map[string]bool
	plainAt map[nodeAt]bool
}

func newOnDemand(c *emitter) *onDemand {
	d := &onDemand{emitter: c, byNT: map[grammar.Nonterminal]*goal{}, places: map[grammar.Nonterminal]func(){}, sure: map[*goal]bool{},
		plain: map[string]bool{}, plainAt: map[nodeAt]bool{}}
	c.later = func(nt grammar.Nonterminal, write func()) {
		d.places[nt] = write
		d.mark(nt, true)
	}
	c.surely = d.surely
	return d
}

// goalState is what is known of a goal.
type goalState uint8

const (
	unwritten goalState = iota
	queued              // in the batch that is being written
	written
	empty // it has no instance, and no rules
)

// Open is Compile for a grammar of which most rules are written on demand: Result.Grammar has a
// Demand. Errors are Compile's; the coverage is nil unless Compile was asked.
func Open(ctx context.Context, src []byte, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	root, err := parseSchema(opt, src)
	if err != nil {
		return nil, err
	}
	doc, err := newDocument(root, opt)
	if err != nil {
		return Compile(ctx, src, opt)
	}
	c := newEmitter(ctx, doc, opt)
	c.g.SHA256 = sha256.Sum256(src)
	c.late = !opt.LooseOrder && !opt.Lenient && c.foreseeable(0)
	d := newOnDemand(c)
	d.whole = func(ctx context.Context) (*grammar.Grammar, error) {
		result, err := Compile(ctx, src, opt)
		if err != nil {
			return nil, err
		}
		return result.Grammar, nil
	}
	g, err := d.open()
	if err != nil {
		return Compile(ctx, src, opt) // which says why, or keeps less
	}
	return &Result{Grammar: g, doc: doc}, nil
}

// OpenAll is Open for several schemas, which share what they have in common. The result has a start
// for each, in the same order, and the rules of none: those of a schema that may fail to be written
// are the exception. Errors are those of Compile, with the name of the file.
func OpenAll(ctx context.Context, files []File, opt Options) (*grammar.Embedded, error) {
	d, err := openAll(ctx, files, opt.withDefaults())
	if err != nil {
		return nil, err
	}
	all := &grammar.Embedded{Grammar: d.grammar(), Again: func(ctx context.Context) (*grammar.Grammar, error) {
		again, err := openAll(ctx, files, d.opt)
		if err != nil {
			return nil, err
		}
		return again.grammar(), nil
	}}
	all.Starts = d.starts
	return all, nil
}

func openAll(ctx context.Context, files []File, opt Options) (*onDemand, error) {
	doc, err := newDocument(&jsontext.Value{Kind: jsontext.Bool, Truth: true}, opt)
	if err != nil {
		return nil, err
	}
	d := newOnDemand(newEmitter(ctx, doc, opt))
	d.files = files
	if err := d.jsonTerminals(); err != nil {
		return nil, err
	}
	d.starts, d.unread = make([]grammar.Nonterminal, 0, len(files)), make(map[grammar.Nonterminal]int, len(files))
	var look Glance
	for i, f := range files {
		if f.Plain || look.isPlain(f.Text) {
			nt := d.numbered("schema")
			d.starts, d.unread[nt] = append(d.starts, nt), i
			continue
		}
		start, err := d.openFile(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		d.starts = append(d.starts, start.nt)
	}
	if d.doc.compares {
		d.itemTerminals()
	}
	d.late = true
	return d, nil
}

// openFile is the start of one of several schemas, with its rules unless they are sure to come.
func (d *onDemand) openFile(f File) (start *goal, err error) {
	from := len(d.doc.nodes)
	if start, err = d.readFile(f); err != nil {
		return nil, err
	}
	d.late = d.foreseeable(from)
	if !d.late || !d.plainly(start.refs, 0) {
		if err := d.write(start.nt, 0); err != nil {
			return nil, err
		}
	}
	if start.state == empty {
		return nil, ErrContradiction
	}
	d.goalAt(start.nt)
	return start, nil
}

// readFile reads one of several schemas.
func (d *onDemand) readFile(f File) (start *goal, err error) {
	root, err := parseSchema(Options{Name: f.Name}, f.Text)
	if err != nil {
		return nil, err
	}
	uri, err := url.Parse(f.URI)
	if err != nil {
		return nil, err
	}
	d.doc.resources[f.URI] = root
	if err := d.doc.walk(root, "", uri, draft2020); err != nil {
		return nil, err
	}
	if d.doc.twice != "" {
		return nil, fmt.Errorf("another schema is called %s too; leave the identifier of one out", d.doc.twice)
	}
	start, ok := d.goalOf([]ref{d.doc.simple(d.doc.within(d.doc.byValue[root], 0))})
	if !ok {
		return nil, &ContradictionError{"/", "it is the schema false"}
	}
	return start, nil
}

// open writes the first rules.
func (d *onDemand) open() (*grammar.Grammar, error) {
	if err := d.jsonTerminals(); err != nil {
		return nil, err
	}
	start, ok := d.goalOf([]ref{d.doc.start()})
	if !ok {
		return nil, errors.New("the schema is false")
	}
	d.g.Start = start.nt
	if err := d.write(start.nt, d.opt.Batch); err != nil {
		return nil, err
	}
	if start.state == empty {
		return nil, ErrContradiction
	}
	return d.grammar(), nil
}

// jsonTerminals makes the terminals of all values, whether or not a rule has them: tokens are read
// as what they can be in some text of JSON, and the parser says which of that can come.
func (d *onDemand) jsonTerminals() error {
	for _, text := range []string{"{", "}", "[", "]", "null", "true", "false"} {
		d.literalTerminal(text)
	}
	d.comma()
	d.colon()
	if d.doc.compares {
		d.itemTerminals()
	}
	if d.anySpace {
		d.g.Terminals = append(d.g.Terminals, whiteSpaceTerminal())
	}
	for _, k := range []jsontext.Kind{jsontext.String, jsontext.Number} {
		list, err := d.scalarLanguages([]clause{nil}, k)
		if err != nil {
			return err
		}
		for _, l := range list {
			d.scalarTerminal([]clause{nil}, k, l)
		}
	}
	return nil
}

// itemTerminals makes the terminals of arrays whose items are compared.
func (d *onDemand) itemTerminals() {
	closing := d.literalTerminal("]")
	d.withRole(d.literalTerminal("["), grammar.OpensItems)
	d.withRole(d.comma(), grammar.AfterOther)
	d.withRole(closing, grammar.AfterOther)
}

// grammar is what is written so far.
func (d *onDemand) grammar() *grammar.Grammar {
	g := *d.g
	g.Terminals, g.Rules = slices.Clip(g.Terminals), slices.Clip(g.Rules)
	g.Demand = d
	return &g
}

// Written implements grammar.Demand.
func (d *onDemand) Written(n grammar.Nonterminal) bool {
	g := d.byNT[n]
	_, unread := d.unread[n]
	return (g == nil || g.state == written) && d.places[n] == nil && !unread
}

// Write implements grammar.Demand.
func (d *onDemand) Write(ctx context.Context, n grammar.Nonterminal) (*grammar.Grammar, error) {
	d.ctx = ctx
	err := d.write(n, d.opt.Batch)
	return d.grammar(), err
}

// WriteAll implements grammar.Demand.
func (d *onDemand) WriteAll(ctx context.Context) (*grammar.Grammar, error) {
	if d.files != nil { // what was opened goes on as it is
		all, err := openAll(ctx, d.files, d.opt)
		if err != nil {
			return nil, err
		}
		return all.rest(all.starts)
	}
	for _, g := range d.goals {
		if g.state == unwritten || len(d.places) > 0 {
			return d.whole(ctx)
		}
	}
	g := d.grammar()
	g.Demand = nil
	return g, nil
}

// rest writes all rules that some nonterminals lead to.
func (d *onDemand) rest(starts []grammar.Nonterminal) (*grammar.Grammar, error) {
	d.late = false
	for _, n := range starts {
		if !d.Written(n) {
			if err := d.write(n, 0); err != nil {
				return nil, err
			}
		}
	}
	for i := 0; i < len(d.g.Rules); i++ {
		for _, s := range d.g.Rules[i].RHS {
			if s.IsTerminal() || d.Written(s.Nonterminal()) {
				continue
			}
			if err := d.write(s.Nonterminal(), 0); err != nil {
				return nil, err
			}
		}
	}
	g := d.grammar()
	g.Demand = nil
	return g, nil
}

// write writes the rules of a goal, or of a place in an object, and of goals that those lead to,
// some rules in all, and of all of which it is not plain that they have an instance.
func (d *onDemand) write(first grammar.Nonterminal, atLeast int) error {
	from := len(d.g.Rules)
	var near, later []*goal
	take := func(n grammar.Nonterminal) {
		if g := d.goalAt(n); g != nil && g.state == unwritten {
			g.state = queued
			near = append(near, g)
		}
	}
	takeFrom := func(rules []grammar.Rule) {
		for _, r := range rules {
			for _, s := range r.RHS {
				if !s.IsTerminal() {
					take(s.Nonterminal())
				}
			}
		}
	}
	d.batch = d.batch[:0]
	if i, is := d.unread[first]; is {
		f := d.files[i]
		start, err := d.readFile(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		delete(d.unread, first)
		d.rule(first, grammar.N(start.nt))
		takeFrom(d.g.Rules[from:])
	}
	if place := d.places[first]; place != nil {
		delete(d.places, first)
		place()
		atLeast = 0 // many places are written at once, and a text goes on from one of them
		takeFrom(d.g.Rules[from:])
	}
	take(first)
	for i := 0; i < len(near); i++ {
		g := near[i]
		if g.nt != first && d.late && (len(d.g.Rules)-from >= atLeast || d.costly(g.refs)) && d.plainly(g.refs, 0) {
			later = append(later, g)
			continue
		}
		d.batch = append(d.batch, g)
		rules := len(d.g.Rules)
		if err := d.emitOne(g); err != nil {
			return err
		}
		takeFrom(d.g.Rules[rules:])
	}
	for _, g := range later {
		g.state = unwritten
	}
	d.settle(from, first)
	return d.ctx.Err()
}

// surely tells whether a goal has an instance: its keywords show it, or the automaton of its
// strings or numbers. That its rules are written shows nothing here: others may not be yet.
func (d *onDemand) surely(n grammar.Nonterminal) bool {
	g := d.goalAt(n)
	sure, known := d.sure[g]
	if !known {
		sure = d.plainly(g.refs, 0)
		d.apart(func() {
			sure = sure || d.hasScalar(g.refs, jsontext.String) || d.hasScalar(g.refs, jsontext.Number)
		})
		d.sure[g] = sure
	}
	return sure
}

// hasScalar tells whether a string or a number satisfies some schemas.
func (d *onDemand) hasScalar(refs []ref, k jsontext.Kind) bool {
	form, err := d.clausesOf(refs, outermost(k))
	return err == nil && slices.ContainsFunc(form.clauses, func(x clause) bool {
		l, err := d.clauseLanguage(x, k)
		return err == nil && !l.d.IsEmpty()
	})
}

// goalAt is the goal with a nonterminal, nil if it is not that of a goal.
func (d *onDemand) goalAt(n grammar.Nonterminal) *goal {
	for ; len(d.queue) > 0; d.queue = d.queue[1:] {
		d.byNT[d.queue[0].nt] = d.queue[0]
		d.mark(d.queue[0].nt, true)
	}
	return d.byNT[n]
}

// mark notes whether a nonterminal has an instance.
func (d *onDemand) mark(n grammar.Nonterminal, productive bool) {
	d.productive = append(d.productive, make([]bool, max(0, len(d.g.Nonterminals)-len(d.productive)))...)
	d.productive[n] = productive
}

// emitOne writes the rules of one goal; if they are too many, with less of what may be left out.
func (d *onDemand) emitOne(g *goal) (err error) {
	d.ruleBase = len(d.g.Rules)
	defer func() { d.ruleBase, d.budget.level = 0, 0 }()
	for ; ; d.budget.level++ {
		d.begin()
		if err = d.emitGoal(g); err == nil {
			return d.ctx.Err()
		}
		if !d.late && d.files == nil || d.budget.level == lastLevel || !ofSize(err) {
			return err
		}
		d.g.Rules = d.g.Rules[:d.ruleBase]
	}
}

// settle drops the rules of a batch that no instance uses, and marks its goals. first is what the
// batch was written for.
func (d *onDemand) settle(from int, first grammar.Nonterminal) {
	rules := d.g.Rules[from:]
	for _, g := range d.batch {
		d.mark(g.nt, false)
	}
	d.mark(first, false)
	productive := d.productive
	spread(rules, productive)
	byLHS := map[grammar.Nonterminal][]int{}
	for i, r := range rules {
		if derives(r.RHS, productive) {
			byLHS[r.LHS] = append(byLHS[r.LHS], i)
		}
	}
	reached := map[grammar.Nonterminal]bool{}
	var todo []grammar.Nonterminal
	reach := func(n grammar.Nonterminal) {
		if byLHS[n] != nil && !reached[n] {
			reached[n] = true
			todo = append(todo, n)
		}
	}
	reach(first)
	if len(d.places) > 0 { // rules that are written later may lead to any
		for _, r := range rules {
			reach(r.LHS)
		}
	}
	for _, g := range d.batch {
		if g.state = written; !productive[g.nt] {
			g.state = empty
		}
		reach(g.nt)
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, i := range byLHS[todo[0]] {
			for _, s := range rules[i].RHS {
				if !s.IsTerminal() {
					reach(s.Nonterminal())
				}
			}
		}
	}
	d.g.Rules = append(d.g.Rules[:from], slices.DeleteFunc(rules, func(r grammar.Rule) bool { return !reached[r.LHS] || !derives(r.RHS, productive) })...)
}
