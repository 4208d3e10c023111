package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// family are the processes that a process started and that these started, itself the first, as far
// as they still belong to it.
func family(pid int) []int {
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		eachThread(list[i], "children", func(text []byte) {
			for _, word := range bytes.Fields(text) {
				if child, err := strconv.Atoi(string(word)); err == nil {
					list = append(list, child)
				}
			}
		})
	}
	return list
}

// eachThread visits a file of each thread of a process, empty of one that has ended meanwhile.
func eachThread(pid int, name string, visit func(text []byte)) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, _ := os.ReadDir(dir)
	for _, t := range threads {
		text, _ := os.ReadFile(dir + t.Name() + "/" + name)
		visit(text)
	}
}

// used is what a process and its family had of the processor; Waited is told if it is asked for.
func used(pid int, waited bool) (sum Use) {
	for _, one := range family(pid) {
		if sum.Ran += processTime(one) + waitedFor(one); waited {
			sum.Waited += queued(one)
		}
	}
	return sum
}

// queued is how long the threads of a process were in the queue of a core: the second number of
// their schedstat.
func queued(pid int) (sum time.Duration) {
	eachThread(pid, "schedstat", func(text []byte) {
		if words := bytes.Fields(text); len(words) > 1 {
			ns, _ := strconv.ParseInt(string(words[1]), 10, 64)
			sum += time.Duration(ns)
		}
	})
	return sum
}

// rests reports whether no thread of a process and its family runs, or could run if it had a core.
func rests(pid int) bool {
	rest := true
	for _, one := range family(pid) {
		eachThread(one, "stat", func(text []byte) {
			state := bytes.LastIndex(text, []byte(") ")) + 2 // behind the name
			rest = rest && (state >= len(text) || text[state] != 'R')
		})
	}
	return rest
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
