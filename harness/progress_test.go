package harness

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) { inBubble(t, progressLines) }

func progressLines(t *testing.T) {
	var log strings.Builder
	p := newProgress(&log)
	p.group(1, 2, "json with llama3", "sample", 3, 0, 4)
	p.group(2, 2, "json with llama3", "sample", 3, 4, 4)
	p.doing("compiling %s", "trie") // only a bar shows it
	p.step("a", false)
	time.Sleep(10 * time.Second)
	p.step("b", true)
	p.note("something happened to %s\n", "b")
	p.step("c", true)
	p.finish()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	want := []string{"[1/2] json with llama3: all 4 cells are there", "[2/2] json with llama3: 4 algorithms, 3 samples",
		"[2/2] json with llama3: 2 of 3 samples (b), 10s each, about 10s left", "something happened to b", "[2/2] json with llama3: done in 10s"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), log.String())
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}
}

// TestProgressOfSchemas: what is counted are schemas, not their instances.
func TestProgressOfSchemas(t *testing.T) { inBubble(t, progressOfSchemas) }

func progressOfSchemas(t *testing.T) {
	var log strings.Builder
	p := newProgress(&log)
	p.group(1, 3, "schema/x with llama3", "schema", 4, 2, 2)
	p.step("a", true)
	time.Sleep(20 * time.Second)
	p.step("b", true)
	want := "[1/3] schema/x with llama3: 2 algorithms, 4 schemas\n[1/3] schema/x with llama3: 2 of 4 schemas (b), 10s each, about 20s left\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
}

// TestProgressOfOne: one is not many.
func TestProgressOfOne(t *testing.T) { inBubble(t, progressOfOne) }

func progressOfOne(t *testing.T) {
	var log strings.Builder
	p := newProgress(&log)
	p.group(1, 2, "json with llama3", "sample", 1, 0, 1)
	p.group(2, 2, "json with llama3", "sample", 1, 1, 1)
	want := "[1/2] json with llama3: the cell is there\n[2/2] json with llama3: 1 algorithm, 1 sample\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
}

func TestQuiet(t *testing.T) {
	p := newProgress(nil)
	p.group(1, 1, "x", "sample", 1, 1, 1)
	p.note("nobody reads this")
	p.step("a", true)
	p.finish() // no panic is all there is to see
}

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234567 * time.Nanosecond: "1ms", 1234 * time.Millisecond: "1.2s", 83456 * time.Millisecond: "1m23s", 0: "0s",
	} {
		if got := rounded(d).String(); got != want {
			t.Errorf("%v becomes %s, want %s", d, got, want)
		}
	}
}
