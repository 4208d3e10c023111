package maskstore

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/legality"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// The store: masks by state of a terminal's DFA and terminal that comes next, and how the positions
// of a text find theirs.

// What a row, a question and a pair hold in bytes.
const (
	rowBytes  = 32
	askBytes  = 20
	pairBytes = 8
)

// none is the number of the empty mask.
const none int32 = 0

// A store is the compiled problem. It is immutable once built.
type store struct {
	problem *algorithms.Problem
	config  config
	words   int
	masks   intern.Lists[uint64]
	ignored []bool // by terminal
	bases   int    // what may be known of the parser: its last terminal, or that there was none
	baseOf  []int32
	rows    []row
	rowOf   []int32 // by lexer state and basis
	afters  []after
	inside  []int32 // by lexer state: the mask of what stays in its only terminal; none if it has several
	tally   tally
	held    int64 // bytes
}

// A row has the work for a lexer state with a basis.
type row struct {
	ready int32 // a mask that needs no question
	asks  []ask
}

// An ask is a terminal that the pending lexeme may become.
type ask struct {
	terminal grammar.Terminal
	sure     bool // the parser takes it
	mask     int32
	after    int32 // of afters, for the terminals after it; -1 for none
}

// An after is the pairs of a state of a terminal's DFA, which are asked once the terminal is taken.
type after struct{ next []pair }

// A pair is a terminal that may come next, and the tokens that are allowed if it may.
type pair struct {
	terminal grammar.Terminal
	mask     int32
}

// A tally counts what the compile did.
type tally struct {
	states, pairs                int // of the terminals' DFAs; of such a state and what comes next
	proved, never, always, joint int // pairs of terminals, and what became of them
	contained, kept              int // pairs of a state and what comes next
}

// A builder makes a store.
type builder struct {
	*store
	matcher  *matcher
	proofs   *legality.Pairs      // nil for the plain store
	verdicts [][]legality.Verdict // by basis and terminal
	plans    []plan
	planOf   []int32        // by basis
	parts    [][]lexer.Part // by lexer state
	offset   []int          // by terminal: where its states begin
	known    map[[2]int32]built
	pure     []int32             // by state of a DFA: the mask of the tokens inside
	scratch  []uint64            // a mask
	numbers  intern.Lists[int32] // of rows
}

// built is what a state of a DFA comes to with a plan.
type built struct{ mask, after int32 }

// A plan says what is asked after a basis.
type plan struct {
	always  []grammar.Terminal
	classes [][]grammar.Terminal // each is one question, put for its first member
}

// build makes the store of a problem.
func build(ctx context.Context, p *algorithms.Problem, c config) (*store, error) {
	terminals, err := lexer.NewOnDemand(ctx, p.Grammar, lexer.DefaultLimits)
	if err != nil {
		return nil, err
	}
	s := &store{problem: p, config: c, words: algorithms.MaskWords(p.Vocabulary.Len())}
	b := &builder{store: s, known: map[[2]int32]built{}, scratch: make([]uint64, s.words)}
	s.masks.ID(make([]uint64, s.words))
	for _, t := range p.Grammar.Terminals {
		s.ignored = append(s.ignored, t.Ignored)
	}
	b.bring(terminals)
	b.matcher = newMatcher(p, terminals)
	b.basesOf(p)
	if c.streamlined {
		b.proofs = legality.NewPairs(p)
	}
	if err := b.plan(ctx); err != nil {
		return nil, err
	}
	if err := b.states(ctx, terminals); err != nil {
		return nil, err
	}
	return s, b.lexerStates(ctx)
}

// bring finds the parts of each lexer state: the terminals' DFAs are read beside the lexer, which
// has merged states that emit the same. The states of the DFAs are then those of the first text
// that leads there.
func (b *builder) bring(terminals *lexer.OnDemand) {
	lex := b.problem.Lexer
	from := slices.Repeat([]lexer.State{lexer.None}, lex.NumStates())
	from[lex.Start()] = terminals.Start()
	todo := []lexer.State{lex.Start()}
	for len(todo) > 0 {
		q := todo[0]
		todo = todo[1:]
		for c := range 256 {
			next := lex.Next(q, byte(c))
			if next == lexer.None || from[next] != lexer.None {
				continue
			}
			from[next] = terminals.Next(from[q], byte(c))
			todo = append(todo, next)
		}
	}
	b.parts = make([][]lexer.Part, len(from))
	for q, at := range from {
		if at != lexer.None {
			b.parts[q] = terminals.Parts(nil, at)
		}
	}
	b.offset = make([]int, len(b.problem.Grammar.Terminals)+1)
	for t := range b.problem.Grammar.Terminals {
		b.offset[t+1] = b.offset[t]
		if dfa := terminals.Terminal(grammar.Terminal(t)); dfa != nil {
			b.offset[t+1] += dfa.NumStates()
		}
	}
	b.tally.states = b.offset[len(b.offset)-1]
}

