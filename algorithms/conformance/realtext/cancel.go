package realtext

import (
	"context"
	"errors"
	"testing"
	"time"

	"gcdbench/algorithms"
)

// patience is a context that is done once it was asked some times.
type patience struct {
	context.Context
	left, asked int
}

// Err implements context.Context.
func (c *patience) Err() error {
	c.asked++
	if c.asked > c.left {
		return context.Canceled
	}
	return nil
}

// Deadline implements context.Context.
func (c *patience) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context: a compile asks for the error.
func (c *patience) Done() <-chan struct{} { return nil }

// GiveUp compiles a problem with a context that is done the first, second, fourth ... time that it
// is asked, until one lasts: each compile before must end with the context's error, and soon. It
// returns how often a whole compile asks.
func GiveUp(t *testing.T, algorithm string, p *algorithms.Problem, o algorithms.Options) (asks int) {
	t.Helper()
	for left := 0; ; left = max(1, 2*left) {
		c := &patience{Context: t.Context(), left: left}
		e, err := Compile(c, algorithm, p, o)
		if err == nil {
			if e == nil || e.Start().Mask().Len() != p.Vocabulary.Len() {
				t.Fatalf("%s, %v: no engine, and no error", algorithm, o)
			}
			if c.asked > left {
				t.Fatalf("%s, %v: the context was done, and the compile went on to its end", algorithm, o)
			}
			return c.asked
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, %v, done after %d: %v", algorithm, o, left, err)
		}
		if c.asked > left+2 {
			t.Errorf("%s, %v: done after %d, but asked %d times", algorithm, o, left, c.asked)
		}
	}
}
