package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/oracle"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/rewrite"
)

// An Entry is an algorithm with options, to be walked.
type Entry struct {
	Algorithm algorithms.Algorithm
	Options   algorithms.Options
	// Open has the rules of a schema written as jsonschema.Open does, when they are needed.
	Open bool
}

// A Spec is a problem small enough for the oracle, and how long to walk under it.
type Spec struct {
	Grammar    string   // in Lark's language
	Vocabulary []string // token bytes by id; EOS is added
	Special    []string // special tokens after EOS
	Steps      int      // tokens committed on a walk
	Walks      int
	Seed       uint64 // which tokens the walks choose
	OnDemand   bool   // how the lexer is built
	NoOracle   bool   // the grammar is beyond the oracle; compare with naive only
	// Rewritten, if not 0, is the seed by which package rewrite writes the grammar in another way:
	// the entries, and a further naive, then compile what it makes, and are compared with naive on
	// the grammar as it is.
	Rewritten uint64
}

// ErrUnusable says that a spec's grammar cannot be compiled: it has conflicts that are not
// resolved, a terminal that matches the empty string, and so on. Random grammars often are.
var ErrUnusable = errors.New("the grammar cannot be used")

// A Difference is a mask that is wrong.
type Difference struct {
	Spec      Spec
	Algorithm string
	Prefix    []string // the tokens committed
	Token     string   // a token that is judged differently, or "<eos>"
	Message   string
}

// Error prints everything needed to see the difference again.
func (d *Difference) Error() string {
	return fmt.Sprintf("%s\nalgorithm %s, after %q, token %q\n%s\nvocabulary %q, seed %d, on demand %v, steps %d, walks %d, rewritten by %d\ngrammar:\n%s",
		"masks differ", d.Algorithm, d.Prefix, d.Token, d.Message, d.Spec.Vocabulary, d.Spec.Seed, d.Spec.OnDemand, d.Spec.Steps, d.Spec.Walks,
		d.Spec.Rewritten, d.Spec.Grammar)
}

// Walk takes random walks under a spec, each step choosing a legal token at random. At each step it
// compares naive with the oracle, every entry with naive, and an entry's commits with its masks. It
// returns the number of positions compared. The error is a *Difference, or wraps ErrUnusable.
func Walk(ctx context.Context, spec Spec, entries ...Entry) (positions int, err error) {
	w, err := newWalker(ctx, spec, entries)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(spec.Seed, 0))
	for range spec.Walks {
		n, err := w.walk(rng)
		positions += n
		if err != nil {
			return positions, err
		}
	}
	return positions, nil
}

// walker is a compiled spec.
type walker struct {
	spec     Spec
	problem  *algorithms.Problem
	asked    *algorithms.Problem // that of the entries: problem, or what rewriting made of it
	contract *oracle.Contract    // nil: beyond the oracle
	names    []string
	engines  []algorithms.Engine // naive's first
}

