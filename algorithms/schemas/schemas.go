// Package schemas holds algorithms to one another on JSON schemas, for tests: real ones with their
// instances, and random small ones.
//
// Grammars of schemas are unlike those of programming languages. Their lexemes are emitted as sets,
// their conflicts are kept, their string patterns overlap and may count to ten thousand, and their
// lexers are built while they are used. The conformance suite has each of these as a small case;
// here they come together, as people write them.
//
// A Comparison compiles a schema and takes every instance through a reference and its contestants side
// by side: the masks must be identical at each position, invalid instances included, up to the token
// that all of them refuse. The first position at which they are not is a *Difference.
//
// Reference is the algorithm naive wherever its time allows; and trie, once held to naive, for the
// larger part. The time is the product of positions and the vocabulary, nothing else counts.
package schemas

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrUnavailable says that data is not on this machine. Tests skip on it.
var ErrUnavailable = errors.New("not available here")

// A Schema is a JSON schema with instances.
type Schema struct {
	ID        string
	Text      []byte
	Instances []Instance
}

// An Instance is a JSON text.
type Instance struct {
	Text []byte
	// Valid is what its author says about it. A comparison does not depend on it.
	Valid bool
}

// Development reads every step-th of the development schemas, which lie beside the module's root, with
// the module's root given. The error is ErrUnavailable if they do not.
func Development(root string, step int) ([]Schema, error) {
	f, err := os.Open(filepath.Join(root, "..", "shared", "data", "maskbench-dev.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), 1<<24) // the longest line has 155,000 characters
	var list []Schema
	for i := 0; in.Scan(); i++ {
		if i%step != 0 {
			continue
		}
		s, err := parse(in.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Name(), i+1, err)
		}
		list = append(list, s)
	}
	return list, in.Err()
}

// parse reads a schema with its tests, as MaskBench writes them.
func parse(line []byte) (Schema, error) {
	var record struct {
		ID     string
		Schema json.RawMessage
		Tests  []struct {
			Valid bool
			Data  json.RawMessage
		}
	}
	if err := json.Unmarshal(line, &record); err != nil {
		return Schema{}, err
	}
	s := Schema{ID: record.ID, Text: record.Schema}
	for _, test := range record.Tests {
		s.Instances = append(s.Instances, Instance{test.Data, test.Valid})
	}
	return s, nil
}
