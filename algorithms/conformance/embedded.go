package conformance

import (
	"context"

	"gcdbench/algorithms/conformance/oracle"
	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
)

// Oracle is the oracle's contract of a grammar. Of a grammar that embeds schemas it decides what
// belongs to them; what texts a schema has, a recognizer of its own says.
func Oracle(ctx context.Context, g *grammar.Grammar) (*oracle.Contract, error) {
	if g.Embedded == nil {
		return oracle.New(g)
	}
	var inner []oracle.Language
	all, err := g.Embedded.Grammar.Demand.WriteAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, start := range g.Embedded.Starts {
		one := *all
		one.Start = start
		r, err := recognizer.New(ctx, &one, recognizer.Options{OnDemand: true})
		if err != nil {
			return nil, err
		}
		inner = append(inner, schema{r})
	}
	return oracle.NewEmbedding(g, inner)
}

// A schema is the language of a schema's recognizer.
type schema struct{ *recognizer.Recognizer }

// Legal implements oracle.Language.
func (s schema) Legal(text string) bool {
	_, ok := s.Read(s.Start(), []byte(text))
	return ok
}

// End implements oracle.Language.
func (s schema) End(text string) bool {
	at, ok := s.Read(s.Start(), []byte(text))
	return ok && s.Recognizer.End(at)
}
