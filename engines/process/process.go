// Package process runs an engine from outside as a child process and speaks the protocol of
// package engines/wire with it.
//
// # Failures
//
// A child is a program of strangers: it may hang, take all memory, be killed, write nonsense, or
// end at any time. Each of these is one *Error, whose Outcome says which it was and whose Detail
// quotes the last lines of the child's standard error. After an Error the process is dead, since
// its next answers could not be trusted. Start makes another one.
//
//	its context is done       killed at once                                timeout
//	its memory is too large   killed at the next look, after 20 ms at most  out-of-memory
//	it answers nonsense       killed at once                                crash
//	it ends by itself         noticed at once                               crash
//
// # Where it runs
//
// A child inherits the core to which timing threads are pinned, so that all engines are timed on
// the same core. It has no other core: libraries are told to use one thread. An idle child is
// blocked on a read and takes no time from other engines.
//
// # The end
//
// The file that is shared with a child has no name once both have mapped it. A child that
// outlives gcdbench reads the end of its input and ends. On Linux a watcher (watcher_linux.go) ends
// it, and whatever it started, when it ends or when gcdbench does, killed or not.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
)

// A Command says how a child is started.
type Command struct {
	// Name is the engine's, for messages.
	Name string
	// Args are the program and its arguments.
	Args []string
	// Env are variables beyond those of this process, as NAME=VALUE.
	Env []string
	// Clean removes the variables for Python from the child's environment: another PYTHONPATH is
	// another engine.
	Clean bool
	// Version is a word that the version in hello must contain; "" for any.
	Version string
}

// An Error says how a process failed. Outcome is one of the words of package engines/wire.
type Error struct{ Outcome, Detail string }

// Error is the detail.
func (e *Error) Error() string { return e.Detail }

// A Process is a running child. Its methods may be called by several goroutines; the child
// answers one after the other.
type Process struct {
	// Hello is the child's answer to hello.
	Hello wire.HelloAnswer

	name    string
	cmd     *exec.Cmd // the watcher, where there is one
	watcher *watched
	pid     int
	how     string // it ended
	in      *os.File
	lines   chan []byte // what it writes to its standard output, closed at its end
	last    *tail       // what it wrote to its standard error
	done    chan struct{}

	asking  sync.Mutex // held while it is asked something
	mapping *wire.Mapping
	bulk    atomic.Int64  // its size
	asked   int64         // requests
	took    time.Duration // of the last request
	work    work
	kin     kin
	began   standing // of its first thread
	knows   bool     // began is known

	mu     sync.Mutex
	killed *Error // why it was killed; nil if it was not
	limits limits
}

const (
	// maxLine is the longest answer. Bulk data does not go this way, and what an engine says of itself
	// stands in every report.
	maxLine = 64 << 10
	// goodbye is how long a child may take to end by itself. An interpreter with large libraries
	// takes some 100 ms.
	goodbye = 2 * time.Second
	// silence is how long to wait for the end of a process after it has closed its output: on a busy
	// machine more than a second.
	silence = 5 * time.Second
)

// oneThread tells the usual libraries to use one thread: a child has one core.
var oneThread = []string{
	"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "RAYON_NUM_THREADS=1",
	"NUMEXPR_NUM_THREADS=1", "TOKENIZERS_PARALLELISM=false", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0",
}

// passed are the variables of this process that a child gets, by name or by the beginning of it:
// what programs need to run. Others, such as keys for services, are none of its business.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "XDG_",
	"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_", "PYTHON", "VIRTUAL_ENV", "CONDA_", "UV_CACHE_DIR", "HF_HOME", "HF_HUB_OFFLINE", "JAVA_HOME",
	"NODE_PATH", "GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT", "GOCOVERDIR", "RUST_BACKTRACE", "OMP_", "MKL_", "OPENBLAS_", "CUDA_", "GCDBENCH_",
}

// passes tells whether a child gets a variable, given as NAME=VALUE.
func passes(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.ContainsFunc(passed, func(p string) bool {
		return name == p || (strings.HasSuffix(p, "_") || p == "PYTHON") && strings.HasPrefix(name, p)
	})
}

