package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gcdbench/datasets/labels"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
)

// VerifiedSchemas is the result of Verify for the schemas of a schema corpus. The fields have the
// names and meanings of those in reports.
type VerifiedSchemas struct {
	Schemas  int `json:"schemas"`
	Compiled int `json:"schemas_compiled"`
	// Right counts the schemas that compiled and whose every instance got the corpus's verdict, Tested
	// the schemas with instances, TestedRight those that are both.
	Right       int `json:"schemas_right"`
	Tested      int `json:"schemas_with_instances"`
	TestedRight int `json:"schemas_with_instances_right"`
	// Instances with a wrong verdict, of schemas that compiled. ValidRefused leaves out the
	// instances that are refused only because of the order of their keys.
	InvalidAccepted      int `json:"invalid_accepted"`
	ValidRefused         int `json:"valid_refused"`
	ValidRefusedKeyOrder int `json:"valid_refused_key_order"`
	// NotCompiled counts the schemas that did not compile, by stage, outcome and reason.
	NotCompiled map[string]int `json:"not_compiled"`
	// Verdicts are up to maxExamples instances with a wrong verdict.
	Verdicts []string `json:"wrong_verdicts"`

	Labels Labels `json:"labels"`
}

// Labels compares three opinions about an instance: the corpus's label, that of an independent
// validator (package datasets/labels), and the algorithm's verdict. Where they differ, a person has
// to say which is wrong; the counts are no failures.
type Labels struct {
	// Judged counts the instances with a verdict of the validator, Unjudged those without: it does not
	// take the schema, or reaches a limit.
	Judged   int `json:"judged"`
	Unjudged int `json:"unjudged"`
	// CorpusDiffers counts the instances whose label the validator contradicts.
	CorpusDiffers int `json:"corpus_differs"`
	// AcceptedInvalid and RefusedValid count the instances on which the validator contradicts the
	// algorithm, whatever the label. RefusedValid leaves out the instances that are refused only
	// because of the order of their keys.
	AcceptedInvalid int `json:"accepted_invalid"`
	RefusedValid    int `json:"refused_valid"`
	// Examples are up to maxExamples instances whose label the validator contradicts.
	Examples []LabelExample `json:"examples"`
}

// LabelExample is an instance about which the opinions differ.
type LabelExample struct {
	Sample    string `json:"sample"`
	Corpus    bool   `json:"corpus"`    // valid by its label
	Validator bool   `json:"validator"` // valid by the validator
	// Accepted is the algorithm's verdict; null if it came to none.
	Accepted *bool `json:"accepted"`
}

// MaxExamples bounds lists of examples.
const MaxExamples = 20

func newVerifiedSchemas(n int) *VerifiedSchemas {
	return &VerifiedSchemas{Schemas: n, NotCompiled: map[string]int{}, Verdicts: []string{}, Labels: Labels{Examples: []LabelExample{}}}
}

