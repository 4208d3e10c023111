package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"gcdbench/grammar/languages"
)

// TestWarnings: oddities of a grammar are told on standard error and in JSON, and change nothing
// else.
func TestWarnings(t *testing.T) {
	file := write(t, "odd.lark", "start: FEW | NAME | NEVER \"x\"\nNAME.1: /[a-z]+/\nFEW: /ab|cd/\nNEVER: /[^\\s\\S]/\n")
	want := []string{
		"odd.lark:3:1: warning: terminal FEW is never read: other terminals win whatever it matches, as NAME does \"ab\"",
		"give it a higher priority (FEW.1: ...)",
		"odd.lark:4:1: warning: terminal NEVER is never read: its pattern matches no text",
	}
	for _, args := range [][]string{{"grammar", "show", file}, {"grammar", "check", "-g", file, "-"}} {
		var out, errOut bytes.Buffer
		if status := run(context.Background(), args, strings.NewReader("ab"), &out, &errOut); status != exitOK {
			t.Errorf("%v: exit status %d: %s%s", args, status, out.String(), errOut.String())
		}
		for _, text := range want {
			if !strings.Contains(errOut.String(), text) {
				t.Errorf("%v: no %q in\n%s", args, text, errOut.String())
			}
		}
		lines := strings.Split(strings.TrimSpace(gcdbench(t, "ab", append(args, "--json")...).out), "\n")
		list, _ := object(t, lines[len(lines)-1])["warnings"].([]any)
		if len(list) != 3 || list[0].(map[string]any)["line"] != 3.0 || list[0].(map[string]any)["column"] != 1.0 {
			t.Errorf("%v: warnings %v", args, list)
		}
	}
}

// TestReadInAnotherState: a terminal that is ignored may lose to others in some states of the
// parser with the contextual lexer.
func TestReadInAnotherState(t *testing.T) {
	file := write(t, "g.lark", "%lexer contextual\nstart: NAME \"'\" TEXT \"'\" NAME\nNAME: /[a-z]+/\nTEXT.1: /[^']+/\n%ignore / +/\n")
	if list := object(t, gcdbench(t, "", "grammar", "show", file, "--json").out)["warnings"].([]any); len(list) > 0 {
		t.Errorf("%v", list)
	}
}

// TestNoWarnings: the embedded grammars have none.
func TestNoWarnings(t *testing.T) {
	for _, name := range languages.Names() {
		if list := object(t, gcdbench(t, "", "grammar", "show", name, "--json").out)["warnings"].([]any); len(list) > 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
}