// environ are the variables of a child. Later ones count.
func (c *Command) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return !passes(v) })
	if c.Clean {
		env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PYTHON") })
	}
	return append(append(env, oneThread...), c.Env...)
}

// Start starts a child and asks for its hello. ctx may carry a limit of memory. The error is an
// *Error, an *algorithms.HarnessError for another version than the command's, or ctx's if it was
// cancelled.
func Start(ctx context.Context, c Command) (*Process, error) {
	p := &Process{name: c.Name, lines: make(chan []byte, 1), last: new(tail), done: make(chan struct{})}
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, &Error{wire.Crash, "there is no command to start"}
	}
	p.cmd = exec.Command(c.Args[0], c.Args[1:]...)
	p.cmd.Env = c.environ()
	if err := p.start(); err != nil {
		return nil, &Error{wire.Crash, "it cannot be started: " + err.Error()}
	}
	err := p.Call(ctx, wire.Hello{Do: "hello", Protocol: wire.Version}, &p.Hello)
	var failure *wire.Failure
	switch {
	case errors.As(err, &failure):
		err = p.Nonsense("it does not say who it is: %v", failure)
	case err == nil:
		err = p.checkHello()
	}
	if err == nil && c.Version != "" && !slices.Contains(strings.Fields(p.Hello.Version), c.Version) {
		err = &algorithms.HarnessError{Engine: c.Name, Err: fmt.Errorf("it says that it is version %q, and %s was installed: install it anew", p.Hello.Version, c.Version)}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// start starts the child, with its three streams.
func (p *Process) start() error {
	var pipes [3][2]*os.File // each: read, write
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(pipes)
			return err
		}
		pipes[i] = [2]*os.File{r, w}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes[0][0], pipes[1][1], pipes[2][1]
	p.in = pipes[0][1]
	err := p.run()
	pipes[0][0].Close()
	pipes[1][1].Close()
	pipes[2][1].Close()
	if err != nil {
		closeAll(pipes)
		return err
	}
	go p.read(pipes[1][0])
	go p.last.read(pipes[2][0])
	return nil
}

// closeAll closes the open ends of some pipes.
func closeAll(pipes [3][2]*os.File) {
	for _, pair := range pipes {
		for _, f := range pair {
			if f != nil {
				f.Close() // closing twice is an error that does nothing
			}
		}
	}
}

// run starts the child on the core of timing threads and waits for its end elsewhere. The thread
// that starts it stays until that end: on Linux the child is killed when that thread ends, as it
// does with gcdbench.
func (p *Process) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_, release := environment.Pin()
		p.began, p.knows = standingOf(0)
		err := p.launch()
		release()
		started <- err
		if err == nil {
			p.cmd.Wait()
			p.how = p.watcher.ended(p.cmd)
			close(p.done)
		}
	}()
	return <-started
}

// launch starts the child below its watcher.
func (p *Process) launch() (err error) {
	if p.watcher, err = underWatch(p.cmd); err != nil {
		return err
	}
	if err = p.cmd.Start(); err == nil {
		p.pid, err = p.watcher.started(p.cmd)
	}
	return err
}

// read passes on the child's standard output, a line at a time.
func (p *Process) read(from *os.File) {
	defer from.Close()
	defer close(p.lines)
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		p.lines <- append([]byte(nil), lines.Bytes()...)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.kill(&Error{wire.Crash, fmt.Sprintf("it wrote a line of more than %d KiB to its standard output", maxLine>>10)})
	}
	io.Copy(io.Discard, from) // so that the child never blocks on a write
}

// Call sends the child a request and waits for the answer. The error is a *wire.Failure answered by
// the child, an *Error, or ctx's error if it was cancelled; after the latter two the child is dead.
func (p *Process) Call(ctx context.Context, request any, answer wire.Answered) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	stop := context.AfterFunc(ctx, func() { p.kill(atLimit(ctx)) })
	defer stop()
	defer p.watch(algorithms.MemoryLimit(ctx))()
	err := p.rest()
	if err == nil {
		err = p.asks(request, answer)
	}
	var died *Error
	if errors.As(err, &died) && ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
		return ctx.Err()
	}
	return err
}

