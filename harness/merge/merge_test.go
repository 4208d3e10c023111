package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/models"
	"gcdbench/internal/must"
	"gcdbench/reports"
)

// machine is what the shards of these tests ran on.
var machine = environment.Machine{CPU: "Example CPU 3000", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 2, Program: strings.Repeat("ab", 32)}

// shard writes a directory with the cells of one workload of two, which shard i of 2 has.
func shard(t *testing.T, dir string, i int, change func(*cell.Record, *cell.Manifest)) string {
	t.Helper()
	s := must.Get(cell.Create(dir))(t)
	m := &cell.Manifest{Name: "made", Config: "name: made", Shard: &cell.Shard{Index: i, Of: 2, By: cell.ByCells}}
	for _, workload := range []string{"w1", "w2"} {
		for _, label := range []string{"fast", "slow"} {
			planned := cell.Planned{Label: label, Tokenizer: "t", Workload: workload}
			if m.All = append(m.All, planned); workload != fmt.Sprint("w", i) {
				continue
			}
			r := &cell.Record{ID: cell.ID{Schema: cell.Schema, Algorithm: label, GrammarSHA256: workload, Memory: 1 << 30, Machine: machine},
				Label: label, Tokenizer: "t", Workload: workload, Outcome: cell.OK, Sessions: 1, Problems: []cell.Problem{{Outcome: cell.OK, CompileNS: []int64{1000}}},
				Samples: []cell.Sample{{ID: "a", Outcome: cell.OK, Tokens: 1, Session: 1, Reference: "fast"}}}
			r.Environment.Machine = machine
			if change != nil {
				change(r, m)
			}
			must.OK(t, s.Put(r, traces(i)))
			planned.Key = r.Key
			m.Cells = append(m.Cells, planned)
		}
	}
	must.OK(t, s.PutManifest(m))
	return dir
}

// traces has the time of one mask: 100 and the number of the shard.
func traces(i int) []cell.Trace {
	times := []uint32{uint32(100 + i)}
	return []cell.Trace{{Hashes: []uint64{1}, Positions: []uint32{0}, Passes: []cell.Pass{{State: cell.Fresh, Mask: times, Commit: times, Step: times}}}}
}

// TestJoin: cells come with their times, in the order of the whole.
func TestJoin(t *testing.T) {
	dir := t.TempDir()
	opt := Options{Dirs: []string{shard(t, dir+"/2", 2, nil), shard(t, dir+"/1", 1, nil)}, Out: dir + "/out"}
	done, err := Merge(opt)
	if err != nil || done.Cells != 4 || done.Shards != 2 || done.By != cell.ByCells {
		t.Fatalf("%+v, %v", done, err)
	}
	store := must.Get(cell.Open(opt.Out))(t)
	m, err := store.Manifest()
	if err != nil || m.Shard != nil || m.Joined == nil || len(m.Cells) != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, p := range m.Cells {
		for trace, err := range store.Traces(must.Get(store.Get(p.Key))(t)) {
			must.OK(t, err)
			if want := uint32(101 + i/2); trace.Passes[0].Mask[0] != want || p.Workload != fmt.Sprint("w", 1+i/2) {
				t.Errorf("cell %d of %s has the time %d, want %d", i, p.Workload, trace.Passes[0].Mask[0], want)
			}
		}
	}
}

// TestRefused: what does not fit, with the names of the directories.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(*cell.Record, *cell.Manifest)
		want   []string
	}{
		{"another program", func(r *cell.Record, _ *cell.Manifest) {
			r.ID.Machine.Program, r.Environment.Program, r.Environment.Revision = "cd", "cd", "1234567890abcdef"
		}, []string{"shard 2/2", "another program", "revision 1234567890ab (SHA-256 cd)"}},
		{"another machine", func(r *cell.Record, _ *cell.Manifest) { r.ID.Machine.CPU, r.Environment.CPU = "Slow CPU", "Slow CPU" },
			[]string{"machines of different kinds", "Slow CPU", "Example CPU 3000", "--machines"}},
		{"another configuration", func(_ *cell.Record, m *cell.Manifest) { m.Config = "name: other" }, []string{"another configuration"}},
		{"another division", func(_ *cell.Record, m *cell.Manifest) { m.Shard.Of = 3 }, []string{"different divisions"}},
		{"no shard", func(_ *cell.Record, m *cell.Manifest) { m.Shard = nil }, []string{"the other is none"}},
		{"another cell", func(_ *cell.Record, m *cell.Manifest) { m.All[0].Label = "other" }, []string{"other cells: was one of them run with another --corpus?"}},
	} {
		dir := t.TempDir()
		_, err := Merge(Options{Dirs: []string{shard(t, dir+"/1", 1, nil), shard(t, dir+"/2", 2, c.change)}, Out: dir + "/out"})
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: no %q in %v", c.about, part, err)
			}
		}
		if _, err := os.Stat(dir + "/out"); !os.IsNotExist(err) {
			t.Errorf("%s: there is a joined directory: %v", c.about, err)
		}
	}
}

