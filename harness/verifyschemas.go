package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gcdbench/datasets/labels"
	"gcdbench/harness/cell"
	"gcdbench/internal/words"
)

// VerifiedSchemas is what Verify found about the schemas of a schema corpus. The
// fields have the names and meanings of those of reports.
type VerifiedSchemas struct {
	Schemas  int `json:"schemas"`
	Compiled int `json:"schemas_compiled"`
	// Right are the schemas that compiled and whose every instance got the verdict
	// of the corpus; Tested those with instances, TestedRight both.
	Right       int `json:"schemas_right"`
	Tested      int `json:"schemas_with_instances"`
	TestedRight int `json:"schemas_with_instances_right"`
	// Of the instances of schemas that compiled, those with a wrong verdict: a valid
	// one that is refused only because of the order of its keys counts apart.
	InvalidAccepted      int `json:"invalid_accepted"`
	ValidRefused         int `json:"valid_refused"`
	ValidRefusedKeyOrder int `json:"valid_refused_key_order"`
	// NotCompiled counts the other schemas by stage, outcome and reason.
	NotCompiled map[string]int `json:"not_compiled"`
	// Verdicts are up to maxExamples instances with a wrong verdict.
	Verdicts []string `json:"wrong_verdicts,omitempty"`

	Labels Labels `json:"labels"`
}

// Labels compares three opinions about an instance: the corpus's label, an
// independent validator's (package datasets/labels), and the algorithm's verdict.
// Where they differ, one of the three is wrong, and which is for a person to say;
// so these are counts, and no failures.
type Labels struct {
	// Judged are the instances that the validator came to a verdict on, Unjudged
	// the others: it does not take the schema, or its own limits.
	Judged   int `json:"judged"`
	Unjudged int `json:"unjudged"`
	// CorpusDiffers are those whose label the validator contradicts.
	CorpusDiffers int `json:"corpus_differs"`
	// AcceptedInvalid and RefusedValid are those whose verdict by the algorithm the
	// validator contradicts, whatever the label; the latter without those that are
	// refused only because of the order of keys.
	AcceptedInvalid int `json:"accepted_invalid"`
	RefusedValid    int `json:"refused_valid"`
	// Examples are up to maxExamples of those where the validator contradicts the
	// label; where it agrees and the verdict is another, that is a wrong verdict.
	Examples []LabelExample `json:"examples,omitempty"`
}

// LabelExample is an instance about which the opinions differ.
type LabelExample struct {
	Sample    string `json:"sample"`
	Corpus    bool   `json:"corpus"`    // valid by its label
	Validator bool   `json:"validator"` // valid by the validator
	// Accepted is the algorithm's verdict; null if it came to none.
	Accepted *bool `json:"accepted"`
}

// maxExamples bounds lists of examples.
const maxExamples = 20

func newVerifiedSchemas(n int) *VerifiedSchemas {
	return &VerifiedSchemas{Schemas: n, NotCompiled: map[string]int{}}
}

