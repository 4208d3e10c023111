package result

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/reports/show"
)

// From a record to figures. A record has the measurements, sample by sample and pass by pass; a
// cell has counts, percentiles and intervals. Nothing is rounded here. A figure that does not exist
// is nil, not zero.

// Cell is a cell's figures. Its JSON is the object that `report --format json` prints: the fields
// named in the command line's contract, and more. Times are null where there are none: a cell with
// a wrong mask has no times, and a zero would look fast.
type Cell struct {
	Names
	Counts
	Times
	Bill

	// Outside is the provenance of an engine from outside; null for the algorithms of this module.
	Outside *algorithms.Provenance `json:"outside"`
	// Judged has the findings about masks that differ from the contract's; null if nothing was judged.
	Judged *Judged `json:"judged"`
	// Wider compares masks that need not be the contract's, or are not, with those that are.
	Wider *Wider `json:"wider,omitempty"`
	// Throughput has the figures of batches beside models; left out if none were asked for.
	Throughput []*Throughput `json:"throughput,omitempty"`

	// The fields of a workload of JSON schemas; nil for others.
	*SchemaFigures

	Measured Measured `json:"measured"`
	// Selection is what was chosen of the corpus, and why the rest was not; absent if that is unknown.
	Selection *cell.Selection `json:"selection,omitempty"`

	Provenance Provenance `json:"provenance"`

	Record *cell.Record `json:"-"`
	// batchesEnd is when the last batch of the cell ended; zero without batches.
	batchesEnd time.Time
	// BatchOutcome is the worst of its batches, "" unless that is a failure.
	BatchOutcome cell.Outcome `json:"-"`
	Steps        []Steps      `json:"-"` // of the positives that ended well; empty if the cell gets no time
	// answers has the masks of each document that was walked, also of those that did not end well.
	answers map[int]answers // by sample
	// Clamped counts steps that took longer than a trace can hold, and count as that.
	Clamped int `json:"-"`
}

// Names say which cell it is.
type Names struct {
	Key            string            `json:"key"`             // of the record in its directory: a hash of all that can change the result
	Algorithm      string            `json:"algorithm"`       // as registered
	Label          string            `json:"label"`           // in tables; tells entries of one algorithm apart
	Options        map[string]string `json:"options"`         // as given; empty if none, not null
	Semantics      string            `json:"semantics"`       // the language it enforces; masks are compared within one semantics
	Tokenizer      string            `json:"tokenizer"`       // as configured
	VocabularySize int               `json:"vocabulary_size"` // ids, added tokens included
	Workload       string            `json:"workload"`        // its name in tables
	Grammar        string            `json:"grammar"`         // "schema" if each document brings its own
	Dataset        string            `json:"dataset"`         // the corpus of its documents
	Published      string            `json:"published"`       // published figures to show beside it, "" for none
}

// Counts are a cell's outcomes and verdicts.
type Counts struct {
	Outcome  cell.Outcome         `json:"outcome"`          // the worst of its samples
	Outcomes map[cell.Outcome]int `json:"outcomes"`         // samples by outcome; all eight keys
	Detail   string               `json:"detail,omitempty"` // of the first sample with that outcome

	// Positives counts the documents of the language and Negatives those with a known mistake;
	// PositivesPassed and NegativesPassed count those judged rightly, PositivesPassedRate95 and
	// NegativesPassedRate95 are the Wilson intervals.
	Positives             int            `json:"positives"`
	PositivesPassed       int            `json:"positives_passed"`
	PositivesPassedRate95 stats.Interval `json:"positives_passed_rate_95"`
	Negatives             int            `json:"negatives"`
	NegativesPassed       int            `json:"negatives_passed"`
	NegativesPassedRate95 stats.Interval `json:"negatives_passed_rate_95"`
	// NegativesByCommit counts negatives whose every token the masks allow, and of which Commit
	// refuses one. They are not passed.
	NegativesByCommit int    `json:"negatives_refused_by_commit_only"`
	PositionsCompared int    `json:"positions_compared"` // masks compared with those of any reference
	Reference         string `json:"reference"`          // label of the cell compared with; "" if it is the reference
	// ComparedWith has the masks compared by the label of the reference; a mask may count for two.
	// Null of an older result, which does not say.
	ComparedWith map[string]int `json:"positions_compared_with"`
}