func newWalker(ctx context.Context, spec Spec, entries []Entry) (*walker, error) {
	g, err := lark.Parse([]byte(spec.Grammar), lark.Options{File: "spec.lark"})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	rec, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: spec.OnDemand})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	v, err := vocabulary("spec", spec.Vocabulary, spec.Special)
	if err == nil {
		v, err = v.Naming(g.SpecialTokens())
	}
	if err != nil {
		return nil, err
	}
	w := &walker{spec: spec, problem: &algorithms.Problem{Recognizer: rec, Vocabulary: v}}
	if !spec.NoOracle {
		if err := w.addOracle(ctx, g); err != nil {
			return nil, err
		}
	}
	naive, err := algorithms.Lookup("naive")
	if err != nil {
		return nil, err
	}
	first := Entry{Algorithm: naive}
	if w.asked = w.problem; spec.Rewritten != 0 {
		if w.asked, err = Rewritten(ctx, w.problem, spec.Rewritten, spec.OnDemand); err != nil {
			return nil, fmt.Errorf("%w: rewritten: %w", ErrUnusable, err)
		}
		entries = append([]Entry{first}, entries...)
	}
	if err := w.compile(ctx, w.problem, first); err != nil {
		return nil, err
	}
	for _, c := range entries {
		if err := w.compile(ctx, w.asked, c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Rewritten is the problem of a grammar of the same language, which package rewrite makes by a
// seed. The error says that the tables of what it made cannot be built.
func Rewritten(ctx context.Context, p *algorithms.Problem, seed uint64, onDemand bool) (*algorithms.Problem, error) {
	r, err := rewrite.Grammar(ctx, p.Grammar, p.Tables, seed)
	if err != nil {
		return nil, err
	}
	rec, err := recognizer.New(ctx, r.Grammar, recognizer.Options{OnDemand: onDemand})
	if err != nil {
		return nil, err
	}
	return &algorithms.Problem{Recognizer: rec, Vocabulary: p.Vocabulary}, nil
}

// compile adds an engine.
func (w *walker) compile(ctx context.Context, p *algorithms.Problem, c Entry) error {
	options, err := algorithms.Resolve(c.Algorithm, c.Options)
	if err != nil {
		return err
	}
	e, err := c.Algorithm.Compile(ctx, p, options)
	if lex := p.Err(); lex != nil { // found out late, on demand
		return fmt.Errorf("%w: %w", ErrUnusable, lex)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Algorithm.Name(), err)
	}
	w.engines, w.names = append(w.engines, e), append(w.names, c.Algorithm.Name())
	return nil
}

// addOracle sets up the oracle where its language is the engines': a grammar whose conflicts were
// resolved by dropping actions has another language than its rules say, and the oracle's contextual
// lexer takes none.
func (w *walker) addOracle(ctx context.Context, g *grammar.Grammar) error {
	for _, c := range w.problem.Tables.Conflicts() {
		if c.Outcome != lr.Kept || g.Lexer == grammar.LexContextual {
			return nil
		}
	}
	contract, err := Oracle(ctx, g)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	w.contract = contract
	return nil
}

// walk is one walk from the start; it returns the number of positions compared.
func (w *walker) walk(rng *rand.Rand) (int, error) {
	states := make([]algorithms.State, len(w.engines))
	for i, e := range w.engines {
		states[i] = e.Start()
	}
	var prefix []string
	text := ""
	for n := 0; ; n++ {
		mask := states[0].Mask()
		if err := errors.Join(w.problem.Err(), w.asked.Err()); err != nil { // a lexer built ahead says so at once
			return n, fmt.Errorf("%w: %w", ErrUnusable, err)
		}
		if err := w.compareOracle(mask, prefix, text); err != nil {
			return n, err
		}
		for i, s := range states {
			if id := s.Mask().FirstDifference(mask); id >= 0 {
				return n, w.differ(i, prefix, id, fmt.Sprintf("naive says %v", verdict(mask.Has(id))))
			}
			if i == 0 {
				continue // what entries are compared with; naive's own commits are on trial as an entry
			}
			if message := Check(s, w.problem.Vocabulary.Len()); message != "" {
				return n, w.differ(i, prefix, -1, message)
			}
			for n%2 == 1 && algorithms.Idle(s) { // a model may be quick, so that nothing is built between steps
			}
		}
		ids := w.ordinary(mask, text)
		if len(ids) == 0 || n == w.spec.Steps {
			return n + 1, nil
		}
		id := ids[rng.IntN(len(ids))]
		for i, s := range states {
			if err := s.Commit(id); err != nil {
				return n, w.differ(i, prefix, id, err.Error())
			}
		}
		token := string(w.problem.Vocabulary.Token(id))
		prefix, text = append(prefix, token), text+token
	}
}

// ordinary lists the ids of a mask after a text that a walk can go on with.
func (w *walker) ordinary(m algorithms.Mask, text string) []int {
	var ids []int
	for _, id := range m.IDs(nil) {
		ends := w.problem.Vocabulary.IsEOS(id) && (w.contract == nil || w.contract.End(text))
		if w.problem.Vocabulary.Legal(id) && !ends {
			ids = append(ids, id)
		}
	}
	return ids
}

// compareOracle compares naive's mask with the oracle's verdict on every token.
func (w *walker) compareOracle(mask algorithms.Mask, prefix []string, text string) error {
	if w.contract == nil {
		return nil
	}
	v := w.problem.Vocabulary
	for id := range v.Len() {
		want := v.Legal(id) && w.contract.Legal(text+string(v.Token(id))) || v.IsEOS(id) && w.contract.End(text)
		if mask.Has(id) != want {
			return w.differ(0, prefix, id, fmt.Sprintf("the oracle says %v", verdict(want)))
		}
	}
	return nil
}

func verdict(legal bool) string {
	if legal {
		return "legal"
	}
	return "illegal"
}

func (w *walker) differ(engine int, prefix []string, id int, message string) error {
	token := ""
	switch {
	case id >= 0 && w.problem.Vocabulary.IsEOS(id):
		token = "<eos>"
	case id >= 0:
		token = string(w.problem.Vocabulary.Token(id))
	}
	return &Difference{w.spec, w.names[engine], append([]string{}, prefix...), token, message}
}
