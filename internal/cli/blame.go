package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/jsontext"
)

// Which keywords of a schema refuse a text, for the end of a message.

// maxBlame bounds the time of the search.
const maxBlame = 3 * time.Second

// blamed names the keywords without which the grammar of a schema would read a text further than to
// an offset, and what each wants there: "/then/required: assignee is missing".
func blamed(ctx context.Context, schema []byte, o jsonschema.Options, text []byte, offset int) []string {
	return blamedFor(ctx, schema, o, text, offset, func(r *recognizer.Recognizer) bool {
		var refused *recognizer.Refusal
		err := r.Check(text)
		return err == nil || errors.As(err, &refused) && refused.Offset > offset
	})
}

// blamedFor is blamed where something else than reading further is asked for.
func blamedFor(ctx context.Context, schema []byte, o jsonschema.Options, text []byte, offset int, passes func(*recognizer.Recognizer) bool) (list []string) {
	inside, cancel := context.WithTimeout(ctx, maxBlame)
	defer cancel()
	found := jsonschema.Blame(inside, schema, o, func(g *grammar.Grammar) bool {
		r, err := recognizer.New(inside, g, recognizer.Options{OnDemand: true})
		return err == nil && passes(r)
	})
	for _, c := range found {
		list = append(list, c.Pointer+": "+wants(c, schema, text, offset))
	}
	return list
}

// blamedBySource is blamed for a text that a command reads by a schema, which is to be the
// beginning of one, or whole; nothing for another grammar.
func blamedBySource(ctx context.Context, src *algorithms.Source, text []byte, offset int, whole bool) []string {
	if src == nil || src.Kind != algorithms.KindSchema {
		return nil
	}
	o := jsonschema.OptionsOf(src.Options)
	o.Name = src.Name
	return blamedFor(ctx, src.Text, o, text, offset, func(r *recognizer.Recognizer) bool {
		if whole {
			return r.Check(text) == nil
		}
		_, ok := r.Read(r.Start(), text)
		return ok
	})
}

// withKeywords is a message and the keywords that are to blame.
func withKeywords(message string, keywords []string) string {
	return strings.Join(append([]string{message}, keywords...), "; ")
}

// wants is what a keyword wants of the value that a text has at an offset.
func wants(c jsonschema.Culprit, schema, text []byte, offset int) string {
	value := excerpt(schema[c.Value.From:c.Value.To])
	keys, inKey := keysAt(text, offset)
	lexeme := ""
	if offset < len(text) {
		lexeme = excerpt(text[offset:lexemeEnd(text, offset)])
	}
	isFalse := c.Value.Kind == jsontext.Bool && !c.Value.Truth
	switch c.Keyword {
	case "required":
		var missing []string
		for _, x := range c.Value.Items {
			if !slices.Contains(keys, x.Text) {
				missing = append(missing, x.Text)
			}
		}
		if len(missing) > 0 {
			return missingOf(missing)
		}
	case "additionalProperties", "unevaluatedProperties":
		if isFalse && inKey && lexeme != "" {
			return "the key " + lexeme + " is not allowed"
		}
	case "additionalItems", "unevaluatedItems", "items":
		if isFalse {
			return "no more items are allowed"
		}
	case "type":
		return "the type is not " + value
	case "enum":
		return "it is none of " + value
	case "const":
		return "it is not " + value
	case "pattern":
		return "it does not match " + value
	case "format":
		return "it has not the format " + value
	case "not":
		return "it is what must not be"
	case "anyOf":
		return "no alternative holds"
	case "oneOf":
		return "no alternative holds, or several do"
	}
	return "the schema says " + value
}

// missingOf says which keys are missing.
func missingOf(keys []string) string {
	if len(keys) == 1 {
		return keys[0] + " is missing"
	}
	return fmt.Sprintf("%s and %s are missing", strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1])
}

// keysAt are the keys before an offset of the object that is open there, and whether a key comes
// next.
func keysAt(text []byte, offset int) (keys []string, inKey bool) {
	var all [][]string
	open := walkPlaces(text, offset, func(i int, open []place) bool {
		switch text[i] {
		case '{', '[':
			all = append(all, nil)
		case '}', ']':
			all = all[:max(0, len(all)-1)]
		case '"':
			if n := len(all); n > 0 && len(open) > 0 && open[len(open)-1].inKey {
				all[n-1] = append(all[n-1], unquoteJSON(text[i:stringEnd(text, i)]))
			}
		}
		return true
	})
	if len(all) == 0 || len(open) == 0 {
		return nil, false
	}
	return all[len(all)-1], open[len(open)-1].inKey
}
