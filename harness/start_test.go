package harness

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/rewalk"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// What comes before the time of an engine from outside, and what does not get into it.

// TestWarm: a process that was started has compiled something small, twice, before anything else.
func TestWarm(t *testing.T) {
	for _, c := range []struct {
		what, refuses string
		programs      bool
		want          string
	}{
		{"programs, each compile in a new process", "", true, "small small list.lark small small list.lark small small list.lark"},
		{"schemas, one process for all", "", false, "anything anything anything anything a-number a-number"},
		{"an engine that does not take the schema true", "true", false, "anything small small anything small small a-number a-number"},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newSchemaWorld(t, tinySchemas[:1])
			engine := &guest{name: "guest", text: anything, refuses: c.refuses}
			w.runGuests(t, func(names string) *config.Config {
				if c.programs {
					return w.config(t, names, "warmup: 1, repeat: 1, compiles: 2")
				}
				return w.schemaConfig(t, names, "warmup: 1, repeat: 1", "")
			}, engine)
			if got := strings.ReplaceAll(strings.Join(engine.compiles, " "), w.dir+"/", ""); got != c.want {
				t.Errorf("compiled %s, want %s", got, c.want)
			}
		})
	}
}

// states are those of the first passes of a label, by document.
func (w *world) states(t *testing.T, label string) map[string]cell.State {
	t.Helper()
	store := must.Get(cell.Open(w.out))(t)
	r := w.records(t)[label]
	out := map[string]cell.State{}
	for trace, err := range store.Traces(r) {
		must.OK(t, err)
		if len(trace.Passes) > 0 {
			out[r.Samples[trace.Sample].ID] = trace.Passes[0].State
		}
	}
	return out
}

// TestRevived: the start of a process that had died, and the compile, are in no time of the next
// document, which is the first of a new engine; only the document in which it died is lost.
func TestRevived(t *testing.T) {
	seed.Usual(t)
	w := newSchemaWorld(t, tinySchemas[7:8])
	engine := &guest{name: "guest", text: anything, diesTimed: "22]", slow: 700 * time.Millisecond}
	w.runGuests(t, func(names string) *config.Config {
		return w.schemaConfig(t, names, "warmup: 1, repeat: 1, timeout: 1s", "")
	}, engine)
	r := w.records(t)["guest"]
	states := w.states(t, "guest")
	for _, s := range r.Samples {
		want := cell.OK
		switch {
		case s.ID == "h-list#0":
			want = cell.Crash
		case s.Negative:
			want = cell.WrongVerdict
		}
		if s.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", s.ID, s.Outcome, s.Detail, want)
		}
	}
	if len(states) != 1 || states["h-list#2"] != cell.Fresh {
		t.Errorf("states %v", states)
	}
	if engine.revived.Load() != 1 {
		t.Errorf("compiled again %d times", engine.revived.Load())
	}
}

// TestProverGone: an engine whose answers are compared and whose process does not come back has no
// more answers. The documents that were compared before are timed: the timed engine has a process
// of its own.
func TestProverGone(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas[7:8])
	w.runWithSchemas(t, &guest{name: "guest", text: anything, diesProving: `"x"]`, stays: true})
	states := w.states(t, "guest")
	for i, s := range w.records(t)["guest"].Samples {
		if want := []cell.Outcome{cell.OK, cell.Crash, cell.Crash}[i]; s.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", s.ID, s.Outcome, s.Detail, want)
		}
	}
	if len(states) != 1 || states["h-list#0"] != cell.Fresh {
		t.Errorf("states %v", states)
	}
}

// TestClonesCostNothing: an engine that dies of clones loses the times of clones, and no document.
func TestClonesCostNothing(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas[7:8])
	engine := &guest{name: "guest", text: anything, diesCloning: "[1, 22"}
	sum := w.runWithSchemas(t, engine)
	for _, s := range w.records(t)["guest"].Samples {
		if s.Outcome != cell.OK && !s.Negative {
			t.Errorf("%s: %s (%s)", s.ID, s.Outcome, s.Detail)
		}
	}
	states := w.states(t, "guest")
	if len(states) != 2 || states["h-list#0"] != cell.Fresh || states["h-list#2"] != cell.New || engine.revived.Load() != 1 || sum.Failed != 0 {
		t.Errorf("states %v, compiled again %d times, %d failed", states, engine.revived.Load(), sum.Failed)
	}
}

