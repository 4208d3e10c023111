package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/campaign"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// A campaign is a verification that goes on: it keeps what it has compared and may be stopped and
// taken up again.
//
// It goes in rounds over all groups. Round 0 walks the documents as they are; later rounds make
// others of them (variants.go), by the seed. So the time that is given to it decides how many
// positions are compared, and a corpus is never used up. Slow algorithms are sampled: they are
// asked at one in so many positions, drawn by the seed.
//
// Every worker compiles engines of its own, so that what one worker builds no other reads, and
// workers do not wait for each other's locks. (Verify has its workers share engines, which tests
// that they may.) Each worker therefore needs the memory of one engine of each algorithm.
//
// The first difference stops the campaign. Its document is not entered as done: taken up again, the
// campaign meets it first.

// CampaignOptions are those of a campaign.
type CampaignOptions struct {
	prepare.Options
	Budget  time.Duration  // when no more tasks are begun; 0 for no limit
	Rounds  int            // how many there are; 0 for no limit
	Workers int            // 0 for one on each core
	Sample  map[string]int // algorithms that are asked at one in so many positions
}

// DefaultSample are the algorithms that take milliseconds for a mask. At these rates they take
// about as much time as all others together.
func DefaultSample() map[string]int { return map[string]int{prepare.Naive: 2000, "trie": 100} }

// CampaignDifference is the witness of a wrong mask that a campaign found.
type CampaignDifference struct {
	Workload  string  `json:"workload"`
	Tokenizer string  `json:"tokenizer"`
	Round     int     `json:"round"`
	Seed      uint64  `json:"seed"`
	Document  string  `json:"document"`
	Tokens    []int32 `json:"tokens"` // of the document
	Algorithm string  `json:"algorithm"`
	Detail    string  `json:"detail"`
	// Small is the difference made small; nil if no smaller case was found.
	Small *ask.Difference `json:"small"`
	Path  string          `json:"-"` // of the file that has this
}

// Text is what a person reads.
func (d *CampaignDifference) Text() string {
	text := fmt.Sprintf("wrong mask: %s on %s with %s, %s, round %d: %s\n", d.Algorithm, d.Workload, d.Tokenizer, d.Document, d.Round, d.Detail)
	if d.Small != nil {
		text = d.Small.Text()
	}
	return text + "kept as " + d.Path + "\n"
}

// campaignRun is a campaign in progress.
type campaignRun struct {
	opt      CampaignOptions
	cfg      *config.Config
	loader   *prepare.Loader
	entries  []*prepare.Entry
	progress *progress.Progress
	manifest *campaign.Manifest
	session  campaign.Session
	deadline time.Time     // zero for none
	cpu      time.Duration // processor time at the start
	env      environment.Environment
	// finished has the rounds that this shard has finished, by workload and tokenizer.
	finished map[[2]string]map[int]bool

	mu       sync.Mutex // guards the rest
	found    *CampaignDifference
	lastLine time.Time
	stored   int   // tasks of this session
	compared int64 // positions of this session
}

// VerifyOn verifies as far as its budget goes, and goes on where an earlier call in opt.Out
// stopped. The difference is nil unless one was found in this call. Errors are those of Run.
func VerifyOn(ctx context.Context, cfg *config.Config, opt CampaignOptions) (*campaign.Summary, *CampaignDifference, error) {
	once := *cfg
	once.Measure.Compiles = 1
	c := &campaignRun{opt: opt, cfg: &once, progress: progress.NewProgress(opt.Progress), env: environment.Here(environment.Clock{}), cpu: environment.ProcessTime(0),
		finished: map[[2]string]map[int]bool{}}
	c.loader = prepare.NewLoader(c.cfg, &c.opt.Options)
	if opt.Workers <= 0 {
		c.opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Budget > 0 {
		c.deadline = time.Now().Add(opt.Budget)
	}
	unlock, err := c.begin()
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	defer bounds.LimitCollector(opt.NewGuard(cfg))()
	for rounds := []int{0}; len(rounds) > 0 && err == nil && !c.over(); rounds = c.after(rounds) {
		err = c.visit(ctx, rounds)
	}
	c.progress.Finish()
	if err != nil {
		return nil, nil, err
	}
	s, err := campaign.Summarize(opt.Out, c.manifest)
	return s, c.found, err
}

// visit brings some rounds forward in all groups that have something left of them.
func (c *campaignRun) visit(ctx context.Context, rounds []int) error {
	c.loader.Skip = func(w config.Workload, t config.Tokenizer) bool {
		done, known := c.finished[[2]string{w.Name, t.Label}]
		return c.over() || known && !slices.ContainsFunc(rounds, func(r int) bool { return !done[r] })
	}
	return c.loader.EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		if g.Empty() {
			return nil
		}
		return c.group(ctx, g, rounds, number, of)
	})
}

