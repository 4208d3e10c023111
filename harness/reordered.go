package harness

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/internal/jsontext"
)

// Valid instances that are refused only because of the order of their keys. All are asked the same
// question: whether the instance is taken with its keys in an order of the schema, and nothing else
// changed. If it is, only the order was wrong; if it is not, there may be another reason. Of an
// algorithm that is held to the contract the grammar of the schema knows the answer. An engine with a
// language of its own is asked itself.

// refusedForOrder reports whether a contestant refused a valid instance only because of the order
// of its keys.
func (g *group) refusedForOrder(ctx context.Context, u *unit, t *turn, s *script) (bool, error) {
	if !t.foreign() {
		return g.keyOrder(ctx, u, g.run.guard, s)
	}
	if u.schema == nil {
		return false, nil
	}
	list, err := orderGuarded(ctx, g.run.guard, s, func() ([][]byte, error) {
		return reordered(u.schema.Text, s.content), nil
	})
	for _, text := range list {
		if t.lost != nil || t.prover.gone != nil {
			break // it is not called again
		}
		took, err := g.takes(ctx, t, s, text)
		if took || err != nil {
			return took, err
		}
	}
	return false, err
}

// keyOrder reports whether a valid instance is refused only because of the order of its keys by the
// schema's grammar: the grammar refuses it, and takes it with its keys in an order of the schema.
func (g *prepared) keyOrder(ctx context.Context, u *unit, guard *guard, s *script) (bool, error) {
	if u.schema == nil || u.problem == nil {
		return false, nil
	}
	return orderGuarded(ctx, guard, s, func() (bool, error) {
		if u.accepts(s.content) {
			return false, nil // not the grammar's doing
		}
		return slices.ContainsFunc(reordered(u.schema.Text, s.content), u.accepts), nil
	})
}

// orderGuarded does this program's part of the question within the limits. A failure is no answer.
func orderGuarded[T any](ctx context.Context, guard *guard, s *script, f func() (T, error)) (T, error) {
	own := *guard // its figures are this call's
	out, err := callFor(ctx, &own, "the order of keys in "+s.id, func(context.Context) (T, error) { return f() })
	var failed *failure
	if errors.As(err, &failed) {
		var none T
		return none, nil
	}
	return out, err
}

// reordered are an instance's spellings with the keys of objects in an order of the schema: that
// of the list that has most keys of an object, the first or the shortest of those, and that of
// all lists together. The instance itself is not among them.
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

// takes asks the engine of a contestant whose answers are compared about another text: whether
// masks and commits take all of it. A failure is no answer.
func (g *group) takes(ctx context.Context, t *turn, original *script, text []byte) (bool, error) {
	id := original.id + " with its keys in order"
	s := &script{id: id, content: text}
	tokens, err := g.encode(s)
	if err != nil {
		return false, nil
	}
	s.tokens = tokens
	s.choose(len(tokens), nil)
	if err := g.begin(t.key, original.problem, original.index, 0); err != nil {
		return false, err
	}
	_, err = g.revive(ctx, t.contestant, &t.prover)
	var p *proof
	if err == nil {
		p, err = callFor(ctx, g.run.guard.of(t.entry), t.Label+" on "+id, func(ctx context.Context) (*proof, error) {
			p := newProof(t.entry, s)
			return p, p.prove(ctx, g.asking, t.prover.engine, s)
		})
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		if failed.abandoned && t.lost == nil {
			g.leftBehind(t.contestant, failed)
			t.lost = &failure{outcome: cell.Timeout, detail: "not called again after it did not return on " + id + ": " + failed.detail}
		}
		return false, nil
	case err != nil:
		return false, err
	}
	return !p.Refused && p.Contradiction == "", nil
}
