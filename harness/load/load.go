// Package load serves requests under load: it measures what a server with constrained decoding
// shows while requests arrive, schemas compile beside the batch on the same cores, and the garbage
// collector runs. docs/methodology.md has the rules.
//
// # What is real
//
// Time, threads, compiles, masks and memory are real. Only the model is a clock: a step of a batch
// takes as long as a table says (package models), and leaves the processor free, as a GPU does.
//
// # The way of a request
//
// Loop.Run is a server in one goroutine, which has the batch, and compile threads. A request that
// arrives asks the Cache for its grammar. If it is not there, a compile thread makes it, one after
// the other in the order of arrival. Then the request waits for a place in the batch. A step of the
// batch gives each generation its next token: the document's, if the mask allows it. Masks are made
// before the model's step, after it, or while it runs. A compile that takes long may let others
// pass. So may a generation: it then takes part in no step until its mask is made, and the others
// do not wait for it.
//
// What happened to each request and in each step is a Ledger. Engines from outside run the same
// loop in Python, in their own process (engines/python/load_loop.py): they read the requests that
// this side drew, and write a Ledger. Summarize makes Figures of it, on this side alone. Search
// looks for the highest rate that keeps the limits.
package load

import "gcdbench/harness/config"

// Settings are how requests are served. The Python side gets them as JSON.
type Settings struct {
	config.Server
	Streams   int     `json:"streams"`    // a request comes when one of so many has ended; 0: at its time
	Prompt    int     `json:"prompt"`     // tokens that are read before the step of the first one
	PrefillNS float64 `json:"prefill_ns"` // that reading them takes
	TTFTNS    int64   `json:"ttft_ns"`    // the limit of the time to the first token
	ITLNS     int64   `json:"itl_ns"`     // the limit of the time from a token to the next
	EndNS     int64   `json:"end_ns"`     // when requests that are not done are given up
	Needed    int     `json:"needed"`     // the load ends when so many first requests have
	Warmup    int     `json:"warmup"`     // so many first requests do not count
	// EnoughLost is how many requests that miss the limits end the load, since it cannot keep them
	// any more; 0: it goes on.
	EnoughLost int `json:"enough_lost"`
	// StepNS is how long a step takes by the number of generations, of 1 first.
	StepNS []float64 `json:"step_ns"`
	// SlackNS is how much of the reading of prompts such a step has room for, as a server has that
	// reads prompts in pieces, beside the batch.
	SlackNS []float64 `json:"slack_ns"`
	// None decodes without masks and compiles.
	None bool `json:"none"`
}

// A Request is a generation: a grammar, and the tokens that the model would write.
type Request struct {
	AtNS    int64   `json:"at_ns"`   // since the start of the load; not of streams
	Grammar int     `json:"grammar"` // an index
	Tokens  []int32 `json:"tokens"`  // EOS last
	// Check is a position whose mask is kept, to be compared with naive's; -1 for none.
	Check int `json:"check"`
	// Hostile marks a bad neighbour, which is no part of the figures of the others.
	Hostile bool `json:"hostile"`
}

// Outcomes of a request.
const (
	OK          = "ok"
	Refused     = "refused"       // its mask lacks the document's token
	Unsupported = "unsupported"   // the engine does not take the grammar
	Failed      = "compile-error" // the grammar did not compile
	MaskError   = "mask-error"    // an engine from outside failed at one of its masks
	TimedOut    = "timeout"       // its compile took longer than the limit
	Unfinished  = "unfinished"    // not done when the load ended
)

// Served is what happened to a request. Times are ns since the start of the load; 0 where it did
// not come so far.
type Served struct {
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
	// Hit is whether the cache had the grammar.
	Hit     bool  `json:"hit"`
	Arrived int64 `json:"arrived"`
	// Compiling and Compiled are the start and the end of the compile that it waited for.
	Compiling int64 `json:"compiling"`
	Compiled  int64 `json:"compiled"`
	Begun     int64 `json:"begun"` // it has a place in the batch
	First     int64 `json:"first"` // its first token is there
	Last      int64 `json:"last"`  // its last one
	ModelNS   int64 `json:"model"` // the model's steps up to its first token
	Tokens    int   `json:"tokens"`
	Late      int   `json:"late"` // tokens that came later after the one before than the limit
}

// Step is one step of the batch: its end, how many generations it had, how many of them were not at
// their first token, the time since the token before of those, and that of commits and masks. A
// Step with a Live of 0 is a generation that took no part in the steps before.
type Step struct {
	End, Live, Later, Gap, Masks int64
}

// Sample is the state of the process at some time: its resident memory, the bytes of the cache and
// the processor time so far.
type Sample struct {
	At, Resident, Cached, CPU int64
}

// Ledger is what happened in a load.
type Ledger struct {
	Requests []Served `json:"requests"`
	// Steps and Samples have the fields of a Step and of a Sample in their order.
	Steps     [][5]int64 `json:"steps"`
	Samples   [][4]int64 `json:"samples"`
	Evicted   int        `json:"evicted"`
	CachePeak int64      `json:"cache_peak"`
	Cut       bool       `json:"cut"` // enough requests were lost
	// Collections of garbage, and what they took in ns of processor time; 0 where the language does
	// not tell.
	Collections int64 `json:"collections"`
	CollectNS   int64 `json:"collect_ns"`
}
