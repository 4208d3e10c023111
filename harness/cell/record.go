// Package cell stores results: the cells of a comparison, their files, and the journal that lets a
// killed run go on.
//
// A cell is one algorithm with its options on one vocabulary and one workload.
// Its result is two files in the folder "cells" of a result directory: KEY.json,
// a Record of everything known about it, and KEY.raw.zst, every time measured
// (package trace.go). KEY is a SHA-256 over whatever changes the result (key.go),
// so a cell is never measured twice and never taken for another.
//
// What bounds the trust in a file: it is written under a temporary name, flushed
// to the disk, and renamed; it carries a checksum of itself; a record that does
// not check is reported and measured again, never read in part. While the cells
// of one (workload, vocabulary) group are being measured, each finished sample is
// a line in the group's journal (journal.go), and the records are made from the
// journal when the group is done: a kill loses the sample in flight and no more.
package cell

import (
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// Schema is the version of Record and of the files around it. Records of other
// versions are not read: their cells are measured again.
const Schema = 2

// Outcome is how a sample, or a whole cell, ended. The set is closed.
type Outcome string

// The outcomes, from best to worst: a cell's own is the last of this list that
// one of its samples has.
const (
	// OK: masks equal the reference's and the verdict is the corpus's.
	OK Outcome = "ok"
	// Unsupported: the algorithm says that it does not do this; Detail says why.
	Unsupported Outcome = "unsupported"
	// Timeout: not done within measure.timeout.
	Timeout Outcome = "timeout"
	// OutOfMemory: the heap grew beyond measure.memory.
	OutOfMemory Outcome = "out-of-memory"
	// CompileError: Compile failed in another way.
	CompileError Outcome = "compile-error"
	// Crash: a panic, or the death of the process.
	Crash Outcome = "crash"
	// WrongVerdict: a positive was refused or a negative passed, with masks that
	// agree with the reference: the grammar or the corpus is at fault.
	WrongVerdict Outcome = "wrong-verdict"
	// WrongMask: a mask differs from the reference's, or contradicts Commit.
	WrongMask Outcome = "wrong-mask"
)

// Outcomes is the closed set, from best to worst.
var Outcomes = []Outcome{OK, Unsupported, Timeout, OutOfMemory, CompileError, Crash, WrongVerdict, WrongMask}

// Failure reports whether the outcome says that something is wrong, rather than
// beyond a limit: a run with such an outcome ends with exit status 1.
func (o Outcome) Failure() bool {
	switch o {
	case WrongMask, WrongVerdict, CompileError, Crash:
		return true
	}
	return false
}

// Worse returns the worse of two outcomes.
func Worse(a, b Outcome) Outcome {
	for i := len(Outcomes) - 1; i >= 0; i-- {
		if a == Outcomes[i] || b == Outcomes[i] {
			return Outcomes[i]
		}
	}
	return a
}

// A Selection says what was chosen of a corpus: how many documents, or, of a schema corpus, how
// many schemas.
type Selection struct {
	// Filter is the filter's name in the configuration; "" if there is none.
	Filter string `json:"filter,omitempty"`
	// Listed are all, Chosen those that were taken; the others were left out by their size, by the
	// filter, or since they are beyond the limit. Those beyond the limit were not looked at.
	Listed   int `json:"listed"`
	Chosen   int `json:"chosen"`
	BySize   int `json:"left_out_by_size,omitempty"`
	ByFilter int `json:"left_out_by_filter,omitempty"`
	ByLimit  int `json:"left_out_by_limit,omitempty"`
	// Reasons says why the filter left some out, the most frequent first.
	Reasons []Reason `json:"reasons,omitempty"`
}

// A Reason is why a filter left out some documents or schemas, and how many.
type Reason struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Record is everything known about a finished cell but the raw times.
type Record struct {
	Schema int    `json:"schema"`
	Key    string `json:"key"`
	ID     ID     `json:"id"`

	// Names that tables use. They are not part of the key: renaming an entry of
	// a configuration does not measure it again.
	Label     string `json:"label"`
	Tokenizer string `json:"tokenizer"`
	Workload  string `json:"workload"`
	Grammar   string `json:"grammar"`
	Dataset   string `json:"dataset"`
	// Published names the published figures that belong beside this cell's, as the
	// configuration declares them; "" if none do.
	Published string `json:"published,omitempty"`
	// Selection says what was chosen of the corpus, and why the rest was not; nil in older records.
	Selection *Selection `json:"selection,omitempty"`
	// Schemas is set if each problem is a schema of a schema corpus.
	Schemas *SchemaOptions `json:"schemas,omitempty"`
	// Tools says which requests with tools the problems are; nil for others.
	Tools *ToolsOptions `json:"tools,omitempty"`

	Config      string                  `json:"config"` // text of the configuration file
	Environment environment.Environment `json:"environment"`
	Started     time.Time               `json:"started"`
	Finished    time.Time               `json:"finished"`

	// Outcome is the worst of Problems and Samples. In a schema corpus it leaves out limitations:
	// schemas whose grammar is not supported or that are faulty, valid instances that are refused,
	// and invalid instances that lenient schemas accept. So there it is ok, a limit that an
	// algorithm ran into, or a failure.
	Outcome  Outcome   `json:"outcome"`
	Problems []Problem `json:"problems"`
	Samples  []Sample  `json:"samples"`

	// Reference is the label of the algorithm that most samples' masks were
	// compared with; "" if none were, because the cell is the reference itself.
	Reference string `json:"reference"`
	// Group lists the labels of the cells that took turns with this one on every
	// sample that both were timed on, its own among them.
	Group []string `json:"group"`
	// Sessions counts the processes that contributed: above 1 if a run was interrupted and resumed. A
	// resumed engine is compiled anew, so its tables built on demand are lost.
	Sessions int `json:"sessions"`
	// VocabularyNS is the time to build what all engines share of the vocabulary
	// (its trie).
	VocabularyNS int64 `json:"vocabulary_ns"`
	// Outside is the provenance of an engine from outside at its first compile; nil for the
	// algorithms of this module. VocabularyNS is then the engine's own.
	Outside *algorithms.Provenance `json:"outside,omitempty"`
	// GrammarNS has the times of compiling the grammar, from its text to lexer and
	// tables, one for each time that was done; nil for workloads of schemas.
	GrammarNS []int64 `json:"grammar_ns"`
	// FirstCompileNS is the time of the warm-up before the schemas of a corpus: one compile of a
	// schema that allows everything, with the masks of a short text. So the time of what an
	// algorithm builds once for a vocabulary and all schemas is not in the first schema's
	// CompileNS. For an engine from outside it is without the masks of the text. 0 for workloads of
	// one grammar, where VocabularyNS includes it for an engine from outside.
	FirstCompileNS int64 `json:"first_compile_ns,omitempty"`
	// KeptBytes is the size of what the algorithm keeps at the end for all schemas of the corpus,
	// beyond its engines; 0 for workloads of one grammar.
	KeptBytes int64 `json:"kept_bytes,omitempty"`
	// Core is the number of the core that the timing thread was pinned to; -1 if
	// the system did not allow it.
	Core int `json:"core"`
	// GC counts garbage collections.
	GC measure.GC `json:"gc"`

	Raw      Raw    `json:"raw"`
	Checksum string `json:"checksum"` // SHA-256 of the record with this field empty
}

// ToolsOptions say which requests with tools the problems of a cell are, by the words of package
// tools.
type ToolsOptions struct {
	Format    string `json:"format"`
	Choice    string `json:"choice"`
	Text      string `json:"text"`
	Parallel  bool   `json:"parallel"`
	Reasoning bool   `json:"reasoning"`
	Count     int    `json:"count,omitempty"` // of tools in each; 0 if it differs
	// Markers are the markers of the format that are tokens of the vocabulary, not text.
	Markers []string `json:"markers,omitempty"`
	// Without are the keywords that no drawn tool has.
	Without []string `json:"without,omitempty"`
}

// SchemaOptions say how the schemas of a schema corpus were compiled.
type SchemaOptions struct {
	WhiteSpace string `json:"whitespace"` // strict or any
	Order      string `json:"order"`      // declared or any
	Lenient    bool   `json:"lenient"`
}

// Stages of a compile, for Problem.Stage.
const (
	// StageGrammar is from the text of a schema to lexer and parser tables. What
	// happens there happens to all algorithms alike.
	StageGrammar = "grammar"
	// StageAlgorithm is the algorithm's own offline work, with the first mask.
	StageAlgorithm = "algorithm"
)

// Problem is one compile: a grammar on the cell's vocabulary. A workload has one,
// or one per schema where documents bring their own.
//
// The time to the first mask of a schema is GrammarNS + CompileNS + FirstMaskNS, entry by entry:
// each has one value for each compile. In the first compile the algorithm has not seen the schema;
// further compiles, if measure.compiles asks for them, may find parts of it in what it keeps. A
// problem whose Outcome is not OK has no times.
type Problem struct {
	ID      string  `json:"id"`              // the grammar's name, or the schema's id
	Group   string  `json:"group,omitempty"` // of the schema, "" if its corpus has none
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"` // why, if Outcome is not OK
	// Stage is where a schema failed, StageGrammar or StageAlgorithm. Reason is why, in a few words
	// that are the same for all such schemas, for counting: "uniqueItems: items are unbounded".
	// Both are "" if Outcome is OK, and for workloads of one grammar.
	Stage  string `json:"stage,omitempty"`
	Reason string `json:"reason,omitempty"`
	// GrammarNS is the time from the text of the schema to its recognizer. It was
	// measured once for all cells of the group. Workloads of one grammar have it
	// in Record.GrammarNS.
	GrammarNS []int64 `json:"grammar_ns,omitempty"`
	// Bytes is the size of the schema; Approximated is how many of its keywords
	// are not enforced exactly (narrower, or wider if lenient). Rules, Terminals
	// and LRStates are the size of its grammar; 0 if it did not compile. Only
	// schemas have these.
	Bytes        int `json:"bytes,omitempty"`
	Approximated int `json:"approximated,omitempty"`
	Rules        int `json:"rules,omitempty"`
	Terminals    int `json:"terminals,omitempty"`
	LRStates     int `json:"lr_states,omitempty"`
	// CompileNS and FirstMaskNS have one value for each compile: the algorithm's
	// offline work, and the first mask of the fresh engine.
	CompileNS   []int64 `json:"compile_ns,omitempty"`
	FirstMaskNS []int64 `json:"first_mask_ns,omitempty"`
	// CompilePeakBytes is the most heap above the level before the compile,
	// garbage included, sampled every millisecond; where Unweighed all that the
	// compile and the first mask allocated.
	CompilePeakBytes int64 `json:"compile_peak_bytes"`
	// EngineBytes is the growth of the live heap by compile and first mask, UsedBytes its fall when
	// the engine was dropped after all documents, EngineSaysBytes the engine's own count then (0 if
	// it has none). Unweighed says that the first two were not measured, since that takes garbage
	// collections: in a schema corpus only some schemas are weighed.
	EngineBytes     int64 `json:"engine_bytes"`
	UsedBytes       int64 `json:"used_bytes"`
	EngineSaysBytes int64 `json:"engine_says_bytes"`
	Unweighed       bool  `json:"unweighed,omitempty"`
	// Outside is the provenance of an engine from outside and of this compile. GrammarNS, CompileNS
	// and FirstMaskNS are then by its own clock, and EngineBytes and UsedBytes the growth of its
	// process.
	Outside *algorithms.Provenance `json:"outside,omitempty"`
	// Counters are the engine's after the compile, Used those after all documents.
	Counters []Counter `json:"counters,omitempty"`
	Used     []Counter `json:"counters_used,omitempty"`
}

// Counter is one figure an engine reports about itself.
type Counter struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}