// after are the rounds of the next visit: two, so that the time of compiles is that of two rounds;
// none if that is all, or if this shard has nothing to do.
func (c *campaignRun) after(rounds []int) (next []int) {
	if len(c.finished) == 0 {
		return nil
	}
	for r := rounds[len(rounds)-1] + 1; len(next) < 2 && (c.opt.Rounds == 0 || r < c.opt.Rounds); r++ {
		next = append(next, r)
	}
	return next
}

// over reports whether no more tasks are to be begun.
func (c *campaignRun) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found != nil || !c.deadline.IsZero() && time.Now().After(c.deadline)
}

// begin takes the directory and writes the manifest.
func (c *campaignRun) begin() (unlock func(), err error) {
	list, err := prepare.Entries(c.cfg, &c.opt.Options)
	if err != nil {
		return nil, err
	}
	list = prepare.WithRewritten(slices.DeleteFunc(list, (*prepare.Entry).Outside), c.opt.Rewritten, c.cfg.Seed)
	// Sampled algorithms come last: others are compared with the first that was asked everywhere.
	slices.SortStableFunc(list, func(a, b *prepare.Entry) int {
		return stats.Truth(c.opt.Sample[a.Name] > 1) - stats.Truth(c.opt.Sample[b.Name] > 1)
	})
	c.entries = list
	store, err := cell.Create(c.opt.Out)
	if err != nil {
		return nil, err
	}
	if unlock, err = store.Lock(); err != nil {
		return nil, err
	}
	if err = c.beginManifest(); err != nil {
		unlock()
		return nil, err
	}
	now := time.Now().UTC()
	c.session = campaign.Session{ID: now.Format("20060102T150405.000000000"), Started: now, CPU: c.env.CPU, Workers: c.opt.Workers}
	return unlock, nil
}

// besideRun refuses the directory of a run's shard for a campaign that is not that shard's: it
// could not be merged with the others any more.
func (c *campaignRun) besideRun() error {
	store, err := cell.Open(c.opt.Out)
	if err != nil {
		return nil // there is no run
	}
	if run, err := store.Manifest(); err == nil && run != nil && run.Shard != nil && !run.Shard.Same(c.opt.Shard) {
		return &prepare.WrongShardError{Dir: c.opt.Out, Has: run.Shard, Wants: c.opt.Shard}
	}
	return nil
}

// beginManifest lists the groups, with the keys of an earlier manifest of the same campaign.
func (c *campaignRun) beginManifest() error {
	before, err := campaign.ReadManifest(c.opt.Out)
	var damaged *cell.DamagedError
	if errors.As(err, &damaged) {
		c.progress.Note("%v; it is written anew", err)
	} else if err != nil {
		return err
	}
	if before != nil && !before.Shard.Same(c.opt.Shard) {
		return &prepare.WrongShardError{Dir: c.opt.Out, Has: before.Shard, Wants: c.opt.Shard}
	}
	if err := c.besideRun(); err != nil {
		return err
	}
	m := &campaign.Manifest{Name: c.cfg.Name, Config: string(c.cfg.Text), Seed: c.cfg.Seed, Sample: c.opt.Sample,
		Program: c.env.Program, Revision: c.env.Revision, Dirty: c.env.Dirty, Shard: c.opt.Shard}
	for _, e := range c.entries {
		m.Labels = append(m.Labels, e.Label)
	}
	for _, w := range c.cfg.Workloads {
		for _, t := range c.cfg.Tokenizers {
			g := campaign.Group{Workload: w.Name, Tokenizer: t.Label}
			if before != nil && before.Program == m.Program && before.Config == m.Config && slices.Equal(before.Labels, m.Labels) && maps.Equal(before.Sample, m.Sample) {
				if i := slices.IndexFunc(before.Groups, g.Same); i >= 0 {
					g = before.Groups[i]
				}
			}
			m.Groups = append(m.Groups, g)
		}
	}
	if before != nil && before.Program != m.Program {
		c.progress.Note("%s has a campaign of another program, which is not counted: what it compared says nothing of this one", c.opt.Out)
	}
	c.manifest = m
	return campaign.WriteManifest(c.opt.Out, m)
}

// enter brings the group's key into the manifest, and returns it.
func (c *campaignRun) enter(g *prepare.Prepared) (key string, err error) {
	q := campaign.Question{ID: g.Question, Sample: c.opt.Sample, Program: c.env.Program}
	q.ID.Schema, q.ID.Seed = cell.Schema, c.cfg.Seed
	q.ID.TimeoutNS = int64(c.cfg.Measure.Timeout)
	for _, e := range c.entries {
		q.Algorithms = append(q.Algorithms, campaign.Algorithm{Name: e.Name, Options: e.Options, Copy: e.Copy, Rewritten: e.Rewritten})
	}
	key = q.Key()
	at := slices.IndexFunc(c.manifest.Groups, campaign.Group{Workload: g.Workload.Name, Tokenizer: g.Label}.Same)
	if group := &c.manifest.Groups[at]; group.Key != key {
		group.Key, group.Tasks = key, tasks(g)
		err = campaign.WriteManifest(c.opt.Out, c.manifest)
	}
	return key, err
}

