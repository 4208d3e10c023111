package harness

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestAbandonedIsNotCharged: an abandoned engine holds 300 MiB, more than
// twice the limit, for the rest of the run. The others, whose masks last over five
// looks of the guard each, are not charged with that.
func TestAbandonedIsNotCharged(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.run(t, w.config(t, "naive, rests, grows", "warmup: 0, repeat: 2, timeout: 1h, memory: 128MiB"))
		records := w.records(t)
		if s := sample(t, records["grows"], "p0"); s.Outcome != cell.OutOfMemory || !strings.Contains(s.Detail, "was abandoned") {
			t.Errorf("grows: %s, %s", s.Outcome, s.Detail)
		}
		for _, label := range []string{"naive", "rests"} {
			for _, s := range records[label].Samples {
				if s.Outcome != cell.OK {
					t.Errorf("%s, %s: %s, %s", label, s.ID, s.Outcome, s.Detail)
				}
			}
		}
		if last := sample(t, records["rests"], "z1"); last.Abandoned != 1 {
			t.Errorf("beside it %d operations were abandoned, want that of grows", last.Abandoned)
		}
	})
}

// TestAbandonedStillLimits: beside an abandoned engine, the limit holds for what
// an engine allocates itself.
func TestAbandonedStillLimits(t *testing.T) {
	seed.Usual(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.run(t, w.config(t, "naive, hangs, grows", "warmup: 0, repeat: 1, timeout: 1h, memory: 128MiB"))
		records := w.records(t)
		for label, want := range map[string]cell.Outcome{"naive": cell.OK, "hangs": cell.Timeout, "grows": cell.OutOfMemory} {
			if s := sample(t, records[label], "p0"); s.Outcome != want {
				t.Errorf("%s: %s, %s; want %s", label, s.Outcome, s.Detail, want)
			}
		}
	})
}

// TestAbandonedGrowing: an abandoned engine goes on allocating. The run
// ends, names the engine, and blames no other; the same command,
// started again, finishes.
func TestAbandonedGrowing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		cfg := w.config(t, "naive, rests, swells", "warmup: 0, repeat: 2, timeout: 1h, memory: 128MiB")
		_, err := Run(t.Context(), cfg, w.options())
		var full *bounds.AbandonedError
		if !errors.As(err, &full) || full.Who != "swells on p0" || full.Used < full.Beyond || !strings.Contains(err.Error(), "swells on p0") {
			t.Fatalf("it ended with %v", err)
		}
		close(never) // swells has returned when all wait, and its memory is garbage
		synctest.Wait()
		never = make(chan struct{})
		w.run(t, cfg)
		records := w.records(t)
		if s := sample(t, records["swells"], "p0"); s.Outcome != cell.OutOfMemory || s.Session != 1 {
			t.Errorf("swells: %s in session %d, %s", s.Outcome, s.Session, s.Detail)
		}
		for _, label := range []string{"naive", "rests"} {
			if r := records[label]; r.Outcome != cell.OK || r.Sessions != 2 {
				t.Errorf("%s: %s after %d sessions", label, r.Outcome, r.Sessions)
			}
		}
	})
}

// TestVerifyAlone: while one worker's engine is over the limit, the heap is over it for
// all of them. Only that one is charged.
func TestVerifyAlone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		cfg := w.config(t, "naive, rests, hogs, rests", "timeout: 1h, memory: 128MiB")
		v := must.Get(verify.Verify(t.Context(), cfg, w.options()))(t)
		for _, c := range v.Cells {
			bad := stats.Truth(c.Algorithm == "hogs")
			if c.Outcomes[cell.OutOfMemory] != bad || c.Outcomes[cell.OK] != 8-bad {
				t.Errorf("%s: %v, %s", c.Label, c.Outcomes, c.Detail)
			}
		}
	})
}

// TestVerifyAbandoned: an engine that does not stop is charged, and holds its memory
// beside workers that are not; one that goes on growing ends the command.
func TestVerifyAbandoned(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	inBubble(t, func(t *testing.T) {
		w := newWorld(t)
		v, err := verify.Verify(t.Context(), w.config(t, "rests, grows, naive", "timeout: 1h, memory: 128MiB"), w.options())
		must.OK(t, err)
		for _, c := range v.Cells {
			if want := map[bool]cell.Outcome{true: cell.OutOfMemory, false: cell.OK}[c.Algorithm == "grows"]; c.Outcome != want {
				t.Errorf("%s: %s, %s; want %s", c.Label, c.Outcome, c.Detail, want)
			}
		}
		_, err = verify.Verify(t.Context(), w.config(t, "rests, swells, naive", "timeout: 1h, memory: 128MiB"), w.options())
		var full *bounds.AbandonedError
		if !errors.As(err, &full) || !strings.Contains(full.Who, "swells on p0") {
			t.Errorf("growing, it ended with %v", err)
		}
	})
}
