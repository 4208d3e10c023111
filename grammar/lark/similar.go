package lark

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
		if d := distance(name, c, limit); d < limit {
			best, limit = c, d
		}
	}
	return best, best != ""
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours that make b
// of a; limit or more if it is at least limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
