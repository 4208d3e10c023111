package cell

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several parts of a run. Each part has a result directory of its own, and package
// harness/merge joins them. The division depends on the configuration and the numbers of the shard
// alone: whoever runs shard 2 of 8 does the same work.
type Shard struct {
	Index int    `json:"index"` // from 1
	Of    int    `json:"of"`
	By    string `json:"by"` // ByCells or ByDocuments
}

// How work is divided.
const (
	// ByCells gives whole groups to the shards of a run: a workload on a vocabulary, with all
	// algorithms, which take turns.
	ByCells = "cells"
	// ByDocuments divides the documents, or the schemas, of each group, where nothing is timed.
	ByDocuments = "documents"
)

// maxShards bounds the number of shards. More would be a mistake: no run has as many groups.
const maxShards = 10_000

// ParseShard reads "i/n", a part of work that is divided by ByCells or ByDocuments. The error says
// what was expected.
func ParseShard(text, by string) (*Shard, error) {
	first, second, found := strings.Cut(text, "/")
	index, err := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	switch {
	case !found || err != nil || err2 != nil:
		return nil, fmt.Errorf("%q is no shard: expected i/n, such as 2/8 for the second of eight", text)
	case of < 1 || of > maxShards:
		return nil, fmt.Errorf("shard %s: there can be 1 to %d shards", text, maxShards)
	case index < 1 || index > of:
		return nil, fmt.Errorf("shard %s: shards are counted from 1 to %d", text, of)
	}
	return &Shard{index, of, by}, nil
}

// Has reports whether the shard has the thing with a number, from 0. Things go to the shards in
// turn. A nil shard is the whole run and has everything.
func (s *Shard) Has(number int) bool { return s == nil || number%s.Of == s.Index-1 }

// Same reports whether two runs are the same shard, or both none.
func (s *Shard) Same(o *Shard) bool {
	if s == nil || o == nil {
		return s == o
	}
	return *s == *o
}

// String is "shard 2/8 by cells"; "the whole run" for nil.
func (s *Shard) String() string {
	if s == nil {
		return "the whole run"
	}
	return fmt.Sprintf("shard %d/%d by %s", s.Index, s.Of, s.By)
}

// Folder is a name for the shard's directory, such as 2-of-8.
func (s *Shard) Folder() string { return fmt.Sprintf("%d-of-%d", s.Index, s.Of) }
