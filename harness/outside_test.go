package harness

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

// guest is an engine from outside as the harness sees it: it reads texts itself, walks documents
// itself, and says what it costs. In truth it is trie in this process, on a schema that allows
// any list or number where dies is not met.
type guest struct {
	name string
	dies string // a text in which its process dies; "" for none
	// contradicts is a text at whose end it leaves the token out that Commit takes; "" for none.
	contradicts string
	// wide is a text behind which its mask allows the next token and Commit refuses it; "" for none.
	wide string
	// fickle is a text that it gives another mask for when it is asked again; "" for none.
	fickle string
	// diesTimed is a text in which its process dies while it is timed, diesCloning one in which it
	// does when clones are asked for; "" for none.
	diesTimed, diesCloning string
	// diesProving is a text in which its process dies while its answers are compared; "" for none.
	diesProving string
	// stays is set if a process that died cannot compile the grammar again.
	stays bool
	// slow is how long a compile takes where the process has to be started again.
	slow time.Duration
	// refuses is a schema that it does not compile; "" for none.
	refuses string
	// untranslated is why its grammars cannot be written for it, which is found out when its process
	// runs; nil if they can.
	untranslated error
	// stuck is why its process does not start; nil if it does.
	stuck error
	// stuckTimed is why the process of its engine that is timed, the first one that is started, does
	// not start; nil if it does.
	stuckTimed error
	timedKept  atomic.Pointer[algorithms.Kept]
	timedTries atomic.Int64
	// semantics are its own if this is "".
	semantics string
	// text replaces the schemas and grammars that it is given.
	text string
	open atomic.Int64 // processes that were started and not ended
	made atomic.Int64 // compiles

	prepared sync.Map     // by *algorithms.Kept: whether its process runs
	starts   atomic.Int64 // of processes
	revived  atomic.Int64
	mu       sync.Mutex
	compiles []string // names of what was compiled, in their order
}

func (g *guest) Name() string { return g.name }

func (g *guest) Summary() string { return "trie, as if from outside" }

func (g *guest) Options() []algorithms.OptionInfo { return nil }

func (g *guest) Ready(algorithms.Options) error { return nil }

func (g *guest) Version(algorithms.Options) string { return "1.0" }

// Semantics are the guest's own, or those it is told to have.
func (g *guest) Semantics() string { return cmp.Or(g.semantics, g.name) }

// Prepare starts a process, unless there is one.
func (g *guest) Prepare(_ context.Context, p *algorithms.Problem, _ algorithms.Options) error {
	if _, runs := g.prepared.LoadOrStore(p.Kept, true); runs {
		return g.untranslated
	}
	g.starts.Add(1)
	g.timedKept.CompareAndSwap(nil, p.Kept)
	if g.stuckTimed != nil && g.timedKept.Load() == p.Kept {
		g.timedTries.Add(1)
		g.prepared.Delete(p.Kept)
		return g.stuckTimed
	}
	if g.stuck != nil {
		g.prepared.Delete(p.Kept)
		return g.stuck
	}
	if p.Vocabulary == nil {
		return errors.New("there is no vocabulary")
	}
	return g.untranslated
}

// Running reports whether there is a process.
func (g *guest) Running(p *algorithms.Problem, _ algorithms.Options) bool {
	_, runs := g.prepared.Load(p.Kept)
	return runs
}

// guestProcess stands for a process.
type guestProcess struct{ of *guest }

func (p *guestProcess) Close() error {
	p.of.open.Add(-1)
	return nil
}

func (g *guest) Compile(ctx context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	g.made.Add(1)
	algorithms.KeptValue(p.Kept, g, func() *guestProcess { g.open.Add(1); return &guestProcess{g} })
	g.mu.Lock()
	g.compiles = append(g.compiles, p.Source.Name)
	g.mu.Unlock()
	text := string(p.Source.Text)
	if strings.Contains(text, "strin\"") || g.refuses != "" && text == g.refuses {
		return nil, &algorithms.UnsupportedError{Algorithm: g.name, Reason: "strin"}
	}
	if p.Source.Kind != algorithms.KindSchema {
		return g.engine(ctx, p, p.Recognizer)
	}
	r, err := jsonschema.Compile(ctx, []byte(g.text), jsonschema.Options{Name: p.Source.Name})
	if err != nil {
		return nil, err
	}
	made, err := recognizer.New(ctx, r.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil, err
	}
	return g.engine(ctx, p, made)
}

