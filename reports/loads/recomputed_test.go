package loads

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	underload "gcdbench/harness/load"
	"gcdbench/internal/seed"
	"gcdbench/reports/document"
)

// The figures of loads, computed again from the ledgers by what docs/methodology.md says of them,
// slowly, with nothing of this package, of package load or of package stats.

// ledgerOf makes up what happened to n requests.
func ledgerOf(rng *rand.Rand, n int) (*underload.Ledger, []underload.Request) {
	const ms = 1_000_000
	l := &underload.Ledger{Evicted: rng.IntN(9), CachePeak: rng.Int64N(1 << 30), Collections: rng.Int64N(9), CollectNS: rng.Int64N(1e9)}
	requests := make([]underload.Request, n)
	now := int64(0)
	for i := range n {
		now += rng.Int64N(60 * ms)
		s := underload.Served{Outcome: underload.OK, Hit: rng.IntN(3) == 0, Arrived: now, Tokens: 1 + rng.IntN(400)}
		if !s.Hit {
			s.Compiling = now + rng.Int64N(20*ms)
			s.Compiled = s.Compiling + rng.Int64N(300*ms)
		}
		s.Begun = max(now, s.Compiled) + rng.Int64N(100*ms)
		s.ModelNS = rng.Int64N(30 * ms)
		s.First = s.Begun + s.ModelNS + rng.Int64N(20*ms)
		s.Last = s.First + int64(s.Tokens-1)*rng.Int64N(20*ms)
		s.Late = rng.IntN(6)
		if outcomes := []string{underload.Refused, underload.TimedOut, underload.Unfinished, underload.Unsupported}; rng.IntN(5) == 0 {
			s.Outcome = outcomes[rng.IntN(len(outcomes))]
		}
		if rng.IntN(50) == 0 {
			s = underload.Served{Arrived: now} // it came when the load was over
		}
		requests[i].Hostile = rng.IntN(12) == 0
		l.Requests = append(l.Requests, s)
	}
	for at, resident := int64(0), int64(1<<28); at < now; at += rng.Int64N(20 * ms) {
		live := rng.Int64N(30)
		l.Steps = append(l.Steps, [5]int64{at, live, rng.Int64N(live + 1), rng.Int64N(25 * ms), rng.Int64N(9 * ms)})
		if resident += rng.Int64N(1<<22) - 1<<20; rng.IntN(5) == 0 {
			l.Samples = append(l.Samples, [4]int64{at, resident, 0, at * 3 / 2})
		}
	}
	return l, requests
}

// slow are the values of a list, whose figures are asked for one by one.
type slow []float64

func (s slow) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// at is the least value that so many of a thousand are not above, of so many values at least.
func (s slow) at(share, least int) float64 {
	for _, v := range slices.Sorted(slices.Values(s)) {
		below := 0
		for _, other := range s {
			if other <= v {
				below++
			}
		}
		if len(s) >= least && 1000*below >= share*len(s) {
			return v
		}
	}
	return math.NaN()
}

// again are the rows of the tables of a load, computed again; times in ns.
type again struct {
	loads, ttft, costs []float64
	kept               bool
}