// basesOf numbers what may be known of the parser's stack: the terminal on top, or that there is
// none. The plain store asks at any place the same.
func (b *builder) basesOf(p *algorithms.Problem) {
	b.baseOf = make([]int32, p.Tables.NumStates())
	b.bases = 1
	if !b.config.streamlined {
		return
	}
	b.bases = len(p.Grammar.Terminals) + 1
	for s := range b.baseOf {
		b.baseOf[s] = int32(b.bases - 1)
		if sym, ok := p.Tables.Accessing(int32(s)); ok && sym.IsTerminal() {
			b.baseOf[s] = int32(sym.Terminal())
		}
	}
}

// terminalOf is the terminal of a basis.
func (b *builder) terminalOf(basis int) grammar.Terminal {
	if basis == b.bases-1 {
		return legality.AtStart
	}
	return grammar.Terminal(basis)
}

// plan decides all pairs of terminals.
func (b *builder) plan(ctx context.Context) error {
	b.planOf = make([]int32, b.bases)
	if b.proofs == nil {
		var all plan
		for y := range b.ignored {
			all.classes = append(all.classes, []grammar.Terminal{grammar.Terminal(y)})
		}
		b.plans = []plan{all}
		return nil
	}
	numbers := map[string]int32{}
	b.verdicts = make([][]legality.Verdict, b.bases)
	for basis := range b.bases {
		if err := algorithms.Step(ctx, "pairs of terminals", basis, b.bases); err != nil {
			return err
		}
		if !b.isBasis(basis) {
			continue
		}
		list := b.decide(b.terminalOf(basis))
		b.verdicts[basis] = list
		key := fmt.Sprint(list)
		id, known := numbers[key]
		if !known {
			id = int32(len(b.plans))
			numbers[key] = id
			b.plans = append(b.plans, b.planOfVerdicts(list))
		}
		b.planOf[basis] = id
	}
	return nil
}

// isBasis tells whether the parser may have shifted the terminal of a basis last.
func (b *builder) isBasis(basis int) bool {
	return b.proofs == nil || basis == b.bases-1 || !b.ignored[basis]
}

// decide has the proofs about each terminal after x. Ignored terminals may come anywhere.
func (b *builder) decide(x grammar.Terminal) []legality.Verdict {
	list := make([]legality.Verdict, len(b.ignored))
	met := map[grammar.Terminal]bool{}
	for i := range list {
		y := grammar.Terminal(i)
		if list[i] = legality.Always; b.ignored[y] {
			continue
		}
		b.tally.proved++
		list[i] = b.proofs.After(x, y)
		first := b.proofs.Class(y)
		switch {
		case list[i] == legality.Never:
			b.tally.never++
		case list[i] == legality.Always:
			b.tally.always++
		case met[first]:
			b.tally.joint++
		default:
			met[first] = true
		}
	}
	return list
}

// planOfVerdicts is the plan after a terminal.
func (b *builder) planOfVerdicts(list []legality.Verdict) plan {
	var made plan
	byClass := map[grammar.Terminal]int{}
	for i, verdict := range list {
		y := grammar.Terminal(i)
		switch verdict {
		case legality.Always:
			made.always = append(made.always, y)
		case legality.Unknown:
			first := b.proofs.Class(y)
			at, known := byClass[first]
			if !known {
				at = len(made.classes)
				byClass[first] = at
				made.classes = append(made.classes, nil)
			}
			made.classes[at] = append(made.classes[at], y)
		}
	}
	return made
}

// boolToInt is 1 for true.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// states makes the masks of all states of the terminals' DFAs.
func (b *builder) states(ctx context.Context, terminals *lexer.OnDemand) error {
	b.pure = make([]int32, b.tally.states)
	for t := range b.ignored {
		dfa := terminals.Terminal(grammar.Terminal(t))
		if dfa == nil {
			continue
		}
		for at := range int32(dfa.NumStates()) {
			number := b.offset[t] + int(at)
			if err := algorithms.Step(ctx, "states of terminals", number, b.tally.states); err != nil {
				return err
			}
			m := b.matcher.match(dfa, at)
			b.tally.pairs += b.pairsOfState()
			for _, plan := range b.plansFor(grammar.Terminal(t)) {
				b.known[[2]int32{int32(number), plan}] = b.at(m, plan)
			}
			if b.config.exact {
				b.pure[number] = b.maskID(m.inside)
			}
			if b.held > b.config.limit {
				return b.tooLarge(number + 1)
			}
		}
	}
	return nil
}

// pairsOfState is how many masks a state has in the store as published.
func (b *builder) pairsOfState() int {
	if b.config.lookahead == 0 {
		return 1
	}
	return len(b.ignored)
}

// tooLarge is the error of a store beyond its limit.
func (b *builder) tooLarge(states int) error {
	return &algorithms.UnsupportedError{Algorithm: "maskstore", Reason: fmt.Sprintf(
		"not finished: %d of %d states of terminals, %d distinct masks, %d MiB; the limit is %d MiB (option memory)",
		states, b.tally.states, b.masks.Len(), b.held>>20, b.config.limit>>20)}
}

