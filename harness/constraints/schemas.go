package constraints

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/regular"
	"gcdbench/harness/environment"
	"gcdbench/tokenizers"
)

// What became of a schema.
const (
	Regular    = "regular"    // it has a finite automaton
	Recursive  = "recursive"  // it has values inside of themselves, as an unrestricted value does
	TooLarge   = "too large"  // its automaton exceeds a limit, which the detail names
	NotGrammar = "no grammar" // package jsonschema refuses it, or it has no grammar in time
)

// A SchemaRow is what was measured of one JSON schema.
type SchemaRow struct {
	ID      string `json:"schema"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // why it is not regular
	Rules   int    `json:"rules,omitempty"`  // of the grammar
	States  int    `json:"dfa_states,omitempty"`
	// Instances counts the corpus's instances, Accepted those that both engines take to the end. Of
	// the others the masks before the refused token are compared, too.
	Instances int `json:"instances"`
	Accepted  int `json:"accepted"`
	// Positions counts the masks compared with those of psc, Asked those also compared with naive's.
	Positions int `json:"positions"`
	Asked     int `json:"asked_naive"`
	// GrammarNS is from the schema's text to its grammar, which both have in common.
	GrammarNS int64 `json:"grammar_ns"`
	// Finite is the algorithm automata with automaton=finite, from the grammar on. Stack is psc, from
	// the grammar on: its parser's tables are part of the compile.
	Finite Times `json:"finite"`
	Stack  Times `json:"psc"`
}

// SchemaOptions say how schemas are measured.
type SchemaOptions struct {
	Repeat int // walks of each instance after the first
	// Naive is how often naive is asked: at one in so many positions.
	Naive int
	// Kept is shared by the compiles of all schemas to grammars, and Engines by those of grammars to
	// engines: automata and psc, each to compare and to time, and naive. A server has the same.
	Kept    *jsonschema.Kept
	Engines *[5]algorithms.Kept
	// Timeout ends the compile of a schema's grammar, and of its automaton.
	Timeout time.Duration
}

// schemaMeasure is the measurement of one schema.
type schemaMeasure struct {
	row    *SchemaRow
	tok    *tokenizers.Tokenizer
	naive  algorithms.Engine
	finite [2]algorithms.Engine // to compare, and to time
	stack  [2]algorithms.Engine
}

// MeasureSchema compares masks and times steps on the instances of one schema. A mask of the finite
// automaton that is not psc's, or not naive's where naive is asked, is an error that names the
// instance, the place and the token. A schema that has no finite automaton is no error.
func MeasureSchema(ctx context.Context, s *datasets.Schema, instances [][]byte, tok *tokenizers.Tokenizer, opt SchemaOptions) (*SchemaRow, error) {
	m := &schemaMeasure{row: &SchemaRow{ID: s.ID, Instances: len(instances)}, tok: tok}
	limited, cancel := context.WithTimeout(ctx, opt.Timeout)
	defer cancel()
	regular, err := m.compile(limited, s, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	if !regular {
		return m.row, nil
	}
	w := newWalker(tok.Vocabulary().Len())
	for i, text := range instances {
		if err := m.instance(ctx, w, text, opt); err != nil {
			return nil, fmt.Errorf("%s#%d: %w", s.ID, i, err)
		}
	}
	m.row.Finite.Bytes, m.row.Stack.Bytes = m.finite[1].Stats().Bytes, m.stack[1].Stats().Bytes
	return m.row, nil
}

// compile makes the engines. It reports false, with the outcome in the row, for a schema that is
// not regular.
func (m *schemaMeasure) compile(ctx context.Context, s *datasets.Schema, opt SchemaOptions) (bool, error) {
	begin := environment.Now()
	r, err := jsonschema.Compile(ctx, s.Text, jsonschema.Options{Name: s.ID, Kept: opt.Kept})
	m.row.GrammarNS = (environment.Now() - begin).Nanoseconds()
	if err != nil {
		m.row.Outcome, m.row.Detail = NotGrammar, err.Error()
		return false, nil
	}
	m.row.Rules = len(r.Grammar.Rules)
	for i := range m.finite {
		var took int64
		if m.finite[i], took, err = m.engine(ctx, r.Grammar, &opt.Engines[i], "automata", algorithms.Options{"automaton": "finite"}); err != nil {
			return false, m.refused(err)
		}
		m.row.Finite.CompileNS = took
		if m.stack[i], took, err = m.engine(ctx, r.Grammar, &opt.Engines[2+i], "psc", nil); err != nil {
			return false, m.refused(err)
		}
		m.row.Stack.CompileNS = took
	}
	if m.naive, _, err = m.engine(ctx, r.Grammar, &opt.Engines[4], "naive", nil); err != nil {
		return false, m.refused(err)
	}
	m.row.Outcome = Regular
	for _, c := range m.finite[1].Stats().Counters {
		if c.Name == "automaton states" {
			m.row.States = int(c.Value)
		}
	}
	return true, nil
}

// refused takes note of why a schema is not regular. Any other error is returned.
func (m *schemaMeasure) refused(err error) error {
	var unsupported *algorithms.UnsupportedError
	var recursion *regular.RecursionError
	switch {
	case errors.As(err, &recursion):
		m.row.Outcome = Recursive
	case errors.As(err, &unsupported):
		m.row.Outcome = TooLarge
	case errors.Is(err, context.DeadlineExceeded):
		m.row.Outcome = TooLarge
	default:
		return err
	}
	m.row.Detail = err.Error()
	return nil
}

// engine compiles an algorithm for a grammar. The parser's tables are built in the time that is
// returned, unless the engine is a finite automaton, which has no use for them.
func (m *schemaMeasure) engine(ctx context.Context, g *grammar.Grammar, kept *algorithms.Kept, name string, options algorithms.Options) (algorithms.Engine, int64, error) {
	alg, err := algorithms.Lookup(name)
	if err != nil {
		return nil, 0, err
	}
	if options, err = algorithms.Resolve(alg, options); err != nil {
		return nil, 0, err
	}
	begin := environment.Now()
	r, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, 0, err
	}
	if options["automaton"] == "finite" {
		begin = environment.Now()
	}
	e, err := alg.Compile(ctx, &algorithms.Problem{Recognizer: r, Vocabulary: m.tok.Vocabulary(), Kept: kept}, options)
	return e, (environment.Now() - begin).Nanoseconds(), err
}

// instance compares the masks along one instance, and times walks of one that is accepted: the two
// engines take turns.
func (m *schemaMeasure) instance(ctx context.Context, w *walker, text []byte, opt SchemaOptions) error {
	tokens, err := m.tok.EncodeContinuation(text)
	if err != nil {
		return err
	}
	accepted, err := m.compare(ctx, tokens, opt.Naive)
	if err != nil || !accepted {
		return err
	}
	m.row.Accepted++
	for pass := range opt.Repeat + 1 {
		if err := w.walk(&m.row.Finite, m.finite[1].Start(), tokens, pass == 0); err != nil {
			return err
		}
		if err := w.walk(&m.row.Stack, m.stack[1].Start(), tokens, pass == 0); err != nil {
			return err
		}
	}
	return nil
}

// compare walks tokens until the masks refuse one, and compares each mask.
func (m *schemaMeasure) compare(ctx context.Context, tokens []int32, every int) (accepted bool, err error) {
	finite, stack, naive := m.finite[0].Start(), m.stack[0].Start(), m.naive.Start()
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		mask := finite.Mask()
		if err := m.same(mask, stack.Mask(), "psc", k); err != nil {
			return false, err
		}
		if m.row.Positions%every == 0 {
			if err := m.same(mask, naive.Mask(), "naive", k); err != nil {
				return false, err
			}
			m.row.Asked++
		}
		m.row.Positions++
		if k == len(tokens) {
			return slices.ContainsFunc(m.tok.Vocabulary().EOS(), mask.Has), nil
		}
		if !mask.Has(int(tokens[k])) {
			return false, nil
		}
		for _, s := range []algorithms.State{finite, stack, naive} {
			if err := s.Commit(int(tokens[k])); err != nil {
				return false, err
			}
		}
	}
}

// same compares a mask with that of another engine.
func (m *schemaMeasure) same(mask, other algorithms.Mask, name string, k int) error {
	id := mask.FirstDifference(other)
	if id < 0 {
		return nil
	}
	return fmt.Errorf("after %d tokens: token %d %q: the finite automaton says %v, %s %v", k, id, m.tok.Vocabulary().Token(id), mask.Has(id), name, other.Has(id))
}
