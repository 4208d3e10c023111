package plots

import "math"

// Cost is what one algorithm pays on one workload: once, and at each mask.
type Cost struct {
	Panel     string
	Algorithm string
	OfflineNS float64 // time to compile
	OnlineNS  float64 // mean time of a mask
}

// TradeOff is the figure of online over offline time: what an algorithm that prepares more gains by it.
// Lower left is better. It is nil unless some panel has two algorithms.
func TradeOff(name string, costs []Cost) *Figure {
	f := &Figure{Name: name, XLabel: "time to compile", YLabel: "mean time of one mask"}
	xlow, xhigh, ylow, yhigh := math.Inf(1), 0.0, math.Inf(1), 0.0
	most, perPanel := 0, map[string]int{}
	for _, c := range costs {
		x, y := max(c.OfflineNS, Least), max(c.OnlineNS, Least)
		f.add(c.Panel, c.Algorithm, Series{X: []float64{x}, Y: []float64{y}, Points: true})
		xlow, xhigh = min(xlow, x), max(xhigh, x)
		ylow, yhigh = min(ylow, y), max(yhigh, y)
		perPanel[c.Panel]++
		most = max(most, perPanel[c.Panel])
	}
	if most < 2 {
		return nil
	}
	// Half a decade of room keeps the points off the frame.
	const room = 3.2
	xlow, xhigh = decades(xlow/room, xhigh*room)
	ylow, yhigh = decades(ylow/room, yhigh*room)
	f.X = Axis{Min: xlow, Max: xhigh, Log: true, Format: Duration}
	f.Y = Axis{Min: ylow, Max: yhigh, Log: true, Format: Duration}
	return f
}
