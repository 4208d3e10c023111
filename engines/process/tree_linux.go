package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"gcdbench/harness/environment"
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

// A kin is the family of a process, as it was found. Finding it reads a file of each thread, so it
// is found anew only if the system has started a thread or process since.
type kin struct {
	mu   sync.Mutex
	list []int
	last string // which the system had started last
	sure bool   // at two looks: so none was on its way at the later one
}

// of is the family.
func (k *kin) of(pid int) []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if last := lastStarted(); !k.sure || last != k.last {
		k.sure, k.last, k.list = last == k.last && last != "", last, family(pid)
	}
	return k.list
}

// lastStarted is the number of the thread or process that the system started last; "" where it does
// not tell.
func lastStarted() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if words := strings.Fields(string(text)); len(words) > 0 && words[len(words)-1] != "0" {
		return words[len(words)-1]
	}
	return ""
}

// eachThread visits a file of each thread of a process, empty of one that has ended meanwhile.
func eachThread(pid int, name string, visit func(text []byte)) {
	for _, tid := range threads(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/%s", pid, tid, name))
		visit(text)
	}
}

// threads are the threads of a process; none if it has ended.
func threads(pid int) (list []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			list = append(list, tid)
		}
	}
	return list
}

// used is what a family had of the processor, its watcher, who is the first and does nothing, only
// by those it waited for; Waited is told if it is asked for.
func used(list []int, waited bool) (sum Use) {
	for i, one := range list {
		sum.Ran += waitedFor(one)
		if i > 0 {
			sum.Ran += environment.ProcessTime(one)
		}
		if i > 0 && waited {
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

// rests reports whether no thread of a family but its watcher runs, or could run if it had a core.
func rests(list []int) bool {
	rest := true
	for _, one := range list[1:] {
		eachThread(one, "stat", func(text []byte) {
			state := bytes.LastIndex(text, []byte(") ")) + 2 // behind the name
			rest = rest && (state >= len(text) || text[state] != 'R')
		})
	}
	return rest
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