// Times are a cell's times.
type Times struct {
	// CompileNS and FirstMaskNS have one value for each compile; TTFMNS is their sum. CloneNS has
	// one for each position of the positives that ended well.
	CompileNS   *stats.Summary `json:"compile_ns"`
	FirstMaskNS *stats.Summary `json:"first_mask_ns"`
	TTFMNS      *stats.Summary `json:"ttfm_ns"`
	CloneNS     *stats.Summary `json:"clone_ns"`
	// The times of a step, by state of the engine. MaskNS is until the mask stands in the caller's
	// row, LookupNS until an engine that keeps masks has a view of it (null for an engine that
	// writes the row itself), CommitNS one token appended, TBMNS the commit of the token before and
	// the mask, as one measurement.
	MaskNS   *States `json:"mask_ns"`
	LookupNS *States `json:"lookup_ns"`
	CommitNS *States `json:"commit_ns"`
	TBMNS    *States `json:"tbm_ns"`
	// ColdMaskNS and ColdTBMNS are the first passes of MaskNS and TBMNS under their older names.
	ColdMaskNS *stats.Summary `json:"cold_mask_ns"`
	ColdTBMNS  *stats.Summary `json:"cold_tbm_ns"`
	// HeadlineState is the state that Intervals, Common and Against are about: new, or fresh where the
	// workload has one document only, and first of JSON schemas; "" without times.
	HeadlineState string `json:"headline_state"`
	// Intervals are 95% bootstrap intervals over whole samples; null with fewer than three.
	Intervals *Intervals `json:"intervals_95"`
	// Common are the figures over the samples that every algorithm of the same workload and tokenizer
	// ended well.
	Common *Common `json:"common_subset"`
	// Against compares with the first algorithm of the same workload and tokenizer that has times;
	// null for that one.
	Against *Against `json:"against"`
}

// Bill is the whole cost of a cell: the offline time, what is built on the way, and the sum after
// so many tokens, offline included; and its memory. Null where there are no times.
type Bill struct {
	Offline    *Offline `json:"offline_ns"`
	BuildingNS *float64 `json:"building_ns"` // first passes less later ones; noise within the difference of two later passes
	Spent      *Spent   `json:"spent_ns_after"`

	EngineBytes      EngineBytes    `json:"engine_bytes"`
	EngineSaysBytes  int64          `json:"engine_says_bytes"`  // by the engine's own count; 0 if it has none
	CompilePeakBytes int64          `json:"compile_peak_bytes"` // of the largest compile
	Counters         []cell.Counter `json:"counters"`           // the engine's, after all documents
	GrammarNS        int64          `json:"grammar_ns"`         // from the grammar's text to lexer and tables, the mean of its compiles
	VocabularyNS     int64          `json:"vocabulary_ns"`      // to build what all engines share of it, once for all
}

// Intervals are 95% bootstrap intervals of the headline's figures, clustered by sample, or by
// schema in a corpus of schemas.
type Intervals struct {
	MaskNS   stats.Intervals `json:"mask_ns"`
	CommitNS stats.Intervals `json:"commit_ns"`
	TBMNS    stats.Intervals `json:"tbm_ns"`
}

// Common are figures over a common subset of samples.
type Common struct {
	Samples int            `json:"samples"` // in the subset; the figures are over their positions
	MaskNS  *stats.Summary `json:"mask_ns"`
	TBMNS   *stats.Summary `json:"tbm_ns"`
}

// Against compares the cell with a baseline at identical positions: its times
// divided by the baseline's.
type Against struct {
	Baseline string      `json:"baseline"` // its label
	Mask     stats.Ratio `json:"mask"`     // of the headline; below 1 is faster than the baseline
	TBM      stats.Ratio `json:"tbm"`
	// MaskIn and TBMIn are the same by state; a state without pairs is left out.
	MaskIn map[string]stats.Ratio `json:"mask_by_state"`
	TBMIn  map[string]stats.Ratio `json:"tbm_by_state"`
	// Interleaved is whether the two were measured in turn on every sample that is compared; otherwise
	// the machine may have changed between them. Turns counts the Samples on which they were.
	Interleaved bool `json:"interleaved"`
	Turns       int  `json:"samples_in_turn"`
	Samples     int  `json:"samples"`
}

