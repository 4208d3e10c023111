// Package naive computes a mask by trying every token: the definition, executed.
//
// For each id of the vocabulary it reads the token's bytes with the recognizer, from the state of
// the current prefix, and asks whether what results is a legal prefix. This is the baseline of
// PSC's figure 1b, and what Outlines and Synchromesh do per step. It remembers nothing between
// steps, so it has nothing to get wrong: every other algorithm of the same semantics is compared
// with it, bit for bit.
//
// "Every token" has one exception: a token whose first byte cannot be read is skipped. Whether a
// byte can be read is found out once for each of the 256 bytes. Of o200k_base along the embedded
// samples these are 1.2% of the tokens in Java, 1.3% in SQL, 1.8% in Go, 3.8% in Python and 22% in
// JSON, in the mean over all positions (BenchmarkSkipped). They are the tokens that cost least,
// since their first byte refuses them.
//
// It applies to every grammar and vocabulary. A mask costs the sum over the vocabulary of the bytes
// read until a token is refused, plus a parser run for each lexeme that ends: tens of milliseconds
// at 128,000 tokens, or one where few bytes may come next. Compiling costs nothing.
package naive

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
)

func init() { algorithms.Register(algorithm{}) }

type algorithm struct{}

// Name implements algorithms.Algorithm.
func (algorithm) Name() string { return "naive" }

// Summary implements algorithms.Algorithm.
func (algorithm) Summary() string {
	return "reads every token, but for those whose first byte cannot be read, with the lexer and the parser; the reference"
}

// Semantics implements algorithms.Algorithm.
func (algorithm) Semantics() string { return algorithms.SemanticsContract }

// Options implements algorithms.Algorithm.
func (algorithm) Options() []algorithms.OptionInfo { return nil }

// Grows implements algorithms.Grower.
func (algorithm) Grows(algorithms.Options) bool { return true }

// Compile implements algorithms.Algorithm.
func (algorithm) Compile(_ context.Context, p *algorithms.Problem, _ algorithms.Options) (algorithms.Engine, error) {
	return engine{p}, nil
}

type engine struct{ problem *algorithms.Problem }

// Start implements algorithms.Engine.
func (e engine) Start() algorithms.State {
	return algorithms.NewFilling(e.problem, func() algorithms.Fill { return fill })
}

// Stats implements algorithms.Engine.
func (e engine) Stats() algorithms.Stats { return algorithms.Stats{} }

// fill tries every token.
func fill(s *algorithms.Position, row []uint64) {
	clear(row)
	p := s.Problem()
	begins := readable(s)
	for id := range p.Vocabulary.Len() {
		if !p.Vocabulary.Legal(id) {
			continue
		}
		token := p.Vocabulary.Token(id)
		if !begins[token[0]] {
			continue
		}
		if _, ok := p.Read(s.State, token); ok {
			bitset.Add(row, id)
		}
	}
}

// readable tells of each byte whether it can be read next. A token that begins with another is
// illegal: that is its first step, taken once for all tokens that share it.
func readable(s *algorithms.Position) (begins [256]bool) {
	for b := range begins {
		_, begins[b] = s.Problem().Step(s.State, byte(b))
	}
	return begins
}
