package ask

import (
	"gcdbench/algorithms"
)

// Renewed closes a Kept and returns an empty one. Processes of engines from outside end with the
// old.
func Renewed(old *algorithms.Kept) *algorithms.Kept {
	old.Close() // an engine that does not end well has ended
	return algorithms.NewKept()
}
