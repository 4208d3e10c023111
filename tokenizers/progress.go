package tokenizers

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a fetch is.
type progress interface {
	add(bytes int64)
	finish()
}

// silent shows nothing.
type silent struct{}

func (silent) add(int64) {}
func (silent) finish()   {}

// bar is a progress bar on a terminal.
type bar struct{ *progressbar.ProgressBar }

func (b bar) add(n int64) { _ = b.Add64(n) }
func (b bar) finish()     { _ = b.Finish() }

// spinner is a bar of unknown length that turns by itself until finish.
type spinner struct {
	bar
	stop chan struct{}
}

func (s spinner) finish() {
	close(s.stop)
	s.bar.finish()
}

// isTerminal tells whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// watch begins to show a download of total bytes, -1 if unknown: a bar on a terminal, a line
// elsewhere, nothing if Progress is nil.
func (o Options) watch(file string, total int64) progress {
	switch {
	case o.Progress == nil:
		return silent{}
	case !isTerminal(o.Progress):
		fmt.Fprintf(o.Progress, "fetching %s\n", file)
		return silent{}
	}
	return bar{progressbar.NewOptions64(total, barOptions(o.Progress, file)...)}
}

// spin shows that something without a known length goes on.
func (o Options) spin(what string) progress {
	if o.Progress == nil || !isTerminal(o.Progress) {
		return o.watch(what, -1)
	}
	return newSpinner(o.Progress, what)
}

// newSpinner starts to turn at once.
func newSpinner(w io.Writer, what string) spinner {
	s := spinner{bar{progressbar.NewOptions64(-1, barOptions(w, what)...)}, make(chan struct{})}
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

// barOptions are what all bars have in common.
func barOptions(w io.Writer, description string) []progressbar.Option {
	return []progressbar.Option{
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(description), progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // spinner turns it: the module's own goroutine reads without its lock
	}
}
