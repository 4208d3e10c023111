package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"gcdbench/algorithms"
)

// TestHarnessError: what fails on this side is no outcome of an engine, however it is said.
func TestHarnessError(t *testing.T) {
	ours := &algorithms.HarnessError{Engine: "guest", Err: errors.New("no room for a file")}
	for what, f := range map[string]func() error{
		"returned": func() error { return ours },
		"panicked": func() error {
			panic(&algorithms.ProcessError{Engine: "guest", Outcome: "crash", Detail: "no room", Cause: ours})
		},
	} {
		g := &guard{timeout: time.Minute, memory: 1 << 40, every: time.Second, grace: time.Second, abandoned: new(abandoned)}
		err := g.call(t.Context(), "guest", func(context.Context) error { return f() })
		var failed *failure
		var got *algorithms.HarnessError
		if errors.As(err, &failed) || !errors.As(err, &got) {
			t.Errorf("%s: %T %v", what, err, err)
		}
	}
}
