// Package all registers every algorithm that comes with the program: import it for its effect.
package all

import (
	_ "gcdbench/algorithms/greatgramma"
	_ "gcdbench/algorithms/koo"
	_ "gcdbench/algorithms/legality"
	_ "gcdbench/algorithms/maskstore"
	_ "gcdbench/algorithms/naive"
	_ "gcdbench/algorithms/parserdwa"
	_ "gcdbench/algorithms/psc"
	_ "gcdbench/algorithms/trie"
)
