package judging

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/naive"
	_ "gcdbench/algorithms/psc"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness"
	"gcdbench/harness/config"
	"gcdbench/harness/judged"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
)

// A deviant is an engine of a semantics of its own: trie, with something changed on purpose.
type deviant struct {
	name string
	// source changes the schema that it compiles, options how.
	source  func(schema string) string
	options jsonschema.Options
	// grammar makes the recognizer of a grammar that is no schema; nil for the problem's own. without
	// are tokens that are left out although trie allows them: by the text so far, the last token, and
	// the token.
	without func(text, last, token string) bool
	// with are tokens that are let in although trie does not; after one of them nothing may follow.
	with func(text, token string) bool
	// ends tells where EOS is let in, and control where a control token is.
	ends    func(text string) bool
	control bool
	panics  func(text string) bool
	// prepared counts how often it was told to start; nil for nobody who wants to know.
	prepared *atomic.Int64
	// contract makes it the reference, in place of trie.
	contract bool

	world *world
}

var _ algorithms.Outside = (*deviant)(nil)

func (d *deviant) Name() string                     { return d.name }
func (d *deviant) Summary() string                  { return "for tests" }
func (d *deviant) Options() []algorithms.OptionInfo { return nil }
func (d *deviant) Ready(algorithms.Options) error   { return nil }

func (d *deviant) Prepare(context.Context, *algorithms.Problem, algorithms.Options) error {
	if d.prepared != nil {
		d.prepared.Add(1)
	}
	return nil
}

// Semantics is its own, unless it is the reference.
func (d *deviant) Semantics() string {
	if d.contract {
		return algorithms.SemanticsContract
	}
	return d.name
}

func (d *deviant) Version(algorithms.Options) string { return "7.7 of " + d.name }

// Compile compiles trie on the changed schema.
func (d *deviant) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	own := *p
	if text, ok := d.world.schemas[p.Grammar.Name]; ok {
		if d.source != nil {
			text = d.source(text)
		}
		options := d.options
		options.Name = p.Grammar.Name
		made, err := jsonschema.Compile(ctx, []byte(text), options)
		if err != nil {
			return nil, err
		}
		if own.Recognizer, err = recognizer.New(ctx, made.Grammar, recognizer.Options{OnDemand: true}); err != nil {
			return nil, err
		}
	}
	trie, err := algorithms.Lookup("trie")
	if err != nil {
		return nil, err
	}
	engine, err := trie.Compile(ctx, &own, nil)
	return &deviantEngine{engine, d, p}, err
}

type deviantEngine struct {
	algorithms.Engine
	*deviant
	problem *algorithms.Problem
}

func (e *deviantEngine) Start() algorithms.State {
	return &deviantState{inner: e.Engine.Start(), engine: e}
}

type deviantState struct {
	inner  algorithms.State
	engine *deviantEngine
	text   string
	last   string
	lost   bool // it has read what trie does not take
}

// Mask is trie's, changed.
func (s *deviantState) Mask() algorithms.Mask {
	e := s.engine
	if e.panics != nil && e.panics(s.text) {
		panic("out of ideas")
	}
	v := e.problem.Vocabulary
	b := algorithms.NewBuffer(v.Len())
	if s.lost {
		return b.Mask()
	}
	m := s.inner.Mask()
	for id := range v.Len() {
		token := string(v.Token(id))
		legal := v.Legal(id)
		if m.Has(id) && !(legal && e.without != nil && e.without(s.text, s.last, token)) || legal && e.with != nil && e.with(s.text, token) {
			b.Set(id)
		}
	}
	if e.ends != nil && e.ends(s.text) {
		b.Set(v.EOS()[0])
	}
	for id := range v.Len() {
		if e.control && !v.Legal(id) && !v.IsEOS(id) {
			b.Set(id)
		}
	}
	return b.Mask()
}

func (s *deviantState) Commit(token int) error {
	if !s.Mask().Has(token) {
		return &algorithms.RefusedError{Token: token, Reason: "no"}
	}
	if s.inner.Commit(token) != nil {
		s.lost = true
	}
	s.last = string(s.engine.problem.Vocabulary.Token(token))
	s.text += s.last
	return nil
}

func (s *deviantState) Clone() algorithms.State {
	out := *s
	out.inner = s.inner.Clone()
	return &out
}

// tested is a schema with an instance, both as they are written.
type tested struct{ schema, instance string }