// schema verifies one schema and releases it.
func (v *Verifier) schema(ctx context.Context, u *prepare.Unit) error {
	defer u.Close()
	o, err := v.OpenAll(ctx, u)
	if err != nil {
		return err
	}
	o.judge = &labelJudge{schema: u.Schema.Text}
	for _, s := range u.Documents {
		if err := v.document(ctx, o, s); err != nil {
			return err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, c := range v.cells {
		e := o.Engines[i]
		c.outcomes.Problem(&e.problem)
		c.settle(e.problem.Detail)
		c.schema(e, len(u.Documents) > 0)
	}
	v.progress.Step(u.ID, true)
	return nil
}

// schema counts a schema.
func (c *VerifiedSchemas) schema(e *OpenedEngine, hasInstances bool) {
	p := &e.problem
	if p.Outcome != cell.OK {
		c.NotCompiled[fmt.Sprintf("%s, %s: %s", p.Stage, p.Outcome, p.Reason)]++
	}
	tested, right := stats.Truth(hasInstances), stats.Truth(e.right)
	c.Compiled += stats.Truth(p.Outcome == cell.OK)
	c.Right += right
	c.Tested += tested
	c.TestedRight += tested * right
}

// instance counts an instance. valid is the validator's opinion, nil for none.
func (c *VerifiedSchemas) instance(e *OpenedEngine, s *prepare.Document, sample *cell.Sample, valid *bool) {
	e.right = e.right && sample.Outcome == cell.OK
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

// finish sorts the examples, so that they do not depend on the order of the workers, and keeps
// some.
func (c *VerifiedSchemas) finish() {
	slices.Sort(c.Verdicts)
	c.Verdicts = c.Verdicts[:min(len(c.Verdicts), MaxExamples)]
	l := &c.Labels
	slices.SortFunc(l.Examples, func(a, b LabelExample) int { return strings.Compare(a.Sample, b.Sample) })
	l.Examples = l.Examples[:min(len(l.Examples), MaxExamples)]
}

// add compares the opinions about an instance.
func (l *Labels) add(s *prepare.Document, sample *cell.Sample, decided bool, valid *bool) {
	if valid == nil {
		l.Unjudged++
		return
	}
	l.Judged++
	e := LabelExample{Sample: s.ID, Corpus: !s.Negative, Validator: *valid}
	if decided {
		accepted := !sample.Refused
		e.Accepted = &accepted
		l.AcceptedInvalid += stats.Truth(accepted && !*valid)
		l.RefusedValid += stats.Truth(!accepted && *valid && !sample.KeyOrder)
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
// It runs under the guard, since it is code of others.
func (j *labelJudge) valid(ctx context.Context, guard *bounds.Guard, s *prepare.Document) (*bool, error) {
	if j == nil {
		return nil, nil
	}
	type found struct {
		validator *labels.Validator
		opinion   bool
	}
	own := *guard
	f, err := bounds.CallFor(ctx, &own, "the validator on "+s.ID, func(context.Context) (f found, err error) {
		if f.validator = j.validator; !j.tried {
			f.validator, err = labels.New(j.schema)
		}
		if f.validator == nil || err != nil {
			return f, errors.Join(err, errors.New("the validator does not take the schema"))
		}
		f.opinion, err = f.validator.Valid(s.Content)
		return f, err
	})
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		if failed.Abandoned {
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

// sameSchemas are the cells of a schema corpus that have equal results, as right algorithms have.
type sameSchemas struct {
	*Verified
	Names []string // of all
}

// Asked counts the instances that an independent validator was asked about.
func (s sameSchemas) Asked() int { return s.Labels.Judged + s.Labels.Unjudged }

// writeSchemas writes the results of schema corpora. Cells of one workload with equal results are
// written together.
func (v *Verification) writeSchemas(b *strings.Builder) error {
	var same sameSchemas
	for i, c := range v.Cells {
		if c.VerifiedSchemas == nil {
			continue
		}
		same = sameSchemas{c, append(same.Names, c.Label)}
		if i+1 == len(v.Cells) || !c.FoundLike(v.Cells[i+1]) {
			if err := verifiedText.ExecuteTemplate(b, "schemas", same); err != nil {
				return err
			}
			same.Names = nil
		}
	}
	return nil
}

// FoundLike reports whether two cells of one workload and vocabulary have equal results.
func (c *Verified) FoundLike(o *Verified) bool {
	return c.Workload == o.Workload && c.Tokenizer == o.Tokenizer && reflect.DeepEqual(c.VerifiedSchemas, o.VerifiedSchemas)
}

// Reasons are those why schemas did not compile, the most frequent first.
func (s *VerifiedSchemas) Reasons() []string {
	return slices.SortedFunc(maps.Keys(s.NotCompiled), s.moreOften)
}

// moreOften orders reasons by their number of schemas, then by name.
func (s *VerifiedSchemas) moreOften(x, y string) int {
	if byCount := s.NotCompiled[y] - s.NotCompiled[x]; byCount != 0 {
		return byCount
	}
	return strings.Compare(x, y)
}

// String is the example as a person reads it.
func (e LabelExample) String() string {
	valid := map[bool]string{true: "valid", false: "invalid"}
	verdict := "without verdict"
	if e.Accepted != nil {
		verdict = map[bool]string{true: "accepted", false: "refused"}[*e.Accepted]
	}
	return fmt.Sprintf("%s: %s by its label, %s by the validator, %s", e.Sample, valid[e.Corpus], valid[e.Validator], verdict)
}
