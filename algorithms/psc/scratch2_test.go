package psc

import (
	"fmt"
	"os"
	"testing"

	"gcdbench/conformance/realtext"
)

func TestScratchPreds(t *testing.T) {
	if os.Getenv("PREDS") == "" {
		t.Skip()
	}
	for _, lang := range []string{"java", "go", "sql", "python"} {
		c := realtext.Need(t, lang, "llama3", 1)
		tb := c.Problem.Tables
		m, mt := map[string]int{}, map[string]int{}
		for x := range int32(tb.NumStates()) {
			k := fmt.Sprint(tb.Predecessors(x))
			m[k]++
			sym, ok := tb.Accessing(x)
			if !ok || sym.IsTerminal() {
				mt[k]++
			}
		}
		t.Logf("%s: %d states, pred classes %d, of tops %d; warnings %d", lang, tb.NumStates(), len(m), len(mt), len(tb.Warnings()))
	}
}
