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

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
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
	Differences []*Difference        `json:"differences"` // wrong masks found now
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
	entries   []*entry
	env       environment.Environment
	store     *cell.Store
	guard     *guard
	progress  *progress
	manifest  *cell.Manifest
	summary   *Summary
	lastWords string // of an earlier process that died in this directory
}

// Run measures every cell of the configuration that is not yet in opt.Out. It can be interrupted at
// any time, by ctx or by force: the same call goes on at the sample where it stopped.
//
// Errors are about input (*InputError), about the directory (*cell.WriteError, *cell.LockedError)
// or ctx's. What algorithms do wrong is in the Summary, which is never nil without an error.
func Run(ctx context.Context, cfg *config.Config, opt Options) (*Summary, error) {
	r, done, err := begin(cfg, &opt)
	if err != nil {
		return nil, err
	}
	defer done()
	err = newLoader(cfg, &opt).eachGroup(ctx, func(g *prepared, number, of int) error {
		if err := r.group(ctx, g, number, of); err != nil || g.empty() {
			return err
		}
		return r.batches(ctx, g)
	})
	if err == nil {
		_, err = r.store.RemoveJournals(time.Now())
	}
	r.progress.finish()
	if err != nil {
		return nil, err
	}
	return r.summary, nil
}

// begin opens the directory, takes its lock and sets the process up.
func begin(cfg *config.Config, opt *Options) (r *run, done func(), err error) {
	if err := checkThroughput(cfg, opt.Shard); err != nil {
		return nil, nil, err
	}
	list, err := entries(cfg, opt)
	if err != nil {
		return nil, nil, err
	}
	store, err := cell.Create(opt.Out)
	if err != nil {
		return nil, nil, err
	}
	store.BeforeRename = opt.beforeRename
	unlock, err := store.Lock()
	if err != nil {
		return nil, nil, err
	}
	r = &run{cfg: cfg, entries: list, store: store, progress: newProgress(opt.Progress),
		summary: &Summary{Outcomes: map[cell.Outcome]int{}, Batches: map[cell.Outcome]int{}, Differences: []*Difference{}},
		guard:   opt.newGuard(cfg)}
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
	r.progress.note("%s, %s, %s; a pair of clock reads costs %.0f ns", r.env.CPU, words.Count(r.env.Cores, "core"), r.env.Go, r.env.Clock.PairNS)
	forget := catchLastWords(store.CrashFile())
	unlimit := limitCollector(r.guard)
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
		r.progress.note("%v; it is written anew", err)
	} else if err != nil {
		return err
	}
	if err := sameShard(r.store.Dir(), before, shard); err != nil {
		return err
	}
	r.manifest = &cell.Manifest{Name: r.cfg.Name, Config: string(r.cfg.Text), Started: time.Now().UTC(), Throughput: throughputPlan(r.cfg.Throughput)}
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
func (r *run) group(ctx context.Context, p *prepared, number, of int) error {
	if p.empty() {
		return r.leaveOut(p)
	}
	g := &group{prepared: p, run: r}
	finished := map[*entry]*cell.Record{}
	for _, e := range r.entries {
		id := p.id(e, r.cfg, r.env)
		key := id.Key()
		r.setKey(cell.Planned{Key: key, Label: e.Label, Tokenizer: p.label, Workload: p.workload.Name})
		record, err := r.store.Get(key)
		var damaged *cell.DamagedError
		switch {
		case err == nil:
			r.summary.Present++
			r.summary.count(r.summary.Outcomes, record.Outcome)
			finished[e] = record
			continue
		case errors.As(err, &damaged):
			r.progress.note("%v; it is measured again", err)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("reading the results in %s: %w", r.store.Dir(), err)
		}
		g.pending = append(g.pending, p.newEngine(e, key, id))
	}
	if err := r.store.PutManifest(r.manifest); err != nil {
		return err
	}
	what, parts := p.parts()
	r.progress.group(number, of, p.name(), what, parts, len(g.pending), len(r.entries))
	if len(g.pending) == 0 {
		return nil
	}
	if f := p.workload.failed; f != nil {
		r.progress.note("the grammar of %s does not compile: %v", p.workload.Name, f)
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
func (g *group) addStored(e *entry, record *cell.Record) (done func()) {
	src := &answerSource{entry: e, record: record}
	src.next, src.stop = iter.Pull2(g.run.store.Traces(record))
	g.stored = append(g.stored, src)
	return src.stop
}
