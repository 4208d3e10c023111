package cli

import (
	"strings"
	"testing"
)

// TestOneIsNotMany: a grammar of one terminal has "1 terminal".
func TestOneIsNotMany(t *testing.T) {
	schema := write(t, "one.json", `{"const": 1}`)
	grammar := write(t, "one.lark", "start: \"a\"\n")
	document := write(t, "a.txt", "a")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"schema", "compile", schema}, "1 terminal, "},
		{[]string{"grammar", "show", schema}, "1 terminal, "},
		{[]string{"grammar", "show", grammar}, "1 terminal, "},
		{[]string{"grammar", "check", "--grammar", grammar, document}, "1 of 1 document accepted"},
		{[]string{"schema", "check", schema, write(t, "i.json", "1")}, "1 of 1 instance accepted"},
	} {
		out := gcdbench(t, "", c.args...).out
		if !strings.Contains(out, c.want) || strings.Contains(out, "1 rules") || strings.Contains(out, "1 LR states") {
			t.Errorf("%v says %q, want %q", c.args, out, c.want)
		}
	}
}
