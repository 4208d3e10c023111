package cli

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/algorithms"
)

// TestCaught: a panic of an algorithm is an error of one line that says where; that a process
// failed stays the error it is.
func TestCaught(t *testing.T) {
	masking := func(mask func() int) (err error) {
		defer caught(&err, "mine")
		mask()
		return nil
	}
	none := []int{}
	err := masking(func() int { return none[len(none)] })
	if err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), "the algorithm mine panicked in gcdbench/internal/cli.TestCaught.func") ||
		!strings.Contains(err.Error(), "(mask_test.go:20), called by ") ||
		!strings.HasSuffix(err.Error(), ": runtime error: index out of range [0] with length 0") {
		t.Errorf("%v", err)
	}
	failed := &algorithms.ProcessError{}
	if err := masking(func() int { panic(failed) }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if err := masking(func() int { return 1 }); err != nil {
		t.Error(err)
	}
}
