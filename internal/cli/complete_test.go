package cli

import (
	"strings"
	"testing"
)

// TestCompleteFile reads the prefix from a file and from standard input, and its completion is
// accepted.
func TestCompleteFile(t *testing.T) {
	const prefix = "package p\n\nfunc f() {\n\tif x := g(func(a int) {"
	for _, file := range []string{write(t, "p.go", prefix), "-"} {
		got := object(t, gcdbench(t, prefix, "complete", "-g", "go", "--prefix-file", file, "--json").out)
		whole, _ := got["text"].(string)
		if !strings.HasPrefix(whole, prefix) || got["prefix_bytes"] != float64(len(prefix)) {
			t.Fatal(file, got)
		}
		if r := gcdbench(t, whole, "grammar", "check", "-g", "go", "-"); r.status != exitOK {
			t.Errorf("%q: %s", whole, r.out)
		}
	}
}
