// Package merge joins the result directories of shards into one that is as if one process had
// measured all of it.
//
// The shards of a run have whole cells: their files are taken over as they are. Those of a campaign
// of verification have tasks, whose logs are put together (campaign.go).
//
// What does not fit is refused, with the directories that do not: another configuration, another
// division, another program, another kind of machine (unless the caller allows it), a cell that two
// directories have with different contents, and shards that are missing or not finished.
//
// The joined directory is made beside its place under a temporary name and renamed at the end. An
// interrupted merge leaves the shards as they are and no directory; the next one starts anew.
package merge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gcdbench/harness/campaign"
	"gcdbench/harness/cell"
	"gcdbench/internal/words"
)

// Options are those of a merge.
type Options struct {
	Dirs []string
	Out  string
	// Machines allows machines of different kinds.
	Machines bool

	beforeRename func() // in tests: called before the directory gets its name
}

// Result says what was joined.
type Result struct {
	Out      string   `json:"out"`
	Shards   int      `json:"shards"`
	By       string   `json:"by"`
	Cells    int      `json:"cells"`
	Machines []string `json:"machines"`
	// Campaign is that of the verification, if the shards have one.
	Campaign *campaign.Summary `json:"campaign,omitempty"`
}

// source is a directory that is joined.
type source struct {
	dir      string
	store    *cell.Store
	manifest *cell.Manifest          // nil without a run
	records  map[string]*cell.Record // by key
	campaign *campaign.Manifest      // nil without a campaign
}

// Merge joins directories. Errors say which directory does not fit and why; they are
// *cell.WriteError where the joined directory could not be written.
func Merge(opt Options) (*Result, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	m := &merger{opt: opt}
	defer m.close()
	for _, dir := range opt.Dirs {
		if err := m.read(dir); err != nil {
			return nil, err
		}
	}
	if err := m.fits(); err != nil {
		return nil, err
	}
	if err := m.write(); err != nil {
		return nil, err
	}
	r := &Result{Out: opt.Out, Shards: len(m.sources), Machines: m.machines}
	if s := m.sources[0].shard(); s != nil {
		r.By = s.By
	}
	if m.joined != nil {
		r.Cells = len(m.joined.Cells)
	}
	var err error
	if c, readErr := campaign.ReadManifest(opt.Out); readErr == nil && c != nil {
		r.Campaign, err = campaign.Summarize(opt.Out, c)
	}
	return r, err
}

// fits refuses directories that do not belong together.
func (m *merger) fits() error {
	if err := m.sameKind(); err != nil {
		return err
	}
	if err := errors.Join(m.sameDivision(), m.sameRun(), m.complete()); err != nil {
		return err
	}
	return errors.Join(m.sameMachine(), m.sameCampaign())
}

// check refuses directories that would be overwritten.
func (opt *Options) check() error {
	if len(opt.Dirs) == 0 {
		return errors.New("which result directories? 'gcdbench run CONFIG.yaml --shard i/n' makes one for each shard")
	}
	out, err := filepath.Abs(opt.Out)
	if err != nil {
		return err
	}
	if st, err := os.Lstat(out); err == nil && st.Mode()&fs.ModeSymlink != 0 { // it stays one
		if out, err = filepath.EvalSymlinks(out); err != nil {
			return err
		}
		opt.Out = out
	}
	if here, err := os.Getwd(); err == nil && (here == out || strings.HasPrefix(here, out+string(filepath.Separator))) {
		return fmt.Errorf("--out %s has the folder in which this runs, and the joined directory would take its place: name another", opt.Out)
	}
	named := map[string]string{} // by the folder that is meant
	for _, dir := range opt.Dirs {
		full, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(full)
		if err != nil {
			real = full // that it is not there is said when it is read
		}
		if first, twice := named[real]; twice {
			return fmt.Errorf("%s is named twice, as %s and as %s: name each shard once", real, first, dir)
		}
		named[real] = dir
		if full == out || strings.HasPrefix(full, out+string(filepath.Separator)) {
			return fmt.Errorf("%s is in %s, which the merge would replace: choose another --out", dir, opt.Out)
		}
	}
	return nil
}

