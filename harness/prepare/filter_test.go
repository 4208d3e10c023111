package prepare

import (
	"slices"
	"testing"
	"time"

	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/cell"
	"gcdbench/internal/must"
)

// TestParsesCountsReasons: documents with the same mistake have one reason, whatever they say.
func TestParsesCountsReasons(t *testing.T) {
	g := must.Get(lark.Parse([]byte("start: \"let\" NAME \"=\" NAME\nNAME: /[a-z]+/\n%ignore \" \"\n"), lark.Options{File: "let.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	var f filter
	keep := f.parses(r)
	for text, want := range map[string]bool{"let a = b": true, "let = b": false, "let  = cd": false, "let a = 3": false, "let a =": false} {
		if keep([]byte(text)) != want {
			t.Errorf("%q", text)
		}
	}
	s := f.selection(&datasets.Provenance{Listed: 7, ByFilter: 4, ByLimit: 2}, "parses")
	if s.Listed != 7 || s.Chosen != 1 || s.Filter != "parses" || len(s.Reasons) != 3 || s.Reasons[0] != (cell.Reason{Why: `unexpected "..."`, Count: 2}) {
		t.Errorf("%+v", s)
	}
}

// TestJudgesRightly: a schema stays if there are instances of both kinds, and its grammar judges
// all of them as they are labelled.
func TestJudgesRightly(t *testing.T) {
	type instance struct {
		text  string
		valid bool
	}
	var f filter
	keep := f.judgesRightly(t.Context(), time.Minute, jsonschema.Options{})
	for _, c := range []struct {
		schema    string
		instances []instance
		want      string // the reason
	}{
		{`{"type": "integer"}`, []instance{{"3", true}, {`"a"`, false}}, ""},
		{`{"type": "integer"}`, []instance{{"3", true}}, noInvalid},
		{`{"type": "integer"}`, []instance{{`"a"`, false}}, noValid},
		{`{"type": "integer"}`, []instance{{"3", true}, {"4", false}}, takesInvalid},
		{`{"type": "integer"}`, []instance{{"3", true}, {`"a"`, true}, {"null", false}}, refusesAValid},
		{`{"type": 3}`, []instance{{"3", true}, {`"a"`, false}}, "not a schema"},
	} {
		f.reasons = nil
		var of []datasets.Sample
		for _, x := range c.instances {
			of = append(of, datasets.Sample{Content: []byte(x.text), Negative: !x.valid})
		}
		kept := keep(&datasets.Schema{ID: "s", Text: []byte(c.schema)}, of)
		reasons := f.selection(&datasets.Provenance{Schemas: &datasets.SchemaCounts{Listed: 1}}, "right").Reasons
		if kept != (c.want == "") || kept != (len(reasons) == 0) || !kept && !slices.Equal(reasons, []cell.Reason{{Why: c.want, Count: 1}}) {
			t.Errorf("%s with %v: kept %v, because of %v, want %q", c.schema, c.instances, kept, reasons, c.want)
		}
	}
}