// tasks counts the tasks of a round in all shards: schemas, or documents of one grammar.
func tasks(g *prepare.Prepared) int {
	if g.Workload.Schema != nil {
		return g.AllUnits
	}
	return g.AllDocuments
}

// campaignTask is a document of a grammar, or a schema with its instances, in a round.
type campaignTask struct {
	round     int
	number    int
	unit      *prepare.Unit
	documents []*prepare.Document
}

// own is a task whose schema no other worker opens at the same time, in another round.
func (t campaignTask) own() campaignTask {
	if t.unit.Schema == nil {
		return t // open, and only read
	}
	u := *t.unit
	u.Documents = nil
	for _, d := range t.documents {
		one := *d
		u.Documents = append(u.Documents, &one)
	}
	t.unit, t.documents = &u, u.Documents
	return t
}

// roundOf lists the tasks of a group in a round.
func roundOf(g *prepare.Prepared, round int) (list []campaignTask) {
	if g.Workload.Schema != nil {
		for _, u := range g.Units {
			list = append(list, campaignTask{round, u.Number, u, u.Documents})
		}
		return list
	}
	for _, d := range g.Documents {
		list = append(list, campaignTask{round, d.Number, g.Units[0], []*prepare.Document{d}})
	}
	return list
}

// group does what is left of some rounds of a group.
func (c *campaignRun) group(ctx context.Context, g *prepare.Prepared, rounds []int, number, of int) error {
	key, err := c.enter(g)
	if err != nil {
		return err
	}
	done := map[[2]int]bool{}
	log, lost, err := campaign.OpenLog(c.opt.Out, key, func(line *campaign.Line) {
		if t := line.Task; t != nil {
			done[[2]int{t.Round, t.Number}] = true
		}
	})
	if err != nil {
		return err
	}
	defer log.Close()
	if lost > 0 {
		c.progress.Note("%s of the log of %s with %s are damaged; those tasks are done again", words.Count(lost, "line"), g.Workload.Name, g.Label)
	}
	var list []campaignTask
	for _, round := range rounds {
		left := slices.DeleteFunc(roundOf(g, round), func(t campaignTask) bool { return done[[2]int{round, t.number}] })
		if len(left) > 0 && (round < 3 || time.Since(c.lastLine) > progress.LineEvery) {
			c.progress.Note("[%d/%d] %s with %s, round %d (%s): %s left", number, of, g.Workload.Name, g.Label, round,
				campaign.KindOf(round), words.Count(len(left), "task"))
		}
		list = append(list, left...)
	}
	if len(list) > 0 {
		session := c.session
		session.Group = key
		if err := campaign.Append(log, campaign.Line{Session: &session}); err != nil {
			return err
		}
		w := &campaignGroup{campaignRun: c, Prepared: g, key: key, log: log, guard: c.opt.NewGuard(c.cfg)}
		w.guard.Concurrency, w.guard.Base = bounds.NewConcurrency(), ask.Base(g)
		if err := w.all(ctx, list); err != nil {
			return err
		}
	}
	name := [2]string{g.Workload.Name, g.Label}
	if c.finished[name] == nil {
		c.finished[name] = map[int]bool{}
	}
	for _, round := range rounds {
		c.finished[name][round] = !c.over() // some tasks may be left
	}
	return nil
}

// campaignGroup is a group in a round.
type campaignGroup struct {
	*campaignRun
	*prepare.Prepared
	key   string
	log   *cell.Log
	guard *bounds.Guard
}

// all does the tasks, each by the next worker that is free.
func (g *campaignGroup) all(ctx context.Context, list []campaignTask) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan campaignTask)
	var workers sync.WaitGroup
	for range min(g.opt.Workers, len(list)) {
		workers.Go(func() {
			w := &campaignWorker{campaignGroup: g}
			defer w.close()
			for task := range work {
				if err := w.do(ctx, task); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	for _, task := range list {
		if g.over() {
			break
		}
		select {
		case work <- task:
		case <-ctx.Done():
		}
	}
	close(work)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return g.log.Sync()
}

// store keeps the result of a task.
func (g *campaignGroup) store(t *campaign.Task) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.Session, t.At = g.session.ID, time.Since(g.session.Started).Milliseconds()
	t.CPU = (environment.ProcessTime(0) - g.cpu).Milliseconds()
	g.stored++
	g.compared += int64(t.Positions)
	if time.Since(g.lastLine) > progress.LineEvery {
		g.lastLine = time.Now()
		g.progress.Note("%s, round %d: %s compared in this session", g.Workload.Name, t.Round, words.Count(int(g.compared), "position"))
	}
	return campaign.Append(g.log, campaign.Line{Task: t})
}

// keep stores the first difference and stops the campaign.
func (g *campaignGroup) keep(d *CampaignDifference) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found != nil {
		return nil
	}
	g.found = d
	d.Path = campaign.WitnessPath(g.opt.Out, g.key, fmt.Sprintf("%s-%d", g.session.ID, g.stored))
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return cell.WriteFile(d.Path, append(text, '\n'))
}