// merger joins directories.
type merger struct {
	opt      Options
	sources  []*source
	unlocks  []func()
	machines []string // kinds, as far as they differ
	joined   *cell.Manifest
}

func (m *merger) close() {
	for _, unlock := range m.unlocks {
		unlock()
	}
}

// read opens a directory and reads its cells. Nobody writes to it until the merge has ended.
func (m *merger) read(dir string) error {
	store, err := cell.Open(dir)
	if err != nil {
		return err
	}
	manifest, err := store.Manifest()
	if err != nil {
		return err
	}
	verified, err := campaign.ReadManifest(dir)
	switch {
	case err != nil:
		return err
	case manifest == nil && verified == nil:
		return fmt.Errorf("%s has no run.json and no campaign: it is no result directory of 'gcdbench run' or 'gcdbench verify --out'", dir)
	}
	unlock, err := store.Lock()
	var locked *cell.LockedError
	if errors.As(err, &locked) {
		return fmt.Errorf("%s is not finished: %w", dir, err)
	}
	if err == nil { // a directory that cannot be written to has no writer
		m.unlocks = append(m.unlocks, unlock)
	}
	s := &source{dir: dir, store: store, manifest: manifest, records: map[string]*cell.Record{}, campaign: verified}
	m.sources = append(m.sources, s)
	if manifest == nil {
		return nil
	}
	for _, c := range manifest.Cells {
		if c.Key == "" {
			continue
		}
		r, err := store.Get(c.Key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("%w; the run of this shard measures it again", err)
		default:
			s.records[c.Key] = r
		}
	}
	return nil
}

// name is how messages call a source.
func (s *source) name() string {
	if s.shard() == nil {
		return s.dir
	}
	return fmt.Sprintf("%s (%s)", s.dir, s.shard())
}

// shard is the part that a source has; nil for the whole.
func (s *source) shard() *cell.Shard {
	if s.manifest != nil {
		return s.manifest.Shard
	}
	return s.campaign.Shard
}

// all has the cells of the whole run, without keys.
func (s *source) all() []cell.Planned {
	list := slices.Clone(s.manifest.All)
	if s.manifest.Shard == nil {
		list = slices.Clone(s.manifest.Cells)
	}
	for i := range list {
		list[i].Key = ""
	}
	return list
}

// sameKind refuses results of a run beside some of verification alone.
func (m *merger) sameKind() error {
	first := m.sources[0]
	for _, s := range m.sources[1:] {
		if (s.manifest == nil) != (first.manifest == nil) || (s.campaign == nil) != (first.campaign == nil) {
			return fmt.Errorf("%s and %s do not both have results of a run, or not both a campaign of 'gcdbench verify'", first.name(), s.name())
		}
	}
	return nil
}

