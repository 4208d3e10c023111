package search

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// TestComponents: two nodes of a random graph are in one component exactly if each can be reached
// from the other, and a component comes after those that it leads to.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 300 {
		n := 1 + rng.IntN(12)
		edges, reach := make([][]int32, n), make([][]bool, n)
		for x := range edges {
			reach[x] = make([]bool, n)
			reach[x][x] = true
			for range rng.IntN(3) {
				y := rng.IntN(n)
				edges[x] = append(edges[x], int32(y))
				reach[x][y] = true
			}
		}
		for k := range n {
			for x := range n {
				for y := range n {
					reach[x][y] = reach[x][y] || reach[x][k] && reach[k][y]
				}
			}
		}
		of, number := Components(n, func(dst []int32, x int32) []int32 { return append(dst, edges[x]...) })
		for x := range n {
			for y := range n {
				if same := reach[x][y] && reach[y][x]; same != (of[x] == of[y]) || reach[x][y] && of[y] > of[x] || of[x] >= number {
					t.Fatalf("%v: %d is in %d and %d in %d, of %d", edges, x, of[x], y, of[y], number)
				}
			}
		}
	}
}
