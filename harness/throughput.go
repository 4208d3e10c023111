package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
)

// batches measures the batches of a group that are not in the store yet.
func (r *run) batches(ctx context.Context, p *prepare.Prepared) error {
	t := r.manifest.Throughput
	if t == nil || !t.Has(p.Label) {
		return nil
	}
	var list []*batcher
	for _, e := range r.entries {
		b, err := r.newBatcher(p, e)
		if err != nil {
			return err
		}
		defer b.kept.Close()
		list = append(list, b)
	}
	r.guard.Base = ask.Base(p)
	for _, threads := range t.Threads {
		for _, size := range t.Batch {
			rng := rand.New(rand.NewPCG(r.cfg.Seed, uint64(threads)<<32|uint64(size)))
			for _, i := range rng.Perm(len(list)) {
				if err := list[i].measure(ctx, size, threads); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// batcher measures the batches of one cell.
type batcher struct {
	*prepare.Entry
	run      *run
	prepared *prepare.Prepared
	ids      []cell.BatchID // the batches of the cell
	requests []cell.Request
	tokens   [][]int32
	// positions and hashes of the cell's masks, by sample.
	answers map[int]cell.Trace
	// kept has the process of an engine from outside, which compiles the grammar anew for each batch.
	kept *algorithms.Kept
}

// newBatcher reads a cell, and encodes the documents of its requests.
func (r *run) newBatcher(p *prepare.Prepared, e *prepare.Entry) (*batcher, error) {
	record, err := r.store.Get(p.IdOf(e, r.cfg, r.env).Key())
	if err != nil {
		return nil, fmt.Errorf("reading the results in %s: %w", r.store.Dir(), err)
	}
	record.Tokenizer = p.Label // which may have been renamed since
	t := r.manifest.Throughput
	b := &batcher{Entry: e, run: r, prepared: p, ids: t.Of(record), requests: record.Requests(t.MaxTokens), answers: map[int]cell.Trace{}, kept: algorithms.NewKept()}
	for _, q := range b.requests {
		s := p.Documents[q.Sample]
		tokens := s.Tokens
		if tokens == nil { // of a schema, which is not open
			if tokens, err = p.Encode(s); err != nil {
				return nil, err
			}
		}
		b.tokens = append(b.tokens, tokens[:q.Tokens])
	}
	return b, b.readAnswers(record)
}

// readAnswers reads the hashes of the cell's masks.
func (b *batcher) readAnswers(record *cell.Record) error {
	for t, err := range b.run.store.Traces(record) {
		if err != nil {
			return err
		}
		b.answers[t.Sample] = cell.Trace{Positions: t.Positions, Hashes: t.Hashes}
	}
	return nil
}

// measure brings a batch into the store, unless it is there, or is none of the cell's.
func (b *batcher) measure(ctx context.Context, size, threads int) error {
	i := slices.IndexFunc(b.ids, func(id cell.BatchID) bool { return id.Batch == size && id.Threads == threads })
	if i < 0 {
		return nil
	}
	id := b.ids[i]
	there, err := b.run.store.Batch(id)
	var damaged *cell.DamagedError
	switch {
	case err == nil:
		b.run.summary.count(b.run.summary.Batches, there.Outcome)
		return nil
	case errors.As(err, &damaged):
		b.run.progress.Note("%v; it is measured again", err)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	b.run.progress.Doing("%s, batch of %d, threads %d", b.Label, size, threads)
	record := &cell.BatchRecord{ID: id, Outcome: cell.OK, Started: time.Now().UTC(), Requests: b.requests, ClockEmptyNS: b.run.env.Clock.EmptyNS}
	err = b.passes(ctx, record)
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		record.Outcome, record.Detail = failed.Outcome, failed.Detail
		record.FirstNS, record.AgainNS = nil, nil
	case err != nil:
		return err
	}
	record.Finished = time.Now().UTC()
	b.run.summary.count(b.run.summary.Batches, record.Outcome)
	return b.run.store.PutBatch(record)
}

// passes decodes the requests on a new engine, and those of programs once more.
func (b *batcher) passes(ctx context.Context, record *cell.BatchRecord) (err error) {
	engineOf, err := b.engines(ctx)
	if err != nil {
		return err
	}
	if record.FirstNS, record.FirstStolenNS, err = b.pass(ctx, record, engineOf); err != nil || b.prepared.Workload.Schema != nil {
		return err
	}
	record.AgainNS, record.AgainStolenNS, err = b.pass(ctx, record, engineOf)
	return err
}

// pass decodes all requests once. stolen is how long something else had the core, in ns.
func (b *batcher) pass(ctx context.Context, record *cell.BatchRecord, engineOf func(context.Context, int) (algorithms.Engine, error)) (ns []int64, stolen int64, err error) {
	collector := &measure.Collector{After: min(measure.CollectAfter, b.run.guard.Memory/4)}
	compared := 0
	guard := prepare.Of(b.run.guard, b.Entry)
	guard.Timeout *= time.Duration(len(b.requests))
	requests := &measure.Requests{
		Tokens: b.tokens, Engine: engineOf, Width: record.ID.Batch, Threads: record.ID.Threads,
		Size: b.prepared.LoadedTokenizer.Vocabulary().Len(), Clock: b.run.env.Clock, Collect: collector,
		Check: func(request, position int, mask algorithms.Mask) error {
			same, known := b.same(request, position, mask)
			compared += stats.Truth(known)
			if known && !same {
				return &bounds.Failure{Outcome: cell.WrongMask, Detail: fmt.Sprintf("at position %d its mask differs from the mask of one generation alone", position)}
			}
			return nil
		},
	}
	on := collector.Off()
	ns, err = bounds.CallFor(ctx, guard, fmt.Sprintf("%s with a batch of %d", b.Label, record.ID.Batch), func(ctx context.Context) ([]int64, error) {
		ns, err := requests.Time(ctx)
		return ns, b.failureOf(err)
	})
	gc := on()
	if err == nil {
		record.Compared += compared
		record.GC = record.GC.Add(gc)
		stolen = requests.StolenNS
	}
	return ns, stolen, err
}

// failureOf names the document of an error. A mask that refuses the document's token is wrong: one
// generation alone was given another one.
func (b *batcher) failureOf(err error) error {
	var of *measure.RequestError
	if !errors.As(err, &of) {
		return err
	}
	id := b.prepared.Documents[b.requests[of.Request].Sample].ID
	var refused *measure.RefusedError
	var failed *bounds.Failure
	switch {
	case errors.As(of.Err, &refused):
		return &bounds.Failure{Outcome: cell.WrongMask, Detail: id + ": " + refused.Error()}
	case errors.As(of.Err, &failed):
		return &bounds.Failure{Outcome: failed.Outcome, Detail: id + ": " + failed.Detail}
	}
	return fmt.Errorf("%s: %w", id, of.Err)
}

// same compares a mask with the cell's; known is false where the cell has none.
func (b *batcher) same(request, position int, mask algorithms.Mask) (same, known bool) {
	t := b.answers[b.requests[request].Sample]
	i, found := slices.BinarySearch(t.Positions, uint32(position))
	if !found || i >= len(t.Hashes) {
		return false, false
	}
	return t.Hashes[i] == mask.Hash(), true
}

// engines returns the engine of each request. Programs share one, which is compiled here. Each
// request of a schema compiles its own, as a server does beside the batch: the time of that is the
// cell's.
func (b *batcher) engines(ctx context.Context) (func(context.Context, int) (algorithms.Engine, error), error) {
	g, kept := b.prepared, b.kept
	if !b.Outside() {
		kept = algorithms.NewKept()
	}
	if g.Workload.Schema == nil {
		u := g.Units[0]
		p, err := u.FreshFor(ctx, b.Entry, kept)
		if err != nil {
			return nil, err
		}
		if b.Outside() {
			if _, err := ask.Start(g, ctx, prepare.Of(b.run.guard, b.Entry), b.Entry, p); err != nil {
				return nil, err
			}
		}
		one, err := ask.Compile(b.Entry, ctx, prepare.Of(b.run.guard, b.Entry), u, p)
		return func(context.Context, int) (algorithms.Engine, error) { return one.Engine, nil }, err
	}
	options := prepare.CompilerOptions(prepare.SchemaOptions(g.Workload.Schema))
	compile := prepare.CompileText
	if options.Kept = g.SchemasKept; b.Entry.Grows() {
		compile, options.Kept = prepare.OpenText, g.SchemasKeptLate
	}
	return func(ctx context.Context, request int) (algorithms.Engine, error) {
		u := g.Units[g.Documents[b.requests[request].Sample].Problem]
		named := options
		named.Name = u.ID
		_, r, err := prepare.CompileSchema(ctx, compile, u.Schema, named)
		if err != nil {
			return nil, err
		}
		p := &algorithms.Problem{Recognizer: r, Vocabulary: g.LoadedTokenizer.Vocabulary(), Source: g.SchemaSource(u.Schema), Kept: kept}
		return b.Maker.Compile(ctx, p, b.Options)
	}, nil
}