// Measured has the circumstances of the measurement.
type Measured struct {
	Group       []string   `json:"group"`    // labels of the cells that took turns with it
	Sessions    int        `json:"sessions"` // 1, or more if the run was interrupted
	GC          measure.GC `json:"gc"`
	ClockPairNS float64    `json:"clock_pair_ns"`        // cost of a pair of clock reads, the worst of all samples
	Abandoned   int        `json:"abandoned_goroutines"` // engines that did not return and may have run on, the most at a time
	// ClockEmptyNS is the time of a pair of reads around nothing, which was taken off every time.
	ClockEmptyNS float64 `json:"clock_empty_ns"`
	// Check compares single steps with blocks of steps; null if steps are too long to need that.
	Check *measure.Check `json:"clock_check"`
	// Audit holds times of an engine from outside against the processor time of its process; null for
	// an algorithm of ours, and where no document was audited.
	Audit *measure.Audit `json:"audit"`
	// Core is the core that the timing thread was pinned to; -1 if it was not.
	Core int `json:"core"`
	// Steps counts those of all timed passes, WallNS is the sum of their times. In Disturbed of
	// them another thread had the core, for StolenNS in sum: the thread's own time is WallNS less
	// StolenNS.
	Steps     int   `json:"steps"`
	WallNS    int64 `json:"wall_ns"`
	Disturbed int   `json:"disturbed_steps"`
	StolenNS  int64 `json:"stolen_ns"`
	// IdleNS is what the engine built between steps, while a model would compute.
	IdleNS int64 `json:"idle_ns"`
}

// Provenance is the origin of a result.
type Provenance struct {
	cell.ID
	Environment environment.Environment `json:"environment"`
	Config      string                  `json:"config"` // the text of the configuration
	Started     string                  `json:"started"`
	Finished    string                  `json:"finished"`
}

// Steps are the times of one sample, by position.
type Steps struct {
	sample    int // index into the record's samples
	cluster   int // for the bootstrap: the sample, or its schema, since its instances are not independent
	ID        string
	Positions []uint32
	Hashes    []uint64    // of all masks, that of the end included
	Passes    []cell.Pass // the timed ones
	clone     []uint32
}

// Of computes the figures of a cell, but for those that need other cells. It keeps the times
// of the timed passes. The error is that of the traces.
func Of(r *cell.Record, traces iter.Seq2[cell.Trace, error]) (*Cell, error) {
	c := &Cell{
		Names: Names{
			Key: r.Key, Algorithm: r.ID.Algorithm, Label: r.Label, Options: r.ID.Options, Semantics: r.ID.Semantics,
			Tokenizer: r.Tokenizer, VocabularySize: r.ID.VocabularySize,
			Workload: r.Workload, Grammar: r.Grammar, Dataset: r.Dataset, Published: r.Published,
		},
		Counts: Counts{Outcome: r.Outcome, Reference: r.Reference},
		Bill:   Bill{GrammarNS: meanOf(r.GrammarNS), VocabularyNS: r.VocabularyNS},
		Provenance: Provenance{ID: r.ID, Environment: r.Environment, Config: r.Config,
			Started: r.Started.UTC().Format(timeLayout), Finished: r.Finished.UTC().Format(timeLayout)},
		Outside:   r.Outside,
		Record:    r,
		Selection: r.Selection,
	}
	if c.Names.Options == nil {
		c.Names.Options = map[string]string{}
	}
	c.count()
	c.addSchemas()
	// Truth before time: with a wrong mask anywhere, all times of the cell are worthless.
	right := c.Outcome != cell.WrongMask
	c.answers = map[int]answers{}
	for t, err := range traces {
		if err != nil {
			return nil, err
		}
		c.answers[t.Sample] = answers{t.Positions, t.Hashes}
		if right {
			c.addSteps(&t)
		}
	}
	c.measured()
	if right {
		c.addTimes()
		c.addSchemaTimes()
		c.addBill()
	}
	return c, nil
}

// meanOf is the mean of times; 0 of none.
func meanOf(ns []int64) int64 {
	sum := int64(0)
	for _, v := range ns {
		sum += v
	}
	return sum / int64(max(1, len(ns)))
}

