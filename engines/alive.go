package engines

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
)

// The harness has to know whether the process of an engine lives before it times an operation: the
// operation would be charged with the start of a new process, the vocabulary and the compile.

// Running reports whether p.Kept has a process that lives and has the vocabulary: then Prepare has
// nothing to do.
func (c catalogued) Running(p *algorithms.Problem, _ algorithms.Options) bool {
	command, err := c.Entry.Command()
	return err == nil && running(p, command)
}

// Running is that of catalogued.
func (a own) Running(p *algorithms.Problem, o algorithms.Options) bool {
	command, err := a.command(o)
	return err == nil && running(p, command)
}

// Running is that of catalogued.
func (byCommand) Running(p *algorithms.Problem, o algorithms.Options) bool {
	command, err := CommandOf(o["command"])
	return err == nil && running(p, command)
}

// running looks for the host of a command.
func running(p *algorithms.Problem, c process.Command) bool {
	if p.Kept == nil {
		return false
	}
	h := hostFor(p.Kept, c, p.Vocabulary, tokenizerOf(p))
	h.mu.Lock()
	defer h.mu.Unlock()
	child := h.closing.get()
	return child != nil && h.told == child
}

// Alive reports whether the engine's process lives and has its grammar: then no step waits for a
// process or a compile.
func (e *Engine) Alive() bool {
	e.host.mu.Lock()
	defer e.host.mu.Unlock()
	return e.host.closing.get() != nil && e.host.live == e
}

// Revive compiles the grammar again, unless the process has it. Errors are those of package
// algorithms.
func (e *Engine) Revive(ctx context.Context) error {
	return e.with(ctx, func(*process.Process) error { return nil })
}

// during names the step in which a process failed.
func during(step string, err error) error {
	if died, ok := err.(*process.Error); ok {
		return &process.Error{Outcome: died.Outcome, Detail: fmt.Sprintf("%s: %s", step, died.Detail)}
	}
	return err
}