// asks sends a request and reads the answer.
func (p *Process) asks(request any, answer wire.Answered) error {
	began := time.Now()
	line, err := p.exchange(request)
	p.took = time.Since(began)
	if err != nil {
		return err
	}
	return p.understand(line, answer)
}

// atLimit is the Error of a child whose time is over.
func atLimit(ctx context.Context) *Error {
	return &Error{wire.Timeout, fmt.Sprintf("it was killed before it answered: %v", context.Cause(ctx))}
}

// exchange sends a request and receives a line.
func (p *Process) exchange(request any) ([]byte, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("a request of %T: %w", request, err)
	}
	p.asked++
	text = wire.WithID(text, p.asked)
	select {
	case line, open := <-p.lines:
		if !open {
			return nil, p.ended()
		}
		return nil, p.Nonsense("it wrote %s to its standard output without being asked; only answers belong there, and all else to standard error", quote(line))
	default:
	}
	p.last.begin()
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		return nil, p.ended()
	}
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				return nil, p.ended()
			}
			return line, nil
		case <-p.done:
			return p.lastLine()
		}
	}
}

// lastLine is the last answer of a child that has ended meanwhile. It does not wait for the end of
// the output, which processes of the child may hold open.
func (p *Process) lastLine() ([]byte, error) {
	select {
	case line, open := <-p.lines:
		if open {
			return line, nil
		}
	case <-time.After(silence / 10):
	}
	return nil, p.ended()
}

// understand reads an answer.
func (p *Process) understand(line []byte, answer wire.Answered) error {
	if err := json.Unmarshal(line, answer); err != nil {
		return p.Nonsense("its answer %s is not what the protocol says: %v", quote(line), err)
	}
	said := answer.Said()
	switch {
	case said.OK == nil:
		return p.Nonsense(`its answer %s has no "ok"`, quote(line))
	case p.Hello.Protocol >= wire.Version && (said.ID == nil || *said.ID != p.asked):
		return p.Nonsense(`its answer %s has not the "id" %d of the request: it is to no request, or to an earlier one that was answered twice`, quote(line), p.asked)
	case *said.OK:
		return nil
	}
	switch said.Outcome {
	case wire.Unsupported, wire.CompileError, wire.Timeout, wire.OutOfMemory, wire.Crash:
		return &wire.Failure{Outcome: said.Outcome, Text: said.Error}
	}
	return p.Nonsense(`its answer %s has "ok": false and no known "outcome"`, quote(line))
}

// Nonsense kills the child after an impossible answer, which the text describes, and returns the
// *Error.
func (p *Process) Nonsense(format string, args ...any) error {
	p.kill(&Error{wire.Crash, fmt.Sprintf(format, args...)})
	return p.ended()
}

// maxClock bounds what a clock of a child may cost, in ns: Python's takes 100. What it shows around
// nothing is taken off every time.
const maxClock = 10_000

// clockSlack is by which part the clock of a child may be ahead of the one here.
const clockSlack = 0.01

// Took is how long the last request took.
func (p *Process) Took() time.Duration { return p.took }

// Believe kills a child whose times, in sum, are longer than its last request took by the clock
// here: what says which times. Every time that a child tells is looked at so, since figures of all
// engines are kept together.
func (p *Process) Believe(what string, ns float64) error {
	if most := float64(p.took) * (1 + clockSlack); ns >= 0 && ns <= most {
		return nil
	}
	return p.Nonsense("it says that %s took it %.0f ns, and by the clock of gcdbench the whole request took %d ns", what, ns, p.took.Nanoseconds())
}

