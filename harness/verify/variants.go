package verify

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/campaign"
	"gcdbench/harness/prepare"
	"gcdbench/tokenizers"
)

// What a campaign makes of a document in its later rounds. Both kinds lead engines to states that
// the oracle tokens of a corpus never reach.
//
// Other tokens: the same text, cut into tokens at random. At each place the token is, with equal
// chance, the longest of the vocabulary that fits, or any that fits. A sampler may choose any of
// them, so a mask must allow them all.
//
// Random walks: the document up to a random token, and then tokens drawn from the masks of the
// first algorithm. A draw takes a random first byte and a random token that begins with it, so that
// signs are as likely as letters; else most walks would stay in the first string that they enter.
// Masks are compared from the cut on.

// walkLength is how many tokens a walk draws.
const walkLength = 200

// variant is what a round makes of a document; nil for nothing. A walk may end in a *failure.
func (w *campaignWorker) variant(ctx context.Context, o *Opened, d *prepare.Document, round int) (*prepare.Document, error) {
	rng := rand.New(rand.NewPCG(w.cfg.Seed, uint64(round)<<40|uint64(d.Number)))
	s := *d
	switch campaign.KindOf(round) {
	case campaign.KindTokens:
		s.ID = fmt.Sprintf("%s (round %d: other tokens)", d.ID, round)
		setTokens(&s, append(OtherTokens(w.v.LoadedTokenizer.Vocabulary(), d.Content, rng), d.Tokens[len(d.Tokens)-1]), 0)
	case campaign.KindWalks:
		if d.Negative {
			return nil, nil // a walk from it need not have its mistake
		}
		cut := rng.IntN(len(d.Tokens))
		tokens, err := w.walk(ctx, o, d.Tokens[:cut], rng)
		if err != nil || len(tokens) == 0 {
			return nil, err
		}
		s.ID = fmt.Sprintf("%s (round %d: a walk from token %d)", d.ID, round, cut)
		s.Open = !w.v.LoadedTokenizer.Vocabulary().IsEOS(int(tokens[len(tokens)-1]))
		setTokens(&s, tokens, min(cut, len(tokens)-1))
		s.Content = TextOf(w.v.LoadedTokenizer.Vocabulary(), tokens)
	}
	sample(&s, w.opt.Sample, rng)
	return &s, nil
}

// setTokens gives a document other tokens; masks are asked for from a position on.
func setTokens(s *prepare.Document, tokens []int32, from int) {
	s.Tokens, s.Length, s.Every = tokens, len(tokens), nil
	for i := from; i < len(tokens); i++ {
		s.Every = append(s.Every, uint32(i))
	}
	s.Some = s.Every
}

// sample draws the positions of the algorithms that are asked at one in so many.
func sample(s *prepare.Document, sample map[string]int, rng *rand.Rand) {
	s.Sparse = map[string][]uint32{prepare.Naive: s.Every}
	seed := rng.Uint64()
	for name, every := range sample {
		if every <= 1 {
			s.Sparse[name] = s.Every
			continue
		}
		list := []uint32{}
		own := rand.New(rand.NewPCG(seed, uint64(every)))
		for _, pos := range s.Every {
			if own.IntN(every) == 0 {
				list = append(list, pos)
			}
		}
		s.Sparse[name] = list
	}
}

// TextOf is the text of tokens.
func TextOf(v *tokenizers.Vocabulary, tokens []int32) (text []byte) {
	for i, t := range tokens {
		if i+1 < len(tokens) || !v.IsEOS(int(t)) { // before the end it is one that a rule names
			text = append(text, v.Token(int(t))...)
		}
	}
	return text
}

// OtherTokens cuts a text into tokens at random. Every byte is a token in vocabularies that can
// write all texts; of another vocabulary the text is cut short where no token fits.
func OtherTokens(v *tokenizers.Vocabulary, text []byte, rng *rand.Rand) (tokens []int32) {
	for len(text) > 0 {
		fits := fitting(v.Trie(), text)
		if len(fits) == 0 {
			return tokens
		}
		t := fits[len(fits)-1]
		if rng.IntN(2) == 0 {
			t = fits[rng.IntN(len(fits))]
		}
		tokens = append(tokens, t)
		text = text[len(v.Token(int(t))):]
	}
	return tokens
}

// fitting lists the tokens that a text begins with, by their length.
func fitting(trie *tokenizers.Trie, text []byte) (tokens []int32) {
	nodes := trie.Nodes
	for at, end := 0, len(nodes); len(text) > 0 && at < end; {
		switch n := nodes[at]; {
		case n.Byte() != text[0]:
			at += n.Size()
		default:
			if n.Token() >= 0 {
				tokens = append(tokens, n.Token())
			}
			end, text = at+n.Size(), text[1:]
			at++
		}
	}
	return tokens
}

// walk commits a prefix and draws tokens from the masks of the first algorithm. A prefix that is
// refused ends with the token that is.
func (w *campaignWorker) walk(ctx context.Context, o *Opened, prefix []int32, rng *rand.Rand) ([]int32, error) {
	e := o.Engines[0]
	if e.Lost != nil {
		return nil, nil // its failure is counted where it is asked
	}
	v := w.v.LoadedTokenizer.Vocabulary()
	roots := RootsOf(v.Trie())
	return bounds.CallFor(ctx, prepare.Of(w.v.Guard, e.Entry), e.Label+" on a walk", func(ctx context.Context) ([]int32, error) {
		state, tokens := e.Prover.Engine.Start(), []int32{}
		for _, t := range prefix {
			tokens = append(tokens, t)
			if state.Commit(int(t)) != nil {
				return tokens, nil
			}
		}
		for range walkLength {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, ok := Draw(v, roots, state.Mask(), rng)
			if !ok {
				break
			}
			tokens = append(tokens, int32(t))
			if v.IsEOS(t) || state.Commit(t) != nil {
				break
			}
		}
		return tokens, nil
	})
}

// RootsOf lists the tokens that begin with each byte.
func RootsOf(trie *tokenizers.Trie) (list []tokenizers.Range) {
	for at := 0; at < len(trie.Nodes); at += trie.Nodes[at].Size() {
		list = append(list, tokenizers.Range{Lo: trie.First()[at], Hi: trie.First()[at+trie.Nodes[at].Size()]})
	}
	return list
}

// Draw draws a token of a mask; ok is false if the mask is empty. EOS is drawn once in eight times
// where it is allowed.
func Draw(v *tokenizers.Vocabulary, roots []tokenizers.Range, m algorithms.Mask, rng *rand.Rand) (token int, ok bool) {
	if eos := v.EOS()[0]; m.Has(eos) && rng.IntN(8) == 0 {
		return eos, true
	}
	const tries = 64
	for range tries {
		r := roots[rng.IntN(len(roots))]
		if t := int(v.Trie().Order()[r.Lo+rng.Int32N(r.Hi-r.Lo)]); m.Has(t) {
			return t, true
		}
	}
	ids := m.IDs(nil)
	if len(ids) == 0 {
		return 0, false
	}
	return ids[rng.IntN(len(ids))], true
}
