package engines

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
)

// Loads: the child serves all requests itself, by the loop of its side. The requests lie in a file,
// and so does what happened to them.

// loadedGrammar is a line of the file about a grammar.
type loadedGrammar struct {
	Kind        string            `json:"kind"`
	Text        string            `json:"text"`
	Options     map[string]string `json:"options,omitempty"`
	Unsupported string            `json:"unsupported,omitempty"`
}

// Serve implements algorithms.Server.
func (c catalogued) Serve(ctx context.Context, problems []*algorithms.Problem, o algorithms.Options, job *algorithms.Job) error {
	command, err := c.Entry.Command()
	if err != nil {
		return &algorithms.ProcessError{Engine: c.Name(), Outcome: wire.Crash, Detail: err.Error()}
	}
	return serveLoad(ctx, command, problems, o, job)
}

// Serve implements algorithms.Server.
func (byCommand) Serve(ctx context.Context, problems []*algorithms.Problem, o algorithms.Options, job *algorithms.Job) error {
	c, options, err := byCommandWith(o)
	if err != nil {
		return err
	}
	return serveLoad(ctx, c, problems, options, job)
}

// serveLoad has a new process of a command serve a load, on all cores.
func serveLoad(ctx context.Context, c process.Command, problems []*algorithms.Problem, o algorithms.Options, job *algorithms.Job) (err error) {
	h := newHost(c, problems[0].Vocabulary, tokenizerOf(problems[0]))
	defer h.Close()
	e := &Engine{host: h, name: c.Name}
	takes, err := h.ready(ctx)
	if err != nil {
		return e.failure(err)
	}
	dir, err := os.MkdirTemp("", "gcdbench-load-")
	if err != nil {
		return &algorithms.HarnessError{Engine: c.Name, Err: err}
	}
	defer os.RemoveAll(dir)
	q := wire.Load{Do: "load", Settings: job.Settings, Trace: filepath.Join(dir, "trace.jsonl"), Out: filepath.Join(dir, "ledger.json")}
	if err := writeTrace(ctx, q.Trace, problems, takes, o, job.Requests); err != nil {
		return &algorithms.HarnessError{Engine: c.Name, Err: err}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.start(ctx)
	if err != nil {
		return e.failure(err)
	}
	const several = 2 // compiles beside the batch
	defer p.Spread(several)()
	var a struct{ wire.Answer }
	if err := p.Call(ctx, q, &a); err != nil {
		return e.failure(err)
	}
	text, err := os.ReadFile(q.Out)
	if err == nil {
		err = json.Unmarshal(text, job.Ledger)
	}
	if err != nil {
		return e.failure(p.Nonsense("its ledger cannot be read: %v", err))
	}
	return nil
}

// writeTrace writes the grammars, each as the engine takes it, and the requests.
func writeTrace(ctx context.Context, path string, problems []*algorithms.Problem, takes []string, o algorithms.Options, requests []any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	lines := json.NewEncoder(out)
	for _, p := range problems {
		if err := errors.Join(ctx.Err(), lines.Encode(grammarLine(ctx, p, takes, o))); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	for _, r := range requests {
		if err := lines.Encode(r); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(out.Flush(), f.Close())
}

// grammarLine is a grammar as the engine takes it.
func grammarLine(ctx context.Context, p *algorithms.Problem, takes []string, o algorithms.Options) loadedGrammar {
	q, _, err := requestFor(ctx, p, takes, o)
	if err != nil {
		return loadedGrammar{Unsupported: err.Error()}
	}
	return loadedGrammar{Kind: q.Kind, Text: q.Text, Options: q.Options}
}
