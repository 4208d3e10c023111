package tokenizers

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"

	"gcdbench/internal/must"
)

// lockedBuffer is a buffer that a spinner's goroutine may write to while a test reads.
type lockedBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}

// Without a terminal there is one line for a file, or nothing.
func TestProgressLines(t *testing.T) {
	var buf bytes.Buffer
	for _, p := range []progress{
		Options{Progress: &buf}.watch("file.json", 10), Options{Progress: &buf}.spin("npm pack x"), Options{}.watch("y", -1), Options{}.spin("z"),
	} {
		p.add(5)
		p.finish()
	}
	if got := buf.String(); got != "fetching file.json\nfetching npm pack x\n" {
		t.Errorf("%q", got)
	}
}

func TestProgressBar(t *testing.T) {
	var buf lockedBuffer
	b := bar{progressbar.NewOptions64(2000, append(barOptions(&buf, "file.json"), progressbar.OptionThrottle(0))...)}
	b.add(1000)
	if got := buf.String(); !strings.Contains(got, "file.json") || !strings.Contains(got, "50%") {
		t.Errorf("half way it shows %q", got)
	}
	b.finish()
}

// A spinner turns by itself, and no more after finish.
func TestSpinner(t *testing.T) {
	var buf lockedBuffer
	s := newSpinner(&buf, "npm pack x")
	for !strings.Contains(buf.String(), "npm pack x") { // else the test never ends
		time.Sleep(10 * time.Millisecond)
	}
	s.finish()
	select {
	case <-s.stop:
	default:
		t.Error("it still turns")
	}
}

func TestIsTerminal(t *testing.T) {
	f := must.Get(os.CreateTemp(t.TempDir(), "x"))(t)
	defer f.Close()
	if isTerminal(f) || isTerminal(io.Discard) || isTerminal(nil) {
		t.Error("not a terminal, but taken for one")
	}
}
