package load_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/harness/config"
	"gcdbench/harness/load"
	"gcdbench/internal/seed"
)

// TestCache: against a list that is searched and cut from the start.
func TestCache(t *testing.T) {
	type entry struct {
		key   int
		bytes int64
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	const limit = 100
	c := load.NewCache[int](limit)
	var want []entry // least recently used first
	evicted := 0
	shrink := func() {
		for sum := int64(0); ; want, evicted = want[1:], evicted+1 {
			sum = 0
			for _, e := range want {
				sum += e.bytes
			}
			if sum <= limit {
				return
			}
		}
	}
	for range 5_000 {
		key, bytes := rng.IntN(20), int64(1+rng.IntN(60))
		at := slices.IndexFunc(want, func(e entry) bool { return e.key == key })
		switch rng.IntN(3) {
		case 0:
			_, ok := c.Get(key)
			if ok != (at >= 0) {
				t.Fatalf("Get(%d) is %v", key, ok)
			}
			if ok {
				e := want[at]
				want = append(slices.Delete(want, at, at+1), e)
			}
		case 1:
			if at < 0 {
				want = append(want, entry{key, bytes})
				c.Put(key, key, bytes)
				shrink()
			}
		default:
			if c.Weigh(key, bytes); at >= 0 {
				want[at].bytes = bytes
				shrink()
			}
		}
		sum := int64(0)
		for _, e := range want {
			sum += e.bytes
		}
		if c.Bytes != sum || c.Evicted != evicted || c.Peak > limit {
			t.Fatalf("%d bytes, %d evicted, peak %d; want %d and %d", c.Bytes, c.Evicted, c.Peak, sum, evicted)
		}
	}
}

// corpus has so many grammars with one document each, whose first token is the grammar's number.
func corpus(n int) *load.Corpus {
	c := &load.Corpus{}
	for g := range n {
		c.Documents = append(c.Documents, [][]int32{{int32(g), 1, 2}})
	}
	return c
}

// TestDraw: arrivals are Poisson, grammars nobody has seen are different, the popular ones follow
// Zipf, and neighbours have their share.
func TestDraw(t *testing.T) {
	const n = 20_000
	list := load.Draw{Seed: 1, N: n, Rate: 100, Zipf: 1}.Requests(corpus(50))
	counts := map[int]int{}
	gaps, squares := 0.0, 0.0
	for i, r := range list {
		if int(r.Tokens[0]) != r.Grammar {
			t.Fatal("the document is another grammar's")
		}
		counts[r.Grammar]++
		if i > 0 {
			gap := float64(r.AtNS-list[i-1].AtNS) / 1e9
			gaps, squares = gaps+gap, squares+gap*gap
		}
	}
	if mean := gaps / n; math.Abs(mean-0.01) > 0.0005 || math.Abs(squares/n/(mean*mean)-2) > 0.1 {
		t.Errorf("gaps of %v s in the mean, of a squared variation of %v: not exponential", mean, squares/n/(mean*mean)-1)
	}
	var popular []int
	for _, c := range counts {
		popular = append(popular, c)
	}
	slices.Sort(popular)
	slices.Reverse(popular)
	if ratio := float64(popular[0]) / float64(popular[9]); ratio < 8 || ratio > 12 {
		t.Errorf("the most popular grammar is drawn %v times as often as the tenth, want 10", ratio)
	}
	faster := load.Draw{Seed: 1, N: n, Rate: 200, Zipf: 1}.Requests(corpus(50))
	for i := range list {
		if list[i].Grammar != faster[i].Grammar || math.Abs(float64(list[i].AtNS)/2-float64(faster[i].AtNS)) > 2 {
			t.Fatalf("request %d at another rate is another: %v, %v", i, list[i], faster[i])
		}
	}
}

// TestDrawUnseen: unseen grammars come once each, and then as variants.
func TestDrawUnseen(t *testing.T) {
	c := corpus(30)
	c.Hostile, c.Documents = []int{30}, append(c.Documents, [][]int32{{30, 1}})
	c.Another = func(g int) int {
		c.Documents = append(c.Documents, [][]int32{{int32(len(c.Documents))}})
		return len(c.Documents) - 1
	}
	seen, hostile := map[int]bool{}, 0
	for _, r := range (load.Draw{Seed: 2, N: 400, Unseen: 1, Hostile: 0.25, Checks: 50}).Requests(c) {
		if r.Hostile {
			hostile++
			if r.Grammar != 30 || r.Check >= 0 {
				t.Fatalf("a bad neighbour with grammar %d, checked at %d", r.Grammar, r.Check)
			}
			continue
		}
		if seen[r.Grammar] {
			t.Fatalf("grammar %d was seen before", r.Grammar)
		}
		seen[r.Grammar] = true
	}
	if hostile < 60 || hostile > 140 || len(c.Documents) < 250 {
		t.Errorf("%d bad neighbours of 400, %d grammars", hostile, len(c.Documents))
	}
}

// TestSearch: the search finds the capacity of a server that has one, within the precision, and
// from any guess.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 200 {
		bound := 1 + 1000*rng.Float64()
		capacity := bound * (0.06 + 1.1*rng.Float64())
		asked := 0
		got, err := load.Search(bound, bound*(0.05+rng.Float64()), 0.05, func(rate float64) (bool, error) {
			asked++
			return rate <= capacity, nil
		})
		if err != nil || got > capacity || got < capacity/1.05 || asked > 20 {
			t.Fatalf("bound %v, capacity %v: found %v after %d loads, %v", bound, capacity, got, asked, err)
		}
	}
	if got, _ := load.Search(100, 90, 0.05, func(float64) (bool, error) { return false, nil }); got != 0 {
		t.Errorf("a server that keeps no limit has the capacity %v", got)
	}
}

