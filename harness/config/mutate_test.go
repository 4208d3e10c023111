package config

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// values are what a mutation may put in a node's place: right for some keys,
// wrong for most.
var values = []string{"json", "1", "0", "-5", "1.5", "true", "[]", "{}", "[1, 2]", "{name: x}", "10m", "2GiB", "all", "none",
	"random", "jsonl", "'7'", `""`, "llama3", "99999", "{format: zip, path: a.zip}", "a b"}

// mutate changes one node of a tree: another value, a key renamed, an entry gone
// or doubled.
func mutate(rng *rand.Rand, root *yaml.Node) {
	nodes := collect(root, nil)
	n := nodes[rng.IntN(len(nodes))]
	switch kind := rng.IntN(4); {
	case kind == 0 && n.Kind == yaml.MappingNode && len(n.Content) > 0:
		key := *n.Content[2*rng.IntN(len(n.Content)/2)]
		key.Value += "x"
		n.Content[0] = &key
	case kind == 1 && n.Kind == yaml.MappingNode && len(n.Content) > 0:
		at := 2 * rng.IntN(len(n.Content)/2)
		n.Content = append(n.Content[:at:at], n.Content[at+2:]...)
	case kind == 2 && n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		n.Content = n.Content[:rng.IntN(len(n.Content))]
	default:
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(values[rng.IntN(len(values))]), &doc); err != nil {
			panic(err) // the list above is YAML
		}
		*n = *doc.Content[0]
	}
}

func collect(n *yaml.Node, into []*yaml.Node) []*yaml.Node {
	into = append(into, n)
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue // keys are renamed by mutate itself
		}
		into = collect(c, into)
	}
	return into
}

// TestMutations changes a right configuration at random, once to three times, and
// wants the parser's shapes and the published schema to agree on the result.
func TestMutations(t *testing.T) {
	seed := seed.New(t)
	const rounds = 500
	rng := rand.New(rand.NewPCG(seed, 0))
	var schema map[string]any
	must.OK(t, json.Unmarshal(Schema(), &schema))
	right, wrong := 0, 0
	for round := range rounds {
		var doc yaml.Node
		must.OK(t, yaml.Unmarshal([]byte(full), &doc))
		for range 1 + rng.IntN(3) {
			mutate(rng, doc.Content[0])
		}
		text, err := yaml.Marshal(&doc)
		must.OK(t, err)
		root, err := parseYAML("c.yaml", text)
		if err != nil {
			t.Fatalf("seed %d round %d: %v in\n%s", seed, round, err, text)
		}
		check := &checker{file: "c.yaml"}
		rootShape.check(check, root)
		bySchema := bySchema(t, schema, text)
		if (bySchema == "") != (len(check.errs) == 0) {
			t.Fatalf("seed %d round %d: the parser says %v, the schema %q of\n%s", seed, round, check.errs, bySchema, text)
		}
		if bySchema == "" {
			right++
		} else {
			wrong++
		}
		if _, err := Parse("c.yaml", text, known); err != nil {
			checkMessages(t, err)
		}
	}
	if right < rounds/100 || wrong < rounds/2 {
		t.Errorf("%d right and %d wrong configurations: the mutations are too harsh or too mild", right, wrong)
	}
}

// checkMessages: every mistake has a place, in the order of the file, and says
// what was expected or known.
func checkMessages(t *testing.T, err error) {
	t.Helper()
	list, ok := err.(Errors)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	last := Position{}
	for _, e := range list {
		if e.Line < 1 || e.Column < 1 || e.Line < last.Line || e.Line == last.Line && e.Column < last.Column {
			t.Errorf("out of order or nowhere: %v", list)
		}
		last = e.Position
		if e.Message == "" || strings.Contains(e.Message, "%!") || strings.Contains(e.Message, "\n") {
			t.Errorf("message %q", e.Message)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	list := []string{"warmup", "repeat", "timeout", "zip", "dir"}
	for got, want := range map[string]string{
		"warmpu": "warmup", "Repeat": "repeat", "timout": "timeout", "zap": "zip", "tar": "", "": "", "xyz": "", "repeatedly": "",
	} {
		hint := didYouMean(got, list)
		if want == "" && hint != "" || want != "" && hint != `; did you mean "`+want+`"?` {
			t.Errorf("%q: %q, want %q", got, hint, want)
		}
	}
}

func TestOptionText(t *testing.T) {
	for want, options := range map[string]map[string]string{
		"": nil, " (a=1)": {"a": "1"}, " (a=1, b=x, c=2)": {"c": "2", "a": "1", "b": "x"},
	} {
		if got := OptionText(options); got != want {
			t.Errorf("%v: %q, want %q", options, got, want)
		}
	}
}