// sameDivision refuses directories of different divisions, and missing shards.
func (m *merger) sameDivision() error {
	first, found := m.sources[0].shard(), map[int]bool{}
	for _, s := range m.sources {
		one := s.shard()
		switch {
		case (one == nil) != (first == nil):
			return fmt.Errorf("%s and %s: one is a shard, the other is none", m.sources[0].name(), s.name())
		case one == nil:
		case one.Of != first.Of || one.By != first.By:
			return fmt.Errorf("%s and %s are of different divisions", m.sources[0].name(), s.name())
		default:
			found[one.Index] = true
		}
	}
	var missing []string
	for i := 1; first != nil && i <= first.Of; i++ {
		if !found[i] {
			missing = append(missing, fmt.Sprintf("%d/%d", i, first.Of))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing: shard %s", strings.Join(missing, ", "))
	}
	return nil
}

// sameRun refuses directories of different configurations.
func (m *merger) sameRun() error {
	first := m.sources[0]
	if first.manifest == nil {
		return nil
	}
	var errs []error
	for _, s := range m.sources[1:] {
		a, b := first.manifest, s.manifest
		switch {
		case a.Config != b.Config:
			errs = append(errs, fmt.Errorf("%s is of another configuration than %s: their SHA-256 are %s and %s", s.name(), first.name(), sumOf(b.Config), sumOf(a.Config)))
		case !a.Throughput.Same(b.Throughput):
			errs = append(errs, fmt.Errorf("%s and %s have the same configuration and other models or batches: was a table of times changed between them?", first.name(), s.name()))
		case !slices.Equal(first.all(), s.all()):
			errs = append(errs, fmt.Errorf("%s and %s have the same configuration and other cells: was one of them run with another --corpus?", first.name(), s.name()))
		}
	}
	return errors.Join(errs...)
}

// sumOf is the head of the SHA-256 of a text.
func sumOf(text string) string { return cell.Sum([]byte(text))[:12] }

// complete refuses unfinished shards.
func (m *merger) complete() error {
	var errs []error
	for _, s := range m.sources {
		if s.manifest == nil {
			continue
		}
		var open []string
		for _, c := range s.manifest.Cells {
			name := fmt.Sprintf("%s on %s with %s", c.Label, c.Workload, c.Tokenizer)
			r := s.records[c.Key]
			if r == nil {
				open = append(open, name)
				continue
			}
			r.Tokenizer = c.Tokenizer
			for _, id := range s.manifest.Throughput.Of(r) {
				if _, err := s.store.Batch(id); err != nil {
					open = append(open, fmt.Sprintf("%s in a batch of %d (threads: %d)", name, id.Batch, id.Threads))
				}
			}
		}
		if len(open) > 0 && (s.manifest.Shard != nil || len(m.sources) == 1) {
			errs = append(errs, fmt.Errorf("%s is not finished: it lacks %s; run the same command for it again, it goes on where it stopped", s.name(), someOf(open)))
		}
	}
	return errors.Join(errs...)
}

// someOf lists a few things and counts the others.
func someOf(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s; and %s more", strings.Join(list[:most], "; "), words.Count(len(list)-most, "cell"))
}

// sameMachine refuses results of different programs, and of different kinds of machines unless that
// is allowed.
func (m *merger) sameMachine() error {
	var first *cell.Record
	var from *source
	kinds := map[string]string{} // to a directory
	for _, s := range m.sources {
		for _, r := range s.measured() {
			if first == nil {
				first, from = r, s
			}
			if a, b := &first.Environment, &r.Environment; a.Program != b.Program {
				return fmt.Errorf("%s was measured by another program than %s: %s and %s; shards need the same executable",
					s.name(), from.name(), programName(r), programName(first))
			}
			kind := machineName(r)
			if _, known := kinds[kind]; !known {
				kinds[kind] = s.name()
				m.machines = append(m.machines, kind)
			}
		}
	}
	slices.Sort(m.machines)
	if len(m.machines) > 1 && !m.opt.Machines {
		var list []string
		for _, kind := range m.machines {
			list = append(list, fmt.Sprintf("%s: %s", kinds[kind], kind))
		}
		return fmt.Errorf("the shards were measured on machines of different kinds, whose times do not compare:\n  %s\n"+
			"run all of them on one kind, or join them with --machines; the report then says so", strings.Join(list, "\n  "))
	}
	return nil
}

// measured lists the cells of a source in their order.
func (s *source) measured() (list []*cell.Record) {
	if s.manifest == nil {
		return nil
	}
	for _, c := range s.manifest.Cells {
		if r := s.records[c.Key]; r != nil {
			list = append(list, r)
		}
	}
	return list
}

// programName names the program that measured a cell.
func programName(r *cell.Record) string {
	e := &r.Environment
	revision := "revision unknown"
	if e.Revision != "" {
		revision = "revision " + e.Revision[:min(12, len(e.Revision))]
	}
	if e.Dirty {
		revision += " with changes"
	}
	return fmt.Sprintf("%s (SHA-256 %s)", revision, e.Program[:min(12, len(e.Program))])
}

// machineName describes the kind of machine that measured a cell.
func machineName(r *cell.Record) string {
	e := r.ID.Machine
	text := fmt.Sprintf("%s, %s, %s %s, %s, GOMAXPROCS %d", e.CPU, words.Count(e.Cores, "core"), e.OS, e.Arch, e.Go, e.GOMAXPROCS)
	if e.GODEBUG != "" {
		text += ", GODEBUG " + e.GODEBUG
	}
	return text
}

// write makes the joined directory under a temporary name and renames it.
func (m *merger) write() error {
	out := filepath.Clean(m.opt.Out)
	if err := replaceable(out); err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+".merging")
	store, err := cell.Create(temporary)
	if err != nil {
		return err
	}
	unlock, err := store.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.make(temporary, out); err != nil {
		os.RemoveAll(temporary) // after a kill the next merge does it
		return err
	}
	return swap(temporary, out)
}