// world is a result directory with what is measured in it.
type world struct {
	dir     string
	schemas map[string]string
	find    map[string]*deviant
	cfg     *config.Config
	opt     prepare.Options
}

// vocabulary is the one of the tests: small, and with every single byte.
const vocabulary = "o200k_base[:3000]"

// newWorld runs trie and the deviants on schemas. more are keys of the workload.
func newWorld(t *testing.T, list []tested, more string, deviants ...*deviant) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), schemas: map[string]string{}}
	var lines strings.Builder
	for i, x := range list {
		id := fmt.Sprintf("s%d", i)
		w.schemas[id] = x.schema
		fmt.Fprintf(&lines, "{\"id\": %q, \"group\": \"g\", \"schema\": %s, \"tests\": [{\"valid\": true, \"description\": \"\", \"data\": %s}]}\n", id, x.schema, x.instance)
	}
	w.file(t, "schemas.jsonl", lines.String())
	w.run(t, "{grammar: schema, dataset: {format: maskbench, path: schemas.jsonl}, order: declared"+more+"}", deviants...)
	return w
}

// newPrograms runs them on texts of a grammar, which is embedded or a file of the world.
func newPrograms(t *testing.T, grammar, text string, programs []string, deviants ...*deviant) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	if text != "" {
		w.file(t, grammar, text)
	}
	var lines strings.Builder
	for i, p := range programs {
		line := must.Get(json.Marshal(map[string]string{"id": fmt.Sprintf("p%d", i), "content": p}))(t)
		lines.Write(append(line, '\n'))
	}
	w.file(t, "programs.jsonl", lines.String())
	w.run(t, "{grammar: "+grammar+", dataset: {format: jsonl, path: programs.jsonl}}", deviants...)
	return w
}

// run measures.
func (w *world) run(t *testing.T, workload string, deviants ...*deviant) {
	t.Helper()
	names := []string{"trie"}
	w.find = map[string]*deviant{}
	for _, d := range deviants {
		if names = append(names, d.name); d.contract {
			names = slices.DeleteFunc(names, func(n string) bool { return n == "trie" })
		}
		own := *d
		own.world = w
		w.find[d.name] = &own
	}
	text := fmt.Sprintf("name: test\nseed: 3\nalgorithms: [%s]\ntokenizers: [%q]\nworkloads: [%s]\nmeasure: {warmup: 0, repeat: 1, compiles: 1, timeout: 20s}\n",
		strings.Join(names, ", "), vocabulary, workload)
	var err error
	if w.cfg, err = config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}); err != nil {
		t.Fatal(err)
	}
	w.opt = prepare.Options{Out: filepath.Join(w.dir, "out"), Unweighed: true, Algorithm: func(name string) (algorithms.Algorithm, error) {
		if d := w.find[name]; d != nil {
			return d, nil
		}
		return algorithms.Lookup(name)
	}}
	must.Get(harness.Run(t.Context(), w.cfg, w.opt))(t)
}

// file writes a file of the world.
func (w *world) file(t *testing.T, name, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
}

// judge judges, and returns what was found by the engine's name.
func (w *world) judge(t *testing.T, opt Options) map[string]*Result {
	t.Helper()
	opt.Harness, opt.WithoutJudge = w.opt, true
	results := must.Get(Judge(t.Context(), w.opt.Out, w.cfg, opt))(t)
	all := map[string]*Result{}
	for _, r := range results {
		all[r.Engine] = r
	}
	return all
}

// witnessOf is the witness of a finding.
func (w *world) witnessOf(t *testing.T, f judged.SummedFinding) *judged.Witness {
	t.Helper()
	x, err := judged.ReadWitness(judged.Path(w.opt.Out, f.Witness))
	if err != nil {
		t.Fatalf("%s: %v", f.Name(), err)
	}
	return x
}

// replace makes a change of a schema's text.
func replace(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

// replay asks a witness again, which has to say the same.
func (w *world) replay(t *testing.T, f judged.SummedFinding, what string) {
	t.Helper()
	r, err := Replay(t.Context(), judged.Path(w.opt.Out, f.Witness), ReplayOptions{Algorithm: w.opt.Algorithm})
	if err != nil || !r.Reproduced || len(r.Answers) < 2 {
		t.Errorf("%s\nagain: %+v, %v", what, r, err)
	}
}
