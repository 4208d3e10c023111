package engines

import (
	"errors"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/engines/wire"
	"gcdbench/grammar/tools"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRequests: an engine that is given a request with tools, in its own language, takes a response
// exactly if the checker of responses does. Engines that are not installed are left out.
func TestRequests(t *testing.T) {
	seed.Usual(t)
	corpus := must.Get(toolcalls.Open(t.Context(), toolcalls.SamplesName))(t)
	v := testVocabulary(t)
	for _, name := range []string{"child", "llguidance", "xgrammar"} {
		t.Run(name, func(t *testing.T) {
			a := must.Get(algorithms.Lookup(name))(t)
			options := must.Get(algorithms.Resolve(a, nil))(t)
			if err := a.(algorithms.Outside).Ready(options); err != nil {
				t.Skip(err)
			}
			kept := algorithms.NewKept()
			defer kept.Close()
			for _, format := range seed.Some(t, tools.Formats(), 6, 1, 1) {
				request := tools.Request{Format: format, Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true}
				set := must.Get(datasets.Load(t.Context(), corpus.Source(toolcalls.Setup{Request: request}), datasets.Query{Negatives: -1}))(t)
				for schema, of := range set.BySchema() {
					if name == "xgrammar" && format == "qwen3-coder" && schema.ID == "no-arguments" {
						continue // which has an empty line where there are no parameters
					}
					p := &algorithms.Problem{Vocabulary: v, Kept: kept, Source: &algorithms.Source{Kind: algorithms.KindTools, Name: schema.ID, Text: schema.Text}}
					engine, err := a.Compile(t.Context(), p, options)
					if err != nil {
						t.Fatalf("%s %s: %v", format, schema.ID, err)
					}
					for _, one := range of {
						if takes(engine, tokensOf(v, string(one.Content))) == one.Negative {
							t.Errorf("%s %s: wrong %v (%s)\n%s", format, one.ID, one.Negative, one.Description, one.Content)
						}
					}
				}
			}
		})
	}
}

// takes walks through a response by masks, to its end.
func takes(engine algorithms.Engine, tokens []int32) bool {
	s := engine.Start()
	for _, id := range tokens[:len(tokens)-1] {
		if !s.Mask().Has(int(id)) || s.Commit(int(id)) != nil {
			return false
		}
	}
	return s.Mask().Has(int(tokens[len(tokens)-1]))
}

// TestMostTools: an engine is not asked of more tools than its option says, and is told nothing of
// the option.
func TestMostTools(t *testing.T) {
	request := []byte(`{"format": "hermes", "tools": [{"name": "a", "parameters": {"type": "object"}}, {"name": "b", "parameters": {"type": "object"}}]}`)
	p := &algorithms.Problem{Source: &algorithms.Source{Kind: algorithms.KindTools, Name: "two", Text: request}}
	for most, asked := range map[string]bool{"": true, "1": false, "2": true} {
		got, _, err := requestFor(t.Context(), p, []string{wire.KindStructuralTag}, algorithms.Options{mostTools: most, "any_order": "true"})
		var failure *wire.Failure
		if asked != (err == nil) || !asked && (!errors.As(err, &failure) || failure.Outcome != wire.Unsupported) || got.Options[mostTools] != "" || got.Options["any_order"] == "" {
			t.Errorf("%s=%q: %v, %v", mostTools, most, got.Options, err)
		}
	}
}
