package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/load"
	"gcdbench/harness/models"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
)

// Requests under load: which loads a configuration asks for, and what package load needs to serve
// them. Every load begins with an empty cache and nothing kept. Engines take turns, in an order
// drawn by the seed.

// LoadOptions are those of Load.
type LoadOptions struct {
	prepare.Options
	// Have finds a load that was served before, on this machine and by this program; nil for none.
	Have func(load.ID) *load.Cell
	// Served is called with each load when it is done, Found with each capacity.
	Served func(*load.Cell) error
	Found  func(*load.Found) error
}

// Load serves the loads of a configuration. The errors are those of Run, and those of opt's
// functions.
func Load(ctx context.Context, cfg *config.Config, opt LoadOptions) error {
	if cfg.Load == nil {
		return fmt.Errorf("%s: it has no section load: add load: {models: [{model: llama-3.2-1b, device: a100-40gb, tokenizer: %s}]}", cfg.File, cfg.Tokenizers[0].Label)
	}
	list, err := prepare.Entries(cfg, &opt.Options)
	if err != nil {
		return err
	}
	p := progress.NewProgress(opt.Progress)
	defer p.Finish()
	jsonschema.Prepare()
	env := environment.Here(environment.Calibrate())
	return prepare.NewLoader(cfg, &opt.Options).EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		for _, m := range cfg.Load.Models {
			if m.Tokenizer != g.Label {
				continue
			}
			s, err := newServing(ctx, g, cfg, &opt, m.Table)
			if err != nil {
				return err
			}
			s.entries, s.env, s.progress = append([]*prepare.Entry{{Algorithm: config.Algorithm{Label: load.Unconstrained}}}, list...), env, p
			p.Note("[%d/%d] %s with %s, beside %s", number, of, g.Workload.Name, g.Label, m.Table.Model)
			if err := s.all(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// serving serves the loads of a group beside one model.
type serving struct {
	*prepare.Prepared
	cfg      *config.Config
	opt      *LoadOptions
	env      environment.Environment
	table    *models.Table
	entries  []*prepare.Entry
	progress *progress.Progress

	corpus  load.Corpus
	schemas []*datasets.Schema // by grammar; nil entries of programs
	traced  []load.Request
	mean    float64 // tokens of a request
	reused  int
}

// mix is a share of unseen grammars and of bad neighbours.
type mix struct{ unseen, hostile float64 }

// all serves everything.
func (s *serving) all(ctx context.Context) error {
	l := s.cfg.Load
	for _, unseen := range l.Unseen {
		for _, hostile := range l.Hostile {
			m := mix{unseen, hostile}
			for _, scenario := range l.Scenarios {
				rates := []float64{0}
				if scenario == "server" {
					rates = l.Rates
				}
				for _, rate := range rates {
					if err := s.inTurn(func(e *prepare.Entry, repeat int) error {
						_, err := s.one(ctx, e, s.id(e, scenario, m, rate, repeat), true)
						return err
					}); err != nil {
						return err
					}
				}
				if scenario == "server" && l.Search {
					if err := s.search(ctx, m); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// inTurn has the engines take turns, as often as each load is repeated.
func (s *serving) inTurn(f func(e *prepare.Entry, repeat int) error) error {
	rng := rand.New(rand.NewPCG(s.Seed, 0x7a4e))
	for repeat := range s.cfg.Load.Repeats {
		for _, i := range rng.Perm(len(s.entries)) {
			if err := f(s.entries[i], repeat); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayHaveStood is the least share of good requests that is left when a machine stands still for a
// second or two.
const mayHaveStood = 0.5

// search looks for the capacity of each engine. A load that nearly keeps the limits is served once
// more, since a machine that stands still for half a second fails any engine. Loads of the first
// repetition are served to their end, so that latencies beyond the capacity are known.
func (s *serving) search(ctx context.Context, m mix) error {
	found := map[*prepare.Entry]*load.Found{}
	guesses := map[*prepare.Entry]float64{} // the rates of their last searches
	settings := s.settings(s.entries[0])
	bound := load.Bound(&settings, s.mean)
	err := s.inTurn(func(e *prepare.Entry, repeat int) error {
		c := found[e]
		if c == nil {
			c = &load.Found{ID: s.id(e, "server", m, 0, 0), Bound: bound}
			found[e] = c
		}
		guess, taken := 0.85*bound, 1.0
		if guesses[e] > 0 {
			guess = guesses[e]
		}
		rate, err := load.Search(bound, guess, s.cfg.Load.Precision, func(rate float64) (bool, error) {
			id := s.id(e, "server", m, rate, repeat)
			f, err := s.one(ctx, e, id, repeat == 0)
			if err == nil && !f.Kept && f.Outcome == cell.OK && f.GoodShare >= mayHaveStood {
				id.Again = true
				f, err = s.one(ctx, e, id, false)
			}
			kept := err == nil && f.Kept
			if kept {
				taken = 1 - f.NotTaken()
			}
			return kept, err
		})
		guesses[e] = rate
		c.Add(rate * taken)
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range s.entries {
		if err := s.opt.Found(found[e]); err != nil {
			return err
		}
	}
	return nil
}

// one serves a load, unless it was served before: the whole of it, or until it is clear that the
// limits are not kept.
func (s *serving) one(ctx context.Context, e *prepare.Entry, id load.ID, whole bool) (*load.Cell, error) {
	if s.opt.Have != nil {
		if c := s.opt.Have(id); c != nil {
			return c, nil
		}
	}
	c := &load.Cell{ID: id, Algorithm: e.Name, Options: e.Options, Limits: s.limits(), Seed: s.Seed, Machine: s.env.Machine, Revision: s.env.Revision, Dirty: s.env.Dirty,
		Started: time.Now().UTC(), Outcome: cell.OK, Figures: new(load.Figures)}
	if c.Algorithm == "" {
		c.Algorithm = load.Unconstrained
	}
	err := s.serve(ctx, e, c, whole)
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		c.Outcome, c.Detail = failed.Outcome, failed.Detail
	case err != nil:
		return nil, err
	}
	c.Kept = c.Outcome == cell.OK && c.Limits.Keeps(c.Figures)
	s.progress.Note("%s", c)
	return c, s.opt.Served(c)
}

// limits are the configuration's.
func (s *serving) limits() load.Limits {
	l := s.cfg.Load
	return load.Limits{TTFTNS: l.TTFT.Nanoseconds(), ITLNS: l.ITL.Nanoseconds(), Share: l.Share}
}

// settings are the configuration's.
func (s *serving) settings(e *prepare.Entry) load.Settings {
	l := s.cfg.Load
	out := load.Settings{Server: l.Server, TTFTNS: l.TTFT.Nanoseconds(), ITLNS: l.ITL.Nanoseconds(), PrefillNS: 1e6 * s.table.PrefillMS, None: e.Maker == nil}
	if s.table.Kind == models.Roofline {
		out.PrefillNS = 1e6 * s.table.ComputeMS
	}
	if out.PrefillNS > 0 {
		out.Prompt = s.table.Prompt - 1
	}
	for n := 1; n <= l.Batch; n++ {
		out.StepNS, out.SlackNS = append(out.StepNS, s.table.NS(n)), append(out.SlackNS, s.table.SlackNS(n))
	}
	return out
}

// id is that of a load.
func (s *serving) id(e *prepare.Entry, scenario string, m mix, rate float64, repeat int) load.ID {
	settings := s.settings(e)
	l := s.cfg.Load
	question := fmt.Sprint(settings, s.limits(), l.Zipf, l.Warmup, l.Duration, l.Requests, l.Checks, e.Options, s.Question.GrammarSHA256, s.Question.CorpusSHA256, s.Question.VocabularySHA256,
		s.Seed, s.traced)
	return load.ID{Workload: s.Workload.Name, Tokenizer: s.Prepared.Label, Model: s.table.Model, Device: s.table.Device, Label: e.Label, Scenario: scenario,
		Rate: rate, Unseen: m.unseen, Hostile: m.hostile, Repeat: repeat, Question: cell.Sum([]byte(question))}
}

// drain is how long requests may take after the last one came, but for the scenario server.
const drain = 10 * time.Second

// longest bounds how much longer a load goes on for the sake of the number of requests.
const longest = 5

// drawn are the requests of a load, with the window that counts.
func (s *serving) drawn(id load.ID, settings *load.Settings) ([]load.Request, load.Window) {
	l := s.cfg.Load
	d := load.Draw{Seed: s.Seed + uint64(id.Repeat)<<32, Rate: id.Rate, Unseen: id.Unseen, Zipf: l.Zipf, Hostile: id.Hostile, Checks: l.Checks, N: l.Requests}
	var w load.Window
	end := 10*l.Duration + drain
	switch id.Scenario {
	case "trace":
		settings.Needed, settings.EndNS = len(s.traced), s.traced[len(s.traced)-1].AtNS+end.Nanoseconds()
		return s.traced, w
	case "single":
		settings.Streams = 1
	case "server":
		counted := min(max(l.Duration, time.Duration(1e9*float64(l.Requests)/id.Rate)), longest*l.Duration)
		w = load.Window{From: l.Warmup.Nanoseconds(), To: (l.Warmup + counted).Nanoseconds()}
		end = l.Warmup + counted + 2*l.TTFT // the last one that counts has its first token, or misses the limit twice over
		d.N = 1 + int(id.Rate*end.Seconds()*1.1)
	}
	requests := d.Requests(&s.corpus)
	settings.Needed, settings.EndNS = len(requests), end.Nanoseconds()
	if id.Scenario == "server" {
		for settings.Needed > 0 && requests[settings.Needed-1].AtNS >= w.To {
			settings.Needed--
		}
	}
	return requests, w
}

// serve serves a load. The error is ctx's, or a *failure.
func (s *serving) serve(ctx context.Context, e *prepare.Entry, c *load.Cell, whole bool) error {
	settings := s.settings(e)
	grammars := len(s.corpus.Documents)
	requests, window := s.drawn(c.ID, &settings)
	if !whole {
		settings.Warmup, settings.EnoughLost = c.Limits.EnoughLost(requests, settings.Needed, window)
	}
	defer func() { // variants are of one load
		s.corpus.Documents, s.schemas = s.corpus.Documents[:grammars], s.schemas[:grammars]
	}()
	c.Reused, c.Bound = len(s.corpus.Documents)-grammars, load.Bound(&settings, s.mean)
	c.Settings = settings.Server
	for _, schema := range s.schemas {
		if schema != nil {
			jsonschema.PrepareFor(schema.Text)
		}
	}
	if !s.Unweighed {
		runtime.GC()
		debug.FreeOSMemory()
	}
	if settings.None {
		return s.serveHere(ctx, c, &load.Loop{Settings: settings, Requests: requests}, window, nil)
	}
	if e.Outside() {
		return s.serveOutside(ctx, e, c, &settings, requests, window)
	}
	checks := &checks{serving: s, requests: requests}
	makes := &maker{s, e, algorithms.NewKept(), jsonschema.NewKept()}
	l := &load.Loop{Settings: settings, Requests: requests, Size: s.LoadedTokenizer.Vocabulary().Len(), Compile: makes.compile, Checked: checks.keep}
	return s.serveHere(ctx, c, l, window, checks)
}

// serveHere serves a load in this process, and then compares the masks that were kept.
func (s *serving) serveHere(ctx context.Context, c *load.Cell, l *load.Loop, w load.Window, checks *checks) error {
	ledger, err := l.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &bounds.Failure{Outcome: cell.Crash, Detail: err.Error()}
	}
	c.Figures = load.Summarize(ledger, l.Requests, w, &c.Limits)
	if checks == nil {
		return nil
	}
	c.Checked, err = checks.compare(ctx)
	return err
}

// A maker makes engines as a server does: compiles share what was found out about the vocabulary
// and about schemas.
type maker struct {
	*serving
	entry *prepare.Entry
	kept  *algorithms.Kept
	parts *jsonschema.Kept
}

// compile makes the engine of a grammar.
func (c *maker) compile(ctx context.Context, grammar int) (*load.Compiled, error) {
	p, err := c.problem(ctx, c.entry, grammar, c.parts)
	if err != nil {
		return nil, err
	}
	p.Kept = c.kept
	engine, err := c.entry.Maker.Compile(ctx, p, c.entry.Options)
	if err != nil {
		return nil, err
	}
	return &load.Compiled{Engine: engine, Bytes: func() int64 { return engine.Stats().Bytes }}, nil
}

// problem is the problem of a grammar for an entry.
func (s *serving) problem(ctx context.Context, e *prepare.Entry, grammar int, parts *jsonschema.Kept) (*algorithms.Problem, error) {
	schema := s.schemas[grammar]
	if schema == nil {
		u := s.Units[0]
		if u.SharedProblem == nil {
			return nil, outcomeError(prepare.FailureOf(&u.Shared))
		}
		own := *u.SharedProblem
		own.Source = u.GrammarSource
		return &own, nil
	}
	v, source := s.LoadedTokenizer.Vocabulary(), s.SchemaSource(schema)
	if e.Outside() {
		return &algorithms.Problem{Vocabulary: v, Source: source}, nil
	}
	options := prepare.CompilerOptions(prepare.SchemaOptions(s.Workload.Schema))
	options.Name, options.Kept = schema.ID, parts
	compile := prepare.CompileText
	if e.Grows() {
		compile = prepare.OpenText
	}
	made, r, err := prepare.CompileSchema(ctx, compile, schema, options)
	if err == nil && made.Cut && !e.Grows() {
		err = prepare.Narrower()
	}
	if err != nil {
		return nil, outcomeError(err)
	}
	return &algorithms.Problem{Recognizer: r, Vocabulary: v, Source: source}, nil
}

// outcomeError is an error as package load counts it.
func outcomeError(err error) error {
	var failed *bounds.Failure
	if errors.As(err, &failed) && failed.Outcome == cell.Unsupported {
		return &load.OutcomeError{Outcome: load.Unsupported, Err: err}
	}
	return err
}
