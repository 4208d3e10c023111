package harness

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
)

// liars are schemas with labels that are wrong, and one that only we refuse.
var liars = append([]tinySchema{
	{"0-liar", `{"type": "boolean"}`, []instance{{`3`, true}, {`true`, false}, {`false`, true}}},
	// A key that is not declared comes before one that is.
	{"1-narrow", `{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}`, []instance{{`{"z": 0, "a": 1}`, true}}},
}, tinySchemas...)

func TestVerifySchemas(t *testing.T) { inBubble(t, verifySchemas) }

func verifySchemas(t *testing.T) {
	w := newSchemaWorld(t, liars)
	cfg := w.schemaConfig(t, "right, naive, trie, flips-h, panics-h, unsupported-h, slow-h", "timeout: 300ms", "")
	v := must.Get(verify.Verify(t.Context(), cfg, w.options()))(t)
	want := map[string]struct {
		outcome          cell.Outcome
		compiled, right  int // right counts the one without instances
		invalid, refused int
	}{
		// The invalid instance that is accepted is labelled so, and a failure of all.
		"right": {cell.WrongVerdict, 7, 4, 1, 1}, "naive": {cell.WrongVerdict, 7, 4, 1, 1}, "trie": {cell.WrongVerdict, 7, 4, 1, 1},
		"flips-h": {cell.WrongMask, 7, 3, 1, 1}, "panics-h": {cell.WrongVerdict, 7, 3, 1, 1},
		"unsupported-h": {cell.WrongVerdict, 6, 3, 1, 1}, "slow-h": {cell.WrongVerdict, 6, 3, 1, 1},
	}
	for _, c := range v.Cells {
		x, s := want[c.Label], c.VerifiedSchemas
		if c.Outcome != x.outcome || s.Schemas != len(liars) || s.Compiled != x.compiled || s.Right != x.right ||
			s.InvalidAccepted != x.invalid || s.ValidRefused != x.refused || s.ValidRefusedKeyOrder != 2 {
			t.Errorf("%s: %s, %+v", c.Label, c.Outcome, s)
		}
		if s.Tested != len(liars)-bareSchemas || s.TestedRight != s.Right-bareSchemas {
			t.Errorf("%s: %d with instances, %d of them right", c.Label, s.Tested, s.TestedRight)
		}
		sum := s.Compiled
		for _, n := range s.NotCompiled {
			sum += n
		}
		if sum != s.Schemas || s.NotCompiled["grammar, compile-error: contradiction"] != 1 {
			t.Errorf("%s: not compiled %v", c.Label, s.NotCompiled)
		}
		if want := stats.Truth(c.Label == "flips-h"); stats.Truth(c.Difference != nil) != want || want > 0 && (c.Difference.Schema != "h-list" || c.Difference.Prefix != "[1") {
			t.Errorf("%s: difference %+v", c.Label, c.Difference)
		}
		checkLabels(t, c)
	}
	if v.Failed() != len(v.Cells) {
		t.Errorf("%d of %d cells failed", v.Failed(), len(v.Cells))
	}
}

// checkLabels: the validator contradicts the two labels that lie. It also knows that
// the schemas e-no-ref and f-no-schema are none.
func checkLabels(t *testing.T, c *verify.Verified) {
	t.Helper()
	yes, no := true, false
	l := c.Labels
	if l.Judged != countInstances(liars)-2 || l.Unjudged != 2 || l.CorpusDiffers != 2 || l.AcceptedInvalid != 0 || l.RefusedValid != 0 {
		t.Errorf("%s: %+v", c.Label, l)
	}
	if want := []verify.LabelExample{{Sample: "0-liar#0", Corpus: true, Accepted: &no}, {Sample: "0-liar#1", Validator: true, Accepted: &yes}}; !reflect.DeepEqual(l.Examples, want) {
		t.Errorf("%s: examples %+v", c.Label, l.Examples)
	}
	if want := []string{"0-liar#0: valid, but refused", "0-liar#1: invalid, but accepted"}; !reflect.DeepEqual(c.Verdicts, want) {
		t.Errorf("%s: verdicts %q", c.Label, c.Verdicts)
	}
}

