package plots

import (
	"cmp"
	"hash/fnv"
	"image/color"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// The look of a line. It depends on the algorithm alone: an algorithm that is blue in one figure is
// blue in all.

// Line names the algorithm of a line or a point.
type Line struct {
	Label string // in the legend, without the state
	// Algorithm is the registered name, which gives the colour; Label is taken where it is "".
	Algorithm string
	Variant   int // among the entries of the algorithm, as Variants counts; gives dash and marker
	// State is that of the engine ("fresh", "new", "again"), or "". In a figure with several states
	// the dash shows them instead of the variant.
	State string
}

// Name is the label with the state, if there is one.
func (l Line) Name() string {
	if l.State == "" {
		return l.Label
	}
	return l.Label + ", " + l.State
}

// Style is the look of a line.
type Style struct {
	Color  string    `json:"color"`            // as #rrggbb
	Dash   []float64 `json:"dashes,omitempty"` // points of line and gap in turn; nil for a solid line
	Marker string    `json:"marker"`           // one of Markers; "" for none
	Hollow bool      `json:"hollow,omitempty"` // only the outline of the marker
}

// Markers are the names of the markers' shapes.
var Markers = []string{"circle", "square", "triangle", "diamond", "triangle-down", "cross", "plus", "star"}

// dashes tell lines apart where colour does not: in print, or to the colour-blind.
var dashes = [][]float64{
	nil,
	{6, 2},
	{1.5, 1.5},
	{7, 2, 1.5, 2},
	{3, 1.5},
	{7, 1.5, 1.5, 1.5, 1.5, 1.5},
	{10, 2, 3, 2},
}

// look is a choice of colour, dash and marker; the latter two are places in their lists.
type look struct {
	color        string
	dash, marker int
}

// looks are those of the algorithms of this program. The colours are those of Okabe and Ito (Color
// Universal Design, 2008), their yellow left out: it is too light for a line on white. No two share
// a dash or a marker either, so that a figure can be read in grey.
var looks = map[string]look{
	"psc":         {"#0072B2", 0, 0}, // blue
	"greatgramma": {"#D55E00", 1, 1}, // vermilion
	"naive":       {"#000000", 2, 5},
	"trie":        {"#009E73", 3, 2}, // bluish green
	"legality":    {"#CC79A7", 4, 4}, // reddish purple
	"parserdwa":   {"#E69F00", 5, 3}, // orange
	"automata":    {"#56B4E9", 6, 6}, // sky blue
}

// others are colours for algorithms that are not in looks, none like one that is: the darker ones
// of Paul Tol's scheme "muted" (Colour Schemes, 2021), and a brown.
var others = []string{"#332288", "#882255", "#999933", "#AA4499", "#7F5539"}

// outside are the looks of the published engines that are most often in one figure. No two share a
// colour.
var outside = map[string]look{
	"llguidance": {"#332288", 1, 2}, // indigo
	"xgrammar":   {"#882255", 3, 1}, // wine
	"glrmask":    {"#999933", 2, 7}, // olive
	"grid":       {"#7F5539", 4, 3}, // brown
	"syncode":    {"#AA4499", 5, 5}, // purple
}

// lookOf is the algorithm's place in looks or outside, or one that its name alone decides.
func lookOf(algorithm string) look {
	if l, ok := looks[algorithm]; ok {
		return l
	}
	if l, ok := outside[algorithm]; ok {
		return l
	}
	h := hash(algorithm)
	n, d := uint32(len(others)), uint32(len(dashes))
	return look{others[h%n], int(h / n % d), int(h / n / d % uint32(len(Markers)))}
}

// hash is the same on every machine and in every version. Sums of short names are similar, so the
// bits are mixed (as in the last step of MurmurHash3).
func hash(s string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(s))
	h := sum.Sum32()
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// StyleOf is the look of an algorithm's line, by its registered name. Variants of one algorithm
// (its options, or the same once more) share the colour; variant 0 is the algorithm itself. The
// first has the same marker as an outline, further ones other markers, and each another dash. The
// line without masks is dotted in grey and has no marker.
func StyleOf(algorithm string, variant int) Style {
	if algorithm == unconstrained {
		return Style{Color: "#555555", Dash: dashes[2]}
	}
	l := lookOf(algorithm)
	variant = max(variant, 0)
	return Style{
		Color:  l.color,
		Dash:   dashes[(l.dash+variant)%len(dashes)],
		Marker: Markers[(l.marker+variant/2)%len(Markers)],
		Hollow: variant%2 == 1,
	}
}

// Variants numbers the entries of each algorithm, for StyleOf; algorithms are given by label. An
// entry labelled by the name of its algorithm has number 0. The rest follow by length of the label
// and then by the alphabet, so that "trie #2" precedes "trie #10". The order of measurement does
// not matter.
func Variants(algorithms map[string]string) map[string]int {
	labels := slices.SortedFunc(maps.Keys(algorithms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	numbers, next := map[string]int{}, map[string]int{}
	for label, algorithm := range algorithms {
		if label == algorithm {
			numbers[label], next[algorithm] = 0, 1
		}
	}
	for _, label := range labels {
		if algorithm := algorithms[label]; label != algorithm {
			numbers[label] = next[algorithm]
			next[algorithm]++
		}
	}
	return numbers
}

// stateDashes are places in dashes. The new document, which a server meets, is the solid line, and
// so is the first pass over an instance: no figure has both.
var stateDashes = map[string]int{"new": 0, "fresh": 2, "again": 1, "first": 0}

// stateDash is the dash of a state; of an unknown one its name decides.
func stateDash(state string) []float64 {
	if i, ok := stateDashes[state]; ok {
		return dashes[i]
	}
	return dashes[hash(state)%uint32(len(dashes))]
}

// style is that of the line in a figure, where several states take the dash.
func (l Line) style(states bool) Style {
	s := StyleOf(cmp.Or(l.Algorithm, l.Label), l.Variant)
	if states && l.State != "" {
		s.Dash = stateDash(l.State)
	}
	return s
}

// color is Color for gonum; black if it is no colour.
func (s Style) color() color.Color {
	v, err := strconv.ParseUint(s.Color[min(1, len(s.Color)):], 16, 24)
	if err != nil {
		return color.Black
	}
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// dashes is Dash for gonum.
func (s Style) dashes() []vg.Length {
	var list []vg.Length
	for _, d := range s.Dash {
		list = append(list, vg.Points(d))
	}
	return list
}
