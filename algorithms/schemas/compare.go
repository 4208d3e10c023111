package schemas

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// A Comparison is what schemas are compared with.
type Comparison struct {
	Tokenizer *tokenizers.Tokenizer
	Reference conformance.Contestant
	// Contestants are by the name they have in reports.
	Contestants map[string]conformance.Contestant
	// Options are for the compile of schemas.
	Options jsonschema.Options
	// Limit bounds each compile: of the schema, and of it by one contestant. 0 is none.
	Limit time.Duration
	// Branches is how many legal tokens, chosen at random, are tried beside each instance, per 16
	// positions: the masks after them are compared too. It leads to where no author went.
	Branches int
	Seed     uint64
}

// An Outcome is what came out of the comparison of one schema.
type Outcome struct {
	// Refused is why the schema itself did not compile; then nothing was compared.
	Refused error
	// Positions are the distinct prefixes at which the reference gave a mask, Masks the masks compared
	// with those.
	Positions, Masks int
	// Missing says of contestants that took no part why: they do not support the problem, or were over
	// the limit.
	Missing map[string]error
}

// A Difference is a position at which a contestant is not like the reference.
type Difference struct {
	Schema     Schema
	Contestant string
	// Prefix is the text before the position, Tokens its tokens.
	Prefix  []byte
	Tokens  []int32
	Message string
}

// Error names the schema, the prefix and what differs.
func (d *Difference) Error() string {
	return fmt.Sprintf("%s, schema %s, after %d tokens: %s\nprefix %q\ntokens %v\nschema %s",
		d.Contestant, d.Schema.ID, len(d.Tokens), d.Message, d.Prefix, d.Tokens, d.Schema.Text)
}

// Compare compiles a schema with everything and takes its instances through. The error is a *Difference,
// ctx's, or that of a compile which is neither unsupported nor over the limit.
func (c *Comparison) Compare(ctx context.Context, s Schema) (Outcome, error) {
	var o Outcome
	g, err := c.grammar(ctx, s)
	if err != nil {
		o.Refused = err
		return o, ctx.Err()
	}
	run, err := c.start(ctx, s, g, &o)
	if err != nil {
		return o, err
	}
	for _, in := range s.Instances {
		ids, err := c.Tokenizer.EncodeContinuation(in.Text)
		if err != nil {
			return o, fmt.Errorf("schema %s: %w", s.ID, err)
		}
		if err := run.instance(ctx, ids); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (c *Comparison) grammar(ctx context.Context, s Schema) (*grammar.Grammar, error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	options := c.Options
	options.Name = s.ID
	result, err := jsonschema.Compile(ctx, s.Text, options)
	if err != nil {
		return nil, err
	}
	return result.Grammar, nil
}

// limited is ctx with the time limit of one compile.
func (c *Comparison) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.Limit)
}

// run is a schema compiled by all.
type run struct {
	schema  Schema
	outcome *Outcome
	vocab   *tokenizers.Vocabulary
	names   []string // the reference's first
	engines []algorithms.Engine
	seen    map[string]bool // prefixes compared, as bytes
	rng     *rand.Rand
	chance  int // of 16, that a position is branched from
}

func (c *Comparison) start(ctx context.Context, s Schema, g *grammar.Grammar, o *Outcome) (*run, error) {
	rec, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.ID, err)
	}
	r := &run{
		schema: s, outcome: o, vocab: c.Tokenizer.Vocabulary(), seen: map[string]bool{},
		rng: rand.New(rand.NewPCG(c.Seed, uint64(len(s.Text)))), chance: c.Branches,
	}
	o.Missing = map[string]error{}
	p := &algorithms.Problem{Recognizer: rec, Vocabulary: r.vocab}
	if err := c.add(ctx, r, p, "reference "+c.Reference.Algorithm.Name(), c.Reference); err != nil {
		return nil, err
	}
	if len(r.engines) == 0 {
		return nil, fmt.Errorf("schema %s: the reference did not compile: %v", s.ID, o.Missing)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Contestants)) {
		if err := c.add(ctx, r, p, name, c.Contestants[name]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add compiles one more contestant, or notes why it is missing.
func (c *Comparison) add(ctx context.Context, r *run, p *algorithms.Problem, name string, who conformance.Contestant) error {
	options, err := algorithms.Resolve(who.Algorithm, who.Options)
	if err != nil {
		return err
	}
	limited, cancel := c.limited(ctx)
	defer cancel()
	e, err := who.Algorithm.Compile(limited, p, options)
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &unsupported), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		r.outcome.Missing[name] = err
	case err != nil:
		return fmt.Errorf("schema %s, %s: %w", r.schema.ID, name, err)
	default:
		r.names, r.engines = append(r.names, name), append(r.engines, e)
	}
	return nil
}

