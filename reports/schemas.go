package reports

import (
	"cmp"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/reports/stats"
)

// A workload of JSON schemas has hundreds of grammars with a handful of documents each, so its questions are about
// schemas, not documents: how many compile, of how many every verdict is right, what the others lack, and which of
// them are slow. The figures here are counted by schema.

// SchemaFigures are the fields that a cell has more if its workload is of JSON schemas. Counts are of schemas unless
// they say otherwise.
type SchemaFigures struct {
	Options  cell.SchemaOptions `json:"schema_options"`
	Schemas  int                `json:"schemas"`
	Compiled int                `json:"schemas_compiled"`
	// Right are the schemas that compiled and whose every instance got the verdict of the corpus; one without
	// instances counts once it compiles.
	Right       int            `json:"schemas_right"`
	RightRate95 stats.Interval `json:"schemas_right_rate_95"` // of Schemas
	// Tested are the schemas that have instances, TestedRight those of them that are right, RightButForOrder
	// those that are or would be if the order of keys did not count.
	Tested            int            `json:"schemas_with_instances"`
	TestedRight       int            `json:"schemas_with_instances_right"`
	TestedRightRate95 stats.Interval `json:"schemas_with_instances_right_rate_95"` // of Tested
	RightButForOrder  int            `json:"schemas_with_instances_right_but_for_key_order"`

	// Of the instances of schemas that compiled: InvalidAccepted and ValidRefused are wrong verdicts, the latter without
	// those that are refused only because of the order of their keys, which are ValidRefusedKeyOrder. Unjudged have
	// no verdict: a timeout, say.
	ValidInstances   int `json:"valid_instances"`
	InvalidInstances int `json:"invalid_instances"`
	InvalidAccepted  int `json:"invalid_accepted"`
	// InvalidRefusedByCommit are those of which the masks allow every token: only Commit refuses
	// one. They are not among InvalidAccepted, and as wrong.
	InvalidRefusedByCommit int `json:"invalid_refused_by_commit_only"`
	ValidRefused           int `json:"valid_refused"`
	ValidRefusedKeyOrder   int `json:"valid_refused_key_order"`
	Unjudged               int `json:"unjudged_instances"`

	// Crashes, Timeouts and OutOfMemory are schemas that ended so, in a compile or in the walk over an instance.
	Crashes     int `json:"schemas_crashed"`
	Timeouts    int `json:"schemas_timed_out"`
	OutOfMemory int `json:"schemas_out_of_memory"`

	// Approximated counts the schemas that compiled with a keyword that is not enforced exactly.
	Approximated int `json:"schemas_approximated"`
	// GrammarNS is from the text of a schema to its tables: one value for each schema that compiled, the median of its
	// compiles. So are the cell's compile_ns (the algorithm's own), first_mask_ns, and ttfm_ns, which is all three.
	GrammarNS *stats.Summary `json:"schema_grammar_ns"`

	Failures []SchemaFailure `json:"schema_failures"`
	// Wrong are the instances with a wrong verdict, in the order of the corpus, those of the order of keys too.
	Wrong  []WrongVerdict `json:"schema_wrong_verdicts"`
	Groups []SchemaGroup  `json:"schema_groups"`
	// SlowestTTFM are the schemas with the longest time to the first mask, SlowestCold and SlowestWarm those with the
	// longest step in a first and in a later pass; at most slowest of each, the slowest first.
	SlowestTTFM []SlowSchema `json:"slowest_ttfm"`
	SlowestCold []SlowSchema `json:"slowest_cold_tbm"`
	SlowestWarm []SlowSchema `json:"slowest_tbm"`

	ttfm     []float64 // for the plot, by schema
	verdicts []verdict // of each schema, in the order of the corpus
}

// SchemaFailure is why some schemas have no engine, or none that got through their instances.
type SchemaFailure struct {
	Stage   string       `json:"stage"` // grammar: for every algorithm; algorithm: for this one; instance: on an instance
	Outcome cell.Outcome `json:"outcome"`
	Reason  string       `json:"reason"`
	Count   int          `json:"count"`
	Example string       `json:"example"` // id of the first schema, or instance
}

// stageInstance is the stage of what happened on an instance, after all compiles.
const stageInstance = "instance"

// WrongVerdict is an instance that was judged otherwise than the corpus says.
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

// SchemaGroup is how a part of the corpus did.
type SchemaGroup struct {
	Group       string `json:"group"`
	Schemas     int    `json:"schemas"`
	Compiled    int    `json:"compiled"`
	Tested      int    `json:"with_instances"`
	TestedRight int    `json:"with_instances_right"`
	// The same times as the cell's, of this group: TTFMNS has a value for each schema that compiled, the others have one
	// for each step, TBMNS of documents walked again, ColdTBMNS of first passes. Null where there is none.
	TTFMNS    *stats.Summary `json:"ttfm_ns"`
	TBMNS     *stats.Summary `json:"tbm_ns"`
	ColdTBMNS *stats.Summary `json:"cold_tbm_ns"`
}

// SlowSchema is one of the slowest, with what a reader needs to see why.
type SlowSchema struct {
	ID        string `json:"id"`
	Group     string `json:"group,omitempty"`
	Bytes     int    `json:"bytes"` // of the schema's text
	Terminals int    `json:"terminals"`
	Rules     int    `json:"rules"`
	LRStates  int    `json:"lr_states"`
	// Of the slowest in TTFM:
	TTFMNS      float64 `json:"ttfm_ns,omitempty"`
	GrammarNS   float64 `json:"grammar_ns,omitempty"`
	EngineNS    float64 `json:"engine_ns,omitempty"`
	FirstMaskNS float64 `json:"first_mask_ns,omitempty"`
	// Of the slowest steps, at a position (in tokens) of a sample: StepNS is the mask there and the commit of the token
	// before.
	Sample   string  `json:"sample,omitempty"`
	Position int     `json:"position,omitempty"`
	StepNS   float64 `json:"step_ns,omitempty"`
	MaskNS   float64 `json:"mask_ns,omitempty"`
	CommitNS float64 `json:"commit_ns,omitempty"`
}

// slowest is how many of the slowest schemas are listed.
const slowest = 10

// addSchemas counts what a workload of schemas has more than others; it does nothing for others.
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

// verdict is what the instances of one schema say about it. Of a schema that did not compile they are only counted.
type verdict struct {
	valid, invalid                          int          // instances, by the label
	invalidAccepted, validRefused, keyOrder int          // wrong ones; keyOrder: refused only for the order of keys
	byCommit                                int          // invalid, and allowed by every mask; refused by Commit only
	unjudged                                int          // a timeout, say
	lucky                                   int          // the right verdict, by masks that were wrong
	lost                                    *cell.Sample // the first that is unjudged, or nil
}

func (v *verdict) instances() int { return v.valid + v.invalid }

// wrong counts what speaks against the schema's grammar or the algorithm, which the order of keys does not.
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

// judge counts what became of an instance, and says which wrong verdict it got, "" if none.
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
