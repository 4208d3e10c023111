package completion

import (
	"slices"
)

// A cost is a number of bytes. Costs add up to at most huge; unreachable stays unreachable.
type cost = int32

const (
	huge        cost = 1 << 28
	unreachable cost = 1 << 29
)

// plus adds two costs.
func plus(a, b cost) cost {
	if a == unreachable || b == unreachable {
		return unreachable
	}
	return min(a+b, huge)
}

// A matrix has the least cost of something from each context to each context after it, row by row:
// entry from*k+to for k contexts. Matrices are read only once made.
type matrix []cost

// A vector has the least cost to the end of the text from each context.
type vector []cost

// A shape is the number of contexts, and what one does with matrices of that size: composition,
// which adds costs, and union, which takes the lower one.
type shape int

// nothing is the matrix of what cannot be.
func (k shape) nothing() matrix { return slices.Repeat(matrix{unreachable}, int(k*k)) }

// empty is the matrix of the empty text.
func (k shape) empty() matrix {
	m := k.nothing()
	for i := range int(k) {
		m[i*int(k)+i] = 0
	}
	return m
}

// then is the matrix of a followed by b.
func (k shape) then(a, b matrix) matrix {
	m, n := k.nothing(), int(k)
	for i := range n {
		for j := range n {
			first := a[i*n+j]
			if first == unreachable {
				continue
			}
			for to, second := range b[j*n : j*n+n] {
				m[i*n+to] = min(m[i*n+to], plus(first, second))
			}
		}
	}
	return m
}

// lower puts the lower costs of b into a, and tells whether there were any.
func lower[T ~[]cost](a, b T) (changed bool) {
	for i, x := range b {
		if x < a[i] {
			a[i], changed = x, true
		}
	}
	return changed
}

// possible tells whether anything in a matrix or vector can be reached.
func possible[T ~[]cost](m T) bool {
	return slices.ContainsFunc(m, func(x cost) bool { return x < unreachable })
}
