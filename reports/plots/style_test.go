package plots

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

// TestLooksDiffer: no two algorithms of the program share a colour, a dash or a marker, and no two
// of the first variants of one look alike.
func TestLooksDiffer(t *testing.T) {
	names := slices.Sorted(maps.Keys(looks))
	for i, a := range names {
		for _, b := range names[:i] {
			x, y := StyleOf(a, 0), StyleOf(b, 0)
			if x.Color == y.Color || slices.Equal(x.Dash, y.Dash) || x.Marker == y.Marker {
				t.Errorf("%s looks like %s: %v, %v", a, b, x, y)
			}
		}
	}
	for _, name := range append(names, "stranger", "") {
		var seen []string
		for variant := range 14 {
			s := StyleOf(name, variant)
			if s.Color != StyleOf(name, 0).Color {
				t.Errorf("%s, variant %d, has another colour", name, variant)
			}
			if l := fmt.Sprint(s); slices.Contains(seen, l) {
				t.Errorf("%s: variant %d looks like an earlier one: %s", name, variant, l)
			} else {
				seen = append(seen, l)
			}
		}
	}
	if got, want := StyleOf("psc", -3), StyleOf("psc", 0); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a negative variant looks %v", got)
	}
}

// TestOutlines: every marker but the circle has corners, around the origin and about as far from
// it.
func TestOutlines(t *testing.T) {
	for _, name := range Markers {
		var middle Point
		far := 0.0
		corners := Outline(name)
		for _, p := range corners {
			middle.X, middle.Y = middle.X+p.X/float64(len(corners)), middle.Y+p.Y/float64(len(corners))
			far = max(far, math.Hypot(p.X, p.Y))
		}
		if (corners == nil) != (name == "circle") || math.Hypot(middle.X, middle.Y) > 0.15 {
			t.Errorf("%s: %d corners around %v", name, len(corners), middle)
		}
		if corners != nil && (far < 1 || far > 1.5) {
			t.Errorf("%s reaches %v", name, far)
		}
	}
}

// TestOutsideDiffer: no two of the engines from outside share a colour or a marker with each other,
// or a colour with one of ours.
func TestOutsideDiffer(t *testing.T) {
	names := slices.Sorted(maps.Keys(outside))
	for i, a := range names {
		x := StyleOf(a, 0)
		for _, b := range names[:i] {
			if y := StyleOf(b, 0); x.Color == y.Color || x.Marker == y.Marker {
				t.Errorf("%s looks like %s: %v, %v", a, b, x, y)
			}
		}
		for _, b := range slices.Sorted(maps.Keys(looks)) {
			if x.Color == StyleOf(b, 0).Color {
				t.Errorf("%s has the colour of %s", a, b)
			}
		}
	}
}

// TestUnknownNames: an algorithm of a name not known here has a look of its own that is always the
// same.
func TestUnknownNames(t *testing.T) {
	for name, want := range map[string]string{
		"outlines-core": "{#AA4499 [7 2 1.5 2] star false}",
		"formatron":     "{#AA4499 [6 2] triangle-down false}",
	} {
		if got := fmt.Sprint(StyleOf(name, 0)); got != want {
			t.Errorf("%s looks %s, want %s", name, got, want)
		}
	}
	for i := range 100 {
		s := StyleOf(fmt.Sprint("engine", i), 0)
		for known, l := range looks {
			if s.Color == l.color {
				t.Errorf("engine%d has the colour of %s", i, known)
			}
		}
		if !slices.Contains(Markers, s.Marker) {
			t.Errorf("engine%d has the marker %q", i, s.Marker)
		}
	}
}

// TestOneLook: an algorithm looks the same in every figure, whatever stands beside it and in
// whatever order.
func TestOneLook(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	labels := []string{"naive", "trie", "trie #2", "psc", "psc (compile=eager)", "parserdwa"}
	algorithms := map[string]string{}
	for _, l := range labels {
		algorithms[l] = line(l).Algorithm
	}
	want := map[string]string{}
	for range 20 {
		rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		var samples []Sample
		for _, label := range labels[:1+rng.IntN(len(labels))] {
			l := Line{Label: label, Algorithm: algorithms[label], Variant: Variants(algorithms)[label]}
			samples = append(samples, Sample{"json", l, []float64{1, 2}})
		}
		f := ECDF("e", samples)
		for i, s := range f.Panels[0].Series {
			look := fmt.Sprint(s.Style)
			if want[s.Label] == "" {
				want[s.Label] = look
			}
			if look != want[s.Label] || fmt.Sprint(f.Legend[i].Style) != look || f.Legend[i].Label != s.Label {
				t.Errorf("%s looks %s here, %s before, and %v in the legend", s.Label, look, want[s.Label], f.Legend[i])
			}
		}
	}
}