// TestStuck: an engine whose process does not start is abandoned, and the failure names the step
// and quotes its last words.
func TestStuck(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	died := &algorithms.ProcessError{Engine: "guest", Outcome: "timeout", Detail: "when it was given the vocabulary: last words"}
	engine := &guest{name: "guest", text: anything, stuck: died}
	w.runWithSchemas(t, engine)
	var reasons []string
	for _, p := range w.records(t)["guest"].Problems {
		if p.Outcome != cell.Timeout || !strings.Contains(p.Detail, "given the vocabulary") || !strings.Contains(p.Detail, "last words") {
			t.Errorf("%s: %s, %s", p.ID, p.Outcome, p.Detail)
		}
		reasons = append(reasons, p.Reason)
	}
	if n := engine.starts.Load(); n != ask.MaxBadStarts {
		t.Errorf("started %d times", n)
	}
	slices.Sort(reasons)
	if got := slices.Compact(reasons); len(got) != 2 || got[1] != "not started any more" {
		t.Errorf("reasons %q", got)
	}
}

// TestStuckTimed: an engine whose timed process does not start is not called any more, although the
// engine whose answers are compared starts each time.
func TestStuckTimed(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	died := &algorithms.ProcessError{Engine: "guest", Outcome: "timeout", Detail: "when it was started: last words"}
	engine := &guest{name: "guest", text: anything, stuckTimed: died}
	w.runWithSchemas(t, engine)
	if n := engine.timedTries.Load(); n != ask.MaxBadStarts {
		t.Errorf("the timed engine's process was started %d times, want %d", n, ask.MaxBadStarts)
	}
	for _, s := range w.records(t)["guest"].Samples {
		if strings.Contains(s.Detail, "its compile was") {
			t.Errorf("%s: %s", s.ID, s.Detail)
		}
	}
}

// TestGuardedMemory: the memory of this process stops what this program does in a judge's run,
// and not what an engine from outside is asked.
func TestGuardedMemory(t *testing.T) {
	limits := bounds.Guard{Timeout: time.Minute, Memory: 1, Every: time.Millisecond, Grace: time.Second, Abandoned: &bounds.OfProcess}
	g := &rewalk.Reopened{Guard: &limits}
	wait := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
			return nil
		}
	}
	_, err := g.Guarded(t.Context(), nil, "ours", time.Minute, wait)
	var failed *bounds.Failure
	if !errors.As(err, &failed) || failed.Outcome != cell.OutOfMemory {
		t.Errorf("ours: %v", err)
	}
	if _, err := g.Guarded(t.Context(), &guest{name: "guest"}, "theirs", time.Minute, wait); err != nil {
		t.Errorf("theirs: %v", err)
	}
}

// TestUntranslated: a grammar that cannot be written for an engine, whose process runs, is
// unsupported, and no start that failed.
func TestUntranslated(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.runWithSchemas(t, &guest{name: "guest", text: anything, untranslated: &algorithms.UnsupportedError{Algorithm: "guest", Reason: "it takes too long"}})
	for _, p := range w.records(t)["guest"].Problems {
		if p.Outcome != cell.Unsupported || p.Detail != "it takes too long" || strings.Contains(p.Reason, "start") {
			t.Errorf("%s: %s, %s, %s", p.ID, p.Outcome, p.Detail, p.Reason)
		}
	}
}

// TestOrderOfKeys: ours and an engine with a language of its own are asked the same, with the keys
// in order. Only what is taken then was refused for the order: not an instance that has a key
// twice.
func TestOrderOfKeys(t *testing.T) {
	twice := tinySchema{"j-twice", tinySchemas[1].text, []instance{{`{"a": 1, "a": 22}`, true}}}
	w := newSchemaWorld(t, append(slices.Clone(tinySchemas), twice))
	w.runWithSchemas(t, &guest{name: "ordered", text: tinySchemas[1].text}, &guest{name: "free", text: `{"type": "object", "required": ["c"]}`})
	records := w.records(t)
	for label, want := range map[string]bool{"psc": true, "ordered": true, "free": false} {
		r := records[label]
		for _, s := range r.Samples {
			order := want && s.ID == "b-object#1"
			if s.KeyOrder != order || order && s.Outcome != cell.WrongVerdict {
				t.Errorf("%s of %s: %s, order of keys %v", s.ID, label, s.Outcome, s.KeyOrder)
			}
			if label == "psc" && s.ID == "j-twice#0" && s.Outcome != cell.WrongVerdict {
				t.Errorf("%s: %s, so that the order of its keys was not asked about", s.ID, s.Outcome)
			}
		}
	}
}
