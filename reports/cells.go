package reports

import (
	"iter"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/reports/stats"
)

// From a record to figures. A record has what was measured, sample by sample and pass by pass; a cell has what can be
// said about it: counts, percentiles, intervals. Nothing is rounded here, and a figure that does not exist is nil and not
// zero.

// Cell is a cell's figures. Its JSON is the object that `report --format json`
// prints: the fields named in the command line's contract, and more. Times are
// null where there are none: a cell with a wrong mask has no times, and nobody
// should take a zero for a fast one.
type Cell struct {
	Key            string            `json:"key"`       // of the record in its directory: a hash of all that can change the result
	Algorithm      string            `json:"algorithm"` // as registered
	Label          string            `json:"label"`     // as tables call it; tells entries of one algorithm apart
	Options        map[string]string `json:"options"`   // as given; empty if none, not null
	Semantics      string            `json:"semantics"` // which language it enforces; masks of two compare only where they are equal
	Tokenizer      string            `json:"tokenizer"`
	VocabularySize int               `json:"vocabulary_size"` // ids, added tokens included
	Workload       string            `json:"workload"`
	Grammar        string            `json:"grammar"` // "schema" if each document brings its own
	Dataset        string            `json:"dataset"`
	Published      string            `json:"published"` // which published figures stand beside it, "" for none

	Outcome  cell.Outcome         `json:"outcome"`          // the worst of its samples
	Outcomes map[cell.Outcome]int `json:"outcomes"`         // samples by outcome; all eight keys
	Detail   string               `json:"detail,omitempty"` // of the first sample with that outcome

	Positives             int            `json:"positives"`
	PositivesPassed       int            `json:"positives_passed"`
	PositivesPassedRate95 stats.Interval `json:"positives_passed_rate_95"`
	Negatives             int            `json:"negatives"`
	NegativesPassed       int            `json:"negatives_passed"`
	NegativesPassedRate95 stats.Interval `json:"negatives_passed_rate_95"`
	PositionsCompared     int            `json:"positions_compared"` // masks compared with the reference's
	Reference             string         `json:"reference"`          // label of the cell compared with; "" if it is the reference

	// CompileNS and FirstMaskNS have one value for each compile; TTFMNS is their
	// sum. MaskNS, CommitNS, TBMNS (mask and commit of one step) and CloneNS have
	// one for each position of the positives that ended well.
	CompileNS   *stats.Summary `json:"compile_ns"`
	FirstMaskNS *stats.Summary `json:"first_mask_ns"`
	TTFMNS      *stats.Summary `json:"ttfm_ns"`
	MaskNS      *stats.Summary `json:"mask_ns"`
	CommitNS    *stats.Summary `json:"commit_ns"`
	TBMNS       *stats.Summary `json:"tbm_ns"`
	CloneNS     *stats.Summary `json:"clone_ns"`
	// ColdMaskNS are the masks of the first warm-up pass, when an engine that
	// builds on demand has not yet built.
	ColdMaskNS *stats.Summary `json:"cold_mask_ns"`
	ColdTBMNS  *stats.Summary `json:"cold_tbm_ns"` // mask and commit of that pass
	Intervals  *Intervals     `json:"intervals_95"`
	// Common are the figures over the samples that every algorithm of the same
	// workload and tokenizer ended well.
	Common *Common `json:"common_subset"`
	// Against compares with the first algorithm of the same workload and
	// tokenizer that has times; null for that one.
	Against *Against `json:"against"`

	EngineBytes      int64 `json:"engine_bytes"`       // of the largest engine, by the live heap's growth
	EngineSaysBytes  int64 `json:"engine_says_bytes"`  // as the engine itself counts; 0 if it does not
	CompilePeakBytes int64 `json:"compile_peak_bytes"` // of the largest compile
	GrammarNS        int64 `json:"grammar_ns"`         // from the grammar's text to lexer and tables, once for all cells of a group
	VocabularyNS     int64 `json:"vocabulary_ns"`      // to load the tokenizer, once for all

	// The fields of a workload of JSON schemas; nil for others.
	*SchemaFigures

	Measured   Measured   `json:"measured"`
	Provenance Provenance `json:"provenance"`

	record *cell.Record
	steps  []steps // of the positives that ended well; empty if the cell gets no time
	// clamped counts steps that took longer than a trace can hold, and count as that.
	clamped int
}

// Intervals are 95% bootstrap intervals, clustered by sample, or by schema where samples are instances of one.
type Intervals struct {
	MaskNS   stats.Intervals `json:"mask_ns"`
	CommitNS stats.Intervals `json:"commit_ns"`
	TBMNS    stats.Intervals `json:"tbm_ns"`
}

// Common are figures over a common subset of samples.
type Common struct {
	Samples int            `json:"samples"` // in the subset; what the figures are over are their positions
	MaskNS  *stats.Summary `json:"mask_ns"`
	TBMNS   *stats.Summary `json:"tbm_ns"`
}

