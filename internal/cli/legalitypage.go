package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gcdbench/algorithms/legality"
	"gcdbench/harness/stats"
)

// The analysis of grammar legality for several grammars and vocabularies: one object or text each,
// and a page of tables for the kept reports.

// legalityRow is the analysis of a grammar on a vocabulary: the line that --json prints.
type legalityRow struct {
	*legality.Report
	// Store is the mask store with proofs, and then without; nil unless --store is given.
	Store []*legality.StoreSize `json:"store,omitempty"`
}

// WriteText writes the report, and the sizes of the store.
func (r *legalityRow) WriteText(w io.Writer) error {
	if err := r.Report.WriteText(w); err != nil || r.Store == nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\nThe mask store, all rows built ahead\n")
	for _, s := range r.Store {
		name := map[bool]string{true: "with proofs", false: "without"}[s.Proofs]
		if s.TooLarge != "" {
			fmt.Fprintf(&b, "  %-14s %s\n", name, s.TooLarge)
			continue
		}
		fmt.Fprintf(&b, "  %-14s %d rows, %.1f MB, %d groups of tokens, %d left for the parser, in %s\n", name, s.Rows, float64(s.Bytes)/1e6,
			s.Groups, s.Asked, (time.Duration(s.NS) * time.Nanosecond).Round(time.Millisecond))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLegalityPage writes the tables of all analyses so far.
func writeLegalityPage(file, command string, rows []*legalityRow) error {
	var b strings.Builder
	b.WriteString("# legality as an analysis\n\n")
	fmt.Fprintf(&b, "    %s\n\n", command)
	b.WriteString("A pair is a terminal X and a sequence S of terminals that some token of the vocabulary emits. A proof says for all stacks of the\n" +
		"parser whether S may follow X: never, always, or together with another sequence (jointly).\n\n")
	b.WriteString("Proofs over the parser's tables, all pairs:\n\n")
	b.WriteString("| grammar | vocabulary | LR states | X | S | pairs | never | always | jointly, by a prefix | jointly, by interchange | left | runs of the parser | s | MB |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		t := r.Tables
		share := func(n int) string { return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(max(1, r.Pairs))) }
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s | %s | %s | %s | %s | %d | %.1f | %.1f |\n", r.Grammar, r.Vocabulary, r.LRStates, r.Terminals,
			r.Sequences, r.Pairs, share(t.Never), share(t.Always), share(t.Prefix), share(t.Interchange), share(t.Asked), t.Runs, float64(t.NS)/1e9, float64(t.Bytes)/1e6)
	}
	writeRuleProofs(&b, rows)
	writeStores(&b, rows)
	b.WriteString("\nTimes are of one run each, and not compared with anything.\n")
	return pathError(os.WriteFile(file, []byte(b.String()), 0o644))
}

// writeRuleProofs is the table of the paper's algorithms.
func writeRuleProofs(b *strings.Builder, rows []*legalityRow) {
	b.WriteString("\nThe paper's algorithms over the grammar's rules (depth-first traversal), a sample of pairs: half from those that the tables prove never\n" +
		"legal, half from the others. never: is_never_legal, of the sample's that the tables prove so. always: unlimited_credit_exploration, of those\n" +
		"that the tables prove so. In brackets 95% intervals by Wilson.\n\n")
	b.WriteString("| grammar | vocabulary | DFT states | transitions | sample | never | always | proved by rules, not by tables | µs a pair, never | always |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		p := r.Rules
		if p == nil {
			continue
		}
		of := func(n, all int) string {
			if all == 0 {
				return "0/0"
			}
			i := stats.Wilson(n, all)
			return fmt.Sprintf("%d/%d [%.0f%%, %.0f%%]", n, all, 100*i.Low, 100*i.High)
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s | %s | %d | %.1f | %.1f |\n", r.Grammar, r.Vocabulary, p.States, p.Transitions, p.Sample,
			of(p.NeverBoth, p.NeverTables), of(p.AlwaysBoth, p.AlwaysTables), p.Never-p.NeverBoth+p.Always-p.AlwaysBoth,
			float64(p.NeverNS)/1e3/float64(max(1, p.Sample)), float64(p.AlwaysNS)/1e3/float64(max(1, p.AlwaysTried)))
	}
	for _, r := range rows {
		if r.Rules != nil && r.Resolved > 0 {
			fmt.Fprintf(b, "\n%s has %d conflicts resolved: its parser accepts less than its rules allow, so an \"always\" of the rules need not hold of it.\n", r.Grammar, r.Resolved)
		}
	}
}

// writeStores is the table of the mask stores.
func writeStores(b *strings.Builder, rows []*legalityRow) {
	b.WriteString("\nThe mask store, every row built ahead (a row is for a lexer state and the terminal before it), with all proofs and without:\n\n")
	b.WriteString("| grammar | vocabulary | proofs | rows | groups of tokens | left for the parser | MB | s |\n|---|---|---|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		for _, s := range r.Store {
			name := map[bool]string{true: "all", false: "none"}[s.Proofs]
			if s.TooLarge != "" {
				fmt.Fprintf(b, "| %s | %s | %s | | | | %s | |\n", r.Grammar, r.Vocabulary, name, s.TooLarge)
				continue
			}
			fmt.Fprintf(b, "| %s | %s | %s | %d | %d | %d (%.1f%%) | %.1f | %.1f |\n", r.Grammar, r.Vocabulary, name, s.Rows, s.Groups, s.Asked,
				100*float64(s.Asked)/float64(max(1, s.Groups)), float64(s.Bytes)/1e6, float64(s.NS)/1e9)
		}
	}
}
