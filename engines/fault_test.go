package engines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"gcdbench/engines/wire"
)

// A child with a fault. It is a simple engine that allows every token, and does something wrong
// at one request.

// faultEnv has a request and a fault, as "walk:hang".
const faultEnv = "GCDBENCH_TEST_FAULT"

// poison is the token at whose sight the child of fault "walk:poison" dies.
const poison = 66

// misbehaving is the child.
type misbehaving struct {
	at, fault string
	mapping   *wire.Mapping
	size      int
	memory    [][]byte
	bulk      *os.File
	weighed   int64
}

// weigh is 1 MiB, and with each call that lets go of nothing 64 KiB more.
func (m *misbehaving) weigh(drop bool) int64 {
	if drop {
		m.weighed = 0
	} else {
		m.weighed++
	}
	return 1<<20 + m.weighed<<16
}

// misbehave runs the child and does not return.
func misbehave(fault string) {
	m := &misbehaving{}
	m.at, m.fault, _ = strings.Cut(fault, ":")
	if m.fault == "hoard" { // a process of a child
		m.memory = append(m.memory, bytes.Repeat([]byte{1}, 300<<20))
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct {
			wire.Walk
			File  string
			Bytes int64
			Size  int
			Row   *wire.Area
			Drop  bool
			ID    int64
		}
		// The text of a compile is a string, and that of a vocabulary an area; neither is looked at.
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		here := q.Do == m.at
		if here {
			m.before(q.Tokens)
		}
		answer := map[string]any{"ok": true}
		switch q.Do {
		case "hello":
			answer = map[string]any{"ok": true, "protocol": wire.Version, "name": "faulty", "version": "1", "takes": []string{"json-schema"}, "clock_pair_ns": 2, "clock_empty_ns": 1, "call_empty_ns": 0, "can": []string{"clone", "batch"}}
		case "map":
			var err error
			if m.mapping, err = wire.OpenFile(q.File, q.Bytes); err != nil {
				panic(err)
			}
			if m.fault == "truncate" {
				if m.bulk, err = os.OpenFile(q.File, os.O_RDWR, 0); err != nil {
					panic(err)
				}
				if here {
					m.bulk.Truncate(0)
				}
			}
		case "vocabulary":
			m.size = q.Size
			answer["ns"] = 1
		case "measure":
			answer["n"] = q.Tokens.N // and no times
		case "sleep": // long enough to be looked at
			time.Sleep(200 * time.Millisecond)
		case "weigh":
			answer["held"] = m.weigh(q.Drop)
		case "compile":
			answer["engine"], answer["compile_ns"], answer["first_mask_ns"] = 1, 1000, 10
		case "walk":
			m.walk(&q.Walk, answer)
		case "batch":
			m.batch(&q.Walk, answer)
		case "begin", "next":
			row, _ := m.mapping.Slice(q.Row, 1)
			m.fill(row)
		case "bye":
			os.Exit(0)
		}
		if here {
			m.change(answer)
		}
		text, _ := json.Marshal(answer)
		if here && m.fault == "late" {
			q.ID--
		}
		fmt.Println(string(wire.WithID(text, q.ID)))
		if here {
			m.after()
		}
	}
	os.Exit(0)
}

// before does what is wrong before the answer.
func (m *misbehaving) before(tokens *wire.Area) {
	switch m.fault {
	case "heavy":
		m.memory = append(m.memory, bytes.Repeat([]byte{1}, 200<<20))
		time.Sleep(100 * time.Millisecond)
	case "exit":
		fmt.Fprintln(os.Stderr, "goodbye,\x1b[31m cruel world")
		os.Exit(3)
	case "missing":
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\nModuleNotFoundError: No module named 'myengine'")
		os.Exit(1)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "hang":
		for { // and hear nothing
			time.Sleep(time.Minute)
		}
	case "toils": // for more than a compile may hide
		used := func() int64 { // on a busy machine, too
			var u syscall.Rusage
			syscall.Getrusage(syscall.RUSAGE_SELF, &u)
			return u.Utime.Nano() + u.Stime.Nano()
		}
		for begin := used(); used() < begin+4e8; {
		}
	case "spin":
		//lint:ignore SA5002 the fault
		for {
		}
	case "memory":
		for {
			block := make([]byte, 8<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			m.memory = append(m.memory, block)
			time.Sleep(time.Millisecond)
		}
	case "shared": // with nobody yet
		block, err := syscall.Mmap(-1, 0, 300<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANON)
		if err != nil {
			panic(err)
		}
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		time.Sleep(20 * time.Second)
	case "gasp":
		fmt.Fprintln(os.Stderr, "memory allocation of 123456 bytes failed")
		syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -ABRT $$"}, nil) // Go's own end would say more
	case "panic":
		panic("no plan for this")
	case "close":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case "text":
		fmt.Println("loading the library, please wait")
	case "binary":
		fmt.Println("\x00\xff\xfe{{{")
	case "endless":
		os.Stdout.WriteString(strings.Repeat("x", 5<<20))
		time.Sleep(time.Minute)
	case "truncate":
		if m.bulk != nil {
			m.bulk.Truncate(0)
		}
	case "child":
		exec.Command("sleep", "1000").Start()
		os.Exit(1)
	case "orphans":
		m.fault = "daemon"
		m.before(tokens)
		m.fault = "spin"
		m.before(tokens)
	case "daemon": // of a session of its own, so in no group that could be killed
		daemon := exec.Command("sleep", "1000")
		daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		daemon.Start()
	case "family":
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), faultEnv+"=no:hoard")
		other.Start()
		time.Sleep(20 * time.Second)
	case "poison":
		list, _ := m.mapping.Slice(tokens, 4)
		if wire.Tokens(list)[0] == poison {
			os.Exit(9)
		}
	}
}

