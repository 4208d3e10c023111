package prepare

import (
	"fmt"
	"slices"

	"gcdbench/harness/cell"
)

// A shard does a part of a run, so that several machines, or jobs of a cluster, do all of it.
//
// The algorithms of a group take turns on each document, and an engine that builds on the way is
// faster on its hundredth document than on its second. So what is timed is divided by groups: all
// documents of a workload on a vocabulary go through the same engines, as in a run of one process.
// What is only compared, in Verify, is divided by documents or schemas.
//
// Seeds go by the numbers that documents and schemas have in the whole group: each document gets
// the order of algorithms, and naive the positions, that the whole run would draw.

// Takes reports whether the shard has anything of a group.
func (l *Loader) Takes(number int) bool { return l.divides() || l.Opt.Shard.Has(number) }

// divides reports whether shards have parts of groups, and not whole groups.
func (l *Loader) divides() bool { return l.Opt.Shard != nil && l.Opt.Shard.By == cell.ByDocuments }

// restrict leaves a shard's part in a group: some schemas, or some documents of one grammar.
func (g *Prepared) restrict(s *cell.Shard) {
	if g.Workload.Schema != nil {
		g.Units = slices.DeleteFunc(g.Units, func(u *Unit) bool { return !s.Has(u.Number) })
	} else {
		u := g.Units[0]
		u.Documents = slices.DeleteFunc(u.Documents, func(d *Document) bool { return !s.Has(d.Number) })
	}
	g.Documents, g.divided = nil, true
	for i, u := range g.Units {
		u.Index = i
		for _, d := range u.Documents {
			d.Index, d.Problem = len(g.Documents), i
			g.Documents = append(g.Documents, d)
		}
	}
}

// Empty reports whether a shard has nothing of a group.
func (g *Prepared) Empty() bool {
	return g.divided && len(g.Documents) == 0 && (g.Workload.Schema == nil || len(g.Units) == 0)
}

// Schemas counts the schemas of a group; 0 for programs.
func (g *Prepared) Schemas() int {
	if g.Workload.Schema == nil {
		return 0
	}
	return len(g.Units)
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
