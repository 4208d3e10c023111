package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// full is a stream that takes some bytes and then no more, like a full disk.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, errors.New("no space left on device")
	}
	f.left -= len(p)
	return len(p), nil
}

// TestFullOutput says that results that could not be written are an error, whichever line of them
// it was.
func TestFullOutput(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	for _, args := range [][]string{
		{"list"},
		{"list", "--json"},
		{"grammar", "show", grammar},
		{"grammar", "check", "--grammar", grammar, write(t, "a", "ab")},
		{"mask", "--grammar", grammar, "--tokenizer", "r50k_base[:300]", "--prefix", "a", "--list"},
		{"schema", "compile", write(t, "s.json", `{"type": "null"}`)},
		{"schema", "compile", write(t, "s.json", `{"type": 7}`), "--json"},
		{"schema", "check", write(t, "s.json", `{"type": "null"}`), write(t, "i.json", "null"), "--json"},
		{"schema", "check", write(t, "s.json", `{"type": "null"}`), write(t, "i.json", "1")},
		{"tokenize", "--tokenizer", "r50k_base[:300]", write(t, "b", "some text\n")},
	} {
		for _, room := range []int{0, 10} {
			var errOut bytes.Buffer
			status := run(context.Background(), args, strings.NewReader(""), &full{room}, &errOut)
			if status != exitUsage || !strings.Contains(errOut.String(), "no space left") {
				t.Errorf("%v with room for %d bytes: status %d, %q", args, room, status, errOut.String())
			}
		}
	}
}

// endless is a file that never ends, like /dev/zero.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestEndlessInput says that what has no end is refused, not read until the memory is full.
func TestEndlessInput(t *testing.T) {
	seed.Usual(t)
	grammar := write(t, "tiny.lark", tiny)
	for _, args := range [][]string{
		{"grammar", "check", "--grammar", grammar, "-"},
		{"schema", "check", write(t, "s.json", "{}"), "-"},
		{"schema", "compile", "-"},
		{"mask", "--grammar", grammar, "--tokenizer", "r50k_base[:300]", "--prefix-file", "-"},
	} {
		var out, errOut bytes.Buffer
		status := run(context.Background(), args, endless{}, &out, &errOut)
		if status != exitUsage || !strings.Contains(errOut.String(), "larger than the limit") {
			t.Errorf("%v: status %d, %q", args, status, errOut.String())
		}
	}
}

// TestInterrupt says that an interrupt ends a command that does not look at its context, and leaves
// one that does the time to end well.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		name    string
		command func(ctx context.Context, stopped chan struct{}) int
		grace   time.Duration
		want    int
	}{
		{"not interrupted", func(context.Context, chan struct{}) int { return exitOK }, 0, exitOK},
		{"deaf", func(context.Context, chan struct{}) int { select {} }, 0, exitFailure},
		{"ends well", func(ctx context.Context, stopped chan struct{}) int { <-ctx.Done(); <-stopped; return exitUsage }, time.Hour, exitUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			if test.want != exitOK {
				cancel()
			}
			defer cancel()
			stopped := make(chan struct{})
			got := waitFor(ctx, func() { close(stopped) }, test.grace, io.Discard, func() int { return test.command(ctx, stopped) })
			select {
			case <-stopped:
				if test.want == exitOK {
					t.Error("stopped listening")
				}
			default:
				if test.want != exitOK {
					t.Error("still listening")
				}
			}
			if got != test.want {
				t.Errorf("status %d", got)
			}
		})
	}
}

// TestSignals sends signals to a command that waits for its input: each ends it as an interrupt
// does, with a message, but for a hangup that nohup has it ignore.
func TestSignals(t *testing.T) {
	seed.Usual(t)
	if os.Getenv("GCDBENCH_TEST_SIGNALS") != "" {
		os.Exit(Main([]string{"tokenize", "--tokenizer", "r50k_base[:300]"}, os.Stdin, os.Stdout, os.Stderr))
	}
	for _, test := range []struct {
		name   string
		signal os.Signal
		nohup  bool
	}{{"interrupt", os.Interrupt, false}, {"hangup", syscall.SIGHUP, false}, {"hangup under nohup", syscall.SIGHUP, true}} {
		t.Run(test.name, func(t *testing.T) {
			if test.signal == syscall.SIGHUP && signal.Ignored(syscall.SIGHUP) {
				t.Skip("hangups are ignored here, as under nohup, and so by what is started")
			}
			args := []string{os.Args[0], "-test.run=^TestSignals$"}
			if test.nohup {
				nohup, err := exec.LookPath("nohup")
				if err != nil {
					t.Skip(err)
				}
				args = append([]string{nohup}, args...)
			}
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Env = append(os.Environ(), "GCDBENCH_TEST_SIGNALS=1")
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			in, err := cmd.StdinPipe()
			must.OK(t, err)
			out := must.Get(cmd.StdoutPipe())(t)
			if err := cmd.Start(); err != nil {
				t.Skip(err)
			}
			defer cmd.Process.Kill()
			io.WriteString(in, "some text\n")
			time.Sleep(500 * time.Millisecond) // for the program to listen
			cmd.Process.Signal(test.signal)
			if test.nohup {
				time.Sleep(200 * time.Millisecond)
				in.Close()
			}
			text, _ := io.ReadAll(out)
			err = cmd.Wait()
			interrupted := strings.Contains(errOut.String(), "gcdbench: interrupted")
			if ended := err != nil; ended == test.nohup || interrupted == test.nohup {
				t.Errorf("%v, output %q, messages %q", err, text, errOut.String())
			}
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != exitFailure {
				t.Errorf("status %d, want %d", exit.ExitCode(), exitFailure)
			}
		})
	}
}