// schema verifies one schema and releases it.
func (v *verifier) schema(ctx context.Context, u *unit) error {
	defer u.close()
	o, err := v.openAll(ctx, u)
	if err != nil {
		return err
	}
	o.judge = &labelJudge{schema: u.schema.Text}
	for _, s := range u.scripts {
		if err := v.sample(ctx, o, s); err != nil {
			return err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, c := range v.cells {
		v.outcomes[i].problem(&o.problems[i])
		v.settle(i, o.problems[i].Detail)
		c.schema(o, i)
	}
	v.progress.step(u.id, true)
	return nil
}

// schema counts a schema.
func (c *VerifiedSchemas) schema(o *opened, i int) {
	p := &o.problems[i]
	if p.Outcome != cell.OK {
		c.NotCompiled[fmt.Sprintf("%s, %s: %s", p.Stage, p.Outcome, p.Reason)]++
	}
	compiled, tested := boolToInt(p.Outcome == cell.OK), boolToInt(len(o.scripts) > 0)
	right := boolToInt(o.right[i])
	c.Compiled += compiled
	c.Right += right
	c.Tested += tested
	c.TestedRight += tested * right
}

// instance counts an instance. valid is the validator's opinion, nil for none.
func (c *VerifiedSchemas) instance(o *opened, i int, s *script, sample *cell.Sample, valid *bool) {
	if sample.Outcome != cell.OK {
		o.right[i] = false
	}
	decided := sample.Outcome == cell.OK || sample.Outcome == cell.WrongVerdict || sample.Outcome == cell.WrongMask
	if decided && sample.Refused != sample.Negative {
		c.wrongVerdict(sample)
	}
	c.Labels.add(s, sample, decided, valid)
}

// wrongVerdict counts a verdict that is not the corpus's.
func (c *VerifiedSchemas) wrongVerdict(s *cell.Sample) {
	what := "valid, but refused"
	switch {
	case s.Negative:
		c.InvalidAccepted++
		what = "invalid, but accepted"
	case s.KeyOrder:
		c.ValidRefusedKeyOrder++
		return
	default:
		c.ValidRefused++
	}
	c.Verdicts = append(c.Verdicts, fmt.Sprintf("%s: %s", s.ID, what))
}

// finish puts the examples in an order that does not depend on which worker was
// first, and keeps some.
func (c *VerifiedSchemas) finish() {
	slices.Sort(c.Verdicts)
	c.Verdicts = c.Verdicts[:min(len(c.Verdicts), maxExamples)]
	l := &c.Labels
	slices.SortFunc(l.Examples, func(a, b LabelExample) int { return strings.Compare(a.Sample, b.Sample) })
	l.Examples = l.Examples[:min(len(l.Examples), maxExamples)]
}

// add compares the opinions about an instance.
func (l *Labels) add(s *script, sample *cell.Sample, decided bool, valid *bool) {
	if valid == nil {
		l.Unjudged++
		return
	}
	l.Judged++
	e := LabelExample{Sample: s.id, Corpus: !s.negative, Validator: *valid}
	if decided {
		accepted := !sample.Refused
		e.Accepted = &accepted
		l.AcceptedInvalid += boolToInt(accepted && !*valid)
		l.RefusedValid += boolToInt(!accepted && *valid && !sample.KeyOrder)
	}
	if e.Corpus == e.Validator {
		return
	}
	l.CorpusDiffers++
	l.Examples = append(l.Examples, e)
}

// labelJudge is the validator of one schema, made when it is first needed.
type labelJudge struct {
	schema    []byte
	tried     bool
	validator *labels.Validator // nil if it does not take the schema
}

// valid is the validator's opinion about an instance; nil for none, and for programs.
// It runs under the guard: it is somebody else's code.
func (j *labelJudge) valid(ctx context.Context, guard guard, s *script) (*bool, error) {
	if j == nil {
		return nil, nil
	}
	type found struct {
		validator *labels.Validator
		opinion   bool
	}
	f, err := callFor(ctx, &guard, "the validator on "+s.id, func(context.Context) (f found, err error) {
		if f.validator = j.validator; !j.tried {
			f.validator, err = labels.New(j.schema)
		}
		if f.validator == nil || err != nil {
			return f, errors.Join(err, errors.New("the validator does not take the schema"))
		}
		f.opinion, err = f.validator.Valid(s.content)
		return f, err
	})
	var failed *failure
	switch {
	case errors.As(err, &failed):
		if failed.abandoned {
			f.validator = nil // it may still be at work
		}
		j.tried, j.validator = true, f.validator
		return nil, nil
	case err != nil:
		return nil, err
	}
	j.tried, j.validator = true, f.validator
	return &f.opinion, nil
}

// writeSchemas writes what there is about schema corpora. Cells of one workload that
// found the same, as right algorithms do, are written together.
func (v *Verification) writeSchemas(b *strings.Builder) {
	var same []*Verified
	for i, c := range v.Cells {
		if c.VerifiedSchemas == nil {
			continue
		}
		same = append(same, c)
		if i+1 == len(v.Cells) || !c.foundLike(v.Cells[i+1]) {
			writeSchemasOf(b, same)
			same = nil
		}
	}
}

// foundLike reports whether two cells are of one workload and vocabulary and found the
// same.
func (c *Verified) foundLike(o *Verified) bool {
	return c.Workload == o.Workload && c.Tokenizer == o.Tokenizer && reflect.DeepEqual(c.VerifiedSchemas, o.VerifiedSchemas)
}

// writeSchemasOf writes what cells found that found the same.
func writeSchemasOf(b *strings.Builder, cells []*Verified) {
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.Label
	}
	s, l := cells[0].VerifiedSchemas, &cells[0].Labels
	fmt.Fprintf(b, "\n%s with %s: %s\n", cells[0].Workload, cells[0].Tokenizer, strings.Join(names, ", "))
	fmt.Fprintf(b, "  %s, %d compiled, %d of %d with instances right\n", words.Count(s.Schemas, "schema"), s.Compiled, s.TestedRight, s.Tested)
	fmt.Fprintf(b, "  instances: %d invalid accepted, %d valid refused, %d valid refused for the order of keys\n", s.InvalidAccepted, s.ValidRefused, s.ValidRefusedKeyOrder)
	for _, line := range s.Verdicts {
		fmt.Fprintf(b, "    %s\n", line)
	}
	fmt.Fprintf(b, "  an independent validator judged %d of %s: it contradicts %s, and the verdict on %d accepted and %d refused\n",
		l.Judged, words.Count(l.Judged+l.Unjudged, "instance"), words.Count(l.CorpusDiffers, "label"), l.AcceptedInvalid, l.RefusedValid)
	for _, e := range l.Examples {
		fmt.Fprintf(b, "    %s\n", e.text())
	}
	if s.Compiled < s.Schemas {
		b.WriteString("  the instances of schemas that did not compile are among those above, as not passed\n")
	}
	for _, reason := range slices.SortedFunc(maps.Keys(s.NotCompiled), s.moreOften) {
		fmt.Fprintf(b, "  not compiled: %4d  %s\n", s.NotCompiled[reason], reason)
	}
}

// moreOften orders reasons by how many schemas they are of, then by name.
func (s *VerifiedSchemas) moreOften(x, y string) int {
	if byCount := s.NotCompiled[y] - s.NotCompiled[x]; byCount != 0 {
		return byCount
	}
	return strings.Compare(x, y)
}

// text is the example as a person reads it.
func (e LabelExample) text() string {
	valid := map[bool]string{true: "valid", false: "invalid"}
	verdict := "without verdict"
	if e.Accepted != nil {
		verdict = map[bool]string{true: "accepted", false: "refused"}[*e.Accepted]
	}
	return fmt.Sprintf("%s: %s by its label, %s by the validator, %s", e.Sample, valid[e.Corpus], valid[e.Validator], verdict)
}
