package harness

import (
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// sameShard is a *WrongShardError if the results of a directory are those of another shard.
func sameShard(dir string, before *cell.Manifest, shard *cell.Shard) error {
	if before == nil || before.Shard.Same(shard) {
		return nil
	}
	return &prepare.WrongShardError{Dir: dir, Has: before.Shard, Wants: shard}
}

// divideManifest leaves the shard's cells in the manifest, and keeps the list of all.
func (r *run) divideManifest(s *cell.Shard) {
	l := &prepare.Loader{Opt: &prepare.Options{Shard: s}}
	r.manifest.Shard, r.manifest.All, r.manifest.Cells = s, r.manifest.Cells, nil
	number, next := 0, r.manifest.All
	for range r.cfg.Workloads {
		for range r.cfg.Tokenizers {
			if l.Takes(number) {
				r.manifest.Cells = append(r.manifest.Cells, next[:len(r.entries)]...)
			}
			next = next[len(r.entries):]
			number++
		}
	}
}
