package harness

import (
	"gcdbench/harness/stats"

	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/measure"
)

// Throughput: batches of generations, after the cells of a group. A cell is there first, so a batch
// is measured of documents that the engine is known to take, and each of its masks is compared with
// the mask that the same engine gave to one generation alone.
//
// An engine from outside makes the steps of a batch in its own process, by the request `batch` of
// the protocol.

// throughputPlan is the part of a manifest about batches; nil for none.
func throughputPlan(t *config.Throughput) *cell.Throughput {
	if t == nil {
		return nil
	}
	plan := &cell.Throughput{Batch: t.Batch, Threads: t.Threads, Masks: t.Masks, MaxTokens: t.MaxTokens}
	for _, m := range t.Models {
		plan.Models = append(plan.Models, cell.Model{Tokenizer: m.Tokenizer, Table: m.Table})
	}
	return plan
}

// checkThroughput refuses what cannot be measured here: shards that have parts of a workload, and
// more threads than cores.
func checkThroughput(cfg *config.Config, shard *cell.Shard) error {
	t := cfg.Throughput
	if t == nil {
		return nil
	}
	problem := ""
	if cores := runtime.NumCPU(); slices.Max(t.Threads) > cores {
		problem = fmt.Sprintf("%d threads, and this machine has %d cores: write all for as many as there are", slices.Max(t.Threads), cores)
	}
	if shard != nil && shard.By == cell.ByDocuments {
		problem = "a batch needs whole workloads: divide the run by cells, not by documents"
	}
	if problem == "" {
		return nil
	}
	return &InputError{cfg.File, t.Pos, "throughput", errors.New(problem)}
}

// batches measures the batches of a group that are not in the store yet.
func (r *run) batches(ctx context.Context, p *prepared) error {
	t := r.manifest.Throughput
	if t == nil || !t.Has(p.label) {
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
	collectAll()
	r.guard.base = measure.Heap()
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
	*entry
	run      *run
	prepared *prepared
	ids      []cell.BatchID // the batches of the cell
	requests []cell.Request
	tokens   [][]int32
	// positions and hashes of the cell's masks, by sample.
	answers map[int]cell.Trace
	// kept has the process of an engine from outside, which compiles the grammar anew for each batch.
	kept *algorithms.Kept
}

// newBatcher reads a cell, and encodes the documents of its requests.
func (r *run) newBatcher(p *prepared, e *entry) (*batcher, error) {
	record, err := r.store.Get(p.id(e, r.cfg, r.env).Key())
	if err != nil {
		return nil, fmt.Errorf("reading the results in %s: %w", r.store.Dir(), err)
	}
	record.Tokenizer = p.label // which may have been renamed since
	t := r.manifest.Throughput
	b := &batcher{entry: e, run: r, prepared: p, ids: t.Of(record), requests: record.Requests(t.MaxTokens), answers: map[int]cell.Trace{}, kept: algorithms.NewKept()}
	for _, q := range b.requests {
		s := p.documents[q.Sample]
		tokens := s.tokens
		if tokens == nil { // of a schema, which is not open
			if tokens, err = p.encode(s); err != nil {
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
		b.run.progress.note("%v; it is measured again", err)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	b.run.progress.doing("%s, batch of %d, threads %d", b.Label, size, threads)
	record := &cell.BatchRecord{ID: id, Outcome: cell.OK, Started: time.Now().UTC(), Requests: b.requests, ClockEmptyNS: b.run.env.Clock.EmptyNS}
	err = b.passes(ctx, record)
	var failed *failure
	switch {
	case errors.As(err, &failed):
		record.Outcome, record.Detail = failed.outcome, failed.detail
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
	if record.FirstNS, record.FirstStolenNS, err = b.pass(ctx, record, engineOf); err != nil || b.prepared.workload.Schema != nil {
		return err
	}
	record.AgainNS, record.AgainStolenNS, err = b.pass(ctx, record, engineOf)
	return err
}

// pass decodes all requests once. stolen is how long something else had the core, in ns.
func (b *batcher) pass(ctx context.Context, record *cell.BatchRecord, engineOf func(context.Context, int) (algorithms.Engine, error)) (ns []int64, stolen int64, err error) {
	collector := &measure.Collector{After: min(measure.CollectAfter, b.run.guard.memory/4)}
	compared := 0
	guard := b.run.guard.of(b.entry)
	guard.timeout *= time.Duration(len(b.requests))
	requests := &measure.Requests{
		Tokens: b.tokens, Engine: engineOf, Width: record.ID.Batch, Threads: record.ID.Threads,
		Size: b.prepared.tokenizer.Vocabulary().Len(), Clock: b.run.env.Clock, Collect: collector,
		Check: func(request, position int, mask algorithms.Mask) error {
			same, known := b.same(request, position, mask)
			compared += stats.Truth(known)
			if known && !same {
				return &failure{outcome: cell.WrongMask, detail: fmt.Sprintf("at position %d its mask differs from the mask of one generation alone", position)}
			}
			return nil
		},
	}
	on := collector.Off()
	ns, err = callFor(ctx, guard, fmt.Sprintf("%s with a batch of %d", b.Label, record.ID.Batch), func(ctx context.Context) ([]int64, error) {
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
	id := b.prepared.documents[b.requests[of.Request].Sample].id
	var refused *measure.RefusedError
	var failed *failure
	switch {
	case errors.As(of.Err, &refused):
		return &failure{outcome: cell.WrongMask, detail: id + ": " + refused.Error()}
	case errors.As(of.Err, &failed):
		return &failure{outcome: failed.outcome, detail: id + ": " + failed.detail}
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
	if !b.outside() {
		kept = algorithms.NewKept()
	}
	if g.workload.Schema == nil {
		u := g.units[0]
		p, err := u.freshFor(ctx, b.entry, kept)
		if err != nil {
			return nil, err
		}
		if b.outside() {
			if _, err := g.start(ctx, b.run.guard.of(b.entry), b.entry, p); err != nil {
				return nil, err
			}
		}
		one, err := b.entry.compile(ctx, b.run.guard.of(b.entry), u, p)
		return func(context.Context, int) (algorithms.Engine, error) { return one.engine, nil }, err
	}
	options := CompilerOptions(schemaOptions(g.workload.Schema))
	compile := compileText
	if options.Kept = g.schemasKept; b.entry.grows() {
		compile, options.Kept = openText, g.schemasKeptLate
	}
	return func(ctx context.Context, request int) (algorithms.Engine, error) {
		u := g.units[g.documents[b.requests[request].Sample].problem]
		named := options
		named.Name = u.id
		_, r, err := compileSchema(ctx, compile, u.schema, named)
		if err != nil {
			return nil, err
		}
		p := &algorithms.Problem{Recognizer: r, Vocabulary: g.tokenizer.Vocabulary(), Source: g.schemaSource(u.schema), Kept: kept}
		return b.algorithm.Compile(ctx, p, b.options)
	}, nil
}
