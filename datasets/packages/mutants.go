package packages

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"

	"gcdbench/internal/jsontext"
)

// Mutants are documents with one small mistake, such as people and models make: a member is
// missing, one that nobody knows is there, a value is of another type, or a string another one.
// Which of them a schema refuses is for the validator to say.

// A mutation changes a value in place and undoes it.
type mutation struct {
	what     string
	do, undo func()
}

// mutants are the texts of the mutants of a document, in an order that a seed draws.
func mutants(doc *jsontext.Value, seed string) iter.Seq2[string, []byte] {
	list := mutationsIn(doc, "", nil)
	h := fnv.New64a()
	h.Write([]byte(seed))
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return func(yield func(string, []byte) bool) {
		for _, m := range list {
			m.do()
			text := doc.Append(nil)
			m.undo()
			if !yield(m.what, text) {
				return
			}
		}
	}
}

// mutationsIn appends the mutations of a value at a place and of those inside.
func mutationsIn(v *jsontext.Value, at string, list []mutation) []mutation {
	list = append(list, retyped(v, at))
	if v.Kind == jsontext.String {
		list = append(list, changed(v, fmt.Sprintf("%s is another string", at), jsontext.Value{Kind: v.Kind, Text: v.Text + "~"}))
	}
	if v.Kind == jsontext.Object {
		more := *v
		more.Keys, more.Items = slices.Clone(v.Keys), slices.Clone(v.Items)
		more.Set("unknown member", &jsontext.Value{Kind: jsontext.Null})
		list = append(list, changed(v, fmt.Sprintf("%s has an unknown member", at), more))
	}
	for i, x := range v.Items {
		place := fmt.Sprintf("%s/%d", at, i)
		if v.Kind == jsontext.Object {
			place = at + "/" + v.Keys[i]
			less := *v
			less.Keys, less.Items = slices.Delete(slices.Clone(v.Keys), i, i+1), slices.Delete(slices.Clone(v.Items), i, i+1)
			list = append(list, changed(v, place+" is missing", less))
		}
		list = mutationsIn(x, place, list)
	}
	return list
}

// changed is the mutation that makes another value of one.
func changed(v *jsontext.Value, what string, other jsontext.Value) mutation {
	before := *v
	return mutation{what, func() { *v = other }, func() { *v = before }}
}

// retyped is the mutation that makes a value one of another type.
func retyped(v *jsontext.Value, at string) mutation {
	other := jsontext.Value{Kind: jsontext.Number, Text: "7"}
	switch v.Kind {
	case jsontext.Number, jsontext.Bool:
		other = jsontext.Value{Kind: jsontext.String, Text: "seven"}
	case jsontext.Object:
		other = jsontext.Value{Kind: jsontext.Array}
	case jsontext.Array:
		other = jsontext.Value{Kind: jsontext.Object}
	}
	return changed(v, fmt.Sprintf("%s is of another type", at), other)
}