// TestMachines: with the flag machines of different kinds are joined, and the report says so.
func TestMachines(t *testing.T) {
	dir := t.TempDir()
	slow := func(r *cell.Record, _ *cell.Manifest) { r.ID.Machine.CPU, r.Environment.CPU = "Slow CPU", "Slow CPU" }
	done, err := Merge(Options{Dirs: []string{shard(t, dir+"/1", 1, nil), shard(t, dir+"/2", 2, slow)}, Out: dir + "/out", Machines: true})
	if err != nil || len(done.Machines) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	set, err := reports.Load(dir + "/out")
	if err != nil || !slices.ContainsFunc(set.Warnings, func(w string) bool {
		return strings.Contains(w, "2 kinds of machines") && strings.Contains(w, "Slow CPU")
	}) {
		t.Errorf("%v, %v", set, err)
	}
}

// TestUnfinished: a shard whose cell is not there, is damaged, or that is being written.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	one, two := shard(t, dir+"/1", 1, nil), shard(t, dir+"/2", 2, nil)
	refused := func(about string, want ...string) {
		t.Helper()
		_, err := Merge(Options{Dirs: []string{one, two}, Out: dir + "/out"})
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: no %q in %v", about, part, err)
			}
		}
	}
	store := must.Get(cell.Open(two))(t)
	unlock := must.Get(store.Lock())(t)
	refused("running", two, "another run")
	unlock()
	keys := must.Get(store.Keys())(t)
	raw := filepath.Join(two, "cells", keys[0]+".raw.zst")
	text := must.Get(os.ReadFile(raw))(t)
	must.OK(t, os.WriteFile(raw, append(text, 'x'), 0o644))
	refused("damaged", raw, "is damaged")
	must.OK(t, os.Remove(filepath.Join(two, "cells", keys[0]+".json")))
	refused("missing", "shard 2/2", "is not finished", "on w2 with t")
}

