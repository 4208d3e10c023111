// Package wire is the protocol between gcdbench and an engine from outside: its messages, and the
// file through which bulk data goes. docs/engines.md describes it for authors of engines.
//
// # Two channels
//
// Control is JSON, one object a line: requests go to the child's standard input, and the child
// answers each on its standard output, in their order. Bulk data (token bytes, documents, mask
// rows, times) lies in one memory-mapped file that both sides see, so that no row is ever
// encoded. A message says where in the file its data is, by Areas.
//
// Both sides ignore unknown fields. Required fields of an answer are pointers here, so that a
// missing field differs from a zero.
package wire

import (
	"fmt"
	"strconv"
)

// Version is the version of the protocol. The second one has ids, and copies of the masks of a
// timed walk.
const Version = 2

// Kinds of text that an engine can take, as hello lists them.
const (
	KindSchema     = "json-schema"
	KindLark       = "lark"
	KindLLGuidance = "llguidance-lark"
	KindGLRMask    = "glrmask-lark"
	KindEBNF       = "ebnf"
	KindGBNF       = "gbnf"
	KindKBNF       = "kbnf"
	KindRegex      = "regex"
	KindGRID       = "grid"
	// KindStructuralTag is the JSON of XGrammar's structural tags.
	KindStructuralTag = "structural-tag"
	// KindGcdbench is a JSON object of type Own: the engine reads grammars as gcdbench does.
	KindGcdbench = "gcdbench"
)

// Kinds are all of them.
var Kinds = []string{KindSchema, KindLark, KindLLGuidance, KindGLRMask, KindEBNF, KindGBNF, KindKBNF, KindRegex, KindGRID, KindStructuralTag, KindGcdbench}

// Optional capabilities, as hello lists them, and as a Measure asks for them.
const (
	CanClone    = "clone"
	CanRollback = "rollback"
	CanDraft    = "draft"
	CanBatch    = "batch"
)

// Outcomes of an answer that is not ok.
const (
	Unsupported  = "unsupported"
	CompileError = "compile-error"
	Timeout      = "timeout"
	OutOfMemory  = "out-of-memory"
	Crash        = "crash"
)

// An Area is a part of the bulk file: N elements from byte At on. Areas begin at multiples of 64.
type Area struct {
	At int64 `json:"at"`
	N  int64 `json:"n"`
}

// A Request is the part that all requests have.
type Request struct {
	Do string `json:"do"`
	// ID numbers the requests of a process; the answer has the same. nil of one that was written by
	// hand.
	ID *int64 `json:"id,omitempty"`
}

// WithID puts the number of a request in front of the fields of an object of JSON, which has some.
func WithID(object []byte, id int64) []byte {
	out := append(strconv.AppendInt([]byte(`{"id":`), id, 10), ',')
	return append(out, object[1:]...)
}

// A Hello asks for the engine's HelloAnswer.
type Hello struct {
	Do       string `json:"do"`
	Protocol int    `json:"protocol"`
}