// recompute reads a ledger.
func recompute(l *underload.Ledger, requests []underload.Request, w underload.Window, limits *underload.Limits) (a again) {
	var ttft, tpot, itl, masks slow
	var parts [5]slow
	n := map[string]int{}
	for i, s := range l.Requests {
		switch {
		case s.Outcome == "" || s.Arrived < w.From || s.Arrived >= w.To:
			continue
		case requests[i].Hostile:
			n["hostile"]++
			continue
		}
		n["all"]++
		if s.Hit {
			n["hits"]++
		}
		if n[s.Outcome]++; s.Outcome != "ok" && s.Outcome != "unfinished" || s.Tokens == 0 {
			continue
		}
		if ttft = append(ttft, float64(s.First-s.Arrived)); s.Tokens > 1 {
			tpot = append(tpot, float64(s.Last-s.First)/float64(s.Tokens-1))
		}
		came := [5]int64{s.Compiling - s.Arrived, s.Compiled - s.Compiling, s.Begun - s.Compiled, s.ModelNS, s.First - s.Begun - s.ModelNS}
		if s.Compiled == 0 {
			came[0], came[1], came[2] = 0, 0, s.Begun-s.Arrived
		}
		for k, ns := range came {
			parts[k] = append(parts[k], float64(ns))
		}
		if allowed := max(1, s.Tokens/100); s.First-s.Arrived <= limits.TTFTNS && s.Late <= allowed {
			n["good"]++
		}
	}
	seconds, tokens, steps := float64(w.To-w.From)/1e9, 0, 0
	for _, s := range l.Steps {
		if s[0] < w.From || s[0] >= w.To {
			continue
		}
		if s[1] > 0 { // else somebody who took no part in the steps before
			steps, tokens, masks = steps+1, tokens+int(s[1]), append(masks, float64(s[4]))
		}
		for range s[2] {
			itl = append(itl, float64(s[3]))
		}
	}
	refused := n["refused"] + n["unsupported"]
	taken := float64(n["all"] - refused)
	a.kept = float64(n["good"]) >= limits.Share*taken
	a.loads = []float64{float64(n["all"]), float64(refused), float64(n["timeout"]), float64(n["unfinished"]), 100 * float64(n["good"]) / taken, float64(n["good"]) / seconds,
		float64(tokens) / seconds, float64(tokens) / float64(steps), ttft.at(500, 1) / 1e6, ttft.at(990, 100) / 1e6, ttft.at(999, 1000) / 1e6, tpot.at(500, 1) / 1e6, tpot.at(990, 100) / 1e6,
		itl.at(500, 1) / 1e6, itl.at(990, 100) / 1e6, itl.at(999, 1000) / 1e6, slices.Max(itl) / 1e6}
	for _, list := range parts {
		a.ttft = append(a.ttft, list.mean()/1e6, list.at(990, 100)/1e6)
	}
	a.costs = append([]float64{processor(l, w), masks.at(500, 1) / 1e3, masks.at(990, 100) / 1e3}, memoryOf(l)...)
	a.costs = append(a.costs, float64(l.CachePeak)/(1<<20), 100*float64(n["hits"])/float64(n["all"]), float64(l.Evicted), float64(l.Collections), float64(l.CollectNS)/1e6)
	return a
}

// processor is the time in s for a thousand tokens, between the last samples before the window and
// before its end.
func processor(l *underload.Ledger, w underload.Window) float64 {
	var first, last [4]int64
	for _, s := range l.Samples {
		if s[0] <= w.From {
			first = s
		}
		if s[0] <= w.To {
			last = s
		}
	}
	tokens := 0.0
	for _, s := range l.Steps {
		if first[0] <= s[0] && s[0] < last[0] {
			tokens += float64(s[1])
		}
	}
	return float64(last[3]-first[3]) / 1e6 / tokens
}

// memoryOf is the resident memory in MiB at first, and the most.
func memoryOf(l *underload.Ledger) []float64 {
	most := int64(0)
	for _, s := range l.Samples {
		most = max(most, s[1])
	}
	return []float64{float64(l.Samples[0][1]) / (1 << 20), float64(most) / (1 << 20)}
}

// shows reports whether an entry shows a figure, to the three digits that are printed.
func shows(body string, want float64) bool {
	got, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(body, ",", ""), "%"), 64)
	if math.IsNaN(want) || err != nil {
		return math.IsNaN(want) && err != nil
	}
	return math.Abs(got-want) <= 0.0051*math.Abs(want)+1e-9
}

