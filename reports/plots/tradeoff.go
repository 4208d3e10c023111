package plots

import "gcdbench/harness/stats"

// Cost has the offline time and the time of a mask of one algorithm on one workload, in
// nanoseconds.
type Cost struct {
	Panel string
	Line
	OfflineNS float64        // all that is paid first
	Offline   stats.Interval // of OfflineNS; zero for none
	OnlineNS  float64        // mean time of a mask
	Online    stats.Interval // of OnlineNS; zero for none
}

// TradeOff is the figure of online over offline time, with the intervals of both: it shows what an
// algorithm gains by more preparation. Lower left is better. It is nil unless some panel has two
// algorithms. Costs that are no numbers are left out.
func TradeOff(name string, costs []Cost) *Figure {
	f := &Figure{Name: name, XLabel: "offline, in sum", YLabel: "mean time of one mask, new document", Points: true}
	x, y := emptySpan(), emptySpan()
	most, perPanel := 0, map[string]int{}
	for _, c := range costs {
		if !finite(c.OfflineNS, c.OnlineNS) {
			continue
		}
		s := f.costSeries(c)
		f.add(c.Panel, s)
		x.include(s.XLow[0], s.XHigh[0])
		y.include(s.Low[0], s.High[0])
		perPanel[c.Panel]++
		most = max(most, perPanel[c.Panel])
	}
	if most < 2 {
		return nil
	}
	const room = 2
	f.X, f.Y = x.around(room, Duration), y.around(room, Duration)
	f.dress()
	return f
}

// costSeries is a single point.
func (f *Figure) costSeries(c Cost) Series {
	x, y := f.lift(c.OfflineNS), f.lift(c.OnlineNS)
	s := Series{Line: c.Line, X: []float64{x}, Y: []float64{y}, Marks: []Point{{x, y}}}
	low, high := ends(x, c.Offline)
	s.XLow, s.XHigh = []float64{low}, []float64{high}
	low, high = ends(y, c.Online)
	s.Low, s.High = []float64{low}, []float64{high}
	return s
}

// ends are those of the bar at a time: of its interval, as far as an axis can show it, or the time
// itself.
func ends(ns float64, i stats.Interval) (low, high float64) {
	if !i.Valid() || !finite(i.Low, i.High) {
		return ns, ns
	}
	return min(max(i.Low, Least), ns), max(i.High, ns)
}
