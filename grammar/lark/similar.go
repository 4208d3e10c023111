package lark

import "gcdbench/internal/words"

// Misspelt names. The hint "did you mean" is only worth its line if it is right nearly always, so
// the bound on the distance is tight for short names.

// closest finds the candidate that is most like a misspelt name, if any is alike enough: at most
// one edit in three characters.
func closest(name string, candidates []string) (string, bool) {
	if name == "" {
		return "", false
	}
	best, limit := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := words.Distance(name, c, limit); d < limit {
			best, limit = c, d
		}
	}
	return best, best != ""
}
