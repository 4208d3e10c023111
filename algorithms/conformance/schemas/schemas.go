// Package schemas compares algorithms with one another on JSON schemas, for tests: on real ones
// with their instances, and on random small ones.
//
// Grammars of schemas differ from grammars of programming languages. Their lexemes are emitted as
// sets, their conflicts are kept, their string patterns overlap and may count to ten thousand, and
// their lexers are built while they are used. The conformance suite has each of these as a small
// case; here they come together, as people write them.
//
// A Comparison compiles a schema and takes every instance through a reference and its entries
// side by side: the masks must be identical at each position, invalid instances included, up to the
// token that all of them refuse. The first position at which they are not is a *Difference.
//
// The reference is naive wherever its time allows, and for the larger part trie, after a comparison
// with naive. The time is the product of positions and the vocabulary, nothing else counts.
//
// Naive itself is compared with a validator that shares no code with this module, on schemas so
// small that all their texts can be listed (Finite), and with the algorithm automata, which knows
// no lexer.
package schemas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gcdbench/datasets"
)

// ErrUnavailable says that data is not on this machine. Tests skip on it.
var ErrUnavailable = errors.New("not available here")

// A Schema is a JSON schema with instances.
type Schema struct {
	ID   string
	Text []byte
	// Grammar, if set, is of a request with tools, whose responses are the instances; Text is then the
	// request (datasets.Schema).
	Grammar   []byte
	Instances []Instance
}

// An Instance is a JSON text, or a response.
type Instance struct {
	Text []byte
	// Valid is what its author says about it. A comparison does not depend on it.
	Valid bool
}

// Development reads every step-th of the development schemas, which lie beside the module's root,
// with the module's root given. The error is ErrUnavailable if they do not.
func Development(ctx context.Context, root string, step int) ([]Schema, error) {
	path := filepath.Join(root, "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	src, err := datasets.Open("maskbench", path, "")
	if err != nil {
		return nil, err
	}
	return Load(ctx, src, step)
}

// Samples reads the embedded schemas.
func Samples(ctx context.Context) ([]Schema, error) {
	src, err := datasets.Lookup("schema-samples")
	if err != nil {
		return nil, err
	}
	return Load(ctx, src, 1)
}

// Load reads every step-th schema of a corpus with its instances.
func Load(ctx context.Context, src datasets.Source, step int) ([]Schema, error) {
	set, err := datasets.Load(ctx, src, datasets.Query{Negatives: -1})
	if err != nil {
		return nil, err
	}
	instances := map[*datasets.Schema][]Instance{}
	for i := range set.Samples {
		s := &set.Samples[i]
		instances[s.Schema] = append(instances[s.Schema], Instance{s.Content, !s.Negative})
	}
	var list []Schema
	for i := 0; i < len(set.Schemas); i += step {
		s := set.Schemas[i]
		list = append(list, Schema{s.ID, s.Text, s.Grammar, instances[s]})
	}
	return list, nil
}
