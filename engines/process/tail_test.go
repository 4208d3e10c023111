package process

import (
	"os"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestTailOfRequest: what a child said about memory before a request is no reason for its end in
// it, and neither is a panic that it went on after.
func TestTailOfRequest(t *testing.T) {
	l := new(tail)
	l.add("panic: of before")
	l.add("MemoryError")
	if !l.ofMemory() {
		t.Error("it said that memory was short")
	}
	l.begin()
	for range tailLines {
		l.add("a line")
	}
	if l.ofMemory() || strings.Contains(l.quoted(), "of before") {
		t.Errorf("of memory %v: %s", l.ofMemory(), l.quoted())
	}
	l.add("terminate called after std::bad_alloc")
	if !l.ofMemory() {
		t.Error("it said that memory was short, in this request")
	}
}

// TestTailOfFlood: a child that writes without end waits for its own writes, and its last lines are
// kept.
func TestTailOfFlood(t *testing.T) {
	seed.Usual(t)
	r, w, err := os.Pipe()
	must.OK(t, err)
	line := []byte(strings.Repeat("a", 1<<10-1) + "\n")
	const pauses = 10
	begin := time.Now()
	go func() {
		defer w.Close()
		for range (tailFree + pauses*2*tailBuffer) / len(line) {
			w.Write(line)
		}
		w.WriteString("the last one\n")
	}()
	l := new(tail)
	l.read(r)
	if took := time.Since(begin); took < pauses*tailPause {
		t.Errorf("it was read in %v", took)
	}
	if !strings.HasSuffix(l.lines[len(l.lines)-1], "the last one") {
		t.Errorf("the last line is %q", l.lines[len(l.lines)-1])
	}
}

// TestEnviron: variables for Python of this process do not reach a child that is to have its own,
// and the user's keys reach none.
func TestEnviron(t *testing.T) {
	t.Setenv("PYTHONPATH", "/elsewhere")
	t.Setenv("PYTHONHASHSEED", "7")
	has := func(c Command, variable string) bool {
		last := ""
		for _, v := range c.environ() {
			if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(v, name+"=") {
				last = v
			}
		}
		return last == variable
	}
	clean := Command{Clean: true, Env: []string{"PYTHONOPTIMIZE=1"}}
	if has(clean, "PYTHONPATH=/elsewhere") || !has(Command{}, "PYTHONPATH=/elsewhere") {
		t.Error("PYTHONPATH")
	}
	if !has(clean, "PYTHONHASHSEED=0") || !has(clean, "PYTHONOPTIMIZE=1") {
		t.Error("what is meant for the child is missing")
	}
	t.Setenv("HF_TOKEN", "secret")
	t.Setenv("PATHS", "secret")
	t.Setenv("LC_ALL", "C")
	if has(Command{}, "HF_TOKEN=secret") || has(Command{}, "PATHS=secret") || !has(Command{}, "LC_ALL=C") {
		t.Error("what a child needs and no more")
	}
}
