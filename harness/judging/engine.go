package judging

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/judged"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// engine is a side of a judgement: the reference or the engine that differs from it, compiled.
type engine struct {
	judged.Build
	compiled   algorithms.Engine
	vocabulary *tokenizers.Vocabulary
}

// versioned is an algorithm with a version of its own.
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

// masks walks a document and returns the masks at some positions, ascending. There are fewer masks
// if a token before a position is refused. The error is ctx's, or that of the engine's process.
func (e *engine) masks(ctx context.Context, tokens []int32, positions []uint32) (list []algorithms.Mask, err error) {
	if len(positions) == 0 {
		return nil, nil
	}
	defer algorithms.CatchProcess(&err)
	tokens = tokens[:positions[len(positions)-1]+1]
	size := e.vocabulary.Len()
	if w, ok := e.compiled.(measure.Walking); ok {
		var p measure.Proof
		err = w.WalkProof(ctx, &measure.Document{Tokens: tokens, Positions: positions}, &p, func(_ int, row []uint64) bool {
			list = append(list, algorithms.MaskOf(row, size).Clone())
			return true
		})
		return list, err
	}
	state := e.compiled.Start()
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
// token, and an EOS, is in the mask before it. The masks of the first known tokens are not asked.
func (e *engine) takes(ctx context.Context, tokens []int32, known int) (ok bool, err error) {
	read, err := e.reads(ctx, tokens, known)
	return read > len(tokens), err
}

// reads counts the tokens at the beginning of a text that the engine takes. It is one more than the
// number of tokens if the engine also takes an EOS after them. The masks of the first known tokens
// are not asked.
func (e *engine) reads(ctx context.Context, tokens []int32, known int) (read int, err error) {
	defer algorithms.CatchProcess(&err)
	for _, eos := range e.vocabulary.EOS() {
		whole := append(tokens[:len(tokens):len(tokens)], int32(eos))
		n, err := e.readsAll(ctx, whole, known)
		if err != nil || n < len(tokens) || n == len(whole) {
			return n, err
		}
		read = n
	}
	return read, nil
}

// readsAll counts the tokens at the beginning of a text that are in the mask, and that Commit
// takes. The masks of the first known tokens are not asked.
func (e *engine) readsAll(ctx context.Context, tokens []int32, known int) (int, error) {
	if w, ok := e.compiled.(measure.Walking); ok {
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
	state := e.compiled.Start()
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

// at is a generation after some tokens. The error is that of the commit of one of them.
func (e *engine) at(tokens []int32) (algorithms.State, error) {
	state := e.compiled.Start()
	for _, token := range tokens {
		if err := state.Commit(int(token)); err != nil {
			return nil, err
		}
	}
	return state, nil
}
