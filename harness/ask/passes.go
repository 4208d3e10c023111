package ask

import (
	"slices"
)

// PassKind is what a pass over a document is for.
type PassKind int

const (
	// FirstPass is timed: the engine meets the document for the first time.
	FirstPass PassKind = iota
	// ComparedPass is not timed: masks are compared with the earlier answers, and clones are timed.
	ComparedPass
	WarmupPass
	AgainPass // timed
	// CheckPass compares single measurements with blocks.
	CheckPass
	// AuditPass holds the times of an engine from outside against the processor time of its process.
	AuditPass
)

// Passes are those over a document, in their order. Without a warm-up pass, masks are compared
// after the timed passes.
func Passes(warmup, repeat int) []PassKind {
	list := []PassKind{FirstPass}
	for i := range warmup {
		list = append(list, map[bool]PassKind{true: ComparedPass, false: WarmupPass}[i == 0])
	}
	list = append(list, slices.Repeat([]PassKind{AgainPass}, repeat)...)
	if warmup == 0 {
		list = append(list, ComparedPass)
	}
	return append(list, CheckPass, AuditPass)
}
