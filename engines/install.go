package engines

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gcdbench/engines/process"
	"gcdbench/internal/filelock"
	"gcdbench/internal/files"
	"gcdbench/internal/pinned"
	"gcdbench/internal/words"
)

// Each engine has a virtual environment of its own in the cache folder, since the dependencies of
// engines conflict. Python's module venv makes it, and pip installs the packages, as the authors of
// the engine advise. The marker, a file with the installed packages, is written last: an
// environment without a marker is incomplete, and is made anew.

const (
	// PythonEnv is the environment variable that names the Python that environments are made with.
	PythonEnv = pinned.PythonEnv
	// stepTime is how long one command of an installation may take: the longest is a build from
	// source, some minutes.
	stepTime = 30 * time.Minute
	// helloTime bounds the hello of a new engine.
	helloTime = 2 * time.Minute
	marker    = "installed.json"
)

// An Installation is the content of the marker of an environment.
type Installation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Asked are the packages of the catalogue, Packages all that pip lists.
	Asked    []string  `json:"asked"`
	Packages []string  `json:"packages"`
	Python   string    `json:"python"`
	Date     time.Time `json:"date"`
}

// sum is the beginning of the SHA-256 of the installed packages and the version of Python.
func (i *Installation) sum() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", i.Packages, i.Python)
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// folder is the engine's folder in the cache.
func (e *Entry) folder() (string, error) { return cacheFolder(e.Name) }

// asked are the packages of an entry, in the order of their installation.
func (e *Entry) asked() []string { return append(slices.Clone(e.Bare), e.Packages...) }

// Installed is the installation of an engine. The error says what to do if there is none, or
// another version.
func (e *Entry) Installed() (*Installation, error) {
	dir, err := e.folder()
	if err != nil {
		return nil, err
	}
	var i Installation
	text, err := os.ReadFile(filepath.Join(dir, marker))
	if err != nil || json.Unmarshal(text, &i) != nil {
		return nil, fmt.Errorf("%s is not installed: gcdbench engines install %[1]s", e.Name)
	}
	if _, err := os.Stat(interpreter(dir)); err != nil {
		return nil, fmt.Errorf("%s has lost its Python (%v): gcdbench engines install %[1]s", e.Name, err)
	}
	if i.Version != e.Version || !slices.Equal(i.Asked, e.asked()) {
		return nil, fmt.Errorf("%s is installed as version %s, and this program wants %s: gcdbench engines install %[1]s", e.Name, i.Version, e.Version)
	}
	return &i, nil
}

// interpreter is the Python of an environment.
func interpreter(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "venv", "Scripts", "python.exe")
	}
	return filepath.Join(dir, "venv", "bin", "python")
}

// Command is the command that starts an installed engine.
func (e *Entry) Command() (process.Command, error) {
	if _, err := e.Installed(); err != nil {
		return process.Command{}, err
	}
	return e.command()
}

// command is Command of an environment that need not be complete.
func (e *Entry) command() (process.Command, error) {
	dir, err := e.folder()
	if err != nil {
		return process.Command{}, err
	}
	adapters, err := writeAdapters()
	if err != nil {
		return process.Command{}, err
	}
	// -s ignores packages that the user has installed outside of environments.
	args := []string{interpreter(dir), "-s", filepath.Join(adapters, e.Adapter)}
	return process.Command{Name: e.Name, Args: args, Clean: true, Version: e.Version}, nil
}

