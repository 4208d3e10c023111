package load

import (
	"fmt"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
)

// File has a line for each load that was served, in a result directory.
const File = "load.jsonl"

// ID says which load was served: everything that its figures depend on, but for the machine
// and its mood.
type ID struct {
	Workload  string  `json:"workload"`
	Tokenizer string  `json:"tokenizer"`
	Model     string  `json:"model"`
	Device    string  `json:"device"`
	Label     string  `json:"label"`
	Scenario  string  `json:"scenario"`
	Rate      float64 `json:"rate"` // requests a second of the scenario server
	Unseen    float64 `json:"unseen"`
	Hostile   float64 `json:"hostile"`
	Repeat    int     `json:"repeat"`
	// Again is whether the load was served before and did not keep the limits.
	Again bool `json:"again,omitempty"`
	// Question is the SHA-256 of the corpus, the settings, the limits and the seed.
	Question string `json:"question"`
}

// A Cell is a load that was served.
type Cell struct {
	ID        ID                `json:"id"`
	Algorithm string            `json:"algorithm"`
	Options   map[string]string `json:"options"`
	Settings  config.Server     `json:"settings"`
	Limits    Limits            `json:"limits"`
	Seed      uint64            `json:"seed"`
	environment.Machine
	Revision string       `json:"git_revision"`
	Dirty    bool         `json:"git_dirty"`
	Started  time.Time    `json:"started"`
	Outcome  cell.Outcome `json:"outcome"`
	Detail   string       `json:"detail,omitempty"`
	// Bound is a rate that no server reaches, by arithmetic.
	Bound float64 `json:"bound"`
	// Kept is whether the load kept the limits.
	Kept bool `json:"kept"`
	*Figures
	// Checked masks were compared with naive's, which are equal unless Outcome says otherwise.
	Checked int `json:"masks_checked"`
	// Reused counts requests for grammars that had been used up: variants of them that differ in a
	// comment.
	Reused int `json:"reused"`
}

// Found is the capacity of an engine.
type Found struct {
	ID ID `json:"id"` // of no rate and no repetition
	Capacity
	Bound float64 `json:"bound"`
}

// Unconstrained is the label of the line without masks.
const Unconstrained = "none"

// String is a line of progress.
func (c *Cell) String() string {
	what := c.ID.Scenario
	if c.ID.Rate > 0 {
		what = fmt.Sprintf("%.4g requests/s", c.ID.Rate)
	}
	if c.Outcome != cell.OK {
		return fmt.Sprintf("%s, %s: %s: %s", c.ID.Label, what, c.Outcome, c.Detail)
	}
	if c.Cut {
		what += ", cut short"
	}
	return fmt.Sprintf("%s, %s: %.1f%% of %d requests within the limits, %d not taken; TTFT p50 %.1f ms, ITL p50 %.2f ms",
		c.ID.Label, what, 100*c.GoodShare, c.Requests-c.Refused, c.Refused, c.TTFT.P50/1e6, c.ITL.P50/1e6)
}
