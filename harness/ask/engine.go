package ask

import (
	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// Engine is an algorithm with its options in a group that is measured. The journal has its results;
// here is only what the group has to know of them.
type Engine struct {
	*prepare.Entry
	Key      string
	ID       cell.ID
	Problems []*cell.Problem // by unit; nil until compiled
	Used     []*cell.Used    // by unit; nil until all its documents are done
	Answered []Answered      // by document
	Done     []cell.Place    // by document: the place of the result in the journal
	InTurn   []bool          // by document: whether it was timed there

	// Kept is the Kept of the instances that are timed, KeptByProver of those whose answers are
	// compared: neither may find what the other built.
	Kept, KeptByProver *algorithms.Kept

	// The rest but for the counts is about the unit that is open. Timed is the instance that is timed,
	// prover the one whose answers are compared. walked has the documents that timed has begun to
	// walk, by index.
	Timed, Prover Compiled
	Walked        map[int]bool
	// Blind is the walk before the prover was asked; nil if there was none.
	Blind *Blind
	// Lost is set if neither instance may be called again; every remaining sample of the unit gets
	// this outcome. The failure of one instance alone is in compiled.gone.
	Lost *bounds.Failure

	Explained int // wrong masks that were shrunk
	Abandoned int // operations that did not return
	// BadStarts counts the starts of its process that failed since a timed instance last compiled;
	// badStart is the last of these failures.
	BadStarts int
	BadStart  *bounds.Failure
	// NoClones is set if a clone cost it a process: clones are not timed any more.
	NoClones bool
	// FirstNS is the time of the compile in the warm-up, in ns.
	FirstNS int64
}

// A Blind walk is the first one of a new process, on a document that no process of its engine has
// met. What an engine knows of documents from its earlier processes it does not know there.
type Blind struct {
	Document int // its index
	Steps    []uint32
}

// Answered is what is known of an engine's answers on a document.
type Answered struct {
	At cell.Place // in the journal; the zero value if there are none
	// Time is whether the document is to be timed: the answers are right, and it is a positive.
	Time bool
}

// Trial is an engine on a document: while it is asked for its answers, or while it is timed.
type Trial struct {
	*Engine
	Sample cell.Sample
	Out    *bounds.Failure // set if the trial ended early
	Proof  *Proof          // the answers, while it is asked

	// Set while it is timed. Hashes are those of the masks that it answered with.
	Hashes []uint64
	Passes []cell.Pass
	Clone  []uint32
	Check  *measure.Check
	Audit  *measure.Audit
	Gc     measure.GC
}
