package dialects

import (
	"fmt"
	"strings"
)

// A namer gives each symbol a name of its own: its name in the grammar as far as the dialect takes
// it, with a number after it if that is taken.
type namer struct {
	taken     map[string]bool
	separator string // for characters that no name may have: "_" or "-"
	private   bool   // a name may begin with one "_"
}

func newNamer(separator string, private bool) *namer {
	return &namer{taken: map[string]bool{}, separator: separator, private: private}
}

// rule names a nonterminal in lower case, terminal a terminal in upper case. So the two never meet.
func (n *namer) rule(name string) string     { return n.unique(n.clean(strings.ToLower(name), "r")) }
func (n *namer) terminal(name string) string { return n.unique(n.clean(strings.ToUpper(name), "T")) }

// clean writes a separator for a run of what is neither an ASCII letter nor a digit. What then
// begins with no letter gets one in front.
func (n *namer) clean(name, first string) string {
	words := strings.FieldsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	})
	bare := strings.Join(words, n.separator)
	if bare == "" || bare[0] <= '9' {
		bare = strings.TrimSuffix(first+n.separator+bare, n.separator)
	}
	if n.private && strings.HasPrefix(name, "_") {
		return n.separator + bare
	}
	return bare
}

// unique takes a name, or the first numbered one that is free.
func (n *namer) unique(name string) string {
	free := name
	for i := 2; n.taken[free]; i++ {
		free = fmt.Sprintf("%s%s%d", name, n.separator, i)
	}
	n.taken[free] = true
	return free
}
