package engines

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gcdbench/tokenizers"
)

// The adapters are part of the program, so that an installed program needs no source tree. They are
// written to the cache in a folder named by the sum of their contents: a running child keeps its
// files when a newer program writes others.

//go:embed python/*.py
var python embed.FS

// adaptersSum is a hash of all adapters.
func adaptersSum() string {
	h := sha256.New()
	eachAdapter(func(name string, text []byte) error {
		fmt.Fprintf(h, "%s %d\n", name, len(text))
		h.Write(text)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// eachAdapter calls f with each file, by name. Tests of the Python side stay out.
func eachAdapter(f func(name string, text []byte) error) error {
	files, err := fs.Glob(python, "python/*.py")
	if err != nil {
		return err
	}
	for _, file := range files {
		name := strings.TrimPrefix(file, "python/")
		if strings.HasPrefix(name, "test_") || name == "driver.py" { // which is the other side
			continue
		}
		text, err := python.ReadFile(file)
		if err == nil {
			err = f(name, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// adapterSum is the beginning of the SHA-256 of an entry's adapter and of the files that all
// adapters share.
func (e *Entry) adapterSum() string {
	h, there := sha256.New(), false
	eachAdapter(func(name string, text []byte) error {
		there = there || name == e.Adapter
		if name == e.Adapter || name == "gcdbench_engine.py" || !strings.HasSuffix(name, "_engine.py") {
			fmt.Fprintf(h, "%s %d\n", name, len(text))
			h.Write(text)
		}
		return nil
	})
	if !there {
		return "none"
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// cacheFolder is a folder for engines in the cache.
func cacheFolder(parts ...string) (string, error) {
	dir, err := tokenizers.CacheDir()
	return filepath.Join(append([]string{dir, "engines"}, parts...)...), err
}

// writeAdapters writes the adapters to the cache, unless they are there, and returns their folder.
func writeAdapters() (string, error) {
	dir, err := cacheFolder("adapters-" + adaptersSum())
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp) // nothing is there once it has its name
	err = eachAdapter(func(name string, text []byte) error {
		return os.WriteFile(filepath.Join(temp, name), text, 0o644)
	})
	if err == nil {
		err = os.Chmod(temp, 0o755)
	}
	if err == nil {
		err = os.Rename(temp, dir)
		removeOld(filepath.Dir(dir))
	}
	if _, there := os.Stat(dir); there == nil {
		return dir, nil // another process was faster
	}
	return "", fmt.Errorf("writing the adapters of engines: %w", err)
}

// oldAdapters is how long adapters of other programs are kept. A program writes its adapters anew
// if they were removed.
const oldAdapters = 30 * 24 * time.Hour

// removeOld removes the adapters of old programs.
func removeOld(folder string) {
	dirs, _ := filepath.Glob(filepath.Join(folder, "adapters-*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > oldAdapters {
			os.RemoveAll(dir)
		}
	}
}
