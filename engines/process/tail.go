package process

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gcdbench/internal/words"
)

// tail keeps lines of a child's standard error for a message: the last ones, and before them the
// line that names the error, which an interpreter or a runtime writes before pages of stacks.
type tail struct {
	mu     sync.Mutex
	lines  []string
	cause  string
	memory bool // a line said that memory was short, since the last request
}

const (
	tailLines = 5
	tailWidth = 300 // bytes of a line
	// tailFree is how much a child may write at any speed, in bytes: a day of warnings. Then there is
	// a tailPause after each tailBuffer.
	tailFree   = 4 << 20
	tailBuffer = 1 << 16
	tailPause  = 20 * time.Millisecond
)

// causes begin lines that name an error, memorySigns are in lines about a lack of memory.
var (
	causes      = []string{"panic:", "fatal error:", "thread '", "terminate called"}
	memorySigns = []string{"memoryerror", "bad_alloc", "memory allocation of", "out of memory", "cannot allocate memory"}
)

// read reads a stream to its end. Beyond tailFree it is slow: who writes more waits for its own
// writes, and takes no time of this process from others.
func (t *tail) read(from *os.File) {
	defer from.Close()
	lines := bufio.NewReaderSize(from, tailBuffer)
	for all, next := 0, tailFree; ; {
		line, _, err := lines.ReadLine() // the rest of a very long line counts as another one
		if err != nil {
			return
		}
		t.add(string(line))
		if all += len(line) + 1; all > next {
			next = all + tailBuffer
			time.Sleep(tailPause)
		}
	}
}

// begin forgets earlier lines as causes of a process's end, since the process went on after them.
// The lines themselves stay.
func (t *tail) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory, t.cause = false, ""
}

// add keeps a line.
func (t *tail) add(line string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lower := strings.ToLower(line)
	t.memory = t.memory || slices.ContainsFunc(memorySigns, func(sign string) bool { return strings.Contains(lower, sign) })
	line = words.Visible(strings.ToValidUTF8(line[:min(len(line), tailWidth)], "\ufffd"))
	if t.cause == "" && slices.ContainsFunc(causes, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
		t.cause = line
	}
	if t.lines = append(t.lines, line); len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// quoted are the lines, for the end of a message.
func (t *tail) quoted() string {
	time.Sleep(5 * time.Millisecond) // what a process wrote last may still be on its way
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.lines
	if t.cause != "" && !slices.Contains(lines, t.cause) {
		lines = append([]string{t.cause}, lines...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "; its last words: " + strings.Join(lines, " | ")
}

// ofMemory reports whether it said that memory was short.
func (t *tail) ofMemory() bool {
	t.quoted() // so that the last lines are here
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.memory
}
