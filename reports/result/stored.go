package result

import (
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// Stored is a report as JSON, the contract of `report --format json`.
type Stored struct {
	Name     string         `json:"name"` // of the configuration
	Cells    []*Cell        `json:"cells"`
	Run      *Quiet         `json:"run"`
	Warnings []string       `json:"warnings"`
	Missing  []cell.Planned `json:"missing"`
	// About says where the figures come from, in paragraphs: machine, configuration, vocabularies,
	// documents.
	About []string `json:"about"`
	// Capacities are those of requests under load, of a result of `gcdbench load`.
	Capacities []*Capacity `json:"capacities,omitempty"`
}

// A Capacity is how many requests a second an engine takes at the highest rate that keeps the
// limits, with the load at that rate. Times are in ns.
type Capacity struct {
	Workload  string         `json:"workload"`
	Tokenizer string         `json:"tokenizer"`
	Model     string         `json:"model"`
	Device    string         `json:"device"`
	Grammars  string         `json:"grammars"` // what requests are drawn from, in words
	Label     string         `json:"label"`
	Rate      float64        `json:"requests_per_second"` // the mean of the searches; 0 for none
	Interval  stats.Interval `json:"interval_95"`
	// OfNone is the share of the capacity without masks; null where that was not measured.
	OfNone *float64 `json:"of_none"`
	// OfNoneInterval is that of the mean of the repetitions' shares: their requests are the same.
	OfNoneInterval stats.Interval `json:"of_none_interval_95"`
	// The load at the highest rate that kept the limits; null where none did.
	TTFT     *stats.Summary `json:"ttft_ns"`
	ITL      *stats.Summary `json:"itl_ns"`
	NotTaken *float64       `json:"not_taken"` // the share of requests that the engine refuses
	Peak     int64          `json:"resident_peak_bytes"`
}
