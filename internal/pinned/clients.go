package pinned

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// PythonEnv is the environment variable that names the Python whose pip downloads packages.
const PythonEnv = "GCDBENCH_PYTHON"

// clientTime is how long a client may take. pip builds the metadata of a package with sources,
// which takes some ten seconds.
const clientTime = 10 * time.Minute

// clientGrace is how long a cancelled client may take to end; children that it leaves behind hold
// its output open.
const clientGrace = 2 * time.Second

// PackNPM downloads a package, such as name@1.2.3, into an empty folder with the user's npm, so
// that whatever registry, proxy and credentials are configured there are used. The command is npm
// if it is empty. It returns the path of the archive.
func PackNPM(ctx context.Context, command, pin, folder string) (archive string, err error) {
	path, err := exec.LookPath(cmp.Or(command, "npm"))
	if err != nil {
		return "", fmt.Errorf("npm is not installed: %w; install Node.js, which has it", err)
	}
	return download(ctx, "npm pack "+pin, folder, path, "pack", pin, "--pack-destination", folder, "--loglevel=error", "--ignore-scripts")
}

// DownloadPip downloads a package, such as name==1.2.3, into an empty folder with pip of the Python
// that PythonEnv names, or else of python3, by the user's own configuration of pip: the package's
// sources, or what is installed of it. It returns the path of the archive.
func DownloadPip(ctx context.Context, pin, folder string, sources bool) (archive string, err error) {
	python := cmp.Or(os.Getenv(PythonEnv), "python3")
	path, err := exec.LookPath(python)
	if err != nil {
		return "", fmt.Errorf("%s is not there: install Python with pip, or name one by %s", python, PythonEnv)
	}
	form := "--only-binary"
	if sources {
		form = "--no-binary"
	}
	name, _, _ := strings.Cut(pin, "==")
	return download(ctx, "pip download "+pin, folder, path, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet",
		"--no-deps", form, name, "--dest", folder, pin)
}

// DownloadGo downloads a module, such as example.com/mod@v1.2.3, by the go command into its cache,
// and returns the path of the zip archive there. The folder is empty, so that no module around it
// counts.
func DownloadGo(ctx context.Context, pin, folder string) (archive string, err error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("go is not installed: %w; install Go, which downloads modules", err)
	}
	text, err := output(ctx, "go mod download "+pin, folder, path, "mod", "download", "-json", pin)
	var said struct{ Zip, Error string }
	if parsed := json.Unmarshal(text, &said); err == nil && parsed != nil {
		err = fmt.Errorf("go mod download %s: %w", pin, parsed)
	}
	if said.Error != "" {
		err = fmt.Errorf("go mod download %s: %s", pin, said.Error)
	}
	return said.Zip, err
}

// download runs a command in a folder and returns the path of the one file that it leaves there.
// what names it in errors.
func download(ctx context.Context, what, folder, command string, args ...string) (string, error) {
	if _, err := output(ctx, what, folder, command, args...); err != nil {
		return "", err
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 1 {
		return "", fmt.Errorf("%s left %d files, not one archive", what, len(left))
	}
	return left[0], nil
}

// output runs a command in a folder and returns what it prints.
func output(ctx context.Context, what, folder, command string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	var printed, complaint bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = folder, &printed, &complaint, clientGrace
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%s: %w", what, ctx.Err())
	} else if err != nil {
		err = fmt.Errorf("%s: %w: %s", what, err, lastLines(complaint.String(), 3))
	}
	return printed.Bytes(), err
}

// lastLines is the end of what a command said, for an error message.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
