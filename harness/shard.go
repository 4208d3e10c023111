package harness

import (
	"fmt"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
)

// A shard does a part of a run, so that several machines, or jobs of a cluster, do all of it.
//
// The algorithms of a group take turns on each document, and an engine that builds on the way is
// faster on its hundredth document than on its second. So what is timed is divided by groups: all
// documents of a workload on a vocabulary go through the same engines, as in a run of one process.
// The schemas of a corpus are compiled one by one and released, so a group of schemas may be
// divided by schemas too. What is only compared, in Verify, is divided by documents.
//
// Seeds go by the numbers that documents and schemas have in the whole group: each document gets
// the order of algorithms, and naive the positions, that the whole run would draw.

// takes reports whether the shard has anything of a group.
func (l *loader) takes(number int, w config.Workload) bool {
	return l.divides(w) || l.opt.Shard.Has(number)
}

// divides reports whether shards have parts of the groups of a workload, and not whole groups.
func (l *loader) divides(w config.Workload) bool {
	s := l.opt.Shard
	return s != nil && s.By == cell.ByDocuments && (w.Schema != nil || l.opt.splitPrograms)
}

// restrict leaves a shard's part in a group: some schemas, or some documents of one grammar.
func (g *prepared) restrict(s *cell.Shard) {
	g.part = &cell.Part{Shard: *s, AllProblems: len(g.units), AllSamples: len(g.documents)}
	if g.workload.Schema != nil {
		g.units = slices.DeleteFunc(g.units, func(u *unit) bool { return !s.Has(u.number) })
	} else {
		u := g.units[0]
		u.documents = slices.DeleteFunc(u.documents, func(d *document) bool { return !s.Has(d.number) })
	}
	g.documents = nil
	for i, u := range g.units {
		u.index = i
		g.part.Problems = append(g.part.Problems, u.number)
		for _, d := range u.documents {
			d.index, d.problem = len(g.documents), i
			g.documents = append(g.documents, d)
			g.part.Samples = append(g.part.Samples, d.number)
		}
	}
}

// empty reports whether a shard has nothing of a group.
func (g *prepared) empty() bool {
	return g.part != nil && len(g.documents) == 0 && (g.workload.Schema == nil || len(g.units) == 0)
}

// schemas counts the schemas of a group; 0 for programs.
func (g *prepared) schemas() int {
	if g.workload.Schema == nil {
		return 0
	}
	return len(g.units)
}

// WrongShardError says that a directory has results of another part of the work.
type WrongShardError struct {
	Dir        string
	Has, Wants *cell.Shard
}

// Error names the directory and both parts.
func (e *WrongShardError) Error() string {
	return fmt.Sprintf("%s has results of %s, and this is %s: each shard needs a directory of its own; choose another with --out", e.Dir, e.Has, e.Wants)
}

// sameShard is a *WrongShardError if the results of a directory are those of another shard.
func sameShard(dir string, before *cell.Manifest, shard *cell.Shard) error {
	if before == nil || before.Shard.Same(shard) {
		return nil
	}
	return &WrongShardError{dir, before.Shard, shard}
}

// divideManifest leaves the shard's cells in the manifest, and keeps the list of all.
func (r *run) divideManifest(s *cell.Shard) {
	l := &loader{opt: &Options{Shard: s}}
	r.manifest.Shard, r.manifest.All, r.manifest.Cells = s, r.manifest.Cells, nil
	number, next := 0, r.manifest.All
	for _, w := range r.cfg.Workloads {
		for range r.cfg.Tokenizers {
			if l.takes(number, w) {
				r.manifest.Cells = append(r.manifest.Cells, next[:len(r.entries)]...)
			}
			next = next[len(r.entries):]
			number++
		}
	}
}

// leaveOut takes the cells of a group of which the shard has nothing out of the manifest.
func (r *run) leaveOut(p *prepared) error {
	r.manifest.Cells = slices.DeleteFunc(r.manifest.Cells, func(c cell.Planned) bool {
		return c.Workload == p.workload.Name && c.Tokenizer == p.label
	})
	return r.store.PutManifest(r.manifest)
}
