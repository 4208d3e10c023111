package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/harness/environment"
)

// A child of a child outlives both: one in a session of its own is in no group that could be
// killed, and the end of gcdbench, killed as well, is told to its own children only. So between
// gcdbench and an engine is a watcher, which is this program again. It adopts whatever below it
// loses its parent, and ends all of it when the engine ends, or when gcdbench does. It has no
// other part in what is said: the streams are the engine's own.

// watcherName is the name of a watcher, as its first argument. The program and its arguments
// follow.
const watcherName = "gcdbench-watcher"

// report is the file of a watcher to which it writes what becomes of the engine: "pid N", or "error
// TEXT" if it cannot be started; then "ended N", a syscall.WaitStatus.
const report = 3

// A watcher is this program before it becomes anything else: whoever has this package, a test too,
// can be one.
func init() {
	if len(os.Args) > 2 && os.Args[0] == watcherName {
		watch(os.Args[1], os.Args[2:])
		os.Exit(0)
	}
}

// watch starts a program and waits for its end. The thread is the first one of the process, which
// stays as long as it does.
func watch(program string, args []string) {
	out := os.NewFile(report, "report")
	syscall.CloseOnExec(report)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM) // from gcdbench, or from the kernel when gcdbench has ended
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	engine, err := os.StartProcess(program, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		fmt.Fprintf(out, "error %v\n", err)
		return
	}
	fmt.Fprintf(out, "pid %d\n", engine.Pid)
	for _, stream := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		stream.Close() // whose end is to be seen when the engine has closed it
	}
	go func() {
		<-end
		killAll()
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil: // there is nobody left
			return
		case pid == engine.Pid:
			fmt.Fprintf(out, "ended %d\n", status)
			go killAll()
		}
	}
}

// killAll kills the family of this process. What is started meanwhile is killed when its turn
// comes: it stays in the family.
func killAll() {
	for {
		others := family(os.Getpid())[1:]
		if len(others) == 0 {
			return
		}
		for _, pid := range others {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		environment.Nap(time.Millisecond) // they have to be waited for, too
	}
}

// A watched child is started by a watcher, which reports of it.
type watched struct {
	file  *os.File
	lines *bufio.Reader
}

// underWatch makes a command that of a watcher.
func underWatch(cmd *exec.Cmd) (*watched, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Args = append([]string{watcherName, cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe"
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return &watched{r, bufio.NewReader(r)}, nil
}

// started waits for the start of the engine, and returns its number. It is called when the watcher
// was started.
func (w *watched) started(cmd *exec.Cmd) (pid int, err error) {
	cmd.ExtraFiles[0].Close()
	line, err := w.lines.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("its watcher ended: %w", err)
	}
	if _, err := fmt.Sscanf(line, "pid %d", &pid); err != nil {
		return 0, fmt.Errorf("%s", line[len("error "):len(line)-1])
	}
	return pid, nil
}

// ended is how the engine ended, when its watcher has.
func (w *watched) ended(cmd *exec.Cmd) string {
	defer w.file.Close()
	var status syscall.WaitStatus
	line, _ := w.lines.ReadString('\n')
	if _, err := fmt.Sscanf(line, "ended %d", &status); err != nil {
		return "its watcher, " + cmd.ProcessState.String()
	}
	switch {
	case status.Signaled() && status.CoreDump():
		return fmt.Sprintf("signal: %v (core dumped)", status.Signal())
	case status.Signaled():
		return fmt.Sprintf("signal: %v", status.Signal())
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

// kill has the watcher kill all below it.
func (w *watched) kill(cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGTERM) }
