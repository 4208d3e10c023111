package judging

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/judged"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// contestant is a compiled engine as the judge asks it.
type contestant struct {
	judged.Contestant
	engine     algorithms.Engine
	vocabulary *tokenizers.Vocabulary
}

// versioned is an algorithm whose build is not this program's.
type versioned interface {
	Version(o algorithms.Options) string
}

// versionOf says which build of an algorithm answers.
func versionOf(a algorithms.Algorithm, o algorithms.Options) string {
	if v, ok := a.(versioned); ok {
		if text := v.Version(o); text != "" {
			return text
		}
	}
	return environment.Program()
}

// masks walks a document and returns the masks at some positions, ascending. There are fewer if a
// token before is refused. The error is ctx's, or the engine's process failed.
func (c *contestant) masks(ctx context.Context, tokens []int32, positions []uint32) (list []algorithms.Mask, err error) {
	if len(positions) == 0 {
		return nil, nil
	}
	defer algorithms.CatchProcess(&err)
	tokens = tokens[:positions[len(positions)-1]+1]
	size := c.vocabulary.Len()
	if w, ok := c.engine.(measure.Walking); ok {
		var p measure.Proof
		err = w.WalkProof(ctx, &measure.Document{Tokens: tokens, Positions: positions}, &p, func(_ int, row []uint64) bool {
			list = append(list, algorithms.MaskOf(row, size).Clone())
			return true
		})
		return list, err
	}
	state := c.engine.Start()
	for pos, token := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if int(positions[len(list)]) == pos {
			list = append(list, state.Mask().Clone())
		}
		if state.Commit(int(token)) != nil {
			break
		}
	}
	return list, nil
}

// takes reports whether the engine takes a text, given as tokens without EOS, to its end: every
// token, and an EOS, is in the mask before it. Of the first known tokens it is known already.
func (c *contestant) takes(ctx context.Context, tokens []int32, known int) (ok bool, err error) {
	read, err := c.reads(ctx, tokens, known)
	return read > len(tokens), err
}

// reads counts the tokens of a text that the engine takes, one after the other. It is one more than
// there are tokens if the engine also takes an EOS behind them. Of the first known ones it is known
// already that it takes them.
func (c *contestant) reads(ctx context.Context, tokens []int32, known int) (read int, err error) {
	defer algorithms.CatchProcess(&err)
	for _, eos := range c.vocabulary.EOS() {
		whole := append(tokens[:len(tokens):len(tokens)], int32(eos))
		n, err := c.readsAll(ctx, whole, known)
		if err != nil || n < len(tokens) || n == len(whole) {
			return n, err
		}
		read = n
	}
	return read, nil
}

// readsAll counts the tokens that are each in the mask before it, but for the first known ones, and
// can be committed.
func (c *contestant) readsAll(ctx context.Context, tokens []int32, known int) (int, error) {
	if w, ok := c.engine.(measure.Walking); ok {
		var positions []uint32
		for i := known; i < len(tokens); i++ {
			positions = append(positions, uint32(i))
		}
		var p measure.Proof
		err := w.WalkProof(ctx, &measure.Document{Tokens: tokens, Positions: positions}, &p, func(int, []uint64) bool { return true })
		if p.Refused {
			return p.RefusedAt, err
		}
		return len(tokens), err
	}
	state := c.engine.Start()
	for i, token := range tokens {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		if i >= known && !state.Mask().Has(int(token)) || state.Commit(int(token)) != nil {
			return i, nil
		}
	}
	return len(tokens), nil
}

// at is a generation that has read some tokens; nil if the engine refuses one of them.
func (c *contestant) at(tokens []int32) (algorithms.State, error) {
	state := c.engine.Start()
	for _, token := range tokens {
		if err := state.Commit(int(token)); err != nil {
			return nil, err
		}
	}
	return state, nil
}