// timeLayout is how JSON writes when a cell was measured: UTC, to the second.
const timeLayout = "2006-01-02T15:04:05Z"

// count fills in outcomes and pass counts.
func (c *Cell) count() {
	c.Outcomes = map[cell.Outcome]int{}
	for _, o := range cell.Outcomes {
		c.Outcomes[o] = 0
	}
	for i := range c.Record.Samples {
		s := &c.Record.Samples[i]
		c.Outcomes[s.Outcome]++
		c.PositionsCompared += s.Compared
		for label, n := range s.ComparedWith {
			if c.ComparedWith == nil {
				c.ComparedWith = map[string]int{}
			}
			c.ComparedWith[label] += n
		}
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
			if s.RefusedByCommit {
				c.NegativesByCommit++
			}
		} else {
			c.Positives++
			c.PositivesPassed += passed
		}
	}
	c.PositivesPassedRate95 = stats.Wilson(c.PositivesPassed, c.Positives)
	c.NegativesPassedRate95 = stats.Wilson(c.NegativesPassed, c.Negatives)
}

// sessions counts the processes that measured the cell's samples; its group may have had more.
func (c *Cell) sessions() int {
	seen := map[int]bool{}
	for i := range c.Record.Samples {
		seen[c.Record.Samples[i].Session] = true
	}
	return max(1, len(seen))
}

// measured collects the circumstances: the worst of each over the samples.
func (c *Cell) measured() {
	c.Measured = Measured{Group: c.Record.Group, Sessions: c.sessions(), GC: c.Record.GC, Core: c.Record.Core}
	m := &c.Measured
	for i := range c.Record.Samples {
		s := &c.Record.Samples[i]
		m.ClockPairNS, m.ClockEmptyNS = max(m.ClockPairNS, s.ClockPairNS), max(m.ClockEmptyNS, s.ClockEmptyNS)
		m.Abandoned = max(m.Abandoned, s.Abandoned)
		m.Check, m.Audit = added(m.Check, s.Check), added(m.Audit, s.Audit)
	}
	for i := range c.Steps {
		for _, p := range c.Steps[i].Passes {
			m.Steps += len(p.Step)
			m.Disturbed += p.Disturbed
			m.StolenNS += p.StolenNS
			m.IdleNS += p.IdleNS
			for _, ns := range p.Step {
				m.WallNS += int64(ns)
			}
		}
	}
}

// added is the sum of two that may not be there.
func added[T interface{ Add(T) T }](a, b *T) *T {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := (*b).Add(*a)
	return &sum
}

// addTimes fills in every time of a cell whose masks were right and whose steps are there.
func (c *Cell) addTimes() {
	var compile, first, ttfm []float64
	for _, p := range c.Record.Problems {
		for i, ns := range p.CompileNS {
			compile = append(compile, float64(ns))
			if i < len(p.FirstMaskNS) { // a compile may have been the last thing that was done
				first = append(first, float64(p.FirstMaskNS[i]))
				ttfm = append(ttfm, float64(ns+p.FirstMaskNS[i]))
			}
		}
	}
	c.CompileNS, c.FirstMaskNS, c.TTFMNS = Summary(compile), Summary(first), Summary(ttfm)
	c.summarizeSteps()
}

// addSteps keeps the steps of a sample that ended well.
func (c *Cell) addSteps(t *cell.Trace) {
	s := &c.Record.Samples[t.Sample]
	// A negative ends where it is refused. A positive that was refused, timed out or crashed has no
	// times after that position, and an average over the others would be arbitrary.
	if s.Outcome != cell.OK || s.Negative {
		return
	}
	hashes := t.Hashes
	if len(t.Positions) < s.Tokens {
		t = withoutEnd(t, s.Tokens-1)
	}
	st := Steps{sample: t.Sample, cluster: t.Sample, ID: s.ID, Positions: t.Positions, Hashes: hashes, clone: t.Clone}
	for i := range t.Passes {
		if p := &t.Passes[i]; t.Whole(p) {
			st.Passes = append(st.Passes, *p)
			for _, ns := range p.Step {
				if ns >= measure.MaxNS {
					c.Clamped++
				}
			}
		}
	}
	if len(st.Passes) == 0 || len(st.Positions) == 0 {
		return
	}
	if c.Record.Schemas != nil {
		st.cluster = s.Problem
	}
	c.Steps = append(c.Steps, st)
}

