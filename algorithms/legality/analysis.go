package legality

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/lexer"
)

// The analysis: for a grammar and a vocabulary, all pairs of a terminal X and a sequence S that some token can
// emit (a realizable sequence), and how many of them each proof decides.
//
// Over the parser's tables every pair is decided, one walk over the tree of all sequences for each X. The
// paper's own algorithms take up to milliseconds for a pair, so they are given a random sample, half of it from
// the pairs that the tables say are never legal and half from the others, and the report shows both verdicts
// side by side.

// AnalyseOptions choose what Analyse does. Zero values mean the defaults.
type AnalyseOptions struct {
	// Sample is how many pairs the paper's algorithms are tried on; 0 means DefaultSample, a negative number
	// none.
	Sample int
	// Bounds are those of unlimited_credit_exploration.
	Bounds Bounds
	// Stack is how much of a stack a proof over the tables remembers; 0 means DefaultStack.
	Stack int
	// MaxSequences bounds the sequences; 0 means DefaultMaxSequences. More are an error.
	MaxSequences int
	// Seed chooses the sample.
	Seed uint64
	// Progress, if not nil, is called as the work goes on: the stage, and how much of it is done.
	Progress func(stage string, done, total int)
}

// DefaultSample takes some seconds.
const DefaultSample = 2000

// DefaultMaxSequences: a node of the tree of sequences takes about 100 bytes, and real grammars have some
// tens of thousands.
const DefaultMaxSequences = 5_000_000

