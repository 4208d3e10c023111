package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gcdbench/algorithms/legality"
)

// The analysis of grammar legality for several grammars and vocabularies: one object or text each.

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
