package plots

import (
	"fmt"
	"strings"
	"testing"
)

// TestLook: what is told of an entry is what the SVG draws it with.
func TestLook(t *testing.T) {
	var samples []Sample
	for i := range 5 {
		samples = append(samples, Sample{Panel: "json", Algorithm: fmt.Sprint("a", i), Values: []float64{100, 200, 300}})
	}
	f := ECDF("ecdf", samples)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range f.Legend {
		l := f.Look(i)
		if key := fmt.Sprint(l); seen[key] {
			t.Errorf("entry %d looks like another: %s", i, key)
		} else {
			seen[key] = true
		}
		if !strings.Contains(strings.ToLower(string(svg)), "stroke:"+l.Color) {
			t.Errorf("nothing in the SVG has the colour %s of entry %d", l.Color, i)
		}
	}
}

// TestMarkerNames: seven entries in a row have seven markers.
func TestMarkerNames(t *testing.T) {
	f := &Figure{}
	seen := map[string]bool{}
	for i := range len(glyphs) {
		seen[f.Look(i).Marker] = true
	}
	if len(seen) != len(glyphs) {
		t.Errorf("%d names for %d markers", len(seen), len(glyphs))
	}
}

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
