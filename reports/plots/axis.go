package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// The ticks of an axis and their labels.

// apply sets gonum's axis up. Ticks are ours, since gonum labels a logarithmic axis
// with numbers like 1e+06.
func (a Axis) apply(to *plot.Axis) {
	to.Min, to.Max = a.Min, a.Max
	to.Tick.Label.Font = sans(tickSize)
	to.LineStyle.Width, to.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
	to.Tick.Length = vg.Points(4)
	to.Padding = 0
	to.Tick.Marker = plot.ConstantTicks(a.ticks())
	if a.Log {
		to.Scale = plot.LogScale{}
	}
}

// ticks puts labelled ticks at powers of ten, every second or third where there
// are many, and unlabelled ones between; a linear axis has round numbers.
func (a Axis) ticks() []plot.Tick {
	var ticks []plot.Tick
	if !a.Log {
		if a.Max <= a.Min {
			return []plot.Tick{{Value: a.Min, Label: a.Format(a.Min)}}
		}
		step := roundStep((a.Max - a.Min) / 5)
		for i := int(math.Ceil(a.Min/step - slack)); float64(i)*step <= a.Max*(1+slack); i++ {
			ticks = append(ticks, plot.Tick{Value: float64(i) * step, Label: a.Format(float64(i) * step)})
		}
		return ticks
	}
	if a.Doubling {
		return a.doublings()
	}
	first := int(math.Floor(math.Log10(a.Min) + slack))
	last := int(math.Floor(math.Log10(a.Max) + slack))
	if a.Zero {
		ticks = append(ticks, plot.Tick{Value: a.Min, Label: a.Format(0)})
		first = 0 // of one
	}
	every := 1 + (last-first)/a.labels()
	for e := first; e <= last; e++ {
		power := math.Pow(10, float64(e))
		for i := 1; i < 10; i++ {
			v := power * float64(i)
			if v < a.Min*(1-slack) || v > a.Max*(1+slack) || a.Zero && v < 1 {
				continue
			}
			t := plot.Tick{Value: v}
			if i == 1 && (e-first)%every == 0 {
				t.Label = a.Format(v)
			} else if every > 1 && i > 1 {
				continue // nine small ticks in each of many decades are a smear
			}
			ticks = append(ticks, t)
		}
	}
	return labelNarrow(ticks, a.Format)
}

// slack is how far rounding may move a tick beyond its axis, as a share.
const slack = 1e-9

// roundStep is the least step of 1, 2 or 5 times a power of ten that is not below a given one.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)+slack))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= least*(1-slack) {
			return n * power
		}
	}
	return 10 * power
}

// labels is how many have room: fewer side by side under a panel than one above the other. So the
// axis of a tail has 1%, where p99 is.
func (a Axis) labels() int {
	if a.Upright {
		return 8
	}
	return 5
}

// doublings puts ticks at powers of two, and labels some where there are many.
func (a Axis) doublings() (ticks []plot.Tick) {
	first, last := int(math.Ceil(math.Log2(a.Min))), int(math.Floor(math.Log2(a.Max)))
	every := 1 + (last-first)/a.labels()
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(2, float64(e))}
		if (e-first)%every == 0 {
			t.Label = a.Format(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// labelNarrow labels 2 and 5 times a power of ten where fewer than two powers
// are in sight, or an axis would have no numbers.
func labelNarrow(ticks []plot.Tick, format func(float64) string) []plot.Tick {
	labelled := 0
	for _, t := range ticks {
		if t.Label != "" {
			labelled++
		}
	}
	if labelled >= 2 {
		return ticks
	}
	for i, t := range ticks {
		lead := t.Value / math.Pow(10, math.Floor(math.Log10(t.Value)+1e-9))
		if d := math.Round(lead); d == 2 || d == 5 {
			ticks[i].Label = format(t.Value)
		}
	}
	return ticks
}
