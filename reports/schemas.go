package reports

import (
	"cmp"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// A workload of JSON schemas has hundreds of grammars with a handful of documents each. Its
// questions are about schemas: how many compile, how many have only right verdicts, why the rest
// have not, and which are slow. The figures here are counted by schema.

// SchemaFigures are the additional fields of a cell of JSON schemas. Counts are of schemas unless
// they say otherwise.
type SchemaFigures struct {
	// Options say how the schemas were compiled. Schemas counts them, Compiled those with an engine.
	Options  cell.SchemaOptions `json:"schema_options"`
	Schemas  int                `json:"schemas"`
	Compiled int                `json:"schemas_compiled"`
	// Right counts the schemas that compiled and whose every instance got the corpus's verdict. A
	// schema without instances counts if it compiles.
	Right       int            `json:"schemas_right"`
	RightRate95 stats.Interval `json:"schemas_right_rate_95"` // of Schemas
	// Tested counts the schemas with instances, TestedRight the right ones among them,
	// RightButForOrder those that are right if the order of keys does not count.
	Tested            int            `json:"schemas_with_instances"`
	TestedRight       int            `json:"schemas_with_instances_right"`
	TestedRightRate95 stats.Interval `json:"schemas_with_instances_right_rate_95"` // of Tested
	RightButForOrder  int            `json:"schemas_with_instances_right_but_for_key_order"`

	// ValidInstances and InvalidInstances count the instances of schemas that compiled,
	// InvalidAccepted and ValidRefused the wrong verdicts on them. ValidRefusedKeyOrder counts
	// those refused only for the order of their keys, apart from ValidRefused. Unjudged instances
	// have no verdict, for example after a timeout.
	ValidInstances       int `json:"valid_instances"`
	InvalidInstances     int `json:"invalid_instances"`
	InvalidAccepted      int `json:"invalid_accepted"`
	ValidRefused         int `json:"valid_refused"`
	ValidRefusedKeyOrder int `json:"valid_refused_key_order"`
	Unjudged             int `json:"unjudged_instances"`
	// InvalidRefusedByCommit counts those whose every token the masks allow: only Commit refuses
	// one. They are as wrong as InvalidAccepted, which does not include them.
	InvalidRefusedByCommit int `json:"invalid_refused_by_commit_only"`

	// Crashes, Timeouts and OutOfMemory are schemas that ended so, in a compile or in the walk over
	// an instance.
	Crashes     int `json:"schemas_crashed"`
	Timeouts    int `json:"schemas_timed_out"`
	OutOfMemory int `json:"schemas_out_of_memory"`

	// Approximated counts the schemas that compiled with a keyword that is not enforced exactly.
	Approximated int `json:"schemas_approximated"`
	// GrammarNS is the time from the text of a schema to its tables, with one value for each schema
	// that compiled: the median of its compiles. The cell's compile_ns (the algorithm's own),
	// first_mask_ns and ttfm_ns (the sum of all three) are of the same kind.
	GrammarNS *stats.Summary `json:"schema_grammar_ns"`

	// Requests are the times of whole requests.
	RequestFigures

	Failures []SchemaFailure `json:"schema_failures"`
	// Wrong are the instances with a wrong verdict, those of ValidRefusedKeyOrder included, in the
	// order of the corpus.
	Wrong  []WrongVerdict `json:"schema_wrong_verdicts"`
	Groups []SchemaGroup  `json:"schema_groups"`
	// SlowestTTFM are the schemas with the longest time to the first mask, SlowestCold and
	// SlowestWarm those with the longest step in a first and in a later pass: at most ten of
	// each, the slowest first.
	SlowestTTFM []SlowSchema `json:"slowest_ttfm"`
	SlowestCold []SlowSchema `json:"slowest_cold_tbm"`
	SlowestWarm []SlowSchema `json:"slowest_tbm"`

	ttfm     []float64 // for the plot, by schema
	verdicts []verdict // of each schema, in the order of the corpus
}

// SchemaFailure is a reason why schemas have no engine, or instances no verdict.
type SchemaFailure struct {
	Stage   string       `json:"stage"` // grammar: for every algorithm; algorithm: for this one; instance: on an instance
	Outcome cell.Outcome `json:"outcome"`
	Reason  string       `json:"reason"`
	Count   int          `json:"count"`
	Example string       `json:"example"` // id of the first schema, or instance
}

// stageInstance is the stage of failures on an instance, after all compiles.
const stageInstance = "instance"

// WrongVerdict is an instance whose verdict differs from its label.
type WrongVerdict struct {
	Schema   string `json:"schema"`
	Group    string `json:"group,omitempty"`
	Instance string `json:"instance"`
	// Verdict is one of the constants below; RefusedAt is the token (from 0) of a refusal.
	Verdict   string `json:"verdict"`
	RefusedAt int    `json:"refused_at"`
}

// Wrong verdicts.
const (
	invalidAccepted = "invalid accepted"
	validRefused    = "valid refused"
	keyOrder        = "valid refused for the order of keys"
	byCommit        = "invalid refused by commit only"
)

// SchemaGroup has the figures of a part of the corpus.
type SchemaGroup struct {
	Group       string `json:"group"`
	Schemas     int    `json:"schemas"`
	Compiled    int    `json:"compiled"`
	Tested      int    `json:"with_instances"`
	TestedRight int    `json:"with_instances_right"`
	// The cell's times for this group; null where there are none. TTFMNS has one value for each
	// schema that compiled, TBMNS one for each step of later passes, ColdTBMNS one for each step of
	// first passes.
	TTFMNS    *stats.Summary `json:"ttfm_ns"`
	TBMNS     *stats.Summary `json:"tbm_ns"`
	ColdTBMNS *stats.Summary `json:"cold_tbm_ns"`
}

// SlowSchema is one of the slowest schemas, with figures that may explain it.
type SlowSchema struct {
	ID        string `json:"id"`
	Group     string `json:"group,omitempty"`
	Bytes     int    `json:"bytes"` // of the schema's text
	Terminals int    `json:"terminals"`
	Rules     int    `json:"rules"`
	LRStates  int    `json:"lr_states"`
	// The times of the slowest in TTFM:
	TTFMNS      float64 `json:"ttfm_ns,omitempty"`
	GrammarNS   float64 `json:"grammar_ns,omitempty"`
	EngineNS    float64 `json:"engine_ns,omitempty"`
	FirstMaskNS float64 `json:"first_mask_ns,omitempty"`
	// The slowest step and its position (in tokens) in a sample: StepNS is the commit of the token
	// before and the mask there.
	Sample   string  `json:"sample,omitempty"`
	Position int     `json:"position,omitempty"`
	StepNS   float64 `json:"step_ns,omitempty"`
	MaskNS   float64 `json:"mask_ns,omitempty"`
	CommitNS float64 `json:"commit_ns,omitempty"`

	pass string // in a table of steps
}

// slowest is how many of the slowest schemas are listed.
const slowest = 10

// addSchemas fills in SchemaFigures, for a workload of schemas.
func (c *Cell) addSchemas() {
	if c.record.Schemas == nil {
		return
	}
	f := &SchemaFigures{Options: *c.record.Schemas, Schemas: len(c.record.Problems),
		Failures: []SchemaFailure{}, Wrong: []WrongVerdict{}, Groups: []SchemaGroup{}}
	c.SchemaFigures = f
	f.judge(c.record)
	groups := map[string]*SchemaGroup{}
	for i := range c.record.Problems {
		p := &c.record.Problems[i]
		if groups[p.Group] == nil {
			groups[p.Group] = &SchemaGroup{Group: p.Group}
		}
		f.count(p, &f.verdicts[i], groups[p.Group])
	}
	for _, g := range groups {
		f.Groups = append(f.Groups, *g)
	}
	slices.SortFunc(f.Groups, func(a, b SchemaGroup) int { return cmp.Compare(a.Group, b.Group) })
	slices.SortStableFunc(f.Failures, func(a, b SchemaFailure) int { return b.Count - a.Count })
	f.RightRate95 = stats.Wilson(f.Right, f.Schemas)
	f.TestedRightRate95 = stats.Wilson(f.TestedRight, f.Tested)
}

// verdict counts the verdicts on the instances of one schema; on those of a schema that did not
// compile only their number.
type verdict struct {
	valid, invalid                          int          // instances, by the label
	invalidAccepted, validRefused, keyOrder int          // wrong ones; keyOrder: refused only for the order of keys
	byCommit                                int          // invalid, and allowed by every mask; refused by Commit only
	unjudged                                int          // a timeout, say
	lucky                                   int          // the right verdict, by masks that were wrong
	lost                                    *cell.Sample // the first that is unjudged, or nil
}

func (v *verdict) instances() int { return v.valid + v.invalid }

// wrong counts wrong verdicts, but for the order of keys.
func (v *verdict) wrong() int {
	return v.invalidAccepted + v.byCommit + v.validRefused + v.unjudged + v.lucky
}

// judge finds the verdict on each schema, and counts the instances of those that compiled.
func (f *SchemaFigures) judge(r *cell.Record) {
	f.verdicts = make([]verdict, len(r.Problems))
	for i := range r.Samples {
		s := &r.Samples[i]
		v := &f.verdicts[s.Problem]
		if s.Negative {
			v.invalid++
		} else {
			v.valid++
		}
		if r.Problems[s.Problem].Outcome != cell.OK {
			continue
		}
		if wrong := v.judge(s); wrong != "" {
			f.wrong(r, s, wrong)
		}
	}
	for i := range f.verdicts {
		if v := &f.verdicts[i]; r.Problems[i].Outcome == cell.OK {
			f.ValidInstances += v.valid
			f.InvalidInstances += v.invalid
			f.InvalidAccepted += v.invalidAccepted
			f.InvalidRefusedByCommit += v.byCommit
			f.ValidRefused += v.validRefused
			f.ValidRefusedKeyOrder += v.keyOrder
			f.Unjudged += v.unjudged
		}
	}
}

// judge counts the verdict on an instance, and returns it if it is wrong, else "".
func (v *verdict) judge(s *cell.Sample) string {
	judged := s.Outcome == cell.OK || s.Outcome == cell.WrongVerdict || s.Outcome == cell.WrongMask
	switch {
	case !judged:
		v.unjudged++
		if v.lost == nil {
			v.lost = s
		}
	case s.Passed():
		if s.Outcome == cell.WrongMask {
			v.lucky++
		}
	case s.Negative && s.RefusedByCommit:
		v.byCommit++
		return byCommit
	case s.Negative:
		v.invalidAccepted++
		return invalidAccepted
	case s.KeyOrder:
		v.keyOrder++
		return keyOrder
	default:
		v.validRefused++
		return validRefused
	}
	return ""
}

// wrong notes an instance with a wrong verdict.
func (f *SchemaFigures) wrong(r *cell.Record, s *cell.Sample, verdict string) {
	p := &r.Problems[s.Problem]
	f.Wrong = append(f.Wrong, WrongVerdict{p.ID, p.Group, s.ID, verdict, s.RefusedAt})
}

// count adds one schema.
func (f *SchemaFigures) count(p *cell.Problem, v *verdict, g *SchemaGroup) {
	g.Schemas++
	compiled := p.Outcome == cell.OK
	f.lose(p.Outcome)
	if v.lost != nil && compiled {
		f.lose(v.lost.Outcome)
		f.fail(stageInstance, v.lost.Outcome, oneLine(v.lost.Detail), v.lost.ID)
	}
	if compiled {
		f.Compiled++
		g.Compiled++
		if p.Approximated > 0 {
			f.Approximated++
		}
	} else {
		f.fail(p.Stage, p.Outcome, reasonOf(p), p.ID)
	}
	right := compiled && v.wrong()+v.keyOrder == 0
	if right {
		f.Right++
	}
	if v.instances() == 0 {
		return
	}
	f.Tested++
	g.Tested++
	if right {
		f.TestedRight++
		g.TestedRight++
	}
	if compiled && v.wrong() == 0 {
		f.RightButForOrder++
	}
}

// reasonOf is why a schema has no engine, in a few words to count by.
func reasonOf(p *cell.Problem) string {
	if p.Reason == "" {
		return oneLine(p.Detail)
	}
	return p.Reason
}

// lose counts a schema that crashed, took too long or too much memory.
func (f *SchemaFigures) lose(o cell.Outcome) {
	switch o {
	case cell.Crash:
		f.Crashes++
	case cell.Timeout:
		f.Timeouts++
	case cell.OutOfMemory:
		f.OutOfMemory++
	}
}

// fail counts a schema under the reason why it has no engine, or no verdict.
func (f *SchemaFigures) fail(stage string, outcome cell.Outcome, reason, id string) {
	i := slices.IndexFunc(f.Failures, func(o SchemaFailure) bool {
		return o.Stage == stage && o.Outcome == outcome && o.Reason == reason
	})
	if i < 0 {
		i = len(f.Failures)
		f.Failures = append(f.Failures, SchemaFailure{Stage: stage, Outcome: outcome, Reason: reason, Example: id})
	}
	f.Failures[i].Count++
}