// Against compares the cell with a baseline at identical positions: its times
// divided by the baseline's.
type Against struct {
	Baseline string      `json:"baseline"` // its label
	Mask     stats.Ratio `json:"mask"`     // below 1 is faster than the baseline
	TBM      stats.Ratio `json:"tbm"`
	// Interleaved is false if the two were not measured in turn in one group: then
	// the machine may have changed between them.
	Interleaved bool `json:"interleaved"`
}

// Measured says under what circumstances the times came about.
type Measured struct {
	Group       []string `json:"group"`    // labels of the cells that took turns with it
	Sessions    int      `json:"sessions"` // 1, or more if the run was interrupted
	GC          cell.GC  `json:"gc"`
	ClockPairNS float64  `json:"clock_pair_ns"`        // cost of a pair of clock reads, the worst of all samples
	Abandoned   int      `json:"abandoned_goroutines"` // engines that did not return and may have run on, the most at a time
	// BatchedMasks is the share of the timed passes whose masks were timed in batches.
	BatchedMasks float64 `json:"batched_mask_passes"`
}

// Provenance is what a result knows about where it comes from.
type Provenance struct {
	cell.ID
	Environment environment.Environment `json:"environment"`
	Config      string                  `json:"config"` // the text of the configuration
	Started     string                  `json:"started"`
	Finished    string                  `json:"finished"`
}

// steps are the times of one sample, by position.
type steps struct {
	sample    int // index into the record's samples
	cluster   int // what a bootstrap draws: the sample, or its schema, since instances of one are not independent
	id        string
	positions []uint32
	times     cell.Times
	clone     []uint32
	// cold and coldCommit are the times of the first warm-up pass.
	cold, coldCommit []uint32
}

// newCell computes the figures of a cell. Those that need other cells come later. Of the traces it keeps the times of
// positions, in which the passes are put together. The error is theirs.
func newCell(r *cell.Record, traces iter.Seq2[cell.Trace, error]) (*Cell, error) {
	c := &Cell{
		Key: r.Key, Algorithm: r.ID.Algorithm, Label: r.Label, Options: r.ID.Options, Semantics: r.ID.Semantics,
		Tokenizer: r.Tokenizer, VocabularySize: r.ID.VocabularySize,
		Workload: r.Workload, Grammar: r.Grammar, Dataset: r.Dataset, Published: r.Published,
		Outcome: r.Outcome, Reference: r.Reference,
		GrammarNS: r.GrammarNS, VocabularyNS: r.VocabularyNS,
		Provenance: Provenance{ID: r.ID, Environment: r.Environment, Config: r.Config,
			Started: r.Started.UTC().Format(timeLayout), Finished: r.Finished.UTC().Format(timeLayout)},
		record: r,
	}
	if c.Options == nil {
		c.Options = map[string]string{}
	}
	c.count()
	c.addSchemas()
	// Truth before time: a wrong mask anywhere in the cell makes all of its times worth nothing.
	right := c.Outcome != cell.WrongMask
	timed, batched := 0, 0
	for t, err := range traces {
		if err != nil {
			return nil, err
		}
		passes, lanes := timedPasses(&t)
		timed, batched = timed+passes, batched+lanes
		if right {
			c.addSteps(&t)
		}
	}
	c.measured(timed, batched)
	if right {
		c.addTimes()
		c.addSchemaTimes()
	}
	return c, nil
}

// timedPasses counts the timed passes of a trace, and those whose masks were timed in batches.
func timedPasses(t *cell.Trace) (timed, batched int) {
	for _, p := range t.Passes {
		if p.Warmup {
			continue
		}
		timed++
		if p.Lanes > 1 {
			batched++
		}
	}
	return timed, batched
}

// timeLayout is how JSON writes when a cell was measured: UTC, to the second.
const timeLayout = "2006-01-02T15:04:05Z"

// count fills in outcomes and pass counts.
func (c *Cell) count() {
	c.Outcomes = map[cell.Outcome]int{}
	for _, o := range cell.Outcomes {
		c.Outcomes[o] = 0
	}
	for i := range c.record.Samples {
		s := &c.record.Samples[i]
		c.Outcomes[s.Outcome]++
		c.PositionsCompared += s.Compared
		if c.Detail == "" && s.Outcome == c.Outcome { // the first reason stands for all
			c.Detail = s.Detail
		}
		passed := 0
		if s.Passed() {
			passed = 1
		}
		if s.Negative {
			c.Negatives++
			c.NegativesPassed += passed
		} else {
			c.Positives++
			c.PositivesPassed += passed
		}
	}
	c.PositivesPassedRate95 = stats.Wilson(c.PositivesPassed, c.Positives)
	c.NegativesPassedRate95 = stats.Wilson(c.NegativesPassed, c.Negatives)
}

