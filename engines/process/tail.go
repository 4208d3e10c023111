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

// tail keeps what a child wrote to its standard error, as far as a message has room for it: the
// last lines, and before them the one that says what happened, where an interpreter or a runtime
// writes that first and then pages of where.
type tail struct {
	mu     sync.Mutex
	lines  []string
	cause  string
	memory bool // a line said that memory was short, since the last request
}

const (
	tailLines = 5
	tailWidth = 300 // bytes of a line
)

// causes begin lines that say what happened, memorySigns are in lines that say that memory was short.
var (
	causes      = []string{"panic:", "fatal error:", "thread '", "terminate called"}
	memorySigns = []string{"memoryerror", "bad_alloc", "memory allocation of", "out of memory", "cannot allocate memory"}
)

// read reads a stream to its end.
func (t *tail) read(from *os.File) {
	defer from.Close()
	lines := bufio.NewReaderSize(from, 1<<16)
	for {
		line, _, err := lines.ReadLine() // the rest of a very long line counts as another one
		if err != nil {
			return
		}
		t.add(string(line))
	}
}

// begin forgets what the lines of before say about why a process ends: one that it went on after
// was not its end. The lines themselves stay.
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
