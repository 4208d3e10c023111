package engines

import (
	"os"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
)

// TestAlive: an engine says when its process has died, and has it started and compile again when it
// is told to.
func TestAlive(t *testing.T) {
	kept := keptOpen(t)
	e, err := faulty(t, t.Context(), "walk:poison", kept)
	must.OK(t, err)
	p := &algorithms.Problem{Vocabulary: e.host.v, Kept: kept}
	if !e.Alive() || !running(p, e.host.command) {
		t.Error("an engine that was compiled is not alive")
	}
	err = e.WalkTimed(within(t, time.Minute), document([]int32{poison, eos}), true, new(measure.Times))
	died(t, err, wire.Crash)
	if e.Alive() || running(p, e.host.command) {
		t.Error("an engine whose process has died is alive")
	}
	if err := e.Revive(within(t, time.Minute)); err != nil || !e.Alive() || !running(p, e.host.command) || e.again != 1 {
		t.Errorf("revived: %v, alive %v, compiled again %d times", err, e.Alive(), e.again)
	}
	other, err := compile(within(t, time.Minute), &algorithms.Problem{Vocabulary: e.host.v, Kept: kept, Source: &algorithms.Source{Kind: algorithms.KindSchema, Text: []byte(`true`)}}, e.host.command, nil)
	if err != nil || e.Alive() || !other.(*Engine).Alive() || !running(p, e.host.command) {
		t.Errorf("%v: alive is the grammar that was compiled last: %v", err, e.Alive())
	}
	if running(&algorithms.Problem{Vocabulary: e.host.v, Kept: keptOpen(t)}, e.host.command) {
		t.Error("a process runs that nobody started")
	}
}

// TestStepsOfStart: a process that is not ready says in which step it failed.
func TestStepsOfStart(t *testing.T) {
	program := must.Get(os.Executable())(t)
	for fault, want := range map[string]string{"hello:exit": "when it was started: ", "vocabulary:kill": "when it was given the vocabulary: "} {
		p := &algorithms.Problem{Vocabulary: testVocabulary(t), Kept: keptOpen(t)}
		err := prepare(within(t, time.Minute), p, process.Command{Name: "faulty", Args: []string{program}, Env: []string{faultEnv + "=" + fault}})
		if detail := died(t, err, wire.Crash); !strings.HasPrefix(detail, want) {
			t.Errorf("%s: %s", fault, detail)
		}
	}
}
