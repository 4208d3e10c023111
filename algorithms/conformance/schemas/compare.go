package schemas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/tokenizers"
)

// A Comparison has the engines and options that compare schemas. Its fields are not changed by
// Compare, which may be called from several goroutines. Each entry keeps what it finds out about
// the vocabulary from schema to schema.
type Comparison struct {
	Vocabulary *tokenizers.Vocabulary
	// Split makes tokens of an instance's text. Their bytes are the text's.
	Split     func(text []byte) ([]int32, error)
	Reference conformance.Entry
	// Entries are by the name they have in reports.
	Entries map[string]conformance.Entry
	// Schema are the options of the schema's compile.
	Schema jsonschema.Options
	// Ahead builds the lexer whole instead of on demand; it is for small schemas.
	Ahead bool
	// Limit bounds each compile: of the schema, and of it by one entry. 0 is no bound.
	Limit time.Duration
	// Branches is at how many of 16 positions, on average, a random legal token is tried beside the
	// one of the instance, and the masks after it are compared. It leads to where no author went.
	Branches int
	// Walks is the number of walks from the start, of at most Steps random legal tokens.
	Walks, Steps int
	// Commits has every token of the vocabulary committed on a clone at each position, and taken back;
	// it is for vocabularies of a few tokens.
	Commits bool
	// Seed is of all that is random.
	Seed uint64

	mu      sync.Mutex
	kept    map[string]*algorithms.Kept // by entry
	schemas *jsonschema.Kept            // of the schemas' compiles, unless Schema has one
}

// keptBy is what an entry keeps from schema to schema.
func (c *Comparison) keptBy(name string) *algorithms.Kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kept[name]
	if k == nil {
		if c.kept == nil {
			c.kept = map[string]*algorithms.Kept{}
		}
		k = algorithms.NewKept()
		c.kept[name] = k
	}
	return k
}

// options are those of the compile of a schema.
func (c *Comparison) options(name string) jsonschema.Options {
	o := c.Schema
	o.Name = name
	if o.Kept == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.schemas == nil {
			c.schemas = jsonschema.NewKept()
		}
		o.Kept = c.schemas
	}
	return o
}

// An Outcome is the result of comparing the engines on one schema.
type Outcome struct {
	// Refused is why the schema itself did not compile; then nothing was compared.
	Refused error
	// Positions are the distinct prefixes at which the reference gave a mask, Masks the masks compared
	// with those.
	Positions, Masks int
	// Missing says of entries that took no part why: they do not support the problem, or were over
	// the limit.
	Missing map[string]error
}

// A Difference is a position at which an entry is not like the reference.
type Difference struct {
	Schema Schema
	Entry  string
	// Prefix is the text before the position, Tokens its tokens.
	Prefix  []byte
	Tokens  []int32
	Message string
}

// Error names the schema, the prefix and what differs.
func (d *Difference) Error() string {
	return fmt.Sprintf("%s, schema %s, after %d tokens: %s\nprefix %q\ntokens %v\nschema %s",
		d.Entry, d.Schema.ID, len(d.Tokens), d.Message, d.Prefix, d.Tokens, d.Schema.Text)
}

// Compare compiles a schema with everything and takes its instances through. The error is a
// *Difference, ctx's, or that of a compile which is neither unsupported nor over the limit.
func (c *Comparison) Compare(ctx context.Context, s Schema) (Outcome, error) {
	o := Outcome{Missing: map[string]error{}}
	g, late, err := c.grammar(ctx, s)
	if err != nil {
		o.Refused = err
		return o, ctx.Err()
	}
	r, err := c.start(ctx, s, g, late, &o)
	if err != nil {
		return o, err
	}
	for _, in := range s.Instances {
		ids, err := c.Split(in.Text)
		if err != nil {
			return o, fmt.Errorf("schema %s: %w", s.ID, err)
		}
		if err := r.instance(ctx, ids); err != nil {
			return o, err
		}
	}
	for range c.Walks {
		if err := r.randomWalk(c.Steps); err != nil {
			return o, err
		}
	}
	return o, nil
}

// grammar is that of a schema. It is late if it is written on demand, since the whole one takes too
// long, is too large, or lacks combinations that the schema has.
func (c *Comparison) grammar(ctx context.Context, s Schema) (g *grammar.Grammar, late bool, err error) {
	limited, cancel := c.limited(ctx)
	defer cancel()
	if s.Grammar != nil {
		g, err = tools.ParseLark(limited, s.ID, s.Grammar, c.options(s.ID).Kept)
		return g, false, err
	}
	result, err := jsonschema.Compile(limited, s.Text, c.options(s.ID))
	if err == nil && !result.Cut {
		return result.Grammar, false, nil
	}
	limited, cancel = c.limited(ctx)
	defer cancel()
	if result, err = jsonschema.Open(limited, s.Text, c.options(s.ID)); err != nil {
		return nil, false, err
	}
	return result.Grammar, true, nil
}

// errWhole is why an entry takes no part where the grammar is late.
var errWhole = errors.New("it needs all rules, and the grammar has them on demand")

// limited is ctx with the time limit of one compile.
func (c *Comparison) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.Limit)
}

// start compiles the grammar with the reference and all entries.
func (c *Comparison) start(ctx context.Context, s Schema, g *grammar.Grammar, late bool, o *Outcome) (*run, error) {
	rec, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: !c.Ahead})
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.ID, err)
	}
	r := &run{
		comparison: c, schema: s, outcome: o, seen: map[string]bool{},
		rng: rand.New(rand.NewPCG(c.Seed, uint64(len(s.Text)))),
		row: make([]uint64, algorithms.MaskWords(c.Vocabulary.Len())),
	}
	p := &algorithms.Problem{Recognizer: rec, Vocabulary: c.Vocabulary}
	reference := c.Reference
	reference.Open = reference.Open || late
	if err := r.add(ctx, p, "reference "+reference.Algorithm.Name(), reference); err != nil {
		return nil, err
	}
	if len(r.engines) == 0 {
		return nil, fmt.Errorf("schema %s: the reference did not compile: %v", s.ID, o.Missing)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Entries)) {
		if late && !(c.Entries[name].Open && grows(c.Entries[name])) {
			o.Missing[name] = errWhole
			continue
		}
		if err := r.add(ctx, p, name, c.Entries[name]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// grows tells whether an entry takes a grammar whose rules are written on demand.
func grows(who conformance.Entry) bool {
	options, err := algorithms.Resolve(who.Algorithm, who.Options)
	return err == nil && algorithms.Grows(who.Algorithm, options)
}

// smallBatch is how many rules an opened grammar has at first at least, so that all grow.
const smallBatch = 1

// add compiles one more entry, or notes why it is missing.
func (r *run) add(ctx context.Context, p *algorithms.Problem, name string, who conformance.Entry) (err error) {
	own := *p
	own.Kept = r.comparison.keptBy(name)
	if who.Open {
		o := r.comparison.options(r.schema.ID)
		o.Batch = smallBatch
		opened, err := jsonschema.Open(ctx, r.schema.Text, o)
		if err != nil {
			return fmt.Errorf("schema %s, %s: %w", r.schema.ID, name, err)
		}
		if own.Recognizer, err = recognizer.New(ctx, opened.Grammar, recognizer.Options{OnDemand: true}); err != nil {
			return fmt.Errorf("schema %s, %s: %w", r.schema.ID, name, err)
		}
	}
	options, err := algorithms.Resolve(who.Algorithm, who.Options)
	if err != nil {
		return err
	}
	limited, cancel := r.comparison.limited(ctx)
	defer cancel()
	e, err := who.Algorithm.Compile(limited, &own, options)
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