// Install makes the environment of an engine, unless it is there. progress is called with a line
// for each step. Two installations of an engine wait for each other.
func Install(ctx context.Context, e *Entry, progress func(line string)) (*Installation, error) {
	if i, err := e.Installed(); err == nil {
		return i, nil
	}
	if _, err := python.ReadFile("python/" + e.Adapter); err != nil {
		return nil, fmt.Errorf("%s: this program has no adapter %s", e.Name, e.Adapter)
	}
	base, err := findPython(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := e.folder()
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Wait(ctx, dir+".lock", func() { progress(e.Name + ": waiting for another installation") })
	if err != nil {
		return nil, err
	}
	defer unlock()
	if i, err := e.Installed(); err == nil {
		return i, nil // by the one that was waited for
	}
	i, err := e.install(ctx, base, dir, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	return i, nil
}

// install makes an environment anew.
func (e *Entry) install(ctx context.Context, base, dir string, progress func(string)) (*Installation, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%s: an environment with %s", e.Name, base))
	if _, err := command(ctx, base, "-m", "venv", filepath.Join(dir, "venv")); err != nil {
		return nil, fmt.Errorf("making a virtual environment: %w", err)
	}
	python := interpreter(dir)
	pip := []string{"-m", "pip", "--disable-pip-version-check", "--no-input"}
	if e.Note != "" {
		progress(e.Name + ": " + e.Note)
	}
	for _, step := range []struct {
		flags, packages []string
	}{{[]string{"--no-deps"}, e.Bare}, {nil, e.Packages}} {
		if len(step.packages) == 0 {
			continue
		}
		args := append(append(slices.Clone(pip), "install"), append(step.flags, step.packages...)...)
		progress(fmt.Sprintf("%s: pip install %s", e.Name, strings.Join(append(step.flags, step.packages...), " ")))
		if _, err := command(ctx, python, args...); err != nil {
			return nil, fmt.Errorf("pip: %w", err)
		}
	}
	listed, err := command(ctx, python, append(pip, "freeze")...)
	if err != nil {
		return nil, fmt.Errorf("pip: %w", err)
	}
	progress(e.Name + ": asking it who it is")
	build, err := e.greet(ctx)
	if err != nil {
		return nil, err
	}
	i := &Installation{
		Name: e.Name, Version: e.Version, Asked: e.asked(), Packages: strings.Fields(listed), Python: build,
		Date: time.Now().UTC().Truncate(time.Second),
	}
	text, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return nil, err
	}
	return i, files.Write(filepath.Join(dir, marker), append(text, '\n'))
}

// greet starts an installed engine and returns the build in its hello.
func (e *Entry) greet(ctx context.Context) (build string, err error) {
	c, err := e.command()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	p, err := process.Start(ctx, c)
	if err != nil {
		return "", fmt.Errorf("it is installed and does not start: %w", err)
	}
	defer p.Close()
	return p.Hello.Build, nil
}

// findPython is the Python that environments are made with.
func findPython(ctx context.Context) (string, error) {
	names := []string{"python3", "python"}
	if name := os.Getenv(PythonEnv); name != "" {
		names = []string{name}
	}
	var last error
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := command(ctx, path, "-c", "import sys, venv, ensurepip; print(sys.version_info >= (3, 10))")
		switch {
		case err != nil:
			last = fmt.Errorf("%s cannot make virtual environments (%v): install its module venv, or name another Python by %s", path, err, PythonEnv)
		case strings.TrimSpace(out) != "True":
			last = fmt.Errorf("%s is older than 3.10: name another Python by %s", path, PythonEnv)
		default:
			return path, nil
		}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if last == nil {
		last = fmt.Errorf("there is no %s on this machine, and engines from outside are installed with it: install Python 3.10 or later, or name one by %s", names[0], PythonEnv)
	}
	return "", last
}

// command runs a command in bounded time and returns its output. The error is its last line of
// complaint.
func command(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	process.Together(cmd)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", errors.New(lastLine(complaint.String()+"\n"+out.String(), err))
}

// lastLine is the line of an output with the error: the last one that begins with ERROR, or else
// the last one, or else the system's error.
func lastLine(text string, err error) string {
	found := ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line != "" && (strings.HasPrefix(line, "ERROR") || !strings.HasPrefix(found, "ERROR")) {
			found = line
		}
	}
	if found == "" {
		return err.Error()
	}
	return words.Visible(found)
}
