package cell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Killed processes leave files in a directory of results that are not needed any more.

// tempName matches the temporary names of writeFileBy.
var tempName = regexp.MustCompile(`^\.tmp-[0-9]+$`)

// RemoveTemporary removes files that an earlier process began to write, and counts them. The lock
// has to be held, so that no other process still writes them. The error is a *WriteError.
func (s *Store) RemoveTemporary() (removed int, err error) {
	for _, sub := range []string{".", "cells", "differences"} {
		n, err := removeFiles(filepath.Join(s.dir, sub), func(f fs.FileInfo) bool { return tempName.MatchString(f.Name()) })
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// forgotten is the age from which a journal is removed.
const forgotten = 7 * 24 * time.Hour

// RemoveJournals removes journals that were not written to for a week. It is meant for the end of a
// run that has measured all: a journal that is then left is of a configuration, or of a build of
// this program, that has changed. The older one may still be taken up again, so a young journal
// stays. The lock has to be held. It returns how many it removed. The error is a *WriteError.
func (s *Store) RemoveJournals(now time.Time) (removed int, err error) {
	return removeFiles(filepath.Join(s.dir, "journal"), func(f fs.FileInfo) bool {
		return strings.HasSuffix(f.Name(), journalSuffix) && now.Sub(f.ModTime()) > forgotten
	})
}

// RemoveOthers removes the cells that do not belong to the run of the directory, and counts their
// files: cells of an earlier configuration, or of another build of this program. The error is a
// *WriteError, or says why the manifest or the directory cannot be read.
func (s *Store) RemoveOthers() (removed int, err error) {
	unlock, err := s.Lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	plan, err := s.Manifest()
	if err != nil || plan == nil { // nobody knows what belongs to it
		return 0, err
	}
	keys, err := s.Keys()
	if err != nil {
		return 0, err
	}
	others := map[string]bool{}
	for _, key := range keys {
		if !slices.ContainsFunc(plan.Cells, func(c Planned) bool { return c.Key == key }) {
			others[key+".json"], others[key+".raw.zst"] = true, true
		}
	}
	return removeFiles(filepath.Join(s.dir, "cells"), func(f fs.FileInfo) bool { return others[f.Name()] })
}

// removeFiles removes the regular files of a folder that match. A folder that is not there has
// none.
func removeFiles(dir string, match func(fs.FileInfo) bool) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, writeError(dir, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !match(info) {
			continue // gone, or nothing of ours
		}
		path := filepath.Join(dir, e.Name())
		if err := os.Remove(path); err != nil {
			return removed, writeError(path, err)
		}
		removed++
	}
	return removed, nil
}
