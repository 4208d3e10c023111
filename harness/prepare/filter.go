package prepare

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"time"

	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
)

// The filters of documents and of schemas, as papers have them: PSC's appendix A.4 takes the
// programs that its parser parses, and the schemas whose grammar accepts all valid instances and
// refuses all invalid ones.

// A filter counts why documents, or schemas, were left out.
type filter struct {
	reasons map[string]int
}

// leaveOut counts a reason.
func (f *filter) leaveOut(why string) bool {
	if f.reasons == nil {
		f.reasons = map[string]int{}
	}
	f.reasons[why]++
	return false
}

// parses keeps the documents that a grammar accepts.
func (f *filter) parses(r *recognizer.Recognizer) func(content []byte) bool {
	return func(content []byte) bool {
		err := r.Check(content)
		return err == nil || f.leaveOut(refusalClass(err))
	}
}

// expectation is what follows in a refusal when it says what would have been accepted.
var expectation = regexp.MustCompile(`[;,] expected .*|: "\.\.\.".*| the line that follows.*`)

// refusalClass is a refusal without its place, its quotations and what was expected.
func refusalClass(err error) string {
	message := err.Error()
	var refusal *recognizer.Refusal
	if errors.As(err, &refusal) {
		message = refusal.Message
	}
	return expectation.ReplaceAllString(bounds.Class(message), "")
}

// The reasons of judgesRightly.
const (
	noValid       = "it has no valid instance"
	noInvalid     = "it has no invalid instance"
	refusesAValid = "its grammar refuses a valid instance"
	takesInvalid  = "its grammar accepts an invalid instance"
)

// judgesRightly keeps the schemas with instances of both kinds whose grammar judges all of them as
// they are labelled. A schema that does not compile within the limit is left out.
func (f *filter) judgesRightly(ctx context.Context, limit time.Duration, opt jsonschema.Options) func(s *datasets.Schema, of []datasets.Sample) bool {
	return func(s *datasets.Schema, of []datasets.Sample) bool {
		valid := func(s datasets.Sample) bool { return !s.Negative }
		switch {
		case !slices.ContainsFunc(of, valid):
			return f.leaveOut(noValid)
		case !slices.ContainsFunc(of, func(s datasets.Sample) bool { return s.Negative }):
			return f.leaveOut(noInvalid)
		}
		within, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		_, r, err := CompileSchema(within, CompileText, s, opt)
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			return f.leaveOut(failed.Why())
		case err != nil:
			return f.leaveOut("not compiled in time")
		}
		for i := range of {
			accepts := r.Check(of[i].Content) == nil
			switch {
			case accepts && of[i].Negative:
				return f.leaveOut(takesInvalid)
			case !accepts && !of[i].Negative:
				return f.leaveOut(refusesAValid)
			}
		}
		return true
	}
}

// selection is what was chosen of a corpus, for the record.
func (f *filter) selection(p *datasets.Provenance, name string) *cell.Selection {
	s := &cell.Selection{Filter: name, Listed: p.Listed, BySize: p.BySize, ByFilter: p.ByFilter, ByLimit: p.ByLimit}
	if c := p.Schemas; c != nil {
		s.Listed, s.BySize, s.ByFilter, s.ByLimit = c.Listed, c.BySize, c.ByFilter, c.ByLimit
	}
	s.Chosen = s.Listed - s.BySize - s.ByFilter - s.ByLimit
	for _, why := range slices.Sorted(maps.Keys(f.reasons)) {
		s.Reasons = append(s.Reasons, cell.Reason{Why: why, Count: f.reasons[why]})
	}
	slices.SortStableFunc(s.Reasons, func(a, b cell.Reason) int { return cmp.Compare(b.Count, a.Count) })
	return s
}