// make fills the temporary directory.
func (m *merger) make(temporary, out string) error {
	if err := emptied(temporary); err != nil {
		return err
	}
	store, err := cell.Create(temporary)
	if err != nil {
		return err
	}
	if err := m.fill(store); err != nil {
		return err
	}
	if err := carry(out, temporary); err != nil {
		return err
	}
	if m.opt.beforeRename != nil {
		m.opt.beforeRename()
	}
	return nil
}

// made are the entries of a joined directory that a merge makes anew. All others are somebody's:
// what 'gcdbench judge' has found there, reports, a user's own files.
var made = []string{"batches", "campaign", "cells", "differences", "lock", "run.json"}

// carry takes over, from the directory that is replaced, what no merge has made. Nothing of it is
// lost: a file that the shards have with other contents is an error.
func carry(from, to string) error {
	return takeOver(from, to, made, os.Link, func(path, _ string) error {
		return fmt.Errorf("%s is there, and the shards have it with other contents: move it away, or choose another --out", path)
	})
}

// takeOver puts the files below a folder, if there is one, to the same places below another, but
// for some entries. A file that is there already must have the same contents, or differs says what
// is wrong. Where link fails, or is nil, files are copied.
func takeOver(from, to string, without []string, link func(from, to string) error, differs func(path, inside string) error) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == from {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		switch {
		case slices.Contains(without, inside) && d.IsDir():
			return fs.SkipDir
		case slices.Contains(without, inside):
			return nil
		case d.IsDir():
			if err := os.MkdirAll(target, 0o755); err != nil {
				return &cell.WriteError{Path: target, Err: err}
			}
			return nil
		}
		if _, err := os.Lstat(target); err == nil {
			if !sameFiles(path, target) {
				return differs(path, inside)
			}
			return nil
		}
		if link != nil && link(path, target) == nil { // of a symbolic link it is one to the same place
			return nil
		}
		return copyFile(path, target)
	})
}

// sameFiles reports whether two files have the same contents.
func sameFiles(a, b string) bool {
	x, err := os.ReadFile(a)
	y, other := os.ReadFile(b)
	return err == nil && other == nil && string(x) == string(y)
}

// replaceable refuses a directory that no merge has made.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	}
	if store, err := cell.Open(out); err == nil {
		if manifest, err := store.Manifest(); err == nil && manifest != nil && manifest.Joined != nil {
			return nil
		}
		if manifest, err := campaign.ReadManifest(out); err == nil && manifest != nil && manifest.Joined > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s is there and was not made by 'gcdbench merge': choose another --out, or move it away", out)
}