func (o AnalyseOptions) filled() AnalyseOptions {
	if o.Sample == 0 {
		o.Sample = DefaultSample
	}
	if o.Stack <= 0 {
		o.Stack = DefaultStack
	}
	if o.MaxSequences <= 0 {
		o.MaxSequences = DefaultMaxSequences
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// A Report is the outcome of Analyse. Durations are in nanoseconds.
type Report struct {
	Grammar     string `json:"grammar"`
	Vocabulary  string `json:"vocabulary"`
	LexerStates int    `json:"lexer_states"`
	LRStates    int    `json:"lr_states"`
	// Resolved counts the table entries whose conflict was resolved: if there are any, the parser accepts
	// less than the rules allow.
	Resolved int `json:"conflicts_resolved"`
	// Terminals is the number of X, Sequences of S (a sequence of terminals and what may be pending behind it),
	// Pairs their product.
	Terminals int `json:"terminals"`
	Sequences int `json:"sequences"`
	Pairs     int `json:"pairs"`
	// Tables are the proofs over the parser's tables, on all pairs.
	Tables TableProofs `json:"tables"`
	// Rules are the paper's algorithms over the grammar's rules, on a sample; nil if there was none.
	Rules *RuleProofs `json:"rules,omitempty"`
	// CollectNS is the time of collecting the sequences.
	CollectNS int64 `json:"collect_ns"`
}

// TableProofs count the pairs by what decides them, in this order: a pair is counted once.
type TableProofs struct {
	Never  int `json:"never"`
	Always int `json:"always"`
	// Prefix are jointly legal with one of their prefixes.
	Prefix int `json:"joint_prefix"`
	// Interchange are jointly legal with another sequence by interchangeable terminals, beside the one that
	// represents them.
	Interchange int `json:"joint_interchange"`
	// Asked is what is left for the parser.
	Asked int `json:"asked"`
	// Classes is the number of classes of interchangeable terminals.
	Classes int   `json:"terminal_classes"`
	Runs    int64 `json:"parser_runs"` // on known parts of stacks
	NS      int64 `json:"ns"`
	Bytes   int64 `json:"bytes"`
}

// RuleProofs are what the paper's algorithms say on the sample.
type RuleProofs struct {
	Sample      int   `json:"sample"`
	Never       int   `json:"never"`
	NeverNS     int64 `json:"never_ns"` // over the whole sample
	AlwaysTried int   `json:"always_tried"`
	Always      int   `json:"always"`
	AlwaysNS    int64 `json:"always_ns"`
	// Circles are those proved beyond Always if a proof may go round in circles (Bounds.Circles).
	Circles int `json:"always_circles"`
	// NeverBoth and AlwaysBoth are the pairs that the tables say so of, too; NeverTables and AlwaysTables those
	// of the sample that the tables say so of at all.
	NeverBoth    int `json:"never_both"`
	NeverTables  int `json:"never_tables"`
	AlwaysBoth   int `json:"always_both"`
	AlwaysTables int `json:"always_tables"`
	// Classes is the number of classes of terminals that are interchangeable by the rules.
	Classes int `json:"terminal_classes"`
	States  int `json:"dft_states"`
	// Transitions is the number of transitions of the DFT pushdown automaton.
	Transitions int `json:"dft_transitions"`
}

// Analyse proves what it can of a problem. Besides ctx's error it fails if there are too many sequences.
func Analyse(ctx context.Context, p *algorithms.Problem, o AnalyseOptions) (*Report, error) {
	o = o.filled()
	a := &analysis{
		problem: p, options: o, machine: newMachine(p.Tables, p.Grammar.Lexer == grammar.LexAll, o.Stack),
		rng: rand.New(rand.NewPCG(o.Seed, 0x1ea1)),
	}
	a.builder = &builder{problem: p, machine: a.machine, classes: noInterchange(p.Tables)}
	r := &a.report
	*r = Report{Grammar: p.Grammar.Name, Vocabulary: p.Vocabulary.Name(), LexerStates: p.Lexer.NumStates(), LRStates: p.Tables.NumStates()}
	r.Resolved = resolved(p.Tables)
	if err := a.collect(ctx); err != nil {
		return nil, err
	}
	if err := a.proveTables(ctx); err != nil {
		return nil, err
	}
	if o.Sample > 0 {
		if err := a.proveRules(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// resolved counts the table entries with a conflict that was resolved.
func resolved(t *lr.Tables) int {
	if t.Mode() == grammar.KeepConflicts {
		return 0
	}
	shift, reduce := t.CountConflicts()
	return shift + reduce
}

// analysis is one run of Analyse.
type analysis struct {
	problem *algorithms.Problem
	options AnalyseOptions
	machine *machine
	builder *builder // for the machine's form of symbols and reaches
	rng     *rand.Rand
	report  Report

	nodes []treeNode // the tree of all sequences
	kids  map[[2]int32]int32
	seqs  int
	stamp []int32 // by class of sequence: the X it was last asked for
	drawn [2]draw
}

// A treeNode is a node of the tree of all sequences.
type treeNode struct {
	sym   int32
	kids  []int32
	ends  []ending
	below int // endings in the subtree
}

// An ending is a sequence: that of its node, and what may be pending behind it.
type ending struct {
	terms int32 // -1: anything, as an ignored terminal may be
	class int32 // of sequences that differ in interchangeable terminals only
}

// A pair is a pair of the sample.
type pair struct {
	x              grammar.Terminal
	s              Sequence
	never, always_ bool
}

// A draw is a random sample of a stream of pairs.
type draw struct {
	pairs []pair
	seen  int
}

// collect gathers the sequences of all lexer states in one tree.
func (a *analysis) collect(ctx context.Context) error {
	began := time.Now()
	p := a.problem
	a.builder.spanner = spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{})
	a.nodes, a.kids = []treeNode{{}}, map[[2]int32]int32{}
	seen := map[[2]int32]bool{}
	for q := 0; q < p.Lexer.NumStates(); q++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("collecting sequences", q, p.Lexer.NumStates())
		p.Lexer.Row(lexer.State(q))
		a.addTree(a.builder.spanner.Tree(lexer.State(q)), seen)
		if a.seqs > a.options.MaxSequences {
			return fmt.Errorf("legality: grammar %s and vocabulary %s have more than %d terminal sequences, the limit of the analysis",
				p.Grammar.Name, p.Vocabulary.Name(), a.options.MaxSequences)
		}
	}
	if err := p.Lexer.Err(); err != nil {
		return err
	}
	for i := len(a.nodes) - 1; i >= 0; i-- {
		n := &a.nodes[i]
		n.below += len(n.ends)
		for _, k := range n.kids {
			n.below += a.nodes[k].below
		}
	}
	a.classify()
	a.report.Sequences = a.seqs
	a.report.CollectNS = time.Since(began).Nanoseconds()
	return nil
}

// addTree adds the sequences of a lexer state. At a newline lexeme of a layout they end: what it becomes is
// decided at run time.
func (a *analysis) addTree(t *spanner.Tree, seen map[[2]int32]bool) {
	at := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if i > 0 {
			switch parent := at[n.Parent]; {
			case parent < 0:
				at[i] = -1
				continue
			case a.builder.spanner.Newline(n.Symbol):
				at[i] = -1
				newline := a.problem.Tables.NewSet(a.problem.Layout.Newline())
				a.end(parent, a.machine.anyTerminal(newline), seen)
				continue
			default:
				at[i] = a.child(parent, a.builder.symbol(n.Symbol))
			}
		}
		for leaf := n.LeafLo; leaf < n.LeafHi; leaf++ {
			r := a.builder.reach(t.Leaves[leaf].Reach)
			if r.ignored {
				r.terms = -1
			}
			a.end(at[i], r.terms, seen)
		}
	}
}

func (a *analysis) child(parent, sym int32) int32 {
	key := [2]int32{parent, sym}
	id, ok := a.kids[key]
	if !ok {
		id = int32(len(a.nodes))
		a.nodes = append(a.nodes, treeNode{sym: sym})
		a.nodes[parent].kids = append(a.nodes[parent].kids, id)
		a.kids[key] = id
	}
	return id
}

func (a *analysis) end(node, terms int32, seen map[[2]int32]bool) {
	if key := [2]int32{node, terms}; !seen[key] {
		seen[key] = true
		a.nodes[node].ends = append(a.nodes[node].ends, ending{terms: terms})
		a.seqs++
	}
}

// classify numbers the sequences up to interchangeable terminals.
func (a *analysis) classify() {
	classes := newInterchange(a.problem.Recognizer, a.machine.hasLoops)
	a.report.Tables.Classes = classes.classes()
	type step struct{ under, sym int32 }
	number := map[step]int32{}
	of := func(s step) int32 {
		id, ok := number[s]
		if !ok {
			id = int32(len(number)) + 1
			number[s] = id
		}
		return id
	}
	at := make([]int32, len(a.nodes))
	for i := range a.nodes {
		n := &a.nodes[i]
		for k := range n.ends {
			terms := n.ends[k].terms
			if terms >= 0 {
				terms = a.machine.anyTerminal(classes.set(a.machine.terms[terms]))
			}
			n.ends[k].class = of(step{at[i], -2 - terms})
		}
		for _, k := range n.kids {
			sym := a.machine.symbols[a.nodes[k].sym]
			at[k] = of(step{at[i], a.machine.symbol(classes.list(sym.parsed), sym.skip)})
		}
	}
	a.stamp = make([]int32, len(number)+1)
}

// proveTables walks the tree for every X.
func (a *analysis) proveTables(ctx context.Context) error {
	began := time.Now()
	m, r := a.machine, &a.report
	for x := range m.entered {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("proofs over the tables", x, len(m.entered))
		if len(m.entered[x]) == 0 {
			continue
		}
		r.Terminals++
		w := tableWalk{a, grammar.Terminal(x), int32(x) + 1, nil}
		w.visit(0, m.start([]basis{basis(x)}), true, true)
	}
	t := &r.Tables
	r.Pairs = r.Terminals * r.Sequences
	t.Runs, t.NS, t.Bytes = m.runs, time.Since(began).Nanoseconds(), m.bytes()
	return nil
}

// tableWalk is the walk for one X.
type tableWalk struct {
	*analysis
	x    grammar.Terminal
	mark int32
	path []int32 // symbols
}

// visit counts the sequences at and below a node. Certain is whether no stack was refused on the way, fresh
// whether none can have been refused by the node's own symbol.
func (w *tableWalk) visit(node int32, s stance, certain, fresh bool) {
	n := &w.nodes[node]
	for _, e := range n.ends {
		w.count(e, s, certain, fresh)
	}
	for _, kid := range n.kids {
		sym := w.nodes[kid].sym
		w.path = append(w.path, sym)
		to, refuses := w.builder.step(s, sym)
		if to.may == nothing {
			w.report.Tables.Never += w.nodes[kid].below
			w.drawNever(kid)
		} else {
			w.visit(kid, to, certain && !refuses, !refuses)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// count counts one sequence.
func (w *tableWalk) count(e ending, s stance, certain, fresh bool) {
	j := mayAccept
	if e.terms >= 0 {
		j = w.builder.judge(s, e.terms)
	}
	t := &w.report.Tables
	never, always := j&mayAccept == 0, j&mayRefuse == 0 && certain
	switch {
	case never:
		t.Never++
	case always:
		t.Always++
	case j&mayRefuse == 0 && (fresh || e.terms >= 0):
		t.Prefix++
	case w.stamp[e.class] == w.mark:
		t.Interchange++
	default:
		w.stamp[e.class] = w.mark
		t.Asked++
	}
	which := 1
	if never {
		which = 0
	}
	w.draw(which, e, never, always)
}

// drawNever offers one of the sequences of a subtree that is never legal; they stand for the others, as what
// they have in common decides.
func (w *tableWalk) drawNever(node int32) {
	for depth := len(w.path); ; {
		n := &w.nodes[node]
		if len(n.ends) > 0 {
			w.draw(0, n.ends[w.rng.IntN(len(n.ends))], true, false)
			w.path = w.path[:depth]
			return
		}
		node = n.kids[w.rng.IntN(len(n.kids))]
		w.path = append(w.path, w.nodes[node].sym)
	}
}

// draw offers a pair to the sample.
func (w *tableWalk) draw(which int, e ending, never, always bool) {
	d := &w.drawn[which]
	d.seen++
	size := max(w.options.Sample/2, 0)
	at := len(d.pairs)
	if at >= size {
		if at = w.rng.IntN(d.seen); at >= size {
			return
		}
	}
	s, ok := w.sequence(e)
	if !ok {
		d.seen--
		return
	}
	p := pair{w.x, s, never, always}
	if at == len(d.pairs) {
		d.pairs = append(d.pairs, p)
	} else {
		d.pairs[at] = p
	}
}

// sequence is the walk's path and an ending as the paper's algorithms take it. They have no step that may also
// be skipped.
func (w *tableWalk) sequence(e ending) (Sequence, bool) {
	var s Sequence
	for _, sym := range w.path {
		if w.machine.symbols[sym].skip {
			return nil, false
		}
		s = append(s, w.machine.symbols[sym].parsed)
	}
	if e.terms >= 0 {
		reach := lexer.Reach{Parser: w.machine.terms[e.terms]}
		s = append(s, reach.Terminals())
	}
	return s, len(s) > 0
}

// proveRules tries the paper's algorithms on the sample.
func (a *analysis) proveRules(ctx context.Context) error {
	d, err := NewDFT(a.problem.Grammar)
	if err != nil {
		return err
	}
	r := &RuleProofs{States: len(d.transitions), Transitions: d.NumTransitions(), Classes: countClasses(d.Interchangeable())}
	a.report.Rules = r
	sample := append(append([]pair{}, a.drawn[0].pairs...), a.drawn[1].pairs...)
	for i, p := range sample {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("proofs over the rules", i, len(sample))
		r.tryPair(d, p, a.options.Bounds)
	}
	return nil
}

// tryPair tries a pair: is_always_legal only where is_never_legal says no.
func (r *RuleProofs) tryPair(d *DFT, p pair, b Bounds) {
	r.Sample++
	r.NeverTables += count(p.never)
	r.AlwaysTables += count(p.always_)
	began := time.Now()
	never := d.IsNeverLegal(p.x, p.s)
	r.NeverNS += time.Since(began).Nanoseconds()
	r.Never += count(never)
	r.NeverBoth += count(never && p.never)
	if never {
		return
	}
	r.AlwaysTried++
	began = time.Now()
	always := d.IsAlwaysLegal(p.x, p.s, b)
	r.AlwaysNS += time.Since(began).Nanoseconds()
	r.Always += count(always)
	if b.Circles = true; !always && d.IsAlwaysLegal(p.x, p.s, b) {
		r.Circles++
	}
	r.AlwaysBoth += count(always && p.always_)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// countClasses counts the classes of terminals, given the first of each one's class.
func countClasses(first []grammar.Terminal) int { return interchange{first}.classes() }
