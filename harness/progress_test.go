package harness

import (
	"strings"
	"testing"
	"time"

	"gcdbench/harness/progress"
)

func TestProgressLines(t *testing.T) { inBubble(t, progressLines) }

func progressLines(t *testing.T) {
	var log strings.Builder
	p := progress.NewProgress(&log)
	p.Group(1, 2, "json with llama3", "sample", 3, 0, 4)
	p.Group(2, 2, "json with llama3", "sample", 3, 4, 4)
	p.Doing("compiling %s", "trie") // only a bar shows it
	p.Step("a", false)
	time.Sleep(10 * time.Second)
	p.Step("b", true)
	p.Note("something happened to %s\n", "b")
	p.Step("c", true)
	p.Finish()
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
	p := progress.NewProgress(&log)
	p.Group(1, 3, "schema/x with llama3", "schema", 4, 2, 2)
	p.Step("a", true)
	time.Sleep(20 * time.Second)
	p.Step("b", true)
	want := "[1/3] schema/x with llama3: 2 algorithms, 4 schemas\n[1/3] schema/x with llama3: 2 of 4 schemas (b), 10s each, about 20s left\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
}

// TestProgressOfOne: one is not many.
func TestProgressOfOne(t *testing.T) { inBubble(t, progressOfOne) }

func progressOfOne(t *testing.T) {
	var log strings.Builder
	p := progress.NewProgress(&log)
	p.Group(1, 2, "json with llama3", "sample", 1, 0, 1)
	p.Group(2, 2, "json with llama3", "sample", 1, 1, 1)
	want := "[1/2] json with llama3: the cell is there\n[2/2] json with llama3: 1 algorithm, 1 sample\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
}

func TestQuiet(t *testing.T) {
	p := progress.NewProgress(nil)
	p.Group(1, 1, "x", "sample", 1, 1, 1)
	p.Note("nobody reads this")
	p.Step("a", true)
	p.Finish() // no panic is all there is to see
}
