package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/internal/bitset"
)

// A state is a generation that is explored, not timed, for `gcdbench mask` and the shrinking of
// differences. It is a list of tokens. The process has one such generation at a time; any other
// state is begun anew there, with all its tokens, when it is used. So clones and rollbacks cost
// nothing before.
type state struct {
	engine *Engine
	tokens []int32
	row    []uint64
	loaded bool // row is the mask
	ended  bool // EOS was committed
}

var (
	_ algorithms.Filler   = (*state)(nil)
	_ algorithms.Rewinder = (*state)(nil)
)

// Start is the generation of no tokens.
func (e *Engine) Start() algorithms.State {
	return &state{engine: e, row: make([]uint64, algorithms.MaskWords(e.size))}
}

// Mask asks for the mask. It panics with an *algorithms.ProcessError if the process fails; see
// algorithms.CatchProcess.
func (s *state) Mask() algorithms.Mask {
	s.get()
	return algorithms.MaskOf(s.row, s.engine.size)
}

// Fill writes the mask into row. It panics as Mask does.
func (s *state) Fill(row []uint64) {
	s.get()
	copy(row, s.row)
}

// get has the mask in s.row.
func (s *state) get() {
	if s.loaded {
		return
	}
	err := s.engine.alone(func(ctx context.Context, p *process.Process) error { return s.begin(ctx, p) })
	if err == nil {
		return
	}
	var died *algorithms.ProcessError
	if !errors.As(err, &died) {
		died = &algorithms.ProcessError{Engine: s.engine.name, Outcome: wire.Crash, Detail: err.Error(), Cause: err}
	}
	panic(died)
}

// Commit appends a token. Beside a refusal the error may be an *algorithms.ProcessError.
func (s *state) Commit(token int) error {
	if token < 0 || token >= s.engine.size {
		return &algorithms.RefusedError{Token: token, Reason: "it is not in the vocabulary"}
	}
	if s.ended {
		return &algorithms.RefusedError{Token: token, Reason: "the text has ended"}
	}
	var took bool
	err := s.engine.alone(func(ctx context.Context, p *process.Process) (err error) {
		took, err = s.next(ctx, p, int32(token))
		return err
	})
	if err == nil && !took {
		err = &algorithms.RefusedError{Token: token, Text: s.engine.host.v.Token(token), Reason: "the engine does not take it here"}
	}
	return err
}

// room is an area for tokens, and one for a row.
func (s *state) room(ctx context.Context, p *process.Process, tokens int) (m *wire.Mapping, list, row *wire.Area, err error) {
	var l wire.Layout
	row = l.Area(stride(s.engine.size), 1)
	list = l.Area(int64(tokens), 4)
	m, err = p.Room(ctx, l.Bytes())
	return m, list, row, err
}

// begin has the process begin this generation and make its mask.
func (s *state) begin(ctx context.Context, p *process.Process) error {
	if s.ended {
		clear(s.row)
		s.loaded = true
		return nil
	}
	refused, err := s.beginWith(ctx, p, s.tokens)
	if err == nil && refused >= 0 {
		err = p.Nonsense("it refuses token %d at position %d, which it took before", s.tokens[refused], refused)
	}
	return err
}

// beginWith has the process begin with some tokens, and takes the mask after them. refused is the
// position of the token that it refuses, -1 if there is none.
func (s *state) beginWith(ctx context.Context, p *process.Process, tokens []int32) (refused int, err error) {
	s.engine.explored = nil
	m, list, row, err := s.room(ctx, p, len(tokens))
	if err != nil {
		return -1, err
	}
	wire.PutTokens(areaOf(m, list, 4), tokens)
	clear(areaOf(m, row, 1))
	var a wire.BeginAnswer
	if err := p.Call(ctx, wire.Begin{Do: "begin", Tokens: list, Row: row}, &a); err != nil {
		return -1, err
	}
	if a.Refused != nil {
		if *a.Refused < 0 || *a.Refused >= int64(len(tokens)) {
			return -1, p.Nonsense("it refuses the token at position %d of %d", *a.Refused, len(tokens))
		}
		return int(*a.Refused), nil
	}
	return -1, s.take(p, m, row)
}

// take takes the mask over from the process, which has this generation now.
func (s *state) take(p *process.Process, m *wire.Mapping, row *wire.Area) error {
	mask := make([]uint64, len(s.row))
	wire.GetRow(mask, areaOf(m, row, 1))
	if err := checkRow(p, mask, s.engine.size, len(s.tokens)); err != nil {
		return err
	}
	s.row, s.loaded, s.engine.explored = mask, true, s
	return nil
}

// next commits one token in the process. If it is refused, the state is as it was.
func (s *state) next(ctx context.Context, p *process.Process, token int32) (took bool, err error) {
	if s.engine.explored != s {
		tokens := append(slices.Clone(s.tokens), token)
		refused, err := s.beginWith(ctx, p, tokens)
		switch {
		case err != nil:
			return false, err
		case refused == len(s.tokens):
			return false, nil
		case refused >= 0:
			return false, p.Nonsense("it refuses token %d at position %d, which it took before", tokens[refused], refused)
		}
	} else if took, err := s.nextHere(ctx, p, token); err != nil || !took {
		return false, err
	}
	s.tokens = append(s.tokens[:len(s.tokens):len(s.tokens)], token)
	if v := s.engine.host.v; v.IsEOS(int(token)) && (!v.Legal(int(token)) || bitset.Count(s.row) == 0) { // a rule may name it
		s.ended = true
		clear(s.row)
	}
	return true, nil
}

// nextHere commits one token in the generation that the process has.
func (s *state) nextHere(ctx context.Context, p *process.Process, token int32) (took bool, err error) {
	s.engine.explored = nil
	m, _, row, err := s.room(ctx, p, 0)
	if err != nil {
		return false, err
	}
	clear(areaOf(m, row, 1))
	var a wire.NextAnswer
	if err := p.Call(ctx, wire.Next{Do: "next", Token: int(token), Row: row}, &a); err != nil {
		return false, err
	}
	if a.Refused != nil && *a.Refused {
		return false, nil
	}
	return true, s.take(p, m, row)
}

// Clone is an independent state at the same position.
func (s *state) Clone() algorithms.State {
	return &state{engine: s.engine, tokens: s.tokens[:len(s.tokens):len(s.tokens)], row: slices.Clone(s.row), loaded: s.loaded, ended: s.ended}
}

// Rollback takes back the last k tokens.
func (s *state) Rollback(k int) error {
	if k < 0 || k > len(s.tokens) {
		return fmt.Errorf("cannot take back %d tokens: %d were committed", k, len(s.tokens))
	}
	if k > 0 {
		s.tokens = s.tokens[: len(s.tokens)-k : len(s.tokens)-k]
		s.loaded, s.ended = false, false
		if s.engine.explored == s { // the process is ahead of the tokens now
			s.engine.explored = nil
		}
	}
	return nil
}
