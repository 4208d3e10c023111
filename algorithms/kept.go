package algorithms

import "gcdbench/internal/kept"

// A Kept has what an algorithm found out about a vocabulary and can use again for the next grammar,
// such as the effects of tokens inside the strings of JSON; see package kept.
type Kept = kept.Kept

// NewKept is an empty Kept.
func NewKept() *Kept { return kept.New() }

// KeptValue is the value that k has for key, made by create if there is none; see kept.Value.
func KeptValue[T any](k *Kept, key any, create func() T) T { return kept.Value(k, key, create) }

// Keeping is the problem itself if it has a Kept, else a copy with one of its own: an engine that
// begins anew when it has grown too large then finds what it knew about the vocabulary.
func (p *Problem) Keeping() *Problem {
	if p.Kept != nil {
		return p
	}
	own := *p
	own.Kept = NewKept()
	return &own
}