// emptied removes what an interrupted merge has left, but for the lock.
func emptied(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// swap gives the finished directory its name. A directory that was joined earlier is there until
// then, and is removed afterwards.
func swap(from, to string) error {
	old := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".replaced")
	if err := os.RemoveAll(old); err != nil {
		return &cell.WriteError{Path: old, Err: err}
	}
	if err := os.Rename(to, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &cell.WriteError{Path: to, Err: err}
	}
	if err := os.Rename(from, to); err != nil {
		return &cell.WriteError{Path: to, Err: err}
	}
	return os.RemoveAll(old)
}

// fill writes everything but the name.
func (m *merger) fill(store *cell.Store) error {
	if m.sources[0].campaign != nil {
		if err := m.joinCampaign(store.Dir()); err != nil {
			return err
		}
	}
	first := m.sources[0].manifest
	if first == nil {
		return nil
	}
	m.joined = &cell.Manifest{Name: first.Name, Config: first.Config, Started: m.started(), Cells: m.sources[0].all(),
		Throughput: first.Throughput, Joined: &cell.Joined{Shards: len(m.sources)}}
	if first.Shard != nil {
		m.joined.Joined.By = first.Shard.By
	}
	if len(m.machines) > 1 {
		m.joined.Joined.Machines = m.machines
	}
	if err := m.cells(store); err != nil {
		return err
	}
	for _, folder := range []string{"differences", "judged", "batches"} {
		if err := m.folderInto(store.Dir(), folder); err != nil {
			return err
		}
	}
	return store.PutManifest(m.joined)
}

// started is when the first shard began.
func (m *merger) started() time.Time {
	return slices.MinFunc(m.sources, func(a, b *source) int { return a.manifest.Started.Compare(b.manifest.Started) }).manifest.Started
}

// cells brings all cells into the joined directory and enters their keys.
func (m *merger) cells(store *cell.Store) error {
	for i := range m.joined.Cells {
		p := &m.joined.Cells[i]
		found := m.have(*p)
		if len(found) == 0 {
			return fmt.Errorf("no directory has %s on %s with %s", p.Label, p.Workload, p.Tokenizer)
		}
		if err := m.take(store, found); err != nil {
			return err
		}
		p.Key = found[0].record.Key
	}
	return nil
}

// held is a cell in a directory.
type held struct {
	from   *source
	record *cell.Record
}

// have lists what the directories have of a cell, in the order of the shards.
func (m *merger) have(p cell.Planned) (list []held) {
	for _, s := range m.sources {
		for _, c := range s.manifest.Cells {
			if c.Same(p) && s.records[c.Key] != nil {
				list = append(list, held{s, s.records[c.Key]})
			}
		}
	}
	return list
}

// take copies a whole cell. Two directories may have it if they have the same.
func (m *merger) take(store *cell.Store, found []held) error {
	first := found[0]
	for _, other := range found[1:] {
		if other.record.Checksum != first.record.Checksum {
			return fmt.Errorf("%s and %s have %s on %s with %s with different contents", first.from.name(), other.from.name(),
				first.record.Label, first.record.Workload, first.record.Tokenizer)
		}
	}
	for _, name := range []string{first.record.Raw.File, first.record.Key + ".json"} {
		if err := copyFile(filepath.Join(first.from.dir, "cells", name), filepath.Join(store.Dir(), "cells", name)); err != nil {
			return err
		}
	}
	return nil
}

// folderInto copies the files of a folder that shards may have. A file that two of them have must
// be the same in both.
func (m *merger) folderInto(dir, folder string) error {
	for _, s := range m.sources {
		err := takeOver(filepath.Join(s.dir, folder), filepath.Join(dir, folder), nil, nil, func(_, inside string) error {
			return fmt.Errorf("%s: another shard has %s with different contents", s.name(), filepath.Join(folder, inside))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file, flushed to the disk.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return cell.WriteFile(to, data)
}
