package jsonschema

import (
	"context"
	"slices"
	"sort"
	"strings"

	"gcdbench/grammar"
	"gcdbench/internal/jsontext"
)

// Why a text is refused, in terms of the schema. Rules and terminals say little of the keywords
// that they come from: a terminal is of several at once, and a state of what is not possible any
// more. But the question has a meaning without them. A keyword is to blame if the text passes
// without it. So the schema is compiled without some of its keywords, and a search by halves finds
// few of them that suffice.

// A Culprit is a keyword for which a text is refused.
type Culprit struct {
	Pointer string // JSON pointer of the keyword
	Keyword string
	Value   *jsontext.Value // of the keyword
}

// maxCulprits bounds the keywords that are found to be to blame together.
const maxCulprits = 3

// Blame finds keywords without which a grammar of a schema passes what it does not pass with them.
// It finds none if the context ends before, or if no few of them are the reason: the order of keys,
// say.
func Blame(ctx context.Context, src []byte, opt Options, passes func(*grammar.Grammar) bool) []Culprit {
	opt = opt.withDefaults()
	result, err := Compile(ctx, src, opt)
	if err != nil {
		return nil
	}
	without := func(list []Culprit) bool {
		root, err := parseSchema(opt, src)
		if err != nil || ctx.Err() != nil {
			return false
		}
		for _, c := range list {
			drop(root, c.Pointer)
		}
		c, err := compileAt(ctx, root, opt, 0)
		return err == nil && passes(c.g)
	}
	root, err := parseSchema(opt, src)
	if err != nil {
		return nil
	}
	for list := range tiers(root, result.Coverage) {
		if !without(list) {
			continue
		}
		var found []Culprit
		for len(found) < maxCulprits && !without(found) {
			n := sort.Search(len(list), func(n int) bool { return without(slices.Concat(found, list[:n])) })
			if n == 0 || n == len(list)+1 || ctx.Err() != nil {
				return nil
			}
			found, list = append(found, list[n-1]), list[:n-1]
		}
		if without(found) {
			return found
		}
		return nil
	}
	return nil
}

// tiers are lists of keywords, each with those of the list before it: first those that assert
// something by themselves, where what is refused only grows by them; then those that combine
// schemas; then all.
func tiers(root *jsontext.Value, coverage []Coverage) func(yield func([]Culprit) bool) {
	return func(yield func([]Culprit) bool) {
		var list []Culprit
		for tier := range 3 {
			for _, x := range coverage {
				if v := root.At(x.Pointer); v != nil && x.Status != Unused && tierOf(x) == tier {
					list = append(list, Culprit{x.Pointer, x.Keyword, v})
				}
			}
			if !yield(list) {
				return
			}
		}
	}
}

// tierOf is the number of the first of the tiers that a keyword is in.
func tierOf(x Coverage) int {
	if strings.HasPrefix(x.Pointer, "/") {
		for _, around := range []string{"not", "if", "oneOf"} { // where less of a schema may refuse more
			if strings.Contains(x.Pointer, "/"+around+"/") {
				return 2
			}
		}
	}
	switch x.Keyword {
	case "properties", "patternProperties", "items", "prefixItems", "allOf", "then", "else", "$ref", "$dynamicRef", "$recursiveRef":
		return 2
	case "anyOf", "oneOf", "if", "dependencies", "dependentSchemas":
		return 1
	}
	return 0
}

// drop takes a keyword out of a document.
func drop(root *jsontext.Value, pointer string) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 {
		return
	}
	if parent := root.At(pointer[:at]); parent != nil && parent.Kind == jsontext.Object {
		parent.Remove(jsontext.PointedKey(pointer[at+1:]))
	}
}
