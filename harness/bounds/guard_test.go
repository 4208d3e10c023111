package bounds

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
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
		g := &Guard{Timeout: time.Minute, Memory: 1 << 40, Every: time.Second, Grace: time.Second, Abandoned: new(Abandoned)}
		err := g.Call(t.Context(), "guest", func(context.Context) error { return f() })
		var failed *Failure
		var got *algorithms.HarnessError
		if errors.As(err, &failed) || !errors.As(err, &got) {
			t.Errorf("%s: %T %v", what, err, err)
		}
	}
}

// TestClass: what is particular to a schema is not in a reason.
func TestClass(t *testing.T) {
	long := strings.Repeat("x", 300)
	for message, want := range map[string]string{
		`no more than 5 items`:                        `no more than 5 items`,
		`the pattern "a\"b" is no regular expression`: `the pattern "..." is no regular expression`,
		"panic: no idea\ngoroutine 7":                 "panic: no idea",
		"terminal `x` and \"y\" are equal":            `terminal "..." and "..." are equal`,
		long:                                          long[:100] + "...",
		"":                                            "",
		`an open "quote`:                              `an open "quote`,
	} {
		if got := Class(message); got != want {
			t.Errorf("%q is of the class %q, want %q", message, got, want)
		}
	}
}

// TestTimeoutTells: a process that is killed at a time limit is quoted while it starts, and not
// later: what it wrote then is not why it was slow.
func TestTimeoutTells(t *testing.T) {
	for starting, want := range map[bool]string{true: "not done after 1s: when it was started: import numpy", false: "not done after 1s"} {
		f := classify(&algorithms.ProcessError{Outcome: "timeout", Detail: "when it was started: import numpy"}, errTimeout, true, &Guard{Timeout: time.Second, Starting: starting})
		if f.Outcome != cell.Timeout || f.Detail != want {
			t.Errorf("%s: %s", f.Outcome, f.Detail)
		}
	}
}
