package tokenizers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/internal/filelock"
	"gcdbench/internal/files"
)

// The cache on disk. Files are kept by their contents, so that nothing is stored twice and
// nothing can be mistaken for something else:
//
//	blobs/SHA256            fetched files
//	tokenizers/NAME.json    the Provenance of a named tokenizer: which blobs, whence, under which licence
//	parsed/KEY              parsed forms (cachefile.go)
//	partial/                downloads not yet complete
//	locks/                  one process fetches a tokenizer, the others wait
//
// Every file is written under another name and renamed, so a reader sees all of it or nothing.
// Everything can be deleted at any time.
type store struct{ dir string }

// CacheDirEnv is the environment variable that moves the cache.
const CacheDirEnv = "GCDBENCH_CACHE"

// CacheDir returns the cache's directory: $GCDBENCH_CACHE, or gcdbench under the user's cache
// directory. It need not exist.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheDirEnv); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: %w; set %s", err, CacheDirEnv)
	}
	return filepath.Join(dir, "gcdbench"), nil
}

// openStore does not touch the disk.
func openStore(dir string) (store, error) {
	if dir != "" {
		return store{dir}, nil
	}
	dir, err := CacheDir()
	return store{dir}, err
}

// write stores data under a path of the cache, whole or not at all.
func (s store) write(data []byte, path ...string) error {
	return files.Write(filepath.Join(append([]string{s.dir}, path...)...), data)
}

func (s store) read(path ...string) ([]byte, error) {
	return os.ReadFile(filepath.Join(append([]string{s.dir}, path...)...))
}

// sha256Hex is the name of data among the blobs.
func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// putBlob stores data by its contents.
func (s store) putBlob(data []byte) (FileSum, error) {
	f := FileSum{SHA256: sha256Hex(data), Size: int64(len(data))}
	return f, s.write(data, "blobs", f.SHA256)
}

// blob reads a stored file and checks that it is what its name says.
func (s store) blob(f FileSum) ([]byte, error) {
	data, err := s.read("blobs", f.SHA256)
	if err != nil {
		return nil, err
	}
	if sum := sha256Hex(data); sum != f.SHA256 {
		return nil, fmt.Errorf("cached file %s (%s) is damaged: its SHA-256 is %s", f.Path, f.SHA256, sum)
	}
	return data, nil
}

// record returns the provenance of a named tokenizer, if all its files are there.
func (s store) record(name string) (Provenance, bool) {
	var p Provenance
	data, err := s.read("tokenizers", name+".json")
	if err != nil || json.Unmarshal(data, &p) != nil || p.Name != name || len(p.Files) == 0 {
		return p, false
	}
	for _, f := range p.Files {
		info, err := os.Stat(filepath.Join(s.dir, "blobs", f.SHA256))
		if err != nil || info.Size() != f.Size {
			return p, false
		}
	}
	return p, true
}

// jsonOf is the path of the tokenizer.json among files of the cache; "" if none of them is one.
func (s store) jsonOf(files []FileSum) string {
	for _, f := range files {
		if filepath.Base(f.Path) == "tokenizer.json" {
			return filepath.Join(s.dir, "blobs", f.SHA256)
		}
	}
	return ""
}

// putRecord makes a named tokenizer cached; its blobs must be there by then.
func (s store) putRecord(p Provenance) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return s.write(append(data, '\n'), "tokenizers", p.Name+".json")
}

// parsedKey names the parsed form of files with the given EOS tokens.
func parsedKey(files []FileSum, eos []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "parsed form %d\n", parsedVersion)
	for _, f := range files {
		fmt.Fprintf(&b, "file %s %s\n", filepath.Base(f.Path), f.SHA256)
	}
	for _, e := range eos {
		fmt.Fprintf(&b, "eos %q\n", e)
	}
	return sha256Hex([]byte(b.String()))
}

// parsed returns a parsed form, nil if there is none of use.
func (s store) parsed(name, key string) *definition {
	data, err := s.read("parsed", key)
	if err != nil {
		return nil
	}
	d, err := decodeParsed(name, data, key)
	if err != nil {
		return nil
	}
	return d
}

// putParsed stores a parsed form. The cache only saves time, so failing to write it is not an
// error.
func (s store) putParsed(d *definition, key string) {
	if data, err := encodeParsed(d, key); err == nil {
		_ = s.write(data, "parsed", key)
	}
}

// lock waits until no other process fetches name and returns the function that lets the next one
// go. Where the system has no locks two processes may fetch the same tokenizer at once; as files
// appear whole and under their contents' names, that costs time and nothing else.
func (s store) lock(ctx context.Context, name string) (unlock func(), err error) {
	unlock, err = filelock.Wait(ctx, filepath.Join(s.dir, "locks", name), nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("waiting for another process that fetches %s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("lock of the cache: %w", err)
	}
	return unlock, nil
}
