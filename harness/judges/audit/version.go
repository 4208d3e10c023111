package audit

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbers finds a version in a sentence.
var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)*`)

// older tells whether a judge's version is before the one that a grammar covers, which a sentence
// has behind the name of what has versions. It is not if that is missing. Languages grow: an older
// judge knows what is valid, and takes what is new for invalid.
func older(version, covers, name string) bool {
	_, covered, ok := strings.Cut(covers, name+" ")
	if name == "" || !ok {
		return false
	}
	a, b := versionIn(version), versionIn(covered)
	return a != nil && b != nil && slices.CompareFunc(a, b, cmp.Compare[int]) < 0
}

// versionIn is the first version in a sentence, as numbers; nil if there is none.
func versionIn(sentence string) (list []int) {
	for _, p := range strings.Split(numbers.FindString(sentence), ".") {
		n, err := strconv.Atoi(p)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}