// A SamplePart is a run of tokens of one class. A token is of the class that its first byte is of.
type SamplePart struct {
	Class  string `json:"class"`
	Tokens int    `json:"tokens"`
}

// Sample is the result of a cell on one document.
type Sample struct {
	ID       string  `json:"id"`
	Problem  int     `json:"problem"` // index into Record.Problems
	Negative bool    `json:"negative"`
	Outcome  Outcome `json:"outcome"`
	Detail   string  `json:"detail,omitempty"` // why, if Outcome is not OK
	// KeyOrder marks a valid instance of a schema that is refused (WrongVerdict)
	// only because of the order of its keys: with the keys in an order of the schema
	// it is taken, by the grammar, or by an engine with a language of its own.
	KeyOrder bool `json:"key_order,omitempty"`
	// Refused reports whether a token of the document, or its end, was masked.
	Refused bool `json:"refused"`
	// RefusedAt is the position (0-based, in tokens) of the refusal.
	RefusedAt int `json:"refused_at,omitempty"`
	// RefusedByCommit marks a negative (WrongVerdict) whose every token the masks of an engine from
	// outside allow, and of which Commit refuses one, at RefusedAt. Refused is false.
	RefusedByCommit bool `json:"refused_by_commit,omitempty"`
	Tokens          int  `json:"tokens"` // with the EOS
	Bytes           int  `json:"bytes"`
	// Parts are, of a response with calls, the classes of its tokens in runs, by package toolcalls.
	Parts []SamplePart `json:"parts,omitempty"`
	// Allowed is the number of tokens that its masks allow, over all positions; 0 if it is not known.
	Allowed int `json:"allowed,omitempty"`
	// Compared counts positions whose mask was compared with that of a reference. ComparedWith has
	// them by the reference's label: naive may have been asked at some positions only, so a mask may
	// count for two references. Reference is the first of them, or the one that differs; "" if there
	// was none.
	Compared     int            `json:"compared"`
	ComparedWith map[string]int `json:"compared_with,omitempty"`
	Reference    string         `json:"reference,omitempty"`
	Session      int            `json:"session"` // which of Record.Sessions measured it, from 1
	// Orders is, for each pass over this sample, the order in which the labels
	// of the group ran.
	Orders [][]string `json:"orders,omitempty"`
	// Turns are the keys of the cells that were timed in turn on this sample, this
	// one's among them, cut to TurnLength letters.
	Turns []string   `json:"turns,omitempty"`
	GC    measure.GC `json:"gc"`
	// ClockPairNS is the cost of a pair of clock reads in the session, ClockEmptyNS the time of a
	// pair around nothing, which was taken off every time.
	ClockPairNS  float64 `json:"clock_pair_ns"`
	ClockEmptyNS float64 `json:"clock_empty_ns"`
	// PaceNS are environment.Pace before the first and after the last pass, where there was a reading.
	PaceNS []float64 `json:"pace_ns,omitempty"`
	// Check compares single measurements with blocks; nil if steps are too long to
	// need that.
	Check *measure.Check `json:"clock_check,omitempty"`
	// Audit holds times of an engine from outside against its processor time; nil of documents that
	// were not drawn for it.
	Audit *measure.Audit `json:"audit,omitempty"`
	// Abandoned is how many goroutines of engines that did not return were still
	// running when this was measured: they take processor time from it.
	Abandoned int `json:"abandoned,omitempty"`
}

// Passed reports whether the sample's verdict is the corpus's.
func (s *Sample) Passed() bool {
	return (s.Outcome == OK || s.Outcome == WrongVerdict || s.Outcome == WrongMask) && s.Refused == s.Negative
}

// MainReference is the label that most samples were compared with.
func MainReference(samples []Sample) string {
	counts := map[string]int{}
	best := ""
	for i := range samples {
		label := samples[i].Reference
		if label == "" {
			continue
		}
		if counts[label]++; counts[label] > counts[best] {
			best = label
		}
	}
	return best
}

// TurnLength is how much of a key Sample.Turns holds.
const TurnLength = 16

// Turn is the name of a cell in Sample.Turns.
func Turn(key string) string { return key[:min(TurnLength, len(key))] }

// TookTurns reports whether the cell with a key was timed in turn with this one on
// the sample.
func (s *Sample) TookTurns(key string) bool { return slices.Contains(s.Turns, Turn(key)) }

// Raw names the file of raw times beside a record.
type Raw struct {
	File   string `json:"file"` // in the record's folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}
