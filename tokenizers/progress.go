package tokenizers

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A spinner is a bar of unknown length that turns by itself until finish.
type spinner struct {
	*progressbar.ProgressBar
	stop chan struct{}
}

func (s spinner) finish() {
	close(s.stop)
	_ = s.Finish()
}

// isTerminal tells whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// spin shows that something without a known length goes on, until the function that it returns is
// called: by a spinner on a terminal, by a line elsewhere, not at all if Progress is nil.
func (o Options) spin(what string) (done func()) {
	switch {
	case o.Progress == nil:
		return func() {}
	case !isTerminal(o.Progress):
		fmt.Fprintf(o.Progress, "fetching %s\n", what)
		return func() {}
	}
	return newSpinner(o.Progress, what).finish
}

// newSpinner starts to turn at once.
func newSpinner(w io.Writer, what string) spinner {
	s := spinner{progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(), progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // spinner turns it: the module's own goroutine reads without its lock
	), make(chan struct{})}
	go func() {
		for {
			select {
			case <-s.stop:
				return
			case <-time.After(100 * time.Millisecond):
				_ = s.RenderBlank()
			}
		}
	}()
	return s
}
