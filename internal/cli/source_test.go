package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gcdbench/grammar/jsonschema"
)

// TestSchemaFailureOf takes every kind of error apart and puts it into a line.
func TestSchemaFailureOf(t *testing.T) {
	const text = "{\n \"a\": {\"type\": \"text\"},\n \"$ref\": \"#x\", \"uniqueItems\": true}"
	for _, c := range []struct {
		err           error
		kind, outcome string
		line          string
	}{
		{&jsonschema.SyntaxError{File: "s.json", Line: 2, Column: 7, Message: "expected :"}, "syntax", "invalid", "s.json:2:7: expected :"},
		{&jsonschema.SchemaError{Pointer: "/a/type", Message: "no such type"}, "schema", "invalid", "s.json:2:16: /a/type: no such type"},
		{&jsonschema.RefError{Pointer: "/$ref", Ref: "#x", Reason: "there is nothing"}, "reference", "invalid", `s.json:3:10: /$ref: cannot resolve the reference "#x": there is nothing`},
		{&jsonschema.UnsupportedError{Pointer: "/uniqueItems", Keyword: "uniqueItems", Reason: "items are unbounded", Detail: "give them an enum", Lenient: true}, "unsupported", "unsupported",
			"s.json:3:31: unsupported: /uniqueItems: items are unbounded; give them an enum (--lenient leaves it out)"},
		{&jsonschema.UnsupportedError{Pointer: "/a", Keyword: "properties", Reason: "too many keys"}, "unsupported", "unsupported", "s.json:2:7: unsupported: /a: too many keys"},
		{&jsonschema.UnsupportedError{Reason: "too many rules"}, "unsupported", "unsupported", "s.json: unsupported: too many rules"},
		{fmt.Errorf("outside: %w", &jsonschema.UnsupportedError{Reason: "too many rules"}), "unsupported", "unsupported", "s.json: unsupported: too many rules"},
		{jsonschema.ErrContradiction, "contradiction", "contradictory", "s.json: contradictory: no instance can exist"},
		{fmt.Errorf("outside: %w", jsonschema.ErrContradiction), "contradiction", "contradictory", "s.json: contradictory: no instance can exist"},
		{&jsonschema.ContradictionError{Pointer: "/a", Reason: "minimum 5 > maximum 3"}, "contradiction", "contradictory",
			"s.json:2:7: contradictory: /a: no instance can exist: minimum 5 > maximum 3"},
		{&jsonschema.ContradictionError{Pointer: "/", Reason: "it is the schema false"}, "contradiction", "contradictory",
			"s.json: contradictory: no instance can exist: it is the schema false"},
		{&jsonschema.SchemaError{Pointer: "/", Message: "a schema is an object"}, "schema", "invalid", "s.json: a schema is an object"},
		{&jsonschema.SchemaError{Pointer: "/elsewhere", Message: "no such type"}, "schema", "invalid", "s.json: /elsewhere: no such type"},
		{&timeoutError{time.Second}, "timeout", "timeout", "s.json: timeout: not compiled after 1s"},
		{errors.New("the disk is on fire"), "other", "invalid", "s.json: the disk is on fire"},
	} {
		f := schemaFailureOf("s.json", []byte(text), c.err)
		if f.Kind != c.kind || f.outcome() != c.outcome || f.String() != c.line {
			t.Errorf("%v: kind %s, outcome %s, %q, want %s, %s, %q", c.err, f.Kind, f.outcome(), f.String(), c.kind, c.outcome, c.line)
		}
	}
}

// TestCompileWithin: the caller's end is the caller's, the limit's is a timeout, and no limit is
// none.
func TestCompileWithin(t *testing.T) {
	small, slow := []byte(`{"type": "null"}`), []byte(`{"properties": {`+manyKeys(1500)+`}}`)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var timeout *timeoutError
	for _, c := range []struct {
		name  string
		ctx   context.Context
		src   []byte
		limit time.Duration
		want  func(error) bool
	}{
		{"done", t.Context(), small, time.Minute, func(err error) bool { return err == nil }},
		{"no limit", t.Context(), small, 0, func(err error) bool { return err == nil }},
		{"too slow", t.Context(), slow, time.Nanosecond, func(err error) bool { return errors.As(err, &timeout) && timeout.after == time.Nanosecond }},
		{"interrupted", cancelled, slow, time.Minute, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"an error of its own", t.Context(), []byte("{"), time.Minute, func(err error) bool { var s *jsonschema.SyntaxError; return errors.As(err, &s) }},
	} {
		result, err := compileWithin(c.ctx, c.limit, compileSchema, c.src, jsonschema.Options{})
		if !c.want(err) || (err == nil) != (result != nil && result.Grammar != nil) {
			t.Errorf("%s: %v, %v", c.name, result, err)
		}
	}
}

func TestIsSchema(t *testing.T) {
	for name, want := range map[string]bool{"a.json": true, "dir/A.JSON": true, "json": false, "a.lark": false, "a.json.lark": false, ".json": true, "": false} {
		if isSchema(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestSchemaOptions: what the flags say is what the compiler gets.
func TestSchemaOptions(t *testing.T) {
	for _, c := range []struct {
		flags schemaFlags
		want  jsonschema.Options
		bad   bool
	}{
		{schemaFlags{space: "strict"}, jsonschema.Options{Name: "n"}, false},
		{schemaFlags{space: "any", anyOrder: true, lenient: true}, jsonschema.Options{Name: "n", WhiteSpace: jsonschema.AnySpace, AnyOrder: true, Lenient: true}, false},
		{schemaFlags{space: "none"}, jsonschema.Options{}, true},
		{schemaFlags{}, jsonschema.Options{}, true},
		{schemaFlags{space: "strict", timeout: -1}, jsonschema.Options{}, true},
	} {
		got, err := c.flags.options("n")
		if (err != nil) != c.bad || err == nil && got != c.want {
			t.Errorf("%+v: %+v, %v", c.flags, got, err)
		}
	}
}

// TestGrammarTimeout: a grammar in Lark's language whose terminal makes a large automaton is given
// up in the time that --timeout says.
func TestGrammarTimeout(t *testing.T) {
	slow := write(t, "slow.lark", "start: A C\nA: /[ab]+(?=[ab]{0,25}c)/\nC: \"c\"\n")
	begin := time.Now()
	r := gcdbench(t, "", "grammar", "show", slow, "--timeout", "200ms")
	if took := time.Since(begin); r.status != exitUsage || !strings.Contains(r.err, "slow.lark: not compiled after 200ms") || took > 20*time.Second {
		t.Errorf("status %d after %v: %s", r.status, took, r.err)
	}
	if r := gcdbench(t, "", "grammar", "show", slow, "--timeout", "-1s"); r.status != exitUsage || !strings.Contains(r.err, "--timeout -1s: expected a time") {
		t.Errorf("a time below 0: %d %s", r.status, r.err)
	}
}
