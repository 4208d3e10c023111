package plots

// Axes for a program that draws a figure by itself, as a page in a browser does.

// Tick is a place on an axis; one without a label is a small one.
type Tick struct {
	Value float64 `json:"at"`
	Label string  `json:"label,omitempty"`
}

// Ticks are those of the axis, in rising order.
func (a Axis) Ticks() []Tick {
	var list []Tick
	for _, t := range a.ticks() {
		list = append(list, Tick{t.Value, t.Label})
	}
	return list
}

// Unit is what the axis counts in: "ns" for times, "share" for parts of a whole, else "". An axis
// knows it only by the labels that its Format writes.
func (a Axis) Unit() string {
	switch {
	case a.Format == nil:
		return ""
	case a.Format(1) == Duration(1):
		return "ns"
	case a.Format(1) == Share(1), !a.Log && a.Min == 0 && a.Max == 1:
		return "share"
	}
	return ""
}