// A Map has the child map the bulk file, of which the file at the path is valid until the answer.
type Map struct {
	Do    string `json:"do"`
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// A Vocabulary hands over the tokens: token i is Text[Ends[i-1]:Ends[i]].
type Vocabulary struct {
	Do   string `json:"do"`
	Name string `json:"name"`
	Size int    `json:"size"`
	EOS  []int  `json:"eos"`
	Ends *Area  `json:"ends"` // uint64
	Text *Area  `json:"text"` // bytes
	// Tokenizer is the path of a tokenizer.json, "" if there is none.
	Tokenizer string `json:"tokenizer"`
}

// A Compile hands over a grammar.
type Compile struct {
	Do      string            `json:"do"`
	Kind    string            `json:"kind"`
	Text    string            `json:"text"`
	Options map[string]string `json:"options"`
}

// An Own is the text of a Compile of KindGcdbench: an algorithms.Source.
type Own struct {
	Kind    string            `json:"kind"`
	Name    string            `json:"name"`
	Text    string            `json:"text"`
	Options map[string]string `json:"options,omitempty"`
}

// A Walk has one new generation go through one document.
type Walk struct {
	Do     string `json:"do"`
	Tokens *Area  `json:"tokens"`           // int32, EOS last
	Masked *Area  `json:"masked,omitempty"` // uint32, ascending; nil for all positions
	// Rows has a row for each mask of a proof. Timed, masks go to the first row; where there are more,
	// each is copied to one of those, in turn, outside of the clock.
	Rows   *Area `json:"rows"` // bytes
	Stride int64 `json:"stride"`
	Logits bool  `json:"logits"`
	Times  *Area `json:"times,omitempty"` // uint32; nil for a proof
	Block  int   `json:"block"`
}

// A Begin starts the generation that is explored, with some tokens committed.
type Begin struct {
	Do     string `json:"do"`
	Tokens *Area  `json:"tokens"`
	Row    *Area  `json:"row"`
}

// A Next commits one more token in the generation that is explored.
type Next struct {
	Do    string `json:"do"`
	Token int    `json:"token"`
	Row   *Area  `json:"row"`
}

// A Measure asks for the times of an optional capability along a document.
type Measure struct {
	Do     string `json:"do"`
	What   string `json:"what"`
	Tokens *Area  `json:"tokens"`
	K      int    `json:"k"`
	Times  *Area  `json:"times"`
}

// A Batch has generations advance together, each in its slot. Before the steps the slots in Hold
// get the grammar that was compiled last: generations that begin there are of it.
type Batch struct {
	Do      string `json:"do"`
	First   bool   `json:"first"` // empty all slots before anything else
	Hold    []int  `json:"hold"`
	Width   int    `json:"width"`   // number of slots
	Threads int    `json:"threads"` // that a step may use
	// Tokens have a token of each slot for each step, BatchBegins or BatchEmpty.
	Tokens *Area `json:"tokens"` // int32
	// Rows have a mask for each slot of each step.
	Rows   *Area `json:"rows"` // bytes
	Stride int64 `json:"stride"`
	Times  *Area `json:"times"` // uint64, one for each step
}

// What a slot does in a step of a Batch, if it commits no token.
const (
	BatchBegins = -1
	BatchEmpty  = -2
)

// A Load has the engine serve the requests of a file by itself, and write what happened to another.
// Package harness/load has the formats.
type Load struct {
	Do       string `json:"do"`
	Settings any    `json:"settings"`
	Trace    string `json:"trace"` // paths
	Out      string `json:"out"`
}

// A BatchAnswer says how many steps were made, and which slot refused its token in the one after
// them, if one did.
type BatchAnswer struct {
	Answer
	Steps    *int64 `json:"steps"`
	Refused  *int64 `json:"refused,omitempty"`
	StolenNS int64  `json:"stolen_ns"`
}

// A Weigh comes before the size of the process is read. The child collects its garbage; with Drop
// it drops the grammar first.
type Weigh struct {
	Do   string `json:"do"`
	Drop bool   `json:"drop"`
}

// An Answer is the part that all answers have.
type Answer struct {
	ID      *int64 `json:"id,omitempty"`
	OK      *bool  `json:"ok"`
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Said returns the answer itself, for those that embed it.
func (a *Answer) Said() *Answer { return a }

// Answered is any answer.
type Answered interface{ Said() *Answer }

// Yes is an Answer that all is well.
func Yes() Answer { yes := true; return Answer{OK: &yes} }

// No is an Answer that it is not.
func No(outcome, text string) Answer {
	no := false
	return Answer{OK: &no, Outcome: outcome, Error: text}
}

// A HelloAnswer describes the engine.
type HelloAnswer struct {
	Answer
	Protocol  int      `json:"protocol"`
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Build     string   `json:"build"`
	Licence   string   `json:"licence"`
	Takes     []string `json:"takes"`
	Semantics string   `json:"semantics"`
	Can       []string `json:"can"`
	// Differs are the ids of conformance cases that the engine decides otherwise on purpose.
	Differs []string `json:"differs,omitempty"`
	// ClockPairNS is the cost of a pair of reads of the clock that times walks, ClockEmptyNS the
	// time of a pair around nothing, CallEmptyNS that of an empty call of the binding.
	ClockPairNS  float64 `json:"clock_pair_ns"`
	ClockEmptyNS float64 `json:"clock_empty_ns"`
	CallEmptyNS  float64 `json:"call_empty_ns"`
}

// A VocabularyAnswer says how long the vocabulary took to set up.
type VocabularyAnswer struct {
	Answer
	NS float64 `json:"ns"`
}

// A CompileAnswer has the times of the offline phase, which are required.
type CompileAnswer struct {
	Answer
	Engine int64 `json:"engine"`
	// GrammarNS is the time before the engine's own work, if the engine measures it separately.
	// CompileNS does not include it.
	GrammarNS   float64           `json:"grammar_ns,omitempty"`
	CompileNS   *float64          `json:"compile_ns"`
	FirstMaskNS *float64          `json:"first_mask_ns"`
	Bytes       int64             `json:"bytes"`
	Counters    []Counter         `json:"counters"`
	Options     map[string]string `json:"options"`
	// Notes name parts of the grammar that the engine does not enforce.
	Notes []string `json:"notes,omitempty"`
}

// A Counter is one named figure of an engine.
type Counter struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}

// Who refused the token of a walk.
const (
	ByMask   = "mask"
	ByCommit = "commit"
)

// A WalkAnswer says how far the walk got.
type WalkAnswer struct {
	Answer
	Masked *int64 `json:"masked"`
	// Refused is the position of the token that was refused, nil if none was.
	Refused   *int64 `json:"refused,omitempty"`
	RefusedBy string `json:"refused_by,omitempty"`
	// CommitTakes is set if the mask left a token out that commit takes.
	CommitTakes bool  `json:"commit_takes,omitempty"`
	Disturbed   int64 `json:"disturbed"`
	StolenNS    int64 `json:"stolen_ns"`
	// IdleNS is what the engine did between the steps of a timed walk, in sum; 0 if nothing.
	IdleNS int64 `json:"idle_ns,omitempty"`
}

// A BeginAnswer says which token was refused, if one was.
type BeginAnswer struct {
	Answer
	Refused *int64 `json:"refused,omitempty"`
}

// A NextAnswer says whether the token was refused.
type NextAnswer struct {
	Answer
	Refused *bool `json:"refused,omitempty"`
}

// A MeasureAnswer says how many times were written. Accepted counts the tokens of drafts that the
// engine took.
type MeasureAnswer struct {
	Answer
	N        *int64 `json:"n"`
	Accepted int64  `json:"accepted"`
}

// A WeighAnswer has the size of the child's live memory, if the child knows it better than the
// system, as a runtime that keeps free memory does; else 0.
type WeighAnswer struct {
	Answer
	Held int64 `json:"held,omitempty"`
}

// A StatsAnswer has the engine's present figures.
type StatsAnswer struct {
	Answer
	Bytes    int64     `json:"bytes"`
	Counters []Counter `json:"counters"`
}

// A Failure is an answer that is not ok.
type Failure struct{ Outcome, Text string }

// Error is the outcome and what the engine says.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Outcome, f.Text) }
