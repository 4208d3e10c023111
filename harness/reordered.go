package harness

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"gcdbench/internal/jsontext"
)

// Valid instances that are refused only because of the order of their keys. For an algorithm that
// is held to the contract the grammar with keys in any order answers: does it take the instance? An
// engine with a language of its own is asked itself: does it take the instance with its keys in an
// order of the schema, and nothing else changed?

// refusedForOrder reports whether an engine refused a valid instance only because of the order
// of its keys.
func (g *group) refusedForOrder(ctx context.Context, r *round, t *trial) (bool, error) {
	if !t.foreign() {
		return keyOrder(ctx, g.run.guard, r)
	}
	u, s := r.unit, r.document
	if u.schema == nil {
		return false, nil
	}
	list, err := orderGuarded(ctx, g.run.guard, s, func() ([][]byte, error) {
		return reordered(u.schema.Text, s.content), nil
	})
	for _, text := range list {
		if t.lost != nil || t.prover.gone != nil {
			break // the engine may not be called again
		}
		took, err := g.takes(ctx, t, s, text)
		if took || err != nil {
			return took, err
		}
	}
	return false, err
}

// keyOrder reports whether a valid instance is refused only because of the order of its keys by
// the schema's grammar: the grammar refuses it, and the one with keys in any order takes it.
func keyOrder(ctx context.Context, guard *guard, r *round) (bool, error) {
	u, s := r.unit, r.document
	if u.schema == nil || u.problem == nil {
		return false, nil
	}
	return orderGuarded(ctx, guard, s, func() (bool, error) {
		if u.accepts(s.content) {
			return false, nil // not the grammar's doing
		}
		any := u.anyOrder()
		return any != nil && !jsontext.RepeatsKey(s.content) && accepts(any, s.content), nil
	})
}

// orderGuarded runs this program's part of the question within the limits. A failure is no answer.
func orderGuarded[T any](ctx context.Context, guard *guard, s *document, f func() (T, error)) (T, error) {
	own := *guard
	out, err := callFor(ctx, &own, "the order of keys in "+s.id, func(context.Context) (T, error) { return f() })
	var failed *failure
	if errors.As(err, &failed) {
		var none T
		return none, nil
	}
	return out, err
}

// reordered are the texts of an instance with the keys of objects in an order of the schema. An
// object takes the order of the list that has most of its keys: the first such list, or the
// shortest. A third order puts all lists together. The instance itself is left out.
func reordered(schema, instance []byte) (list [][]byte) {
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

// takes asks the instance whose answers are compared about another text: whether masks and commits
// take all of it. A failure is no answer.
func (g *group) takes(ctx context.Context, t *trial, original *document, text []byte) (bool, error) {
	id := original.id + " with its keys in order"
	s := &document{id: id, content: text}
	tokens, err := g.encode(s)
	if err != nil {
		return false, nil
	}
	s.tokens = tokens
	s.choose(len(tokens), nil)
	if err := g.begin(t.key, original.problem, original.index, 0); err != nil {
		return false, err
	}
	_, err = g.revive(ctx, t.engine, &t.prover)
	var p *proof
	if err == nil {
		p, err = t.answer(ctx, g.run.guard.of(t.entry), g.asking, t.prover.engine, s)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		if failed.abandoned && t.lost == nil {
			g.countFailure(t.engine, failed)
			t.lost = failed.notAgain(id)
		}
		return false, nil
	case err != nil:
		return false, err
	}
	return !p.Refused && p.Contradiction == "", nil
}