// TestVerifySchemasText: what users read, and that cells that found the same are told
// together.
func TestVerifySchemasText(t *testing.T) {
	w := newSchemaWorld(t, liars)
	v := must.Get(verify.Verify(t.Context(), w.schemaConfig(t, "naive, trie, unsupported-h", "", ""), w.options()))(t)
	var text strings.Builder
	must.OK(t, v.WriteText(&text))
	for _, want := range []string{
		"schema/schemas.jsonl with tok.json: naive, trie\n  11 schemas, 7 compiled, 3 of 10 with instances right\n" +
			"  instances: 1 invalid accepted, 1 valid refused, 2 valid refused for the order of keys\n" +
			"    0-liar#0: valid, but refused\n    0-liar#1: invalid, but accepted\n" +
			"  an independent validator judged 18 of 20 instances: it contradicts 2 labels, and the verdict on 0 accepted and 0 refused\n" +
			"    0-liar#0: valid by its label, invalid by the validator, refused\n    0-liar#1: invalid by its label, valid by the validator, accepted\n" +
			"  the instances of schemas that did not compile are among those above, as not passed\n" +
			"  not compiled:    1  grammar, compile-error: contradiction\n",
		"schema/schemas.jsonl with tok.json: unsupported-h\n  11 schemas, 6 compiled, 2 of 10 with instances right\n",
		"  not compiled:    1  algorithm, unsupported: lists such as \"...\" are beyond it\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no\n%s\nin\n%s", want, text.String())
		}
	}
	line := must.Get(json.Marshal(v.Cells[0]))(t)
	var back map[string]any
	must.OK(t, json.Unmarshal(line, &back))
	for _, key := range []string{"schemas", "schemas_compiled", "schemas_right", "invalid_accepted", "valid_refused", "valid_refused_key_order", "not_compiled", "labels"} {
		if _, there := back[key]; !there {
			t.Errorf("no %q in %s", key, line)
		}
	}
}

// TestVerifyNothing: what is said of a corpus on which nothing could be compared, and of one
// of everything.
func TestVerifyNothing(t *testing.T) {
	for _, c := range []struct {
		about   string
		schemas []tinySchema
		want    []string
	}{
		{"one that does not compile", []tinySchema{{"a", `{"type": 1}`, []instance{{`3`, true}}}},
			[]string{"nothing: no schema compiled\n", "\n  1 schema, 0 compiled, 0 of 1 with instances right\n", "\n0 masks compared bit for bit", "; 0 of 1 cell failed\n"}},
		{"one without instances", []tinySchema{{"a", `{"type": "null"}`, nil}},
			[]string{"nothing: no schema has instances\n", "\n  1 schema, 1 compiled, 0 of 0 with instances right\n"}},
		{"one that is right", []tinySchema{{"a", `{"type": "null"}`, []instance{{`null`, true}}}},
			[]string{"(the reference)\n", "\n  1 schema, 1 compiled, 1 of 1 with instances right\n", "validator judged 1 of 1 instance: it contradicts 0 labels,"}},
	} {
		w := newSchemaWorld(t, c.schemas)
		v := must.Get(verify.Verify(t.Context(), w.schemaConfig(t, "naive", "", ""), w.options()))(t)
		var text strings.Builder
		must.OK(t, v.WriteText(&text))
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.about, want, text.String())
			}
		}
	}
}

// TestVerifyIsTheSameTwice: workers finish in any order, and what they found does not
// depend on it.
func TestVerifyIsTheSameTwice(t *testing.T) {
	var many []tinySchema
	for i := range 60 {
		many = append(many, tinySchema{fmt.Sprintf("n-%02d", i), `{"type": "boolean"}`, []instance{{`3`, true}, {`true`, true}, {`"x"`, false}}})
	}
	w := newSchemaWorld(t, many)
	cfg := w.schemaConfig(t, "naive, trie", "", "")
	var first []*verify.Verified
	for range 3 {
		v := must.Get(verify.Verify(t.Context(), cfg, w.options()))(t)
		if first == nil {
			first = v.Cells
		} else if !reflect.DeepEqual(v.Cells, first) {
			t.Fatalf("another result: %+v, want %+v", v.Cells[0].VerifiedSchemas, first[0].VerifiedSchemas)
		}
		if s := v.Cells[0].VerifiedSchemas; s.ValidRefused != len(many) || len(s.Verdicts) != verify.MaxExamples || len(s.Labels.Examples) != verify.MaxExamples || s.Labels.CorpusDiffers != len(many) {
			t.Errorf("%+v", s)
		}
		if !v.Cells[0].FoundLike(v.Cells[1]) {
			t.Error("naive and trie found different things")
		}
	}
}
