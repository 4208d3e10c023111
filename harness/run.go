// Package harness runs comparisons: it feeds the documents of a workload to the algorithms token by
// token (teacher forcing), compares every mask, measures, and stores the results.
//
// # The way of a run
//
//	run.go        one group after the other: a workload on a vocabulary
//	group.go      the algorithms of a group (type ask.Engine), unit by unit
//	warmup.go     before the first schema; compile.go compiles, and starts processes again
//	prove.go      has an untimed instance of each algorithm walk each document (a trial)
//	round.go      times the trials of a document; package measure has the clock
//	use.go        weighs the engines after all documents
//	throughput.go measures batches of generations
//	resume.go     reads the journal of an interrupted run
//	shard.go      takes the part of a shard out of a group
//
// Below it stand packages bounds and progress, prepare (what is walked) and ask (answers, compared
// and explained). Package verify, which times nothing, plan, speculate and rewalk stand beside it.
// It has more lines than other packages, since the load (underload.go, loadcorpus.go) stands here
// too.
//
// # Schemas
//
// A workload of programs has one grammar, compiled once. In a schema corpus each document is an
// instance of a JSON schema, and each schema is a grammar of its own. One schema is compiled,
// walked by all algorithms and released before the next, so that ten thousand schemas take the
// memory of one. Their results are in the journal, from which the cells are made at the end.
// Package verify spreads schemas over all processors; Run takes one after the other.
//
// There a failure is a wrong mask, an invalid instance that is accepted, or a crash. A schema that
// is not supported or faulty, and a valid instance that is refused, are limitations, which are
// expected of any engine and counted: see ask.Outcomes.
//
// # What the times mean
//
// docs/methodology.md has the rules, package measure how one generation is timed. In short: masks
// are compared first, on engines of their own. Then the algorithms take turns document by document,
// in an order that the seed draws anew for each pass and the result records, so that a machine that
// slows down for a minute slows all of them. The first pass over a document is timed, since an
// engine that builds on demand has not seen it; later passes are timed again. Garbage is collected
// between timed operations, never in one (unless a single operation allocates up to the memory
// limit, which is counted). The goroutine is locked to its thread, and the thread to a core.
//
// A lexer that is built on demand grows with every question, so every compile of a schema by an
// algorithm gets a new lexer. An algorithms.Kept outlives engines. The timed engines of an
// algorithm have one, the engines whose answers are compared have another, and no algorithm finds
// what another one built.
//
// # What bounds it
//
// Algorithms of this module run in this process. A panic is caught. A fatal error of the Go runtime
// is attributed at the next start of the same command. An engine that ignores cancellation cannot
// be stopped: after a grace period its operation is abandoned, the sample is a timeout, and
// everything measured while the operation still runs says so. The memory limit is on the heap, read
// every few milliseconds: an engine that allocates gigabytes in less time, or outside of the Go
// heap, is not caught in time. The memory of abandoned operations is charged to no other engine, up
// to a ceiling at which the run ends: see bounds/abandoned.go.
package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime/debug"
	"time"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
	"gcdbench/internal/words"
)

// Summary counts the results of a run.
type Summary struct {
	Measured int `json:"measured"` // cells measured now
	Present  int `json:"present"`  // cells that were there already
	// Outcomes counts the cells of the configuration by outcome, Batches those of throughput, Failed
	// both with an outcome that is a failure (exit status 1).
	Outcomes    map[cell.Outcome]int `json:"outcomes"`
	Batches     map[cell.Outcome]int `json:"batches"`
	Failed      int                  `json:"failed"`
	Differences []*ask.Difference    `json:"differences"` // wrong masks found now
}

// add counts a cell that this run measured.
func (s *Summary) add(r *cell.Record) {
	s.Measured++
	s.count(s.Outcomes, r.Outcome)
}

// count counts the outcome of a cell or a batch, measured now or earlier, among those of its kind:
// the exit status is about the whole configuration.
func (s *Summary) count(of map[cell.Outcome]int, o cell.Outcome) {
	of[o]++
	if o.Failure() {
		s.Failed++
	}
}

// run is a run in progress.
type run struct {
	cfg       *config.Config
	entries   []*prepare.Entry
	env       environment.Environment
	store     *cell.Store
	guard     *bounds.Guard
	progress  *progress.Progress
	manifest  *cell.Manifest
	summary   *Summary
	lastWords string // of an earlier process that died in this directory
}

// Run measures every cell of the configuration that is not yet in opt.Out. It can be interrupted at
// any time, by ctx or by force: the same call goes on at the sample where it stopped.
//
// Errors are about input (*InputError), about the directory (*cell.WriteError, *cell.LockedError)
// or ctx's. What algorithms do wrong is in the Summary, which is never nil without an error.
func Run(ctx context.Context, cfg *config.Config, opt prepare.Options) (*Summary, error) {
	r, done, err := begin(cfg, &opt)
	if err != nil {
		return nil, err
	}
	defer done()
	err = prepare.NewLoader(cfg, &opt).EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		if err := r.group(ctx, g, number, of); err != nil {
			return err
		}
		return r.batches(ctx, g)
	})
	if err == nil {
		_, err = r.store.RemoveJournals(time.Now())
	}
	r.progress.Finish()
	if err != nil {
		return nil, err
	}
	return r.summary, nil
}

