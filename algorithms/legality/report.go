package legality

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s x %s: %d lexer states, %d LR states, %d conflicts resolved\n", r.Grammar, r.Vocabulary, r.LexerStates, r.LRStates, r.Resolved)
	fmt.Fprintf(&b, "%d terminals x %d sequences = %d pairs; sequences collected in %s\n", r.Terminals, r.Sequences, r.Pairs, duration(r.CollectNS))
	r.Tables.write(&b, r.Pairs)
	if r.Rules != nil {
		r.Rules.write(&b)
	}
	if r.Rules != nil && r.Resolved > 0 {
		b.WriteString("  With conflicts resolved the parser accepts less than the rules allow: never legal carries over from rules to parser, always legal does not.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *TableProofs) write(b *strings.Builder, pairs int) {
	fmt.Fprintf(b, "\nProofs over the parser's tables, all pairs (%s, %d symbolic parser runs, %.1f MB)\n", duration(t.NS), t.Runs, float64(t.Bytes)/1e6)
	line := func(what string, n int) {
		fmt.Fprintf(b, "  %-44s %12d  %6.2f%%\n", what, n, percent(n, pairs))
	}
	line("never legal", t.Never)
	line("always legal", t.Always)
	line("jointly legal with a prefix", t.Prefix)
	line("jointly legal by interchangeable terminals", t.Interchange)
	line("left for the parser", t.Asked)
	fmt.Fprintf(b, "  %d classes of terminals\n", t.Classes)
}

func (r *RuleProofs) write(b *strings.Builder) {
	fmt.Fprintf(b, "\nThe paper's algorithms over the rules, a sample of %d pairs (DFT pushdown automaton: %d states, %d transitions)\n", r.Sample, r.States, r.Transitions)
	fmt.Fprintf(b, "  %-44s %12d  %6.2f%%  %s a pair; the tables: %d, both: %d\n", "is_never_legal",
		r.Never, percent(r.Never, r.Sample), each(r.NeverNS, r.Sample), r.NeverTables, r.NeverBoth)
	fmt.Fprintf(b, "  %-44s %12d  %6.2f%%  %s a pair; the tables: %d, both: %d\n", "unlimited_credit_exploration proves always",
		r.Always, percent(r.Always, r.Sample), each(r.AlwaysNS, r.AlwaysTried), r.AlwaysTables, r.AlwaysBoth)
	fmt.Fprintf(b, "  %-44s %12d  %6.2f%%\n", "proved if proofs may go round in circles", r.Circles, percent(r.Circles, r.Sample))
	unknown := r.AlwaysTried - r.Always - r.Circles
	fmt.Fprintf(b, "  %-44s %12d  %6.2f%%\n", "unknown", unknown, percent(unknown, r.Sample))
	fmt.Fprintf(b, "  %d classes of terminals\n", r.Classes)
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func duration(ns int64) string { return time.Duration(ns).Round(100 * time.Microsecond).String() }

func each(ns int64, n int) string {
	if n == 0 {
		return "-"
	}
	return time.Duration(ns / int64(n)).Round(100 * time.Nanosecond).String()
}
