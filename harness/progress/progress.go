// Package progress tells how far a command has come: a bar on a terminal, lines elsewhere.
package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress tells a person how far a run is: a bar on a terminal, otherwise a line
// now and then. The zero writer is silence.
type Progress struct {
	w        io.Writer
	terminal bool
	bar      *progressbar.ProgressBar

	title       string
	began, last time.Time
	what        string // of what there is a total: sample or schema
	done, total int
	measured    int // of done, in this process: what the estimate goes by
	Refused     int // documents of the group that ought to be taken and were not
}

// LineEvery is how often a line is written where there is no terminal: often
// enough to see that something happens, rare enough for a log.
const LineEvery = 10 * time.Second

// NewProgress looks whether w is a terminal; nil means silence.
func NewProgress(w io.Writer) *Progress {
	p := &Progress{w: w}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// Group begins a group of so many parts, samples or schemas, with pending of all algorithms.
func (p *Progress) Group(number, of int, name, what string, parts, pending, all int) {
	p.Finish()
	if p.w == nil {
		return
	}
	p.title = words.Visible(fmt.Sprintf("[%d/%d] %s", number, of, name))
	if pending == 0 {
		there := "the cell is there"
		if all != 1 {
			there = fmt.Sprintf("all %d cells are there", all)
		}
		fmt.Fprintf(p.w, "%s: %s\n", p.title, there)
		return
	}
	p.began, p.done, p.measured, p.Refused, p.what, p.total = time.Now(), 0, 0, 0, what, parts
	p.last = p.began
	if p.terminal {
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.title),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		return
	}
	fmt.Fprintf(p.w, "%s: %s, %s\n", p.title, words.Count(pending, "algorithm"), words.Count(p.total, p.what))
}

// Doing shows the present work before the first sample.
func (p *Progress) Doing(format string, args ...any) {
	if p.bar != nil {
		p.bar.Describe(p.title + ": " + words.Visible(fmt.Sprintf(format, args...)))
	}
}

// Compiling returns a context whose progress reports (algorithms.WithProgress) are shown as a line
// now and then. The returned function ends that, since an abandoned engine may go on reporting.
func (p *Progress) Compiling(ctx context.Context, label string) (context.Context, func()) {
	if p.w == nil {
		return ctx, func() {}
	}
	var mu sync.Mutex
	ended, last := false, time.Now()
	report := func(stage string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if !ended && time.Since(last) >= LineEvery {
			last = time.Now()
			p.Note("%s: compiling %s: %d of %d %s", p.title, label, done, total, stage)
		}
	}
	return algorithms.WithProgress(ctx, report), func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
	}
}

// Step says that a sample, or a schema with its samples, is done; measured is false if an earlier
// process did it.
func (p *Progress) Step(id string, measured bool) {
	p.done++
	p.measured += stats.Truth(measured)
	if p.bar != nil {
		p.bar.Describe(p.title)
		p.bar.Add(1) // drawing cannot fail in a way that matters
		return
	}
	now := time.Now()
	if p.w == nil || now.Sub(p.last) < LineEvery && p.done < p.total {
		return
	}
	p.last = now
	each := now.Sub(p.began) / time.Duration(max(1, p.measured))
	left := each * time.Duration(p.total-p.done)
	if p.done == p.total {
		fmt.Fprintf(p.w, "%s: done in %s\n", p.title, Rounded(now.Sub(p.began)))
		return
	}
	fmt.Fprintf(p.w, "%s: %d of %s (%s), %s each, about %s left\n", p.title, p.done, words.Count(p.total, p.what), words.Visible(id), Rounded(each), Rounded(left))
}

// Rounded rounds a duration for people.
func Rounded(d time.Duration) time.Duration {
	switch {
	case d > time.Minute:
		return d.Round(time.Second)
	case d > time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// Note prints a message above the bar.
func (p *Progress) Note(format string, args ...any) {
	if p.w == nil {
		return
	}
	if p.bar != nil {
		p.bar.Clear() // the message takes the bar's line; the next step draws it again
	}
	fmt.Fprintln(p.w, words.VisibleLines(strings.TrimRight(fmt.Sprintf(format, args...), "\n")))
}

// Finish removes the bar.
func (p *Progress) Finish() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
}