// TestInterruptedMerge: until the end there is no joined directory, or the one of before; what an
// interrupted merge has left does not matter to the next.
func TestInterruptedMerge(t *testing.T) {
	dir := t.TempDir()
	opt := Options{Dirs: []string{shard(t, dir+"/1", 1, nil), shard(t, dir+"/2", 2, nil)}, Out: dir + "/out"}
	interrupted := func() {
		t.Helper()
		opt := opt
		opt.beforeRename = func() { panic("killed") }
		defer func() {
			if recover() == nil {
				t.Error("it went on")
			}
		}()
		Merge(opt)
	}
	interrupted()
	if _, err := os.Stat(opt.Out); !os.IsNotExist(err) {
		t.Fatalf("there is half a directory: %v", err)
	}
	must.OK(t, os.WriteFile(dir+"/.out.merging/cells/left.json", nil, 0o644))
	for range 2 {
		must.Get(Merge(opt))(t)
		if left, err := filepath.Glob(opt.Out + "/cells/left*"); err != nil || len(left) > 0 {
			t.Errorf("%v, %v", left, err)
		}
		interrupted()
		if set, err := reports.Load(opt.Out); err != nil || len(set.Cells) != 4 {
			t.Errorf("the directory of before: %v", err)
		}
	}
	if left, err := filepath.Glob(dir + "/.out.replaced"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// batchesOf has a shard of whole cells measure a batch of each, unless it is left out.
func batchesOf(t *testing.T, dir string, i int, leaveOut bool, change func(*cell.Throughput)) string {
	t.Helper()
	s := must.Get(cell.Create(dir))(t)
	plan := &cell.Throughput{Batch: []int{1}, Threads: []int{1}, Masks: []string{"serial"}, Models: []cell.Model{{Tokenizer: "t",
		Table: &models.Table{Model: "m", Device: "d", Kind: models.Measured, Source: "s", Steps: []models.Step{{Batch: 1, MS: 1}}}}}}
	if change != nil {
		change(plan)
	}
	m := &cell.Manifest{Name: "made", Config: "name: made", Shard: &cell.Shard{Index: i, Of: 2, By: cell.ByCells}, Throughput: plan}
	for number := 1; number <= 2; number++ {
		planned := cell.Planned{Label: "fast", Tokenizer: "t", Workload: fmt.Sprint("w", number)}
		m.All = append(m.All, planned)
		if number != i {
			continue
		}
		r := &cell.Record{ID: cell.ID{Schema: cell.Schema, Algorithm: "fast", GrammarSHA256: planned.Workload, Machine: machine}, Label: "fast", Tokenizer: "t", Workload: planned.Workload,
			Outcome: cell.OK, Sessions: 1, Problems: []cell.Problem{{Outcome: cell.OK}}, Samples: []cell.Sample{{ID: "a", Outcome: cell.OK, Tokens: 2, Session: 1}}}
		r.Environment.Machine = machine
		must.OK(t, s.Put(r, nil))
		planned.Key = r.Key
		m.Cells = append(m.Cells, planned)
		if leaveOut {
			continue
		}
		for _, id := range plan.Of(r) {
			must.OK(t, s.PutBatch(&cell.BatchRecord{ID: id, Outcome: cell.OK, Requests: r.Requests(0), FirstNS: []int64{int64(i), 2}}))
		}
	}
	must.OK(t, s.PutManifest(m))
	return dir
}

// TestBatches: batches come with their cells; a shard without one is not finished, and two with
// other models do not fit.
func TestBatches(t *testing.T) {
	dir := t.TempDir()
	one, two := batchesOf(t, dir+"/1", 1, false, nil), batchesOf(t, dir+"/2", 2, false, nil)
	opt := Options{Dirs: []string{one, two}, Out: dir + "/out"}
	must.Get(Merge(opt))(t)
	set, err := reports.Load(opt.Out)
	if err != nil || len(set.Cells) != 2 || !set.Whole() {
		t.Fatalf("%+v, %v", set, err)
	}
	for i, c := range set.Cells {
		if len(c.Throughput) != 1 || c.Throughput[0].PerStep.Max != 2 || c.Throughput[0].PerStep.P50 != float64(i+1) {
			t.Errorf("%s: %+v", c.Workload, c.Throughput)
		}
	}
	open := batchesOf(t, dir+"/open", 2, true, nil)
	if _, err := Merge(Options{Dirs: []string{one, open}, Out: dir + "/out2"}); err == nil || !strings.Contains(err.Error(), "it lacks fast on w2 with t in a batch of 1 (threads: 1)") {
		t.Errorf("a shard without a batch: %v", err)
	}
	other := batchesOf(t, dir+"/other", 2, false, func(p *cell.Throughput) { p.Models[0].Table.Steps[0].MS = 2 })
	if _, err := Merge(Options{Dirs: []string{one, other}, Out: dir + "/out3"}); err == nil || !strings.Contains(err.Error(), "other models or batches") {
		t.Errorf("another table of times: %v", err)
	}
}

// TestKeepsOthers: what no merge has made in the joined directory stays when it is made again; a
// file of that kind that the shards have with other contents stops the merge, and all is as before.
func TestKeepsOthers(t *testing.T) {
	dir := t.TempDir()
	opt := Options{Dirs: []string{shard(t, dir+"/1", 1, nil), shard(t, dir+"/2", 2, nil)}, Out: dir + "/out"}
	must.Get(Merge(opt))(t)
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	has := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v; want %q", name, text, err, want)
		}
	}
	put("out/judged/a.jsonl", "mine")
	put("out/notes.txt", "my notes")
	put("out/cells/stale.json", "{}")
	put("1/judged/b.jsonl", "of a shard")
	must.Get(Merge(opt))(t)
	has("out/judged/a.jsonl", "mine")
	has("out/judged/b.jsonl", "of a shard")
	has("out/notes.txt", "my notes")
	if _, err := os.Stat(dir + "/out/cells/stale.json"); err == nil {
		t.Error("a cell that is no shard's is there")
	}
	put("out/judged/b.jsonl", "went on")
	if _, err := Merge(opt); err == nil || !strings.Contains(err.Error(), "out/judged/b.jsonl is there, and the shards have it with other contents") {
		t.Errorf("a file of the judge that went on: %v", err)
	}
	has("out/judged/b.jsonl", "went on")
	has("out/notes.txt", "my notes")
	put("1/judged/b.jsonl", "went on")
	must.OK(t, os.Symlink("out", dir+"/link"))
	must.Get(Merge(Options{Dirs: opt.Dirs, Out: dir + "/link"}))(t)
	if to, err := os.Readlink(dir + "/link"); err != nil || to != "out" {
		t.Errorf("a link is %s, %v", to, err)
	}
	has("link/notes.txt", "my notes")
	if left, err := filepath.Glob(dir + "/.*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestRefusedArguments: a directory that is named twice is called that, and the folder in which the
// merge runs is not replaced; nothing is left behind.
func TestRefusedArguments(t *testing.T) {
	dir := t.TempDir()
	one := shard(t, dir+"/1", 1, nil)
	if _, err := Merge(Options{Dirs: []string{one, dir + "/./1"}, Out: dir + "/out"}); err == nil || !strings.Contains(err.Error(), "is named twice") {
		t.Errorf("a directory twice: %v", err)
	}
	two := shard(t, dir+"/2", 2, nil)
	must.OK(t, os.Mkdir(dir+"/here", 0o755))
	t.Chdir(dir + "/here")
	if _, err := Merge(Options{Dirs: []string{one, two}, Out: "."}); err == nil || !strings.Contains(err.Error(), "--out . has the folder in which this runs") {
		t.Errorf("into the working directory: %v", err)
	}
	for _, folder := range []string{dir, dir + "/here"} {
		if left, err := filepath.Glob(folder + "/.*"); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
