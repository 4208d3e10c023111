package must

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"testing"
)

// Python is an interpreter of Python that can import a module: the one that GCDBENCH_PYTHON names,
// or python3. Where there is none the test is skipped. Any interpreter has the module sys.
func Python(t testing.TB, module string) string {
	t.Helper()
	python := cmp.Or(os.Getenv("GCDBENCH_PYTHON"), "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "import "+module).Run(); err != nil {
		t.Skipf("%s has no module %s: %v", python, module, err)
	}
	return python
}

// Patience is a context that is cancelled once it was asked for its error more than Left times, so
// that work meets its end at a certain moment. Asked counts the questions. It is not safe for
// concurrent use.
type Patience struct {
	context.Context
	Left, Asked int
}

// Err implements context.Context.
func (c *Patience) Err() error {
	if c.Asked++; c.Asked > c.Left {
		return context.Canceled
	}
	return nil
}
