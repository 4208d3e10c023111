package legality

import (
	"context"
	"errors"
	"time"

	"gcdbench/algorithms"
)

// A StoreSize is the whole mask store, every row built ahead, with or without proofs.
type StoreSize struct {
	Proofs bool  `json:"proofs"` // of what is always, never and jointly legal
	Rows   int   `json:"rows"`
	Groups int   `json:"groups"` // of tokens that a row decides about
	Asked  int   `json:"asked"`  // of them, those that a mask asks the parser about
	Bytes  int64 `json:"bytes"`
	NS     int64 `json:"ns"` // to build it
	// TooLarge says why there is no such store; "" if there is. The figures are then zero.
	TooLarge string `json:"too_large,omitempty"`
}

// MeasureStore builds the whole mask store with or without proofs, within memory MiB of rows (0 for
// DefaultMemory). A row
// is for a lexer state and the terminal before it. The error is that of ctx.
func MeasureStore(ctx context.Context, p *algorithms.Problem, with bool, memory int) (*StoreSize, error) {
	if memory == 0 {
		memory = DefaultMemory
	}
	out := &StoreSize{Proofs: with}
	s := newStore(p, config{height: DefaultStack, memory: memory, slices: true, proofs: proofs{never: with, always: with, joint: with}})
	began := time.Now()
	err := s.all(ctx)
	out.NS = time.Since(began).Nanoseconds()
	var limit *LimitError
	switch {
	case errors.As(err, &limit):
		out.TooLarge, out.NS = limit.Error(), 0
		return out, nil
	case err != nil:
		return nil, err
	}
	out.Rows, out.Groups, out.Asked, out.Bytes = len(s.rows), s.tally.Groups(), s.tally.Asked, s.bytes
	return out, nil
}