// checkHello checks the child's hello.
func (p *Process) checkHello() error {
	h := &p.Hello
	switch {
	case h.Protocol != wire.Version:
		return p.Nonsense("it speaks version %d of the protocol, and this program version %d", h.Protocol, wire.Version)
	case h.Name == "":
		return p.Nonsense("it has no name")
	case len(h.Takes) == 0:
		return p.Nonsense("it takes no kind of grammar")
	case h.ClockPairNS > maxClock || h.ClockEmptyNS > maxClock || h.CallEmptyNS > maxClock:
		return p.Nonsense("its clock is too slow to time steps by: a pair %v ns, around nothing %v ns, an empty call %v ns; %d ns are the most", h.ClockPairNS, h.ClockEmptyNS, h.CallEmptyNS, maxClock)
	case h.ClockPairNS < 0 || h.ClockEmptyNS < 0 || h.CallEmptyNS < 0:
		return p.Nonsense("its clock costs less than nothing: a pair %v ns, around nothing %v ns, an empty call %v ns", h.ClockPairNS, h.ClockEmptyNS, h.CallEmptyNS)
	}
	if h.Semantics == "" {
		h.Semantics = h.Name
	}
	return nil
}

// kill ends the child and the processes that it started, for a reason; the first one counts.
func (p *Process) kill(why *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hasEnded() {
		return
	}
	if p.killed == nil {
		p.killed = why
	}
	p.watcher.kill(p.cmd)
}

// hasEnded reports whether the child has.
func (p *Process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Alive reports whether the child can still be asked.
func (p *Process) Alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed == nil && !p.hasEnded()
}

// ended waits for the end of a child that does not answer any more, and returns its *Error.
func (p *Process) ended() error {
	select {
	case <-p.done:
	case <-time.After(silence):
		p.kill(&Error{wire.Crash, "it closed its standard output and went on"})
		<-p.done
	}
	p.mu.Lock()
	why := p.killed
	p.mu.Unlock()
	if why == nil {
		why = p.death()
	}
	return &Error{why.Outcome, why.Detail + p.last.quoted()}
}

// death is the Error of a child that was not killed here.
func (p *Process) death() *Error {
	if p.limited() && p.last.ofMemory() {
		return &Error{wire.OutOfMemory, fmt.Sprintf("it ran out of memory (%s)", p.how)}
	}
	if strings.Contains(p.how, "killed") {
		return &Error{wire.Crash, fmt.Sprintf("its process ended: %s, by the system or somebody else; a system that has no memory left does that", p.how)}
	}
	return &Error{wire.Crash, "its process ended: " + p.how}
}

// Room is the bulk file, mapped by both sides, with room for a number of bytes. Its content is
// undefined. It fails as Call does, or with an *algorithms.HarnessError if there is no room for the
// file.
func (p *Process) Room(ctx context.Context, bytes int64) (*wire.Mapping, error) {
	const least = 1 << 20
	if p.mapping.Bytes() >= bytes {
		return p.mapping, nil
	}
	size := int64(least)
	for size < bytes {
		size *= 2
	}
	m, path, forget, err := wire.CreateFile(size)
	if err != nil {
		return nil, &algorithms.HarnessError{Engine: p.name, Err: err}
	}
	var answer struct{ wire.Answer }
	err = p.Call(ctx, wire.Map{Do: "map", File: path, Bytes: size}, &answer)
	forget()
	if err != nil {
		m.Close()
		return nil, err
	}
	p.mapping.Close()
	p.mapping = m
	p.bulk.Store(size)
	return m, nil
}

// Close ends the child and unmaps the bulk file, which must not be in use.
func (p *Process) Close() error {
	p.End()
	return p.mapping.Close()
}

// End ends the child: it says bye, closes the child's input, and kills the child after a grace
// period. The bulk file stays mapped.
func (p *Process) End() {
	if p.asking.TryLock() { // else a call is waiting for an answer
		defer p.asking.Unlock()
		if p.Alive() {
			p.in.SetWriteDeadline(time.Now().Add(goodbye))
			p.in.Write([]byte(`{"do":"bye"}` + "\n"))
		}
		p.in.Close()
		go drain(p.lines)
		select {
		case <-p.done:
		case <-time.After(goodbye):
		}
	}
	p.kill(&Error{wire.Crash, "it was ended"})
	<-p.done
	p.in.Close()
}

// drain discards the rest of the output.
func drain(lines <-chan []byte) {
	for range lines {
	}
}

// quote is the beginning of a line, in quotes.
func quote(line []byte) string {
	const enough = 200
	text := string(line)
	if len(text) > enough {
		text = text[:enough] + "..."
	}
	return fmt.Sprintf("%q", text)
}