// instance takes all engines through the tokens, up to the first that is refused.
func (r *run) instance(ctx context.Context, ids []int32) error {
	states := make([]algorithms.State, len(r.engines))
	for i, e := range r.engines {
		states[i] = e.Start()
	}
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		mask, err := r.masks(states, ids[:k])
		if err != nil {
			return err
		}
		if mask != nil && r.rng.IntN(16) < r.chance {
			if err := r.branch(states, ids[:k], *mask); err != nil {
				return err
			}
		}
		if k == len(ids) {
			return r.end(states, ids)
		}
		if taken, err := r.commit(states, ids[:k], int(ids[k])); err != nil || !taken {
			return err
		}
	}
}

// masks compares the masks after a prefix. The result is nil if that was done before.
func (r *run) masks(states []algorithms.State, prefix []int32) (*algorithms.Mask, error) {
	k := key(prefix)
	if r.seen[k] {
		return nil, nil
	}
	r.seen[k] = true
	r.outcome.Positions++
	want := states[0].Mask()
	for i, s := range states[1:] {
		r.outcome.Masks++
		got := s.Mask()
		if id := got.FirstDifference(want); id >= 0 {
			return nil, r.differ(i+1, prefix, fmt.Sprintf("token %d %q: the reference says legal=%v; %s",
				id, r.vocab.Token(id), want.Has(id), counts(got, want)))
		}
	}
	return &want, nil
}

// counts says by how many tokens two masks differ.
func counts(got, want algorithms.Mask) string {
	more, less := 0, 0
	for id := range want.Len() {
		switch {
		case got.Has(id) && !want.Has(id):
			more++
		case !got.Has(id) && want.Has(id):
			less++
		}
	}
	return fmt.Sprintf("%d tokens are wrongly allowed, %d wrongly masked, of %d", more, less, want.Count())
}

// branch tries a random legal token on clones and compares the masks after it.
func (r *run) branch(states []algorithms.State, prefix []int32, mask algorithms.Mask) error {
	ids := mask.IDs(nil)
	if len(ids) == 0 {
		return nil
	}
	id := ids[r.rng.IntN(len(ids))]
	clones := make([]algorithms.State, len(states))
	for i, s := range states {
		clones[i] = s.Clone()
	}
	taken, err := r.commit(clones, prefix, id)
	if err != nil {
		return err
	}
	if !taken {
		return r.differ(0, prefix, fmt.Sprintf("token %d %q is in the mask and all refuse it", id, r.vocab.Token(id)))
	}
	_, err = r.masks(clones, append(slices.Clone(prefix), int32(id)))
	return err
}

// end commits every EOS id: all must take it or all refuse it, and nothing may follow.
func (r *run) end(states []algorithms.State, ids []int32) error {
	for _, eos := range r.vocab.EOS() {
		clones := make([]algorithms.State, len(states))
		for i, s := range states {
			clones[i] = s.Clone()
		}
		if taken, err := r.commit(clones, ids, eos); err != nil || !taken {
			return err
		}
		for i, s := range clones {
			if n := s.Mask().Count(); n > 0 {
				return r.differ(i, ids, fmt.Sprintf("%d tokens may follow EOS", n))
			}
		}
	}
	return nil
}

// commit appends a token to all states, or finds that all refuse it.
func (r *run) commit(states []algorithms.State, prefix []int32, id int) (taken bool, err error) {
	for i, s := range states {
		err := s.Commit(id)
		if i == 0 {
			taken = err == nil
		}
		if taken != (err == nil) {
			return false, r.differ(i, prefix, fmt.Sprintf("token %d %q: the reference takes it is %v, here: %v", id, r.vocab.Token(id), taken, err))
		}
	}
	return taken, nil
}

func (r *run) differ(engine int, prefix []int32, message string) error {
	var text strings.Builder
	for _, id := range prefix {
		text.Write(r.vocab.Token(int(id)))
	}
	return &Difference{r.schema, r.names[engine], []byte(text.String()), slices.Clone(prefix), message}
}

// key is a prefix as a map's key.
func key(prefix []int32) string {
	b := make([]byte, 0, 4*len(prefix))
	for _, id := range prefix {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}
