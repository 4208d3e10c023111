// Package environment records where a result was measured: processor, kernel, Go,
// and which program. A time without these is an anecdote.
//
// Nothing here identifies a person or a network: no host name, no user, no
// addresses.
package environment

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Machine is the part of an environment that changes times, and so is part of
// the key of a result.
type Machine struct {
	CPU        string `json:"cpu"`   // the processor's own name for itself
	Cores      int    `json:"cores"` // logical, usable by this process
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	GODEBUG    string `json:"godebug,omitempty"`
	// Program is the SHA-256 of the running executable.
	Program string `json:"program_sha256"`
}

// Environment is where and with what a result was measured.
type Environment struct {
	Machine
	Kernel      string `json:"kernel"`
	MemoryBytes int64  `json:"memory_bytes"` // of the machine; 0 if unknown
	Version     string `json:"version"`      // of gcdbench, as the build knows it
	Revision    string `json:"git_revision"` // "" if unknown
	Dirty       bool   `json:"git_dirty"`    // the working tree had changes, or that is unknown
	Clock       Clock  `json:"clock"`
	// Load is how many threads wanted a core in the minute before, in the mean; 0 where the system
	// does not tell.
	Load float64   `json:"load,omitempty"`
	Date time.Time `json:"date"` // UTC
}

// Here describes this process on this machine, with the clock as calibrated. The
// executable is read once per process.
func Here(clock Clock) Environment {
	program, revision := programSum(), gitRevision()
	return Environment{
		Machine: Machine{
			CPU: cpuName(), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH,
			Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0), GODEBUG: os.Getenv("GODEBUG"),
			Program: program,
		},
		Kernel:      kernel(),
		MemoryBytes: Memory(),
		Version:     version(),
		Revision:    revision.id,
		Dirty:       revision.dirty,
		Clock:       clock,
		Load:        load(),
		Date:        time.Now().UTC().Truncate(time.Second),
	}
}

var programSum = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})

// cpuName is the processor's name; the architecture where the system does not
// tell.
var cpuName = sync.OnceValue(func() string {
	if name := procField("/proc/cpuinfo", "model name"); name != "" {
		return name
	}
	if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	return runtime.GOARCH
})

// load is the first number of /proc/loadavg.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg") // elsewhere than on Linux there is none
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}

// kernel is the release of the operating system, such as 6.1.0-18-amd64.
func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err == nil {
		return strings.TrimSpace(string(text))
	}
	if out, err := exec.Command("uname", "-r").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	return ""
}

// Memory is the machine's memory in bytes, or the container's limit if that is
// lower; 0 if neither is known.
func Memory() int64 {
	total := procSize("/proc/meminfo", "MemTotal")
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

// Resident is the memory that this process takes from the machine in bytes, without mapped files; 0
// where the system does not tell.
func Resident() int64 { return procSize("/proc/self/status", "RssAnon") }

// procSize is the size in a field of a /proc file, in bytes; 0 if it is not there.
func procSize(path, key string) int64 {
	kb, err := strconv.ParseInt(strings.TrimSuffix(procField(path, key), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

// procField returns the value of the first "key: value" line of a /proc file.
func procField(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		k, v, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// version is that of the module, "(devel)" for a build from a checkout.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

// Program says which program this is: its version, the revision it was built from, and Go's
// version.
func Program() string {
	r := gitRevision()
	text := version()
	if r.id != "" {
		text += ", revision " + r.id
		if r.dirty {
			text += " with changes"
		}
	}
	return text + ", " + runtime.Version()
}

type revision struct {
	id    string
	dirty bool
}

// gitRevision asks the build first. `go run` and builds without stamping do not
// know it; then the git command answers for the source the program was built
// from, which is where main.go was compiled, if that still is a checkout.
var gitRevision = sync.OnceValue(func() revision {
	if info, ok := debug.ReadBuildInfo(); ok {
		r, found := revision{}, false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				r.id, found = s.Value, true
			case "vcs.modified":
				r.dirty = s.Value == "true"
			}
		}
		if found {
			return r
		}
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return revision{dirty: true}
	}
	return gitAt(file)
})

// gitAt asks git about the checkout that holds file.
func gitAt(file string) revision {
	const patience = 5 * time.Second // a status of a cold checkout takes well under one
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dir := file[:strings.LastIndexAny(file, `/\`)+1]
	id, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return revision{dirty: true}
	}
	status, err := exec.CommandContext(ctx, "git", "-C", dir, "status", "--porcelain").Output()
	return revision{strings.TrimSpace(string(id)), err != nil || len(status) > 0}
}
