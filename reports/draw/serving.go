package draw

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
)

// servingFigures are tokens per second over the size of the batch: for each workload, schedule,
// number of threads and device a figure with a panel for each model, and a line for each algorithm
// beside the unconstrained one. What there is only one of is not in a figure's name.
func servingFigures(s *result.Set) (figures []*plots.Figure) {
	devices := s.Devices()
	for _, workload := range s.WorkloadNames() {
		for _, masks := range []string{"serial", "overlapped"} {
			for _, threads := range s.Threads() {
				for _, device := range devices {
					name := "serving-" + fileName(workload) + "-" + masks
					if len(s.Threads()) > 1 {
						name += "-" + strconv.Itoa(threads)
					}
					if len(devices) > 1 {
						name += "-" + strings.ReplaceAll(fileName(device), "--", "-")
					}
					var points []plots.Served
					for _, c := range s.Cells {
						for _, t := range c.Throughput {
							if c.Workload == workload && t.Masks == masks && t.RunBy() == device && t.Threads == threads && t.State == result.StateFirst && t.Served != nil {
								points = append(points, plots.Served{Panel: t.Model, Line: Line(s, c), Batch: t.Batch, PerSecond: t.TokensPerSecond, Unconstrained: t.Unconstrained})
							}
						}
					}
					slices.SortStableFunc(points, func(a, b plots.Served) int { return cmp.Compare(modelPlace(s, a.Panel), modelPlace(s, b.Panel)) })
					if f := plots.Serving(name, points); f != nil {
						f.XLabel += ", " + workload + ", masks " + masks
						if len(s.Threads()) > 1 {
							f.XLabel += ", threads: " + strconv.Itoa(threads)
						}
						f.YLabel += " (" + kindOf(s, device) + ")"
						figures = append(figures, f)
					}
				}
			}
		}
	}
	return figures
}

// modelPlace is where a model stands in the configuration, whose order panels have.
func modelPlace(s *result.Set, model string) int {
	return slices.IndexFunc(s.Models, func(m cell.Model) bool { return m.Table.Model == model })
}

// kindOf is the kind of the times of a device's models.
func kindOf(s *result.Set, device string) string {
	for _, m := range s.Models {
		if m.Table.Device+", "+m.Table.Kind == device {
			return m.Table.Kind
		}
	}
	return ""
}