// begin opens the directory, takes its lock and sets the process up.
func begin(cfg *config.Config, opt *prepare.Options) (r *run, done func(), err error) {
	if err := prepare.CheckThroughput(cfg); err != nil {
		return nil, nil, err
	}
	list, err := prepare.Entries(cfg, opt)
	if err != nil {
		return nil, nil, err
	}
	store, err := cell.Create(opt.Out)
	if err != nil {
		return nil, nil, err
	}
	store.BeforeRename = opt.BeforeRename
	unlock, err := store.Lock()
	if err != nil {
		return nil, nil, err
	}
	r = &run{cfg: cfg, entries: list, store: store, progress: progress.NewProgress(opt.Progress),
		summary: &Summary{Outcomes: map[cell.Outcome]int{}, Batches: map[cell.Outcome]int{}, Differences: []*ask.Difference{}},
		guard:   opt.NewGuard(cfg)}
	if r.lastWords, err = store.TakeCrash(); err == nil {
		_, err = store.RemoveTemporary()
	}
	if err == nil {
		err = r.beginManifest(opt.Shard)
	}
	if err != nil {
		unlock()
		return nil, nil, err
	}
	r.env = environment.Here(environment.Calibrate())
	r.progress.Note("%s, %s, %s; a pair of clock reads costs %.0f ns", r.env.CPU, words.Count(r.env.Cores, "core"), r.env.Go, r.env.Clock.PairNS)
	forget := catchLastWords(store.CrashFile())
	unlimit := bounds.LimitCollector(r.guard)
	return r, func() {
		unlimit()
		forget()
		unlock()
	}, nil
}

// catchLastWords has the Go runtime write the stacks of a fatal error into a file, too. The
// returned function ends that and removes the file, which is empty unless the process dies.
func catchLastWords(path string) (forget func()) {
	f, err := os.Create(path)
	if err != nil {
		return func() {} // a crash then has no cause in the results
	}
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
		f.Close()
		os.Remove(path)
		return func() {}
	}
	f.Close() // the runtime has a descriptor of its own
	return func() {
		debug.SetCrashOutput(nil, debug.CrashOptions{}) // ends the first; cannot fail
		os.Remove(path)
	}
}

// beginManifest lists the cells of the configuration. It keeps the keys of an earlier manifest
// until this run comes to their group, so that a report in the meantime shows the earlier results.
func (r *run) beginManifest(shard *cell.Shard) error {
	before, err := r.store.Manifest()
	var damaged *cell.DamagedError
	if errors.As(err, &damaged) {
		r.progress.Note("%v; it is written anew", err)
	} else if err != nil {
		return err
	}
	if err := sameShard(r.store.Dir(), before, shard); err != nil {
		return err
	}
	r.manifest = &cell.Manifest{Name: r.cfg.Name, Config: string(r.cfg.Text), Started: time.Now().UTC(), Throughput: prepare.ThroughputPlan(r.cfg.Throughput)}
	for _, w := range r.cfg.Workloads {
		for _, t := range r.cfg.Tokenizers {
			for _, e := range r.entries {
				r.manifest.Cells = append(r.manifest.Cells, cell.Planned{Label: e.Label, Tokenizer: t.Label, Workload: w.Name, Published: w.Published})
			}
		}
	}
	if shard != nil {
		r.divideManifest(shard)
	}
	if before != nil {
		for i := range r.manifest.Cells {
			for _, old := range before.Cells {
				if r.manifest.Cells[i].Same(old) {
					r.manifest.Cells[i].Key = old.Key
				}
			}
		}
	}
	return r.store.PutManifest(r.manifest)
}

// setKey enters the key of a cell, which is known when its group is prepared.
func (r *run) setKey(p cell.Planned) {
	for i := range r.manifest.Cells {
		if r.manifest.Cells[i].Same(p) {
			r.manifest.Cells[i].Key = p.Key
		}
	}
}

// group measures the missing cells of a group.
func (r *run) group(ctx context.Context, p *prepare.Prepared, number, of int) error {
	g := &group{Prepared: p, run: r}
	finished := map[*prepare.Entry]*cell.Record{}
	for _, e := range r.entries {
		id := p.IdOf(e, r.cfg, r.env)
		key := id.Key()
		r.setKey(cell.Planned{Key: key, Label: e.Label, Tokenizer: p.Label, Workload: p.Workload.Name})
		record, err := r.store.Get(key)
		var damaged *cell.DamagedError
		switch {
		case err == nil:
			r.summary.Present++
			r.summary.count(r.summary.Outcomes, record.Outcome)
			finished[e] = record
			continue
		case errors.As(err, &damaged):
			r.progress.Note("%v; it is measured again", err)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("reading the results in %s: %w", r.store.Dir(), err)
		}
		g.pending = append(g.pending, newEngine(p, e, key, id))
	}
	if err := r.store.PutManifest(r.manifest); err != nil {
		return err
	}
	what, parts := p.Parts()
	r.progress.Group(number, of, p.Name(), what, parts, len(g.pending), len(r.entries))
	if len(g.pending) == 0 {
		return nil
	}
	if f := p.Workload.Failed; f != nil {
		r.progress.Note("the grammar of %s does not compile: %v", p.Workload.Name, f)
	}
	for _, e := range r.entries {
		if record := finished[e]; record != nil {
			defer g.addStored(e, record)()
		}
	}
	defer g.release()
	return g.measure(ctx)
}

// addStored opens the answers of a finished cell for comparisons, until the returned function is
// called.
func (g *group) addStored(e *prepare.Entry, record *cell.Record) (done func()) {
	src := &answerSource{Entry: e, record: record}
	src.next, src.stop = iter.Pull2(g.run.store.Traces(record))
	g.stored = append(g.stored, src)
	return src.stop
}