// walk answers a walk as it should be.
func (m *misbehaving) walk(q *wire.Walk, answer map[string]any) {
	masked := q.Tokens.N
	if q.Masked != nil {
		masked = q.Masked.N
	}
	answer["masked"] = masked
	rows, _ := m.mapping.Slice(q.Rows, 1)
	if q.Times != nil {
		times, _ := m.mapping.Slice(q.Times, 4)
		list := make([]uint32, q.Times.N)
		for i := range list {
			list[i] = uint32(100 + i)
		}
		if m.fault == "unwritten" {
			list = nil
		}
		if m.fault == "longest" {
			list[0] = math.MaxUint32
			list[min(2, len(list)-1)] = math.MaxUint32 // a step is not shorter than its mask
		}
		if m.fault == "impossible" {
			list[0], list[2] = 500, 400
		}
		if m.fault == "instant" {
			clear(list)
		}
		if m.fault != "idles" {
			m.fill(rows)
		}
		if m.fault == "replays" { // the mask that it left is right, and one before is not
			clear(rows[q.Stride : 2*q.Stride])
		}
		wire.PutUint32s(times, list)
		return
	}
	for i := range masked {
		m.fill(rows[i*q.Stride : (i+1)*q.Stride])
	}
	switch m.fault {
	case "beyond":
		rows[q.Stride-1] |= 0x80
	case "clear":
		clear(rows[q.Stride : 2*q.Stride])
	}
}

// batch makes the steps of a batch of one.
func (m *misbehaving) batch(q *wire.Walk, answer map[string]any) {
	rows, _ := m.mapping.Slice(q.Rows, 1)
	m.fill(rows)
	times, _ := m.mapping.Slice(q.Times, 8)
	for i := range q.Times.N {
		wire.PutUint64(times[8*i:], map[bool]uint64{true: math.MaxUint64 - 10, false: 100}[m.fault == "ages"])
	}
	answer["steps"] = q.Times.N
}

// fill sets the bits of all tokens in some rows.
func (m *misbehaving) fill(row []byte) {
	stride := (m.size + 63) / 64 * 8
	for at := 0; at < len(row); at += stride {
		clear(row[at : at+stride])
		for id := range m.size {
			row[at+id/8] |= 1 << (id % 8)
		}
	}
}

// change makes an answer wrong.
func (m *misbehaving) change(answer map[string]any) {
	no := func(outcome any) {
		clear(answer)
		answer["ok"], answer["outcome"], answer["error"] = false, outcome, "it does not do that"
	}
	switch m.fault {
	case "version":
		answer["protocol"] = 1
	case "nameless":
		answer["name"] = ""
	case "idle":
		answer["takes"] = []string{}
	case "ebnf":
		answer["takes"] = []string{"ebnf"}
	case "types":
		for _, key := range []string{"masked", "compile_ns", "ns", "protocol"} {
			if _, ok := answer[key]; ok {
				answer[key] = "many"
			}
		}
	case "notimes":
		delete(answer, "compile_ns")
	case "backwards":
		answer["first_mask_ns"] = -1
	case "notok":
		delete(answer, "ok")
	case "unsupported", "compile-error", "timeout", "out-of-memory", "crash":
		no(m.fault)
	case "sulks":
		no("offended")
	case "count":
		answer["masked"] = 1
	case "countless":
		delete(answer, "masked")
	case "far":
		answer["refused"], answer["refused_by"] = 1000, "mask"
	case "negative":
		answer["refused"], answer["refused_by"] = -1, "mask"
	case "nobody":
		answer["refused"], answer["refused_by"] = 0, "conscience"
	case "disturbed":
		answer["disturbed"] = uint32(math.MaxUint32)
	case "stolen":
		answer["stolen_ns"] = int64(math.MaxInt64)
	case "builds":
		answer["idle_ns"] = int64(time.Minute)
	case "ages":
		for _, key := range []string{"compile_ns", "ns"} {
			if _, ok := answer[key]; ok {
				answer[key] = 1e300
			}
		}
	case "novel":
		answer["notes"] = []string{strings.Repeat("y", 100_000)}
	case "boasts":
		answer["held"] = int64(math.MaxInt64)
	case "clock":
		answer["clock_empty_ns"] = 1e9
	case "confused":
		answer["refused"], answer["refused_by"], answer["masked"] = 1, "mask", 2
	}
}

// after does what is wrong after the answer.
func (m *misbehaving) after() {
	switch m.fault {
	case "twice":
		fmt.Println(`{"ok": true}`)
		time.Sleep(50 * time.Millisecond)
	case "dies":
		os.Exit(7)
	case "spins":
		go func() {
			var spun atomic.Int64
			for {
				spun.Add(1)
			}
		}()
	}
}
