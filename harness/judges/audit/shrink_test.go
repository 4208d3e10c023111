package audit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/judges"
	"gcdbench/internal/must"
)

// shrunk makes a text small under a judge, and counts what was asked.
func shrunk(t *testing.T, text string, verdict func(text string) judges.Verdict) (e *Example, asked int) {
	t.Helper()
	opt := sumOptions(t, 1)
	judge := known{func(text string) (judges.Verdict, error) {
		asked++
		return verdict(text), nil
	}}
	a := &auditor{Options: opt, judges: []judges.Judge{judge}}
	o, _, err := a.compare(t.Context(), judge, []byte(text))
	must.OK(t, err)
	e = must.Get(a.example(t.Context(), question{row: "r", id: "x", text: []byte(text)}, o))(t)
	return e, asked
}

// TestShrink: what matters stays, and what does not goes, whatever stands around it.
func TestShrink(t *testing.T) {
	nine := func(text string) judges.Verdict {
		if strings.Contains(text, "9") {
			return judges.Verdict{Why: "line 7: a nine"}
		}
		return judges.Verdict{Why: "line 8: no nine"}
	}
	minus := func(text string) judges.Verdict { return judges.Verdict{Valid: strings.Contains(text, "-")} }
	long := strings.Repeat("1 + 2 + 3\n+ ", 40)
	for _, c := range []struct {
		name, text, want string
		verdict          func(text string) judges.Verdict
	}{
		{"one lexeme", "9", "9", nine},
		{"among lexemes", "1 + 9 + 3", "9", nine},
		{"among lines", long + "9\n+ " + long + "4", "9", nine},
		{"a valid text", "1 +\n2 - 3\n+ 4", "-", minus},
	} {
		e, asked := shrunk(t, c.text, c.verdict)
		if strings.TrimSpace(strings.Trim(e.Text, "+ \n")) != c.want && e.Text != c.want || asked > maxAsked+3 {
			t.Errorf("%s: %q after %d questions, want %q", c.name, e.Text, asked, c.want)
		}
	}
}

// TestShrinkKeepsTheReason: an invalid text stays invalid for the same reason.
func TestShrinkKeepsTheReason(t *testing.T) {
	e, _ := shrunk(t, "1 + 8 + 9", func(text string) judges.Verdict {
		switch {
		case strings.Contains(text, "9"):
			return judges.Verdict{Why: fmt.Sprintf("%d: because of nine", len(text))}
		}
		return judges.Verdict{Why: "because of others"}
	})
	if !strings.Contains(e.Text, "9") || !strings.HasSuffix(e.Judge, ": because of nine") || e.Direction != InvalidAccepted {
		t.Errorf("%+v", e)
	}
}

// TestShrinkIsBounded: a text that cannot be made smaller costs a bounded number of questions.
func TestShrinkIsBounded(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprint(i))
	}
	text := strings.Join(lines, "\n+ ")
	e, asked := shrunk(t, text, func(x string) judges.Verdict {
		if x == text {
			return judges.Verdict{Why: "this one"}
		}
		return judges.Verdict{Why: "another"}
	})
	if e.Text != text || asked < maxAsked || asked > maxAsked+3 {
		t.Errorf("%d bytes after %d questions", len(e.Text), asked)
	}
}

// TestShrinkEnds: when the context ends, shrinking does, with its error.
func TestShrinkEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	judge := known{func(string) (judges.Verdict, error) {
		if asked++; asked == 3 {
			cancel()
		}
		return judges.Verdict{Why: "x"}, nil
	}}
	a := &auditor{Options: sumOptions(t, 1), judges: []judges.Judge{judge}}
	if _, err := a.example(ctx, question{text: []byte("1 + 2\n+ 3\n+ 4 + 5")}, invalidAccepted); err == nil || asked > 4 {
		t.Errorf("%v after %d questions", err, asked)
	}
}
