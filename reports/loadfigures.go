package reports

import "gcdbench/reports/plots"

// figures are the plots of loads.
func (l *Loads) figures() (list []*plots.Figure) {
	return list
}