// TestRecomputed: the tables of loads, and the first screen, show what the ledgers have.
func TestRecomputed(t *testing.T) {
	seed.Usual(t)
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	l, want := &Loads{}, map[string][][]float64{}
	best := map[string][]float64{} // of the highest rate that kept the limits: of its rows, what the first screen shows
	limits := underload.Limits{TTFTNS: 400_000_000, ITLNS: 30_000_000, Share: 0.5}
	rates := map[string]slow{underload.Unconstrained: {40, 44, 42}, "psc": {20, 23, 21}}
	for _, label := range []string{underload.Unconstrained, "psc"} {
		id := underload.ID{Workload: "schema", Tokenizer: "llama3", Model: "M", Label: label, Scenario: "server"}
		for _, id.Rate = range rates[label] {
			ledger, requests := ledgerOf(rng, 300+rng.IntN(900))
			w := underload.Window{From: 2e9, To: 2e9 + ledger.Steps[len(ledger.Steps)-1][0]/2}
			c := &underload.Cell{ID: id, Algorithm: label, Outcome: cell.OK, Limits: limits, Settings: config.Server{Masks: config.Overlapped}}
			c.Figures = underload.Summarize(ledger, requests, w, &limits)
			a := recompute(ledger, requests, w, &limits)
			if c.Kept = limits.Keeps(c.Figures); c.Kept != a.kept {
				t.Errorf("%s at %v: the limits are kept: %v, and %v by the ledger", label, id.Rate, c.Kept, a.kept)
			}
			l.Cells = append(l.Cells, c)
			for table, row := range map[string][]float64{"loads": a.loads, "ttft": a.ttft, "costs": a.costs} {
				want[table] = append(want[table], row)
			}
			if b := best[label]; a.kept && (b == nil || id.Rate > b[0]) {
				best[label] = []float64{id.Rate, a.loads[8], a.loads[9], a.loads[13], a.loads[14], a.costs[4], 100 * a.loads[1] / a.loads[0]}
			}
		}
		found := &underload.Found{ID: id, Bound: 50}
		found.ID.Rate = 0
		for _, rate := range rates[label] {
			found.Add(rate)
		}
		l.Capacities = append(l.Capacities, found)
	}
	d, seen := l.document(), 0
	for _, table := range append(slices.Clone(d.Summary), d.Tables...) {
		if table.ID == "capacity" {
			capacities(t, table, rates, best)
			continue
		}
		rows := want[table.ID]
		if len(rows) != len(table.Rows) {
			t.Fatalf("%s has %d rows of %d loads", table.ID, len(table.Rows), len(rows))
		}
		from := slices.IndexFunc(table.Columns, func(c document.Column) bool {
			return c.Head == map[string]string{"loads": "requests", "ttft": "waiting", "costs": "CPU s per 1,000 tokens"}[table.ID]
		})
		for i, row := range rows {
			for k, v := range row {
				if body := table.Rows[i][from+k].Body; !shows(body, v) {
					t.Errorf("%s, row %d: %s is %q, and is %v", table.ID, i, table.Columns[from+k].Head, body, v)
				}
				seen++
			}
		}
	}
	if seen != 6*(17+10+10) {
		t.Errorf("%d figures were looked at", seen)
	}
}

// capacities compares the first screen.
func capacities(t *testing.T, table *document.Table, rates map[string]slow, best map[string][]float64) {
	for i, label := range []string{underload.Unconstrained, "psc"} {
		s, b, shares := rates[label], best[label], slow{}
		for k, none := range rates[underload.Unconstrained] {
			shares = append(shares, 100*s[k]/none)
		}
		want := map[string]float64{"of the bound": 100 * s.mean() / 50}
		for k, head := range []string{"TTFT p50 ms", "TTFT p99 ms", "ITL p50 ms", "ITL p99 ms", "MiB peak", "not taken"} {
			want[head] = math.NaN()
			if b != nil {
				want[head] = b[1+k]
			}
		}
		for k, column := range table.Columns {
			body := table.Rows[i][k].Body
			if v, is := want[column.Head]; is && !shows(body, v) {
				t.Errorf("%s of %s is %q, and is %v", column.Head, label, body, v)
			}
			delete(want, column.Head)
			switch column.Head {
			case "requests/s":
				withInterval(t, label, body, s.mean(), s)
			case "of none's":
				withInterval(t, label, body, 100*s.mean()/rates[underload.Unconstrained].mean(), shares)
			}
		}
		if len(want) > 0 {
			t.Errorf("the first screen lacks %v", want)
		}
	}
}

// withInterval compares a figure and the interval of the mean of three values.
func withInterval(t *testing.T, label, body string, figure float64, each slow) {
	squares := 0.0
	for _, v := range each {
		squares += (v - each.mean()) * (v - each.mean())
	}
	half := 4.303 * math.Sqrt(squares/2/3) // Student's t of three values
	words := strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" []–-,", r) })
	if len(words) != 3 || !shows(words[0], figure) || !shows(words[1], max(0, each.mean()-half)) || !shows(words[2], each.mean()+half) {
		t.Errorf("%s shows %q for %v, around %v within %v", label, body, figure, each.mean(), half)
	}
}
