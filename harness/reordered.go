package harness

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/internal/jsontext"
)

// Valid instances that are refused only because of the order of their keys. Of the contract the
// grammar knows: keyOrder asks one that leaves the order open. An engine with a language of its own
// is asked itself, about the same instance with its keys in the order of the schema and nothing else
// changed. If it takes that, only the order was wrong; if it does not, there may be another reason.

// refusedForOrder reports whether a contestant refused a valid instance only because of the order of its
// keys.
func (g *group) refusedForOrder(ctx context.Context, u *unit, t *turn, s *script) (bool, error) {
	if !t.foreign() {
		return g.keyOrder(ctx, u, *g.run.guard.of(t.entry), s)
	}
	if u.schema == nil {
		return false, nil
	}
	for _, text := range reordered(u.schema.Text, s.content) {
		took, err := g.takes(ctx, t, s.id+" with its keys in order", text)
		if took || err != nil {
			return took, err
		}
	}
	return false, nil
}

// reordered are an instance's spellings with the keys of objects in an order of the schema: that of the
// list that has most keys of an object, the first or the shortest of those, and that of all lists
// together. The instance itself is not among them.
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

// takes asks the engine of a contestant whose answers are compared about another text: whether masks and
// commits take all of it. A failure is no answer.
func (g *group) takes(ctx context.Context, t *turn, id string, text []byte) (bool, error) {
	s := &script{id: id, content: text}
	tokens, err := g.encode(s)
	if err != nil {
		return false, nil
	}
	s.tokens = tokens
	s.choose(len(tokens), nil)
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
