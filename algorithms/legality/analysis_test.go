package legality_test

import (
	"os"
	"testing"

	"gcdbench/algorithms/legality"
)

func TestAnalyseReal(t *testing.T) {
	for _, language := range []string{"json", "java"} {
		t.Run(language, func(t *testing.T) {
			p, _ := problem(t, language, "llama3", false)
			r, err := legality.Analyse(t.Context(), p, legality.AnalyseOptions{Sample: 400})
			if err != nil {
				t.Fatal(err)
			}
			_ = r.WriteText(os.Stdout)
		})
	}
}
