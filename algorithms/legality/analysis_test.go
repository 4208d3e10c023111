package legality_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/legality"
	"gcdbench/internal/must"
)

// checkSums holds a report to what must be so of every report.
func checkSums(t *testing.T, r *legality.Report) {
	t.Helper()
	p := r.Tables
	if sum := p.Never + p.Always + p.Prefix + p.Interchange + p.Asked; sum != r.Pairs || r.Pairs != r.Terminals*r.Sequences {
		t.Errorf("%d terminals, %d sequences, %d pairs, but %d counted", r.Terminals, r.Sequences, r.Pairs, sum)
	}
	q := r.Rules
	if q == nil {
		return
	}
	if q.Never+q.AlwaysTried != q.Sample || q.Always+q.Circles > q.AlwaysTried || q.NeverBoth > q.Never || q.AlwaysBoth > q.Always {
		t.Errorf("the sample does not add up: %+v", *q)
	}
	if r.Resolved == 0 && q.Never != q.NeverTables {
		t.Errorf("no conflict was resolved, but %d pairs are never legal by the rules and %d by the tables", q.Never, q.NeverTables)
	}
}

// TestAnalyseByHand counts by hand. After "(" come "(" and ")", after ")" only ")", if one is open.
// The tokens are read from three lexer states (start, "(" pending, ")" pending) and give the
// sequences
//
//	from the start:  pending "(", pending ")", "(" and pending ")" from the token "()"
//	from "(":        "(" before each of these
//	from ")":        ")" before each of these
//
// of which "(" and pending ")" is there twice: 8 sequences. After "(", all are certain but those
// that close twice, ( ")" ) and "(" "(" ")" which needs no more than it opens: only ")" pending ")"
// is not; ")" and pending "(" is never legal, and so are the two that read on from there.
func TestAnalyseByHand(t *testing.T) {
	p := realtext.Small(t, `start: "(" start ")" |`, false, []string{"(", ")", "()"})
	r := must.Get(legality.Analyse(t.Context(), p, legality.AnalyseOptions{}))(t)
	checkSums(t, r)
	if r.Terminals != 2 || r.Sequences != 8 {
		t.Fatalf("%d terminals and %d sequences", r.Terminals, r.Sequences)
	}
	want := legality.TableProofs{
		// After "(": ")" then pending "(", and ")" "(" then pending ")". After ")": the six with a "(".
		Never: 2 + 6,
		// After "(": pending "(", pending ")", "(" then pending "(" or ")", "(" "(" then pending ")".
		Always: 5,
		// After "(": ")" then pending ")". After ")": pending ")", and ")" then pending ")".
		Asked:   3,
		Classes: 2,
	}
	got := r.Tables
	got.Runs, got.NS, got.Bytes = 0, 0, 0
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAnalyseKinds adds up for every kind of grammar: lexing mode all, conflicts resolved and kept,
// ignored terminals, interchangeable terminals, a layout.
func TestAnalyseKinds(t *testing.T) {
	for name, c := range map[string]struct {
		grammar string
		tokens  []string
	}{
		"operators": {"start: N | \"(\" start (\"+\" | \"-\") N \")\"\nN: /[0-9]+/\n%ignore \" \"", []string{"1", "+", "-", "+1", " -", "1+1", " "}},
		"resolved":  {"start: e\ne: \"x\" | e \"+\" e", []string{"x", "+", "x+", "+x+"}},
		"kept":      {"%conflicts keep\nstart: e\ne: \"x\" | e \"+\" e", []string{"x", "+", "x+", "+x+"}},
		"all":       {"%lexer all\nstart: (A | B \";\")*\nA: /a+/\nB: /[ab]+/\n%ignore \" \"", []string{"a", "b", "ab;", "a ", ";"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(legality.Analyse(t.Context(), realtext.Small(t, c.grammar, false, c.tokens), legality.AnalyseOptions{Sample: 50, Seed: 3}))(t)
			checkSums(t, r)
			if r.Pairs == 0 || r.Rules == nil {
				t.Errorf("%+v", r)
			}
			if name == "operators" && r.Tables.Interchange == 0 {
				t.Error("+ and - are interchangeable")
			}
			if (name == "resolved") != (r.Resolved > 0) {
				t.Errorf("%d conflicts resolved", r.Resolved)
			}
		})
	}
}

// TestAnalyseReal: the analysis of JSON, with the figures that people read and programs read.
func TestAnalyseReal(t *testing.T) {
	p := realtext.Need(t, "json", "r50k_base", 1).Problem
	stages := map[string]bool{}
	r := must.Get(legality.Analyse(t.Context(), p, legality.AnalyseOptions{
		Sample:   100,
		Progress: func(stage string, done, total int) { stages[stage] = done <= total },
	}))(t)
	checkSums(t, r)
	if len(stages) != 3 {
		t.Errorf("progress of %v", stages)
	}
	var text bytes.Buffer
	must.OK(t, r.WriteText(&text))
	for _, want := range []string{"json x r50k_base: ", "never legal", "left for the parser", "unlimited_credit_exploration"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, text.String())
		}
	}
	data := must.Get(json.Marshal(r))(t)
	var back legality.Report
	if err := json.Unmarshal(data, &back); err != nil || back.Tables != r.Tables || *back.Rules != *r.Rules {
		t.Errorf("%v: the report is not what its JSON says:\n%s", err, data)
	}
	t.Log(text.String())
}

func TestAnalyseLimits(t *testing.T) {
	p := realtext.Need(t, "json", "r50k_base", 1).Problem
	if _, err := legality.Analyse(t.Context(), p, legality.AnalyseOptions{MaxSequences: 10}); err == nil || !strings.Contains(err.Error(), "10") {
		t.Errorf("10 sequences are too few: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := legality.Analyse(ctx, p, legality.AnalyseOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	r, err := legality.Analyse(t.Context(), p, legality.AnalyseOptions{Sample: -1})
	if err != nil || r.Rules != nil {
		t.Errorf("no sample was wanted: %v, %v", r, err)
	}
}
