package plan

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

// TestQuickstart: by trials of engines that cost what they did in a run of configs/quickstart.yaml,
// the estimates of walks and of all of it are right within a factor of two.
func TestQuickstart(t *testing.T) {
	const took, passes = 65.7, 4 // seconds; passes as ask.Passes has them, without the audit
	all := 0.0
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/quickstart.txt"))(t))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		var x []float64
		for _, f := range append(fields[2:10], strings.Fields(fields[10])...) {
			x = append(x, must.Get(strconv.ParseFloat(f, 64))(t))
		}
		units, compile, commits := x[0], x[1]*1e3, x[3]
		masks := min(x[2], commits)
		found := tried{units: int(units), compile: time.Duration(compile)}
		walked := 0.0
		for i := 0; i < int(masks) && i < trialMasks && walked < float64(trialWalk); i++ {
			bucket := 0
			for 1<<bucket <= i {
				bucket++
			}
			found.first.mask = append(found.first.mask, x[8+bucket]*1e3)
			walked += x[8+bucket] * 1e3
		}
		found.first.commit, found.later = []float64{x[5] * 1e3}, steps{[]float64{x[6] * 1e3}, []float64{x[7] * 1e3}}
		var r rates
		r.found(&found, fields[0] != "schema")
		w := work{passes * masks, passes * commits, 2 * masks, 2 * commits}
		walks, want := r.walks(w), 2e3*(masks*(x[4]+x[6])+commits*(x[5]+x[7]))
		if walks < want/2 || walks > 2*want {
			t.Errorf("%s %s: the walks are estimated at %.2f s, and take %.2f s", fields[0], fields[1], walks/1e9, want/1e9)
		}
		all += (2*compile + walks) / 1e9
	}
	if ratio := all / took; ratio < 0.5 || ratio > 2 {
		t.Errorf("%.1f s are estimated for %.1f s", all, took)
	}
	t.Logf("%.1f s are estimated for %.1f s", all, took)
}

// TestSlowing: masks that all take the same grow with their number; what is built in the first
// steps does not.
func TestSlowing(t *testing.T) {
	even, built := steps{mask: make([]float64, 100)}, steps{mask: make([]float64, 100)}
	for i := range 100 {
		even.mask[i], built.mask[i] = 5, 1
	}
	built.mask[0] = 1e9
	if a, b := even.slowing(), built.slowing(); a != 1 || b > 1e-6 {
		t.Errorf("%v and %v", a, b)
	}
	r := rates{firstMask: stats.Summarize(even.mask).Mean, walked: 100, slowing: 1}
	if got := r.firstMasks(1000); got != 5000 {
		t.Errorf("%v", got)
	}
	if r.slowing = 0; r.firstMasks(1000) != 1000 || r.firstMasks(100) != 500 {
		t.Errorf("%v, %v", r.firstMasks(1000), r.firstMasks(100))
	}
}