// TestEnoughLost: so many requests that miss the limits are the fewest that no others make up for.
func TestEnoughLost(t *testing.T) {
	w := load.Window{From: 10, To: 20}
	for n := range 120 {
		requests := []load.Request{{AtNS: 9}, {AtNS: 9, Hostile: true}, {AtNS: 15, Hostile: true}}
		for range n {
			requests = append(requests, load.Request{AtNS: 15})
		}
		for _, share := range []float64{0.5, 0.9, 0.97, 0.99, 1} {
			limits := load.Limits{Share: share}
			before, enough := limits.EnoughLost(append(requests, load.Request{AtNS: 15}), len(requests), w)
			kept := func(lost, refused int) bool {
				good := max(0, n-lost-refused)
				return limits.Keeps(&load.Figures{Requests: n, Refused: refused, GoodShare: float64(good) / float64(n-refused)})
			}
			if before != 2 || n > 0 && !kept(enough-1, 0) {
				t.Errorf("%d before the window; of %d requests %d are enough to miss %v, and one less is too", before, n, enough, share)
			}
			for refused := range n {
				if kept(enough, refused) {
					t.Errorf("of %d requests %d are lost and %d refused, and %v of the others are good", n, enough, refused, share)
				}
			}
		}
	}
}

// TestModelNS: prompts take what they have no room for in a step.
func TestModelNS(t *testing.T) {
	s := load.Settings{Server: config.Server{Batch: 2}, StepNS: []float64{10, 11}, SlackNS: []float64{8, 6}, PrefillNS: 5}
	for _, c := range [][3]float64{{1, 0, 10}, {1, 1, 10}, {2, 1, 11}, {2, 2, 15}} {
		if got := s.ModelNS(int(c[0]), c[1]); got != c[2] {
			t.Errorf("%v generations, %v of them at their first token: %v ns, want %v", c[0], c[1], got, c[2])
		}
	}
	if got, want := load.Bound(&s, 4), 1e9*0.5/11; got != want { // half a request a step, whose prompt has room
		t.Errorf("the bound is %v requests/s, want %v", got, want)
	}
}

// TestSummarize: a ledger written by hand.
func TestSummarize(t *testing.T) {
	const ms = 1_000_000
	limits := load.Limits{TTFTNS: 50 * ms, ITLNS: 10 * ms, Share: 0.5}
	requests := make([]load.Request, 8)
	requests[5].Hostile = true
	l := &load.Ledger{
		Requests: []load.Served{
			{Outcome: load.OK, Arrived: 0, Tokens: 1}, // warm-up
			{Outcome: load.OK, Arrived: 100 * ms, Compiling: 101 * ms, Compiled: 106 * ms, Begun: 110 * ms, First: 125 * ms, Last: 145 * ms, ModelNS: 10 * ms, Tokens: 3}, // good
			{Outcome: load.OK, Hit: true, Arrived: 100 * ms, Compiling: 100 * ms, Compiled: 100 * ms, Begun: 100 * ms, First: 160 * ms, Last: 160 * ms, ModelNS: 10 * ms, Tokens: 1},
			{Outcome: load.Refused, Arrived: 120 * ms},
			{Outcome: load.TimedOut, Arrived: 130 * ms},
			{Outcome: load.OK, Arrived: 140 * ms, First: 150 * ms, Tokens: 1},
			{Outcome: load.Unfinished, Arrived: 150 * ms, Compiling: 150 * ms, Compiled: 150 * ms, Begun: 150 * ms, First: 160 * ms, Last: 190 * ms, ModelNS: 10 * ms, Tokens: 4}, // good so far
			{Outcome: load.Unfinished, Arrived: 160 * ms},
		},
		Steps:   [][5]int64{{50 * ms, 9, 0, 0, 1}, {125 * ms, 1, 0, 3, 5}, {145 * ms, 2, 1, 20 * ms, 7}},
		Samples: [][4]int64{{0, 10, 0, 0}, {100 * ms, 30, 0, 1e9}, {200 * ms, 20, 0, 4e9}},
	}
	f := load.Summarize(l, requests, load.Window{From: 100 * ms, To: 200 * ms}, &limits)
	if f.Requests != 6 || f.OK != 2 || f.Refused != 1 || f.TimedOut != 1 || f.Unfinished != 2 || f.Good != 2 || f.Hostile != 1 || f.HostileOK != 1 {
		t.Errorf("counts: %+v", f)
	}
	if f.GoodShare != 0.4 || f.Goodput != 20 || f.Hits != 1.0/6 || f.Tokens != 3 || f.CPUPer1000 != 1000 || f.ResidentPeak != 30 {
		t.Errorf("shares: %+v", f)
	}
	p := &f.Parts
	if f.TTFT.N != 3 || f.TTFT.Max != 60*ms || p.Waiting.Max != ms || p.Compile.Max != 5*ms || p.Place.Max != 4*ms || p.Model.Max != 10*ms || p.Masks.Max != 50*ms || f.ITL.Max != 20*ms || f.ITL.N != 1 || f.TPOT.Max != 10*ms {
		t.Errorf("times: %+v", f)
	}
	if limits.Keeps(f) {
		t.Error("two fifths of the requests are not half of them")
	}
}