func TestVariants(t *testing.T) {
	got := Variants(map[string]string{
		"trie #10": "trie", "trie #2": "trie", "trie": "trie", "psc (compile=lazy)": "psc", "psc (compile=eager)": "psc", "mine": "naive",
		"an alias": "legality", "legality": "legality",
	})
	want := map[string]int{"trie": 0, "trie #2": 1, "trie #10": 2, "psc (compile=lazy)": 0, "psc (compile=eager)": 1, "mine": 0, "legality": 0, "an alias": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestStates: several states take the dash, and the legend says which is which; a single one
// changes nothing.
func TestStates(t *testing.T) {
	sample := func(label, state string) Sample {
		l := line(label)
		l.State = state
		return Sample{"java", l, []float64{1, 2}}
	}
	cases := []struct {
		samples        []Sample
		legend, states string
	}{
		{[]Sample{sample("psc", "new"), sample("trie", "new")}, "psc trie", ""},
		{[]Sample{sample("psc", "fresh"), sample("psc", "new"), sample("psc", "again")}, "psc, fresh psc, new psc, again", ""},
		{[]Sample{sample("psc", "new"), sample("trie", "new"), sample("psc", "again"), sample("naive", "")}, "psc trie naive", "new again"},
	}
	for _, c := range cases {
		f := ECDF("e", c.samples)
		if got := legendOf(f); got != c.legend {
			t.Errorf("legend %q, want %q", got, c.legend)
		}
		if got := legendOf(&Figure{Legend: f.States}); got != c.states {
			t.Errorf("states %q, want %q", got, c.states)
		}
		dashes := map[string]string{} // by state
		for _, s := range f.Panels[0].Series {
			own := StyleOf(s.Algorithm, s.Variant)
			if s.Style.Color != own.Color || s.Style.Marker != own.Marker {
				t.Errorf("%s, %s, looks %v", s.Label, s.State, s.Style)
			}
			dash := fmt.Sprint(s.Style.Dash)
			if several := len(f.States) > 0 || len(f.Legend) == 3; !several || s.State == "" {
				if dash != fmt.Sprint(own.Dash) {
					t.Errorf("%s has the dash %s though there is one state", s.Label, dash)
				}
				continue
			}
			if dashes[s.State] == "" {
				dashes[s.State] = dash
			}
			if dashes[s.State] != dash {
				t.Errorf("the state %s has the dashes %s and %s", s.State, dash, dashes[s.State])
			}
		}
		if all := slices.Sorted(maps.Values(dashes)); len(slices.Compact(all)) != len(dashes) {
			t.Errorf("two states have one dash: %v", dashes)
		}
	}
	if slices.Equal(stateDash("cold"), stateDash("warm")) {
		t.Error("cold and warm have one dash")
	}
}

// TestColourBlind: the colours of the program's algorithms stay apart for people who lack one kind
// of cone, all but the rarest kind. The figure is the distance in CIELAB, where 2.3 can just be
// noticed side by side.
func TestColourBlind(t *testing.T) {
	kinds := map[string][3][3]float64{ // of linear RGB, from Viénot, Brettel and Mollon, 1999
		"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
		"deuteranopia": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
	}
	for kind, seen := range kinds {
		names := slices.Sorted(maps.Keys(looks))
		for i, a := range names {
			for _, b := range names[:i] {
				if d := distance(lab(looks[a].color, seen), lab(looks[b].color, seen)); d < 15 {
					t.Errorf("%s: %s and %s are %.1f apart", kind, a, b, d)
				}
			}
		}
	}
}

// lab is a colour in CIELAB (D65), as someone sees it whose eyes do this to linear RGB.
func lab(hex string, seen [3][3]float64) [3]float64 {
	r, g, b, _ := Style{Color: hex}.color().RGBA()
	var linear [3]float64
	for i, v := range []uint32{r, g, b} {
		c := float64(v) / 0xffff
		if linear[i] = c / 12.92; c > 0.04045 {
			linear[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	xyz := times([3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}, times(seen, linear))
	for i, white := range []float64{0.9505, 1, 1.089} {
		xyz[i] = math.Cbrt(max(xyz[i], 0) / white)
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range m {
		for j := range v {
			out[i] += m[i][j] * v[j]
		}
	}
	return out
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
