package lark

import (
	"os"
	"testing"
)

func TestSmoke(t *testing.T) {
	g, err := Parse([]byte(`
start: value
?value: dict | list | string | SIGNED_NUMBER -> number | "true" | "false" | "null"
list: "[" [value ("," value)*] "]"
dict: "{" [pair ("," pair)*] "}"
pair: string ":" value
string: ESCAPED_STRING
%import common (ESCAPED_STRING, SIGNED_NUMBER, WS)
%ignore WS
`), Options{File: "json.lark"})
	if err != nil {
		t.Fatal(err)
	}
	Describe(os.Stdout, g)
	for _, s := range []string{"start: a\n\nb: \"x\"", "start: A\nA: /a(?P<x>b)\\n[/ \"c\"", "start: A\nA: B\nB: C\nC: A", "start: (a?) 'x'"} {
		_, err := Parse([]byte(s), Options{})
		t.Log(err)
	}
}