// measured collects the circumstances: the worst of each over the samples.
func (c *Cell) measured(timed, batched int) {
	c.Measured = Measured{Group: c.record.Group, Sessions: c.record.Sessions, GC: c.record.GC}
	for i := range c.record.Samples {
		s := &c.record.Samples[i]
		c.Measured.ClockPairNS = max(c.Measured.ClockPairNS, s.ClockPairNS)
		c.Measured.Abandoned = max(c.Measured.Abandoned, s.Abandoned)
	}
	if timed > 0 {
		c.Measured.BatchedMasks = float64(batched) / float64(timed)
	}
}

// addTimes fills in every time of a cell whose masks were right and whose steps are there.
func (c *Cell) addTimes() {
	var compile, first, ttfm []float64
	for _, p := range c.record.Problems {
		c.EngineBytes = max(c.EngineBytes, p.EngineBytes)
		c.EngineSaysBytes = max(c.EngineSaysBytes, p.EngineSaysBytes)
		c.CompilePeakBytes = max(c.CompilePeakBytes, p.CompilePeakBytes)
		for i, ns := range p.CompileNS {
			compile = append(compile, float64(ns))
			if i < len(p.FirstMaskNS) { // a compile may have been the last thing that was done
				first = append(first, float64(p.FirstMaskNS[i]))
				ttfm = append(ttfm, float64(ns+p.FirstMaskNS[i]))
			}
		}
	}
	c.CompileNS, c.FirstMaskNS, c.TTFMNS = summary(compile), summary(first), summary(ttfm)
	c.summarizeSteps()
}

// addSteps keeps the steps of a sample that ended well.
func (c *Cell) addSteps(t *cell.Trace) {
	s := &c.record.Samples[t.Sample]
	times := t.Times()
	// A negative ends where it is refused, and a positive that was refused, timed out or crashed says nothing about the
	// positions behind: an average would be over whatever came before.
	if s.Outcome != cell.OK || s.Negative || len(times.Mask) == 0 {
		return
	}
	st := steps{sample: t.Sample, cluster: t.Sample, id: s.ID, positions: t.Positions, times: times, clone: t.Clone}
	if t.Passes[0].Warmup {
		st.cold, st.coldCommit = t.Passes[0].Mask, t.Passes[0].Commit
	}
	if c.record.Schemas != nil {
		st.cluster = s.Problem
	}
	for i := range times.Mask {
		if max(times.Mask[i], times.Commit[i]) >= cell.MaxNS {
			c.clamped++
		}
	}
	c.steps = append(c.steps, st)
}

// clusters counts what a bootstrap can draw.
func (c *Cell) clusters() int {
	seen := map[int]bool{}
	for i := range c.steps {
		seen[c.steps[i].cluster] = true
	}
	return len(seen)
}

// summarizeSteps puts the steps of all samples together.
func (c *Cell) summarizeSteps() {
	if len(c.steps) == 0 {
		return
	}
	var mask, commit, tbm stats.Data
	var clone, cold, coldStep []float64
	for _, s := range c.steps {
		mask.Add(s.cluster, s.times.Mask...)
		commit.Add(s.cluster, s.times.Commit...)
		tbm.Add(s.cluster, s.tbm()...)
		clone = appendWords(clone, s.clone)
		cold = appendWords(cold, s.cold)
		coldStep = append(coldStep, s.coldTBM()...)
	}
	c.MaskNS, c.CommitNS, c.TBMNS = summary(mask.Values), summary(commit.Values), summary(tbm.Values)
	c.CloneNS, c.ColdMaskNS, c.ColdTBMNS = summary(clone), summary(cold), summary(coldStep)
	seed := c.record.ID.Seed
	if c.clusters() >= stats.MinClusters {
		c.Intervals = &Intervals{stats.Bootstrap(mask, seed), stats.Bootstrap(commit, seed), stats.Bootstrap(tbm, seed)}
	}
}

// tbm is the time of each whole step.
func (s *steps) tbm() []float64 {
	out := make([]float64, len(s.times.Mask))
	for i := range out {
		out[i] = s.times.Mask[i] + s.times.Commit[i]
	}
	return out
}

// coldTBM is the time of each whole step of the first warm-up pass; nothing without one.
func (s *steps) coldTBM() []float64 {
	out := make([]float64, min(len(s.cold), len(s.coldCommit)))
	for i := range out {
		out[i] = float64(s.cold[i]) + float64(s.coldCommit[i])
	}
	return out
}

// appendWords appends raw times as numbers.
func appendWords(out []float64, words []uint32) []float64 {
	for _, w := range words {
		out = append(out, float64(w))
	}
	return out
}

// summary is nil of nothing, which JSON writes as null.
func summary(values []float64) *stats.Summary {
	if len(values) == 0 {
		return nil
	}
	s := stats.Summarize(values)
	return &s
}