// engine is trie for a grammar.
func (g *guest) engine(ctx context.Context, p *algorithms.Problem, made *recognizer.Recognizer) (algorithms.Engine, error) {
	trie, err := algorithms.Lookup("trie")
	if err != nil {
		return nil, err
	}
	e, err := trie.Compile(ctx, &algorithms.Problem{Recognizer: made, Vocabulary: p.Vocabulary}, nil)
	return &guestEngine{Engine: e, guest: g, problem: p}, err
}

type guestEngine struct {
	algorithms.Engine
	guest   *guest
	problem *algorithms.Problem
	timed   map[string]bool // texts that it has walked
	dead    bool            // its process is
}

// Alive reports whether its process lives.
func (e *guestEngine) Alive() bool { return !e.dead }

// Revive starts the process again.
func (e *guestEngine) Revive(ctx context.Context) error {
	if !e.dead {
		return nil
	}
	if e.guest.stays {
		return &algorithms.ProcessError{Engine: e.guest.name, Outcome: "crash", Detail: "it does not come back"}
	}
	e.guest.revived.Add(1)
	time.Sleep(e.guest.slow)
	e.dead = false
	return ctx.Err()
}

// die ends the process in a text.
func (e *guestEngine) die(d *measure.Document, in string) error {
	if in == "" || !strings.Contains(e.textOf(d), in) {
		return nil
	}
	e.dead = true
	e.guest.prepared.Delete(e.problem.Kept)
	return &algorithms.ProcessError{Engine: e.guest.name, Outcome: "crash", Detail: "it died"}
}

// textOf is what a document says.
func (e *guestEngine) textOf(d *measure.Document) (text string) {
	for _, token := range d.Tokens {
		text += string(e.problem.Vocabulary.Token(int(token)))
	}
	return text
}

func (e *guestEngine) Bill() algorithms.Bill {
	return algorithms.Bill{CompileNS: 1234, FirstMaskNS: 56, Bytes: 789, PeakBytes: 999}
}

func (e *guestEngine) Provenance() algorithms.Provenance {
	return algorithms.Provenance{Name: e.guest.name, Version: "1.0", Kind: e.problem.Source.Kind, VocabularyNS: 77, ClockPairNS: 4321, ClockEmptyNS: 1}
}

func (e *guestEngine) UsedBytes() int64 { return 790 }

// walker is one that the engine's own process would have.
func (e *guestEngine) walker(ctx context.Context, d *measure.Document) (*measure.Walker, error) {
	if err := e.Revive(ctx); err != nil { // whoever asks a dead one pays for its start
		return nil, err
	}
	text := e.textOf(d)
	if e.guest.dies != "" && strings.Contains(text, e.guest.dies) {
		return nil, &algorithms.ProcessError{Engine: e.guest.name, Outcome: "out-of-memory", Detail: "it grew"}
	}
	return measure.NewWalker(e.problem.Vocabulary.Len(), false, environment.Clock{}), nil
}

func (e *guestEngine) WalkTimed(ctx context.Context, d *measure.Document, _ bool, t *measure.Times) error {
	w, err := e.walker(ctx, d)
	if err != nil {
		return err
	}
	if e.timed == nil {
		e.timed = map[string]bool{}
	}
	e.timed[e.textOf(d)] = true
	if err := e.die(d, e.guest.diesTimed); err != nil {
		return err
	}
	return w.Time(ctx, e.Engine, d, t)
}

