package load

import (
	"math"
	"math/rand/v2"
)

// A Corpus is what requests are drawn from.
type Corpus struct {
	// Documents are the token lists of each grammar's documents; grammars without any are not drawn.
	Documents [][][]int32
	// Hostile are the grammars of bad neighbours; they are not drawn otherwise.
	Hostile []int
	// Another makes a grammar that nobody has seen of one that was used up, and returns its number,
	// which is behind all others; its documents are those of the first. nil uses grammars again.
	Another func(grammar int) int
}

// A Draw says which requests come when.
type Draw struct {
	Seed uint64
	N    int
	// Rate is in requests a second, Poisson; 0 has all come at once.
	Rate float64
	// Unseen is the share of requests whose grammar nobody has asked for before. The others are drawn
	// from the grammars by popularity: the k-th most popular with a probability proportional to
	// k^-Zipf.
	Unseen, Zipf float64
	// Hostile is the share of bad neighbours.
	Hostile float64
	// Checks is about how many masks are kept, of all requests.
	Checks int
}

// Requests draws. The same corpus and draw give the same requests; of two draws that differ in Rate
// alone the requests are the same, and their times differ by a factor.
func (d Draw) Requests(c *Corpus) []Request {
	w := d.wheel(c)
	at, list := 0.0, make([]Request, 0, d.N)
	for range d.N {
		gap, kind, check := w.rng.ExpFloat64(), w.rng.Float64(), w.rng.Float64()
		if d.Rate > 0 {
			at += 1e9 * gap / d.Rate
		}
		r := Request{AtNS: int64(at), Check: -1}
		switch {
		case len(c.Hostile) > 0 && kind < d.Hostile:
			r.Hostile, r.Grammar = true, c.Hostile[w.rng.IntN(len(c.Hostile))]
		default:
			r.Grammar = w.grammar()
		}
		documents := c.Documents[r.Grammar]
		r.Tokens = documents[w.rng.IntN(len(documents))]
		if position := w.rng.IntN(len(r.Tokens)); !r.Hostile && check < float64(d.Checks)/float64(d.N) {
			r.Check = position
		}
		list = append(list, r)
	}
	return list
}

// A wheel draws grammars.
type wheel struct {
	Draw
	corpus *Corpus
	rng    *rand.Rand
	order  []int     // of the grammars, the most popular first
	sums   []float64 // of probabilities, in that order
	unseen int       // how many grammars that nobody had seen were drawn
}

// wheel begins to draw. Popularity is drawn by the seed: it has nothing to do with the order of a
// corpus.
func (d Draw) wheel(c *Corpus) *wheel {
	w := &wheel{Draw: d, corpus: c, rng: rand.New(rand.NewPCG(d.Seed, 0x10ad))}
	hostile := map[int]bool{}
	for _, g := range c.Hostile {
		hostile[g] = true
	}
	for g := range c.Documents {
		if !hostile[g] && len(c.Documents[g]) > 0 {
			w.order = append(w.order, g)
		}
	}
	w.rng.Shuffle(len(w.order), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
	sum := 0.0
	for k := range w.order {
		sum += math.Pow(float64(k+1), -d.Zipf)
		w.sums = append(w.sums, sum)
	}
	return w
}

// grammar draws one. Those that nobody has seen are taken from the least popular end, and then made
// of those again.
func (w *wheel) grammar() int {
	if w.rng.Float64() >= w.Unseen {
		x, k := w.rng.Float64()*w.sums[len(w.sums)-1], 0
		for k+1 < len(w.sums) && w.sums[k] < x {
			k++
		}
		return w.order[k]
	}
	g := w.order[len(w.order)-1-w.unseen%len(w.order)]
	w.unseen++
	if (w.unseen > len(w.order) || w.Unseen < 1) && w.corpus.Another != nil {
		return w.corpus.Another(g)
	}
	return g
}