// withoutEnd is a trace without its last position, if that is the end of the document. Where only
// random positions are masked, the end is always among them, and would weigh too much.
func withoutEnd(t *cell.Trace, end int) *cell.Trace {
	n := len(t.Positions) - 1
	if n < 0 || int(t.Positions[n]) != end {
		return t
	}
	cut := func(times []uint32) []uint32 { return times[:min(n, len(times))] }
	out := *t
	out.Positions, out.Clone, out.Passes = cut(t.Positions), cut(t.Clone), nil
	for _, p := range t.Passes {
		if t.Whole(&p) {
			p.Lookup, p.Mask, p.Commit, p.Step = cut(p.Lookup), cut(p.Mask), cut(p.Commit), cut(p.Step)
			out.Passes = append(out.Passes, p)
		}
	}
	return &out
}

// summarizeSteps puts the steps of all samples together.
func (c *Cell) summarizeSteps() {
	if len(c.Steps) == 0 {
		return
	}
	var clone []float64
	for _, s := range c.Steps {
		clone = append(clone, stats.Floats(s.clone)...)
	}
	c.CloneNS = Summary(clone)
	c.MaskNS, c.LookupNS, c.CommitNS, c.TBMNS = c.states(MaskTimes), c.states(lookupTimes), c.states(commitTimes), c.states(StepTimes)
	c.ColdMaskNS, c.ColdTBMNS = c.MaskNS.Of(StateFirst), c.TBMNS.Of(StateFirst)
	c.HeadlineState = c.headlineState()
	seed := c.Record.ID.Seed
	interval := func(of Kind) stats.Intervals { return stats.Bootstrap(c.Values(of, c.HeadlineState), seed) }
	if i := (Intervals{interval(MaskTimes), interval(commitTimes), interval(StepTimes)}); i.MaskNS.Mean.Valid() {
		c.Intervals = &i
	}
}

// Summary is nil of nothing, which JSON writes as null.
func Summary(values []float64) *stats.Summary {
	if len(values) == 0 {
		return nil
	}
	s := stats.Summarize(values)
	return &s
}

// Engines from outside are rows like ours. A table of their own has the rest: the version, the kind
// of text that was compiled, and the cost of clock and binding. Each engine enforces a language of
// its own, so a different mask is not a wrong one; 'gcdbench judge' settles the differences.

// FromOutside reports whether a cell is of an engine from outside with a language of its own. An
// algorithm of ours that runs as a child is held to the contract like any other.
func (c *Cell) FromOutside() bool {
	return c.Semantics != algorithms.SemanticsContract && (c.Record.ID.Version != "" || c.Record.Outside != nil)
}

// EngineName is the name of an engine from outside, with its version if that is known.
func (c *Cell) EngineName() string {
	if c.Outside == nil || c.Outside.Version == "" {
		return c.Label
	}
	return c.Label + " " + c.Outside.Version
}

// OutcomeNote counts the samples that did not end well, with the first reason.
func OutcomeNote(c *Cell) string {
	if n := c.Outcomes[cell.WrongMask]; c.Outcome == cell.OK && n > 0 { // of an engine from outside
		return fmt.Sprintf("%s: masks of %s were not the same when it was asked again; these have no times", c.Label, show.Plural(n, "sample"))
	}
	var parts []string
	for _, o := range cell.Outcomes[1:] {
		if n := c.Outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d of %s", o, n, show.Plural(len(c.Record.Samples), "sample")))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, string(c.Outcome))
	}
	text := strings.Join(parts, ", ")
	if c.Detail != "" {
		text += ": " + show.OneLine(c.Detail)
	}
	switch {
	case c.Outcome == cell.WrongMask:
		text += " (a cell with a wrong mask gets no times)"
	case len(c.Steps) > 0:
		text += " (these samples are in no average)"
	}
	return text
}

// EndedWell tells whether a cell ended well, with its batches.
func (c *Cell) EndedWell() bool { return c.Outcome == cell.OK && c.BatchOutcome == "" }
