package realtext

import (
	"context"
	"errors"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/internal/must"
)

// patient is a context that is asked for its error only, as a compile does.
type patient struct{ *must.Patience }

// Deadline implements context.Context.
func (patient) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (patient) Done() <-chan struct{} { return nil }

// GiveUp compiles a problem with a context that is done the first, second, fourth ... time that it
// is asked, until one lasts: each compile before must end with the context's error, and soon. It
// returns how often a whole compile asks.
func GiveUp(t *testing.T, algorithm string, p *algorithms.Problem, o algorithms.Options) (asks int) {
	t.Helper()
	for left := 0; ; left = max(1, 2*left) {
		c := &must.Patience{Context: t.Context(), Left: left}
		e, err := Compile(patient{c}, algorithm, p, o)
		if err == nil {
			if e == nil || e.Start().Mask().Len() != p.Vocabulary.Len() {
				t.Fatalf("%s, %v: no engine, and no error", algorithm, o)
			}
			if c.Asked > left {
				t.Fatalf("%s, %v: the context was done, and the compile went on to its end", algorithm, o)
			}
			return c.Asked
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, %v, done after %d: %v", algorithm, o, left, err)
		}
		if c.Asked > left+2 {
			t.Errorf("%s, %v: done after %d, but asked %d times", algorithm, o, left, c.Asked)
		}
	}
}
