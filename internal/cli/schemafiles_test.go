package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestSchemaFiles says how schemas of more than one file are named.
func TestSchemaFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.json":         `{"properties": {"n": {"$ref": "parts/number.json"}, "m": {"$ref": "https://x.y/named#/definitions/m"}}, "additionalProperties": false}`,
		"parts/number.json": `{"$ref": "common.json#/definitions/n"}`,
		"parts/common.json": `{"definitions": {"n": {"type": "integer"}}}`,
		"named.json":        `{"$id": "https://x.y/named", "definitions": {"m": {"$ref": "#/definitions/k"}, "k": {"const": "m"}}}`,
	} {
		path := filepath.Join(folder, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	good, bad := write(t, "good.json", `{"n": 1, "m": "m"}`), write(t, "bad.json", `{"n": "x"}`)
	byName := []string{"--schema-file", "https://a.b/parts/number.json=" + in("parts/number.json"), "--schema-file", "https://a.b/parts/common.json=" + in("parts/common.json")}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   []string
	}{
		{"a folder", []string{"schema", "check", in("main.json"), good, "--schemas", folder}, exitOK, []string{"the validator says valid", "1 of 1"}},
		{"a folder refuses", []string{"schema", "check", in("main.json"), bad, "--schemas", folder}, exitFailure, []string{"the validator says invalid", "a number like 0"}},
		{"files by URI", append([]string{"schema", "check", write(t, "s.json", `{"properties": {"n": {"$ref": "https://a.b/parts/number.json"}}}`), good}, byName...), exitOK, []string{"the validator says valid"}},
		{"coverage", []string{"schema", "compile", in("main.json"), "--schemas", folder}, exitOK, []string{"narrower   /parts/common.json#/definitions/n/type"}},
		{"nothing is fetched", []string{"schema", "compile", in("main.json")}, exitUsage, []string{"nothing is fetched; --schema-file or --schemas"}},
		{"a mask", []string{"mask", "-g", in("main.json"), "-t", "r50k_base[:300]", "--prefix", `{"n": `, "--schemas", folder}, exitOK, []string{"allowed"}},
		{"no path", []string{"schema", "compile", in("main.json"), "--schema-file", "x"}, exitUsage, []string{"expected URI=PATH"}},
		{"no file", []string{"schema", "compile", in("main.json"), "--schema-file", "x=" + in("none.json")}, exitUsage, []string{"none.json"}},
		{"no folder", []string{"schema", "compile", in("main.json"), "--schemas", in("none")}, exitUsage, []string{"none"}},
		{"an empty folder", []string{"schema", "compile", in("main.json"), "--schemas", t.TempDir()}, exitUsage, []string{"no file of the folder"}},
		{"a file that is no JSON", []string{"schema", "compile", in("main.json"), "--schema-file", "x:y=" + write(t, "no.json", "{")}, exitUsage, []string{"no.json:1:2"}},
		{"a grammar", []string{"grammar", "show", "json", "--schemas", folder}, exitUsage, []string{"--schemas goes with a JSON schema"}},
	} {
		r := gcdbench(t, "", c.args...)
		for _, want := range c.want {
			if r.status != c.status || !strings.Contains(r.out+r.err, want) {
				t.Errorf("%s: exit status %d, no %q in %s%s", c.name, r.status, want, r.out, r.err)
			}
		}
	}
}

// TestSchemaWarnings: keywords that are there twice, and those of another draft, are noted.
func TestSchemaWarnings(t *testing.T) {
	schema := write(t, "s.json", `{"$schema": "http://json-schema.org/draft-06/schema#", "minimum": 1, "minimum": 2, "properties": {"a": {"if": true, "then": false, "minContains": 2, "prefixItems": []}, "b": {}, "b": true}}`)
	instance := write(t, "i.json", `3`)
	for _, args := range [][]string{{"schema", "compile", schema}, {"schema", "check", schema, instance}, {"grammar", "check", "-g", schema, instance}} {
		r := gcdbench(t, "", append(args, "--quiet=false")...)
		for _, want := range []string{"s.json: /minimum: this key is there twice, and the last counts", "/properties/b: this key is there twice", "s.json: /properties/a/if: draft 6 does not have this keyword",
			"/properties/a/then: draft 6", "/properties/a/minContains: draft 6", "/properties/a/prefixItems: draft 6"} {
			if r.status != exitOK || !strings.Contains(r.err, want) {
				t.Errorf("%v: %d: no %q in %s", args, r.status, want, r.err)
			}
		}
	}
}
