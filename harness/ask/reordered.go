package ask

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"gcdbench/harness/bounds"
	"gcdbench/harness/prepare"
	"gcdbench/internal/jsontext"
)

// KeyOrder reports whether a valid instance is refused only because of the order of its keys by
// the schema's grammar: the grammar refuses it, and the one with keys in any order takes it.
func KeyOrder(ctx context.Context, guard *bounds.Guard, r *Round) (bool, error) {
	u, s := r.Unit, r.Document
	if u.Schema == nil || u.SharedProblem == nil {
		return false, nil
	}
	return OrderGuarded(ctx, guard, s, func() (bool, error) {
		if u.Accepts(s.Content) {
			return false, nil // not the grammar's doing
		}
		any := u.AnyOrder()
		return any != nil && !jsontext.RepeatsKey(s.Content) && prepare.Accepts(any, s.Content), nil
	})
}

// OrderGuarded runs this program's part of the question within the limits. A failure is no answer.
func OrderGuarded[T any](ctx context.Context, guard *bounds.Guard, s *prepare.Document, f func() (T, error)) (T, error) {
	own := *guard
	out, err := bounds.CallFor(ctx, &own, "the order of keys in "+s.ID, func(context.Context) (T, error) { return f() })
	var failed *bounds.Failure
	if errors.As(err, &failed) {
		var none T
		return none, nil
	}
	return out, err
}

// Reordered are the texts of an instance with the keys of objects in an order of the schema. An
// object takes the order of the list that has most of its keys: the first such list, or the
// shortest. A third order puts all lists together. The instance itself is left out.
func Reordered(schema, instance []byte) (list [][]byte) {
	order := jsontext.DeclaredOrder(schema)
	for _, o := range []jsontext.Order{order, order.ShortestFirst(), order.Together()} {
		text := o.Sorted(instance)
		same := func(other []byte) bool { return bytes.Equal(text, other) }
		if !same(instance) && !slices.ContainsFunc(list, same) {
			list = append(list, text)
		}
	}
	return list
}