func (e *guestEngine) WalkProof(ctx context.Context, d *measure.Document, p *measure.Proof, _ func(int, []uint64) bool) error {
	w, err := e.walker(ctx, d)
	if err != nil {
		return err
	}
	if err := e.die(d, e.guest.diesProving); err != nil {
		return err
	}
	if err := w.Prove(ctx, e.Engine, d, p); err != nil {
		return err
	}
	text := ""
	for at, token := range d.Tokens {
		if e.timed[e.textOf(d)] && e.guest.fickle != "" && text == e.guest.fickle {
			p.Hashes[at]++
		}
		if e.guest.wide != "" && text == e.guest.wide {
			p.Refused, p.RefusedAt, p.ByCommit = true, at, true
			p.Contradiction, p.ContradictAt = "the mask allows it, but Commit says no", at
		}
		if e.guest.contradicts != "" && text == e.guest.contradicts {
			p.Refused, p.RefusedAt = true, at
			p.Contradiction, p.ContradictAt = "the mask leaves it out, but Commit takes it", at
		}
		text += string(e.problem.Vocabulary.Token(int(token)))
	}
	return nil
}

// Leaves: its masks are compared in walks of their own.
func (e *guestEngine) Leaves(int) bool { return false }

func (e *guestEngine) WalkClones(ctx context.Context, d *measure.Document) ([]uint32, error) {
	w, err := e.walker(ctx, d)
	if err == nil {
		err = e.die(d, e.guest.diesCloning)
	}
	p := measure.Proof{Clones: []uint32{}}
	if err == nil {
		err = w.Prove(ctx, e.Engine, d, &p)
	}
	return p.Clones, err
}

func (e *guestEngine) WalkAudit(_ context.Context, d *measure.Document) (measure.Audit, error) {
	return measure.Audit{Walks: 1, Steps: len(d.Tokens), BlockNS: 100, BusyNS: 110}, nil
}

func (e *guestEngine) WalkBlocks(context.Context, *measure.Document, int) ([]float64, error) {
	return []float64{1}, nil
}

// runWithSchemas measures psc and engines from outside on the schemas of a world.
func (w *world) runWithSchemas(t *testing.T, engines ...*guest) *Summary {
	t.Helper()
	return w.runGuests(t, func(names string) *config.Config {
		return w.schemaConfig(t, names, "warmup: 1, repeat: 1", "")
	}, engines...)
}

// runGuests measures psc and engines from outside with a configuration.
func (w *world) runGuests(t *testing.T, configure func(names string) *config.Config, engines ...*guest) *Summary {
	t.Helper()
	opt := w.options()
	names := "psc"
	for _, engine := range engines {
		names += ", " + engine.name
	}
	opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
		for _, engine := range engines {
			if name == engine.name {
				return engine, nil
			}
		}
		return algorithms.Lookup(name)
	}
	sum := must.Get(Run(t.Context(), configure(names), opt))(t)
	return sum
}

// anything is a schema that every instance of the world's schemas is valid against.
const anything = `{"type": ["array", "integer", "string", "object"]}`

