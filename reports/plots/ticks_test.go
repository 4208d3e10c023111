package plots

import "testing"

// TestTicksOfAnAxis: ticks rise, lie on the axis, and at least two have a label.
func TestTicksOfAnAxis(t *testing.T) {
	for _, a := range []Axis{{Min: 0, Max: 1, Format: Quantity}, {Min: 10, Max: 1e9, Log: true, Format: Duration}, {Min: 2000, Max: 9000, Log: true, Format: Quantity}} {
		last, labels := a.Min*(1-1e-6)-1e-6, 0
		for _, tick := range a.Ticks() {
			if tick.Value <= last || tick.Value > a.Max*(1+1e-6) {
				t.Errorf("%v to %v: a tick at %v", a.Min, a.Max, tick.Value)
			}
			last = tick.Value
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 {
			t.Errorf("%v to %v: %d labels", a.Min, a.Max, labels)
		}
	}
}

// TestUnit: the unit follows from the labels.
func TestUnit(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Min: 1, Max: 10, Log: true, Format: Duration}, "ns"}, {Axis{Min: 1e-3, Max: 1, Log: true, Format: Share}, "share"},
		{Axis{Min: 0, Max: 1, Format: Quantity}, "share"}, {Axis{Min: 1, Max: 1e6, Log: true, Format: Quantity}, ""}, {Axis{}, ""},
	} {
		if got := c.axis.Unit(); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.axis.Min, c.axis.Max, got, c.want)
		}
	}
}
