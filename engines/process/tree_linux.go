package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// family are the processes that a process started and that these started, itself the first, as far
// as they still belong to it.
func family(pid int) []int {
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", list[i]))
		for _, file := range threads {
			text, _ := os.ReadFile(file) // it may have ended
			for _, word := range bytes.Fields(text) {
				if child, err := strconv.Atoi(string(word)); err == nil {
					list = append(list, child)
				}
			}
		}
	}
	return list
}

// used is what a process and its family had of the processor.
func used(pid int) (sum Use) {
	for _, one := range family(pid) {
		sum.Ran += processTime(one) + waitedFor(one)
		sum.Waited += queued(one)
	}
	return sum
}

// queued is how long the threads of a process were in the queue of a core: the second number of
// their schedstat.
func queued(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range threads {
		text, _ := os.ReadFile(file) // it may have ended
		if words := bytes.Fields(text); len(words) > 1 {
			ns, _ := strconv.ParseInt(string(words[1]), 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// rests reports whether no thread of a process and its family runs, or could run if it had a core.
func rests(pid int) bool {
	for _, one := range family(pid) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", one))
		for _, file := range threads {
			text, _ := os.ReadFile(file) // it may have ended
			if state := bytes.LastIndex(text, []byte(") ")); state >= 0 && state+2 < len(text) && text[state+2] == 'R' {
				return false
			}
		}
	}
	return true
}

// processTime is the processor time of all threads of a process, by its clock: the file stat has
// hundredths of a second only.
func processTime(pid int) time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED: of a process, and not of a thread
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|ofProcess), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// waitedFor is the processor time of the ended children of a process that it has waited for.
func waitedFor(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const (
		user, system = 13, 14 // cutime and cstime, counted behind the name of the program
		tick         = time.Second / 100
	)
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.Atoi(string(fields[user]))
	s, _ := strconv.Atoi(string(fields[system]))
	return time.Duration(u+s) * tick
}
