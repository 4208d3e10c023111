package tokenizers

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

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
	Options{Progress: &buf}.spin("npm pack x")()
	Options{}.spin("z")()
	if got := buf.String(); got != "fetching npm pack x\n" {
		t.Errorf("%q", got)
	}
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
