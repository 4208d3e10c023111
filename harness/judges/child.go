package judges

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Judges that are programs of other languages. A child reads lines in base64 from its standard
// input: first what it has to know, as JSON, then texts. It answers each with a line of JSON.

// child is a judge in a process of its own.
type child struct {
	name string
	// command makes the process; done undoes what it needed.
	command func() (cmd *exec.Cmd, done func(), err error)
	setup   any // the first line
	limit   time.Duration
	first   time.Duration // the limit of the first line

	version string
	running *process // nil if there is none
	failed  error    // why it cannot be started; it is not tried again
}

// process is a child that runs.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan answer
	stderr *tail
	done   func()
}

// answer is a line of a child. The first one has Version or Missing.
type answer struct {
	Verdict
	Version string `json:"version"`
	// Missing says why the child cannot judge.
	Missing string `json:"missing"`
	// Installable is MissingError.Installable.
	Installable bool `json:"installable"`
	// NoVerdict says why it cannot judge this text.
	NoVerdict string `json:"no_verdict"`
}

// startLimit is how long a child may take to start where no limit is given: a JVM, or CPython in
// WebAssembly, takes ten seconds on a machine that is busy.
const startLimit = time.Minute

// newChild is a judge that is started when first asked.
func newChild(name string, opt Options, setup any, command func() (*exec.Cmd, func(), error)) *child {
	limit, first := opt.Limit, opt.Limit
	if limit == 0 {
		limit, first = Limit, startLimit
	}
	return &child{name: name, command: command, setup: setup, limit: limit, first: first}
}

// OfCommand judges by a command of the user's, a program and its arguments, that speaks the
// protocol of children.
func OfCommand(command []string, opt Options) Judge {
	return newChild(command[0], opt, nil, func() (*exec.Cmd, func(), error) {
		return exec.Command(command[0], command[1:]...), func() {}, nil
	})
}

// Name is the judge's.
func (c *child) Name() string { return c.name }

// Version is what the child says.
func (c *child) Version() string { return c.version }

// Judge asks the child, which is started first if there is none.
func (c *child) Judge(ctx context.Context, text []byte) (Verdict, error) {
	if err := c.start(ctx); err != nil {
		return Verdict{}, err
	}
	a, err := c.ask(ctx, text, c.limit)
	switch {
	case err != nil:
		c.Close()
		return Verdict{}, err
	case a.NoVerdict != "":
		return Verdict{}, fmt.Errorf("%s: %s", c.name, line(a.NoVerdict))
	}
	a.Why = line(a.Why)
	return a.Verdict, nil
}

// start starts the child, unless it runs.
func (c *child) start(ctx context.Context) error {
	if c.running != nil || c.failed != nil {
		return c.failed
	}
	cmd, done, err := c.command()
	if err != nil {
		c.failed = err
		return err
	}
	p := &process{cmd: cmd, lines: make(chan answer), stderr: &tail{}, done: done}
	cmd.Stderr = p.stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		p.in, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		done()
		c.failed = &MissingError{Judge: c.name, Why: err.Error()}
		return c.failed
	}
	go p.read(out)
	c.running = p
	setup, err := json.Marshal(c.setup)
	if err != nil {
		panic(err) // plain fields only
	}
	a, err := c.ask(ctx, setup, c.first)
	switch {
	case ctx.Err() != nil:
		c.Close()
		return ctx.Err()
	case err != nil:
		c.Close()
		c.failed = &MissingError{Judge: c.name, Why: err.Error()}
		return c.failed
	case a.Missing != "":
		c.Close()
		c.failed = &MissingError{Judge: c.name, Why: line(a.Missing), Installable: a.Installable}
		return c.failed
	}
	c.version = a.Version
	return nil
}

// read passes the child's lines on until it ends. A line that is no answer ends it, too.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	for r := bufio.NewReader(out); ; {
		text, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(text, &a) != nil {
			return
		}
		p.lines <- a
	}
}

// ask sends a line and waits for the answer.
func (c *child) ask(ctx context.Context, text []byte, within time.Duration) (answer, error) {
	p := c.running
	request := base64.StdEncoding.EncodeToString(text) + "\n"
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, request)
		sent <- err
	}()
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case a, ok := <-p.lines:
		if !ok {
			c.Close() // waits until all that it said is there
			return a, fmt.Errorf("%s died%s", c.name, p.stderr.last())
		}
		return a, <-sent
	case <-limit.C:
		return answer{}, fmt.Errorf("%s has no verdict after %v", c.name, within)
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// Close ends the child. The next question starts another.
func (c *child) Close() {
	p := c.running
	if p == nil {
		return
	}
	c.running = nil
	p.in.Close()
	p.cmd.Process.Kill() // it may hang; if it has ended, nothing happens
	for range p.lines {  // until the pipe is closed
	}
	p.cmd.Wait() // killed, which is no news
	p.done()
}

// tail keeps the end of what a child writes to standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailBytes is how much is kept.
const tailBytes = 4 << 10

// Write keeps the end.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

// last is the last line, as the end of a message.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + line(last)
	}
	return ""
}
