package audit

import (
	"bytes"
	"context"
	"math/bits"
	"regexp"
	"slices"

	"gcdbench/harness/judges"
)

// Examples made small, by delta debugging (Zeller and Hildebrandt, 2002): lines are left out as
// long as grammar and judge still differ in the same direction, then lexemes. The judge has to say
// the same but for numbers, lest the small text is about something else.

// maxAsked bounds the texts that are asked about for one example.
const maxAsked = 600

// shrinker makes one example small.
type shrinker struct {
	*auditor
	ctx   context.Context
	judge judges.Judge
	want  outcome
	why   string // what the judge says, without numbers
	left  int    // of maxAsked
	err   error
}

// example makes a text small and says what judge and grammar say about it.
func (a *auditor) example(ctx context.Context, q question, o outcome) (*Example, error) {
	s := &shrinker{auditor: a, ctx: ctx, judge: a.judges[0], want: o, left: maxAsked}
	_, v, err := a.compare(ctx, s.judge, q.text)
	if err != nil {
		return nil, err
	}
	e := &Example{Row: q.row, ID: q.id, Line: q.line, Direction: InvalidAccepted}
	if o == validRefused {
		e.Direction = ValidRefused
		if e.Line == 0 && v.ours != nil {
			e.Line = v.ours.Line
		}
	}
	s.why = withoutNumbers(v.judge.Why)
	small := s.shrink(q.text)
	if s.err == nil {
		_, v, s.err = a.compare(ctx, s.judge, small)
	}
	e.Text, e.Judge = string(small), v.judge.Why
	if v.ours != nil {
		e.Grammar = v.ours.Error()
	}
	return e, s.err
}

// shrink leaves out lines, and then lexemes.
func (s *shrinker) shrink(text []byte) []byte {
	text = s.without(bytes.SplitAfter(text, []byte("\n")))
	var parts [][]byte
	at := 0
	for _, x := range s.Language.lexemes(text) {
		parts = append(parts, text[at:x.to])
		at = x.to
	}
	return s.without(append(parts, text[at:]))
}

// without leaves out as many of the parts as it can, first in large runs and then in small ones.
func (s *shrinker) without(parts [][]byte) []byte {
	for run := 1 << bits.Len(uint(len(parts))) / 2; run > 0; run /= 2 {
		before := len(parts)
		for at := 0; at < len(parts); {
			rest := slices.Concat(parts[:at], parts[min(at+run, len(parts)):])
			if s.differs(bytes.Join(rest, nil)) {
				parts = rest
			} else {
				at += max(1, run/2) // runs overlap, since what goes together may begin anywhere
			}
		}
		if run == 1 && len(parts) < before {
			run = 4 // once more: what was needed may not be any longer
		}
	}
	return bytes.Join(parts, nil)
}

// differs asks about a text, unless enough was asked.
func (s *shrinker) differs(text []byte) bool {
	if s.err != nil || s.left == 0 || len(bytes.TrimSpace(text)) == 0 {
		return false
	}
	s.left--
	o, v, err := s.compare(s.ctx, s.judge, text)
	s.err = err
	return err == nil && o == s.want && withoutNumbers(v.judge.Why) == s.why && (s.Language.Class == nil || s.Language.Class(text) != "")
}

// digits are lines and columns, in a message, and what it quotes.
var digits = regexp.MustCompile(`[0-9]+`)

// withoutNumbers is a message without what changes when other parts of the text go.
func withoutNumbers(message string) string { return digits.ReplaceAllString(message, "") }