// plansFor are the plans by which states of a terminal are asked: that after it, or after an
// ignored terminal, which the parser does not see, any.
func (b *builder) plansFor(t grammar.Terminal) []int32 {
	switch {
	case b.config.lookahead == 0 || b.proofs == nil:
		return []int32{0}
	case !b.ignored[t]:
		return []int32{b.planOf[t]}
	}
	list := make([]int32, len(b.plans))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// planAfter is the plan for what comes after a terminal that was pending after a basis.
func (b *builder) planAfter(t grammar.Terminal, basis int) int32 {
	switch {
	case b.config.lookahead == 0 || b.proofs == nil:
		return 0
	case b.ignored[t]:
		return b.planOf[basis]
	}
	return b.planOf[t]
}

// maskID numbers a mask, of which a copy is kept if it is new.
func (b *builder) maskID(words []uint64) int32 {
	id, isNew := b.masks.ID(words)
	if isNew {
		b.held += 8 * int64(len(words))
	}
	return id
}

// at is what a state comes to with a plan.
func (b *builder) at(m *match, number int32) built {
	ready := slices.Clone(m.inside)
	if b.config.lookahead == 0 {
		algorithms.Unite(ready, m.reached)
		return built{b.maskID(ready), -1}
	}
	p := &b.plans[number]
	for _, y := range p.always {
		algorithms.Unite(ready, m.beyond[y])
	}
	var next []pair
	for _, class := range p.classes {
		words := b.together(m, class)
		switch {
		case b.proofs == nil:
			algorithms.Unite(words, m.inside)
		case bitset.Includes(ready, words):
			b.tally.contained++
			continue
		}
		next = append(next, pair{class[0], b.maskID(words)})
	}
	b.tally.kept += len(next)
	b.held += pairBytes * int64(len(next))
	out := built{b.maskID(ready), -1}
	if len(next) > 0 {
		out.after = int32(len(b.afters))
		b.afters = append(b.afters, after{next})
	}
	return out
}

// together is the tokens beyond a state before one of some terminals; they hold until the next
// call.
func (b *builder) together(m *match, class []grammar.Terminal) []uint64 {
	clear(b.scratch)
	for _, y := range class {
		algorithms.Unite(b.scratch, m.beyond[y])
	}
	return b.scratch
}

// lexerStates makes the rows of all lexer states.
func (b *builder) lexerStates(ctx context.Context) error {
	n := len(b.parts)
	b.rowOf = make([]int32, n*b.bases)
	b.inside = make([]int32, n)
	for q, parts := range b.parts {
		if err := algorithms.Step(ctx, "rows of lexer states", q, n); err != nil {
			return err
		}
		if len(parts) == 1 {
			b.inside[q] = b.pure[b.offset[parts[0].Terminal]+int(parts[0].State)]
		}
		for basis := range b.bases {
			if b.isBasis(basis) {
				b.rowOf[q*b.bases+basis] = b.rowAt(parts, basis)
			}
		}
		if b.held > b.config.limit {
			return b.tooLarge(b.tally.states)
		}
	}
	b.held += 4 * int64(len(b.rowOf)+len(b.inside))
	return nil
}

// rowAt is the row of the parts of a lexer state after a basis.
func (b *builder) rowAt(parts []lexer.Part, basis int) int32 {
	var asks []ask
	var key []int32
	for _, x := range parts {
		verdict := legality.Unknown
		switch {
		case b.ignored[x.Terminal]:
			verdict = legality.Always
		case b.proofs != nil:
			verdict = b.verdicts[basis][x.Terminal]
		}
		if verdict == legality.Never {
			continue
		}
		of := b.known[[2]int32{int32(b.offset[x.Terminal]) + x.State, b.planAfter(x.Terminal, basis)}]
		one := ask{x.Terminal, verdict == legality.Always, of.mask, of.after}
		asks = append(asks, one)
		key = append(key, int32(one.terminal)<<1|int32(boolToInt(one.sure)), one.mask, one.after)
	}
	id, isNew := b.numbers.ID(key)
	if isNew {
		b.rows = append(b.rows, b.rowOfAsks(asks))
	}
	return id
}

// rowOfAsks is the row of some questions. The streamlined store puts together those that are always
// answered by yes, and those that are jointly legal.
func (b *builder) rowOfAsks(asks []ask) row {
	if b.proofs == nil {
		b.held += rowBytes + askBytes*int64(len(asks))
		return row{none, asks}
	}
	ready := make([]uint64, b.words)
	kept := asks[:0]
	for _, one := range asks {
		if one.sure {
			algorithms.Unite(ready, b.mask(one.mask))
			if one.mask = none; one.after < 0 {
				continue
			}
		}
		same := slices.IndexFunc(kept, func(o ask) bool {
			return o.after < 0 && one.after < 0 && b.proofs.Class(o.terminal) == b.proofs.Class(one.terminal)
		})
		if same >= 0 {
			words := slices.Clone(b.mask(kept[same].mask))
			algorithms.Unite(words, b.mask(one.mask))
			kept[same].mask = b.maskID(words)
			continue
		}
		kept = append(kept, one)
	}
	b.held += rowBytes + askBytes*int64(len(kept))
	return row{b.maskID(ready), kept}
}

// mask is the words of a mask; read only.
func (s *store) mask(id int32) []uint64 { return s.masks.At(id) }