// TestOutside: an engine from outside is asked about every schema, also those whose grammar is
// not ours to compile; what it does not take, and its verdicts, are told and are nobody's
// failure; it is billed by its own clock; and its processes end.
func TestOutside(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.weighs = true
	engine := &guest{name: "guest", text: anything}
	sum := w.runWithSchemas(t, engine)
	if sum.Failed != 0 || sum.Outcomes[cell.OK] != 2 {
		t.Fatalf("summary %+v", sum)
	}
	r := w.records(t)["guest"]
	if r.Outside == nil || r.Outside.Version != "1.0" || r.VocabularyNS != 77 || r.ID.Version != "1.0" || r.ID.Semantics != "guest" {
		t.Errorf("record: outside %+v, vocabulary %d ns, version %q", r.Outside, r.VocabularyNS, r.ID.Version)
	}
	for _, p := range r.Problems {
		want := cell.OK
		if p.ID == "f-no-schema" {
			want = cell.Unsupported
		}
		if p.Outcome != want {
			t.Errorf("%s: %s (%s)", p.ID, p.Outcome, p.Detail)
		}
		if want == cell.OK && (p.CompileNS[0] != 1234 || p.FirstMaskNS[0] != 56 || p.GrammarNS != nil || p.EngineBytes != 789 || p.UsedBytes != 790 || p.CompilePeakBytes != 999) {
			t.Errorf("%s: bill %+v", p.ID, p)
		}
	}
	for _, s := range r.Samples {
		id := r.Problems[s.Problem].ID
		if id == "f-no-schema" || id == "i-string" || id == "g-bare" {
			continue
		}
		if s.Refused || (s.Outcome == cell.OK) == s.Negative || s.Compared != 0 || s.KeyOrder || s.ClockPairNS != 4321 && !s.Negative || s.ClockEmptyNS > 1 {
			t.Errorf("%s: %+v", s.ID, s)
		}
		if timed := len(s.Turns) > 0; timed == s.Negative {
			t.Errorf("%s: timed %v", s.ID, timed)
		}
	}
	if engine.open.Load() != 0 || engine.made.Load() < int64(2*len(tinySchemas)-2) {
		t.Errorf("%d processes left, %d compiles", engine.open.Load(), engine.made.Load())
	}
}

// TestOutsideDies: a process that dies on a document is that document's outcome and nobody else's.
func TestOutsideDies(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.runWithSchemas(t, &guest{name: "guest", text: anything, dies: "22,"})
	r := w.records(t)["guest"]
	died := 0
	for _, s := range r.Samples {
		switch s.Outcome {
		case cell.OutOfMemory:
			died++
			if s.Detail != "it grew" || r.Problems[s.Problem].ID != "h-list" {
				t.Errorf("%s: %q", s.ID, s.Detail)
			}
		case cell.OK, cell.WrongVerdict, cell.Unsupported:
		default:
			t.Errorf("%s: %s, %q", s.ID, s.Outcome, s.Detail)
		}
	}
	if died != 1 {
		t.Errorf("%d documents ended with its process", died)
	}
	if r.Outcome != cell.OutOfMemory {
		t.Errorf("outcome %s", r.Outcome)
	}
	if other := w.records(t)["psc"]; other.Outcome != cell.OK {
		t.Errorf("psc: %s", other.Outcome)
	}
}

// TestOutsideContradicts: where Commit of an engine from outside takes what its mask leaves out,
// the mask counts; the document is refused, nobody's mask is wrong, and other documents have
// their times.
func TestOutsideContradicts(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	sum := w.runWithSchemas(t, &guest{name: "guest", text: anything, contradicts: "[1"})
	r := w.records(t)["guest"]
	refused, timed := 0, 0
	for _, s := range r.Samples {
		if strings.Contains(s.Detail, "but Commit takes it") {
			refused++
			if !s.Refused || !s.Negative && s.Outcome != cell.WrongVerdict {
				t.Errorf("%s: %s, refused %v", s.ID, s.Outcome, s.Refused)
			}
		}
		timed += stats.Truth(len(s.Turns) > 0)
	}
	if r.Outcome != cell.OK || sum.Failed != 0 || refused == 0 || timed == 0 {
		t.Errorf("outcome %s, %d failed, %d refused, %d timed", r.Outcome, sum.Failed, refused, timed)
	}
}

// TestBlindWalk: the first document is timed before an engine from outside is asked about any, and
// beside the first walk of the timed process.
func TestBlindWalk(t *testing.T) {
	w := newWorld(t)
	w.runGuests(t, func(names string) *config.Config { return w.config(t, names, "warmup: 1, repeat: 1") }, &guest{name: "guest"})
	for label, r := range w.records(t) {
		for _, s := range r.Samples {
			a := s.Audit
			if want := label == "guest" && s.ID == "p0"; want != (a != nil && a.BlindNS > 0 && a.SeenNS > 0) {
				t.Errorf("%s, %s: %+v", label, s.ID, a)
			}
		}
	}
}
