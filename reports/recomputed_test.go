package reports

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/show"
)

// The figures of the first screen, computed again from the raw files by what docs/methodology.md
// says of them, slowly, with nothing of this package.

// rawCell is a record with its raw times.
type rawCell struct {
	*cell.Record
	traces []cell.Trace
}

// rawCells reads a directory.
func rawCells(t *testing.T, dir string) (list []rawCell) {
	t.Helper()
	store := must.Get(cell.Open(dir))(t)
	keys := must.Get(store.Keys())(t)
	for _, key := range keys {
		r := must.Get(store.Get(key))(t)
		c := rawCell{Record: r}
		for trace, err := range store.Traces(r) {
			must.OK(t, err)
			c.traces = append(c.traces, trace)
		}
		list = append(list, c)
	}
	return list
}

// timedWalks visits the passes over documents that were accepted. n is how many of a pass's times
// count: where masks were made at some positions only, not that of the end.
func (c rawCell) timedWalks(visit func(s *cell.Sample, t *cell.Trace, p *cell.Pass, n int)) {
	for i := range c.traces {
		t := &c.traces[i]
		s := &c.Samples[t.Sample]
		if s.Outcome != "ok" || s.Negative || c.Outcome == "wrong-mask" {
			continue
		}
		n := len(t.Positions)
		if n < s.Tokens && n > 0 && int(t.Positions[n-1]) == s.Tokens-1 {
			n--
		}
		for k := range t.Passes {
			if p := &t.Passes[k]; len(p.Step) >= n && n > 0 {
				visit(s, t, p, n)
			}
		}
	}
}

// steps are the times of the headline, ascending: of new documents, or of all first passes over
// schemas, or else of a fresh engine, or of later passes.
func (c rawCell) headlineSteps() []float64 {
	by := map[cell.State][]float64{}
	c.timedWalks(func(_ *cell.Sample, _ *cell.Trace, p *cell.Pass, n int) {
		for _, ns := range p.Step[:n] {
			by[p.State] = append(by[p.State], float64(ns))
		}
	})
	order := [][]float64{by[cell.New], by[cell.Fresh], by[cell.Again]}
	if c.Schemas != nil {
		order = [][]float64{append(by[cell.New], by[cell.Fresh]...), by[cell.Again]}
	}
	for _, list := range order {
		if len(list) > 0 {
			slices.Sort(list)
			return list
		}
	}
	return nil
}

func average(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// nearestRank is a percentile in hundredths; NaN of fewer than so many values.
func nearestRank(sorted []float64, percent, least int) float64 {
	if len(sorted) < least {
		return math.NaN()
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

func asFloats(list []int64) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

// stepFigures are mean and p99 in µs.
func (c rawCell) stepFigures() []float64 {
	list := c.headlineSteps()
	if list == nil {
		return nil
	}
	return []float64{average(list) / 1e3, nearestRank(list, 99, 100) / 1e3}
}

// billFigures are offline and built on the way in ms, and MiB after use; NaN for built where it is
// not above the difference of later passes, or not known.
func (c rawCell) billFigures() []float64 {
	var compiles, grammars []float64
	compiled, used := 0, int64(0)
	for _, p := range c.Problems {
		used = max(used, p.UsedBytes)
		switch {
		case p.Outcome != "ok" || len(p.CompileNS) == 0:
			continue
		case c.Schemas != nil:
			compiles, grammars = append(compiles, middle(p.CompileNS)), append(grammars, middle(p.GrammarNS))
		default:
			compiles = asFloats(p.CompileNS)
		}
		compiled++
	}
	if len(compiles) == 0 || c.Outcome == "wrong-mask" {
		return nil
	}
	offline := float64(c.VocabularyNS + c.FirstCompileNS)
	if c.Schemas != nil {
		offline += float64(compiled) * (average(grammars) + average(compiles))
	} else {
		if len(c.GrammarNS) > 0 {
			offline += math.Floor(average(asFloats(c.GrammarNS)))
		}
		offline += average(compiles)
	}
	return []float64{offline / 1e6, c.built() / 1e6, float64(used+c.KeptBytes) / (1 << 20)}
}

// built is what first masks take, and first passes beyond the mean of later ones.
func (c rawCell) built() float64 {
	sum, first := 0.0, map[int]bool{}
	later := map[*cell.Trace]int{}
	var passes []float64 // sums of the k-th later pass over all documents
	sparse := false
	c.timedWalks(func(s *cell.Sample, t *cell.Trace, p *cell.Pass, n int) {
		sparse = sparse || n != s.Tokens
		if times := c.Problems[s.Problem].FirstMaskNS; !first[s.Problem] && len(times) > 0 {
			sum += float64(times[len(times)-1])
		}
		first[s.Problem] = true
		if p.State == cell.Again {
			if later[t]++; later[t] > len(passes) {
				passes = append(passes, 0)
			}
			for _, ns := range p.Step[:n] {
				passes[later[t]-1] += float64(ns)
			}
		}
	})
	c.timedWalks(func(_ *cell.Sample, t *cell.Trace, p *cell.Pass, n int) {
		for _, ns := range p.Step[:n] {
			if p.State != cell.Again && later[t] > 0 {
				sum += float64(ns)
			} else if p.State == cell.Again {
				sum -= float64(ns) / float64(later[t])
			}
		}
		if p.State != cell.Again {
			sum += float64(p.IdleNS)
		}
	})
	spread := 0.0
	if len(passes) > 0 {
		spread = slices.Max(passes) - slices.Min(passes)
	}
	if sparse || len(later) == 0 || sum <= spread {
		return math.NaN()
	}
	return sum
}

// requests are the times of whole requests by schema: to the first mask, the other steps of the
// instance that was walked first, and what was built between them.
func (c rawCell) requests() map[int]float64 {
	out := map[int]float64{}
	fresh := map[int]bool{}
	c.timedWalks(func(s *cell.Sample, t *cell.Trace, p *cell.Pass, n int) {
		problem := &c.Problems[s.Problem]
		if p.State == cell.Again || n != s.Tokens || problem.Outcome != "ok" || fresh[s.Problem] {
			return
		}
		if _, has := out[s.Problem]; has && p.State != cell.Fresh {
			return
		}
		fresh[s.Problem] = p.State == cell.Fresh
		var first []int64 // masks, with all before
		for i := range problem.CompileNS {
			first = append(first, problem.GrammarNS[i]+problem.CompileNS[i]+problem.FirstMaskNS[i])
		}
		out[s.Problem] = middle(first) + float64(p.IdleNS) + float64(total(p.Step[1:n]))
	})
	return out
}

// middle is the median of a schema's compiles, of which there is an odd number.
func middle(list []int64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return float64(sorted[len(sorted)/2])
}

func total(list []uint32) (sum uint64) {
	for _, v := range list {
		sum += uint64(v)
	}
	return sum
}

// requestFigures are p50, p99 and the sum in ms, over the schemas that all cells of a group have.
func requestFigures(c rawCell, all []rawCell) []float64 {
	var list []float64
	sum := 0.0
	for problem, ns := range c.requests() {
		common := true
		for _, o := range all {
			if o.Workload == c.Workload && o.Tokenizer == c.Tokenizer && len(o.requests()) > 0 {
				_, has := o.requests()[problem]
				common = common && has
			}
		}
		if common {
			list = append(list, ns)
			sum += ns
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return []float64{nearestRank(list, 50, 1) / 1e6, nearestRank(list, 99, 100) / 1e6, sum / 1e6}
}

// printedFigure is a figure of an entry, or a sign for none.
var printedFigure = regexp.MustCompile(`[\d,]+(\.\d+)?|~|` + show.None)

// agrees reports whether an entry shows figures, to the three digits that are printed.
func agrees(body string, figures []float64) bool {
	shown := printedFigure.FindAllString(body, -1)
	if figures == nil {
		return body == show.None
	}
	if len(shown) != len(figures) {
		return false
	}
	for i, want := range figures {
		got, err := strconv.ParseFloat(strings.ReplaceAll(shown[i], ",", ""), 64)
		if math.IsNaN(want) != (err != nil) || err == nil && math.Abs(got-want) > 0.0051*math.Abs(want)+1e-9 {
			return false
		}
	}
	return true
}

// TestRecomputed: every figure of the first screen is that of the raw times, in the text and in the
// page.
func TestRecomputed(t *testing.T) {
	for name, m := range made.Sets {
		dir := m.Store(t)
		set, raw := load(t, dir), rawCells(t, dir)
		page := html.UnescapeString(render(t, set, "html"))
		several := map[string]bool{}
		for _, c := range raw {
			several[c.Tokenizer] = true
		}
		seen := 0
		for _, table := range set.Document().Summary {
			for _, c := range raw {
				var want []float64
				switch table.ID {
				case "summary-steps":
					want = c.stepFigures()
				case "summary-bill":
					want = c.billFigures()
				case "summary-requests":
					if c.Schemas == nil {
						continue
					}
					want = requestFigures(c, raw)
				default:
					t.Fatalf("nobody computes %s again", table.ID)
				}
				body := entryOf(table, c.Label, c.Tokenizer, c.Workload, len(several) > 1)
				if !agrees(body, want) {
					t.Errorf("%s, %s: %s on %s with %s shows %q, and is %v", name, table.ID, c.Label, c.Workload, c.Tokenizer, body, want)
				}
				if !strings.Contains(page, body) {
					t.Errorf("%s: the page has no %q", name, body)
				}
				seen++
			}
		}
		if seen < 2*len(raw) {
			t.Errorf("%s: %d figures of %d cells", name, seen, len(raw))
		}
		lead := strings.Join(set.Document().Lead, "\n")
		for _, want := range append(rightsOf(raw), countsOf(raw)) {
			if first, _, _ := strings.Cut(lead, "\n"); !strings.Contains(first, want) {
				t.Errorf("%s: the first sentence lacks %q: %s", name, want, first)
			}
		}
		for _, sign := range machineSigns(raw) {
			if found := regexp.MustCompile(sign.says).FindStringSubmatch(lead); len(found) != 2 || !agrees(found[1], []float64{100 * sign.share}) {
				t.Errorf("%s: %q is %v of %v in: %s", name, sign.says, found, 100*sign.share, lead)
			}
		}
		for _, sentence := range set.Document().Lead {
			if !strings.Contains(page, sentence) {
				t.Errorf("%s: the page lacks %q", name, sentence)
			}
		}
	}
}

// rightsOf are parts of the first sentence: how many cells are right, and of the worst right cell
// of each workload and vocabulary what it accepted and refused.
func rightsOf(raw []rawCell) (parts []string) {
	right := 0
	worst := map[string][4]int{} // accepted, positives, refused, negatives
	for _, c := range raw {
		if c.Outcome != "ok" {
			continue
		}
		right++
		if c.Schemas != nil {
			continue // TestSchemaCounts
		}
		var n [4]int
		for i := range c.Samples {
			s := &c.Samples[i]
			kind, ended := 0, s.Outcome == "ok"
			if s.Negative {
				kind, ended = 2, ended && s.Refused
			}
			if n[kind+1]++; ended {
				n[kind]++
			}
		}
		key := c.Workload + " " + c.Tokenizer
		if old, has := worst[key]; !has || n[0]+n[2] < old[0]+old[2] {
			worst[key] = n
		}
	}
	var sum [4]int
	for _, n := range worst {
		for i := range n {
			sum[i] += n[i]
		}
	}
	switch right {
	case 0:
		return []string{fmt.Sprintf("Of %d cells none is right", len(raw))}
	case len(raw):
		parts = append(parts, fmt.Sprintf("All %d cells are right", right))
	default:
		parts = append(parts, fmt.Sprintf("%d of %d cells are right", right, len(raw)))
	}
	if sum[1] > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d positive", sum[0], sum[1]), fmt.Sprintf("%d of %d negative", sum[2], sum[3]))
	}
	return parts
}

// A machineSign is a share of the verdict on the run, and how it is said.
type machineSign struct {
	says  string
	share float64
}

// machineSigns are the share of timed steps in which another thread had the core, the largest share
// by which the mean steps of an algorithm and its twin differ, and that by which the rate of the
// processor's clock moved.
func machineSigns(raw []rawCell) []machineSign {
	steps, disturbed, twins, clock := 0, 0, 0.0, 0.0
	for _, c := range raw {
		var paces []float64
		for i := range c.Samples {
			paces = append(paces, c.Samples[i].PaceNS...)
		}
		slices.Sort(paces) // all of one session here
		paces = paces[len(paces)/20 : len(paces)-len(paces)/20]
		clock = max(clock, slices.Max(paces)/slices.Min(paces)-1)
		c.timedWalks(func(_ *cell.Sample, _ *cell.Trace, p *cell.Pass, _ int) {
			steps, disturbed = steps+len(p.Step), disturbed+p.Disturbed
		})
		for _, o := range raw {
			if o.Label != c.Label+" #2" || o.Workload != c.Workload || o.Tokenizer != c.Tokenizer || c.headlineSteps() == nil || o.headlineSteps() == nil {
				continue
			}
			x, y := average(c.headlineSteps()), average(o.headlineSteps())
			twins = max(twins, x/y-1, y/x-1)
		}
	}
	return []machineSign{{`in ([\d.]+)% of the timed steps`, float64(disturbed) / float64(steps)},
		{`(?:differ by up to|differ by) ([\d.]+)%`, twins}, {`clock moved by ([\d.]+)%`, clock}}
}

// entryOf finds the entry of a cell.
func entryOf(t *document.Table, label, tokenizer, workload string, tokenizers bool) string {
	column := slices.IndexFunc(t.Columns, func(c document.Column) bool { return c.Head == workload })
	for _, row := range t.Rows {
		if column >= 0 && row[0].Body == label && (!tokenizers || row[1].Body == tokenizer) {
			return row[column].Body
		}
	}
	return "no such row"
}

// countsOf counts, of cells that are right, the masks that were compared with each reference.
func countsOf(raw []rawCell) string {
	sum := 0
	for _, c := range raw {
		if c.Outcome != "ok" || c.Reference == "" {
			continue
		}
		for i := range c.Samples {
			sum += c.Samples[i].Compared
		}
	}
	text := strconv.Itoa(sum)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if sum == 0 {
		return "none is right"
	}
	return fmt.Sprintf("%s masks compared", text)
}

// TestRatiosOfMeans: the ratio in a row is that of the means that the rows print, and "~" stands
// where its interval holds 1.
func TestRatiosOfMeans(t *testing.T) {
	seed.Usual(t)
	seen := 0
	for name, m := range made.Sets {
		for _, table := range load(t, m.Store(t)).Document().Tables {
			if table.ID != "masks" && table.ID != "steps" {
				continue
			}
			at := func(head string) int {
				return slices.IndexFunc(table.Columns, func(c document.Column) bool { return strings.HasPrefix(c.Head, head) })
			}
			mean, ratio, state := at("mean"), at("time against"), at("engine")
			first := map[string]float64{} // means of the first algorithm, by what stands left of it
			left := map[int]string{}      // which is blank where the row above has the same
			for _, row := range table.Rows {
				group := row[state].Body
				for _, c := range []int{at("workload"), at("vocabulary")} {
					if c >= 0 {
						left[c] = cmp.Or(row[c].Body, left[c])
						group += " " + left[c]
					}
				}
				got, ok := show.SortValue(row[mean].Body)
				switch body := row[ratio].Body; {
				case body == show.TheFirst:
					first[group] = got
				case !ok || body == show.None || row[ratio].Mark != "" || strings.HasPrefix(body, "~"):
				default:
					shown, _ := show.SortValue(body)
					if want := got / first[group]; math.Abs(shown/want-1) > 0.011 {
						t.Errorf("%s, %s: %s beside a mean of %s over %v", name, table.ID, body, row[mean].Body, first[group])
					}
					seen++
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no table has a ratio")
	}
}

// TestToolsRecomputed: the steps by class of what is written, computed again from the raw times.
func TestToolsRecomputed(t *testing.T) {
	parts := []cell.SamplePart{{Class: "text", Tokens: 12}, {Class: "marker", Tokens: 3}, {Class: "name", Tokens: 4}, {Class: "arguments", Tokens: 20}}
	set, schemas := made.SchemaSet, made.SchemaSet.Change
	set.Change = func(r *cell.Record, traces []cell.Trace) {
		schemas(r, traces)
		r.Tools = &cell.ToolsOptions{Format: "hermes", Choice: "auto", Count: 8}
		for i := range r.Samples {
			r.Samples[i].Parts = parts
		}
	}
	dir := set.Store(t)
	table := tableOf(t, load(t, dir), "tools")
	for _, c := range rawCells(t, dir) {
		row, from := entriesOf(t, table, c.Label), 0
		for _, part := range parts {
			var steps []float64
			c.timedWalks(func(_ *cell.Sample, tr *cell.Trace, p *cell.Pass, n int) {
				for i, ns := range p.Step[:n] {
					if at := int(tr.Positions[i]); p.State != cell.Again && at >= from && at < from+part.Tokens {
						steps = append(steps, float64(ns))
					}
				}
			})
			from += part.Tokens
			slices.Sort(steps)
			column := slices.IndexFunc(table.Columns, func(c document.Column) bool { return c.Head == part.Class+" n" })
			for i, want := range []float64{float64(len(steps)), average(steps) / 1e3, nearestRank(steps, 99, 100) / 1e3} {
				if math.IsNaN(want) {
					continue // a percentile of too few, whose column is left out
				}
				if body := row[column+i].Body; !agrees(body, []float64{want}) {
					t.Errorf("%s, %s: %s is %q, and is %v", c.Label, part.Class, table.Columns[column+i].Head, body, want)
				}
			}
		}
	}
}

// tableOf is the table of a set with an id.
func tableOf(t *testing.T, set *Set, id string) *document.Table {
	t.Helper()
	for _, table := range set.Document().Tables {
		if table.ID == id {
			return table
		}
	}
	t.Fatalf("no table %s", id)
	return nil
}

// entriesOf are the row of an algorithm in a table of one workload and vocabulary.
func entriesOf(t *testing.T, table *document.Table, label string) []document.Text {
	t.Helper()
	for _, row := range table.Rows {
		if slices.ContainsFunc(row, func(x document.Text) bool { return x.Body == label }) {
			return row
		}
	}
	t.Fatalf("%s has no row in %s", label, table.ID)
	return nil
}

// TestTTFMRecomputed: the times to the first mask of schemas, computed again from the compiles.
func TestTTFMRecomputed(t *testing.T) {
	dir := made.SchemaSet.Store(t)
	table := tableOf(t, load(t, dir), "ttfm")
	for _, c := range rawCells(t, dir) {
		by := map[string][]float64{} // medians of the compiles of a schema
		for _, p := range c.Problems {
			if p.Outcome != "ok" {
				continue
			}
			var first []int64
			for i := range p.CompileNS {
				first = append(first, p.GrammarNS[i]+p.CompileNS[i]+p.FirstMaskNS[i])
			}
			for what, list := range map[string][]int64{"grammar": p.GrammarNS, "compile": p.CompileNS, "first mask": p.FirstMaskNS, "TTFM": first} {
				by[what] = append(by[what], middle(list)/1e6)
			}
		}
		row := entriesOf(t, table, c.Label)
		at := func(head string, want float64) {
			column := slices.IndexFunc(table.Columns, func(c document.Column) bool { return c.Head == head })
			if body := row[column].Body; !agrees(body, []float64{want}) {
				t.Errorf("%s: %s is %q, and is %v", c.Label, head, body, want)
			}
		}
		for what, list := range by {
			slices.Sort(list)
			at(what+" p50 ms", nearestRank(list, 50, 1))
		}
		at("n", float64(len(by["TTFM"])))
		at("p90 ms", nearestRank(by["TTFM"], 90, 1))
		at("max ms", slices.Max(by["TTFM"]))
	}
}

// A servedStep is a step of a batch: how long it took, and its generations, each a request and its
// position.
type servedStep struct {
	ns   float64
	live [][2]int
}

// queued are the steps of requests that wait for one of so many places.
func queued(requests []cell.Request, places int) (steps []servedStep) {
	waiting, live := requests, [][2]int{}
	for next := 0; ; {
		for ; len(live) < places && len(waiting) > 0; next++ {
			live, waiting = append(live, [2]int{next, 0}), waiting[1:]
		}
		if len(live) == 0 {
			return steps
		}
		steps = append(steps, servedStep{live: slices.Clone(live)})
		for i := range live {
			live[i][1]++
		}
		live = slices.DeleteFunc(live, func(g [2]int) bool { return g[1] == requests[g[0]].Tokens })
	}
}

// servedFigures are the rows of throughput and of latencies of a pass over a batch, computed again.
func servedFigures(c rawCell, b *cell.BatchRecord, pass []int64, stolen int64, overlapped bool) (serving, latency []float64) {
	steps, all, none, tokens := queued(b.Requests, b.ID.Batch), 0.0, 0.0, 0
	var ttft, tpot, itl []float64
	ended := map[int]float64{} // sums of the steps of a request behind the first
	for i := range steps {
		s := &steps[i]
		model := 1e6 * float64(len(s.live)) // servedModel up to four
		masks := float64(pass[i])
		if s.ns = model + masks; overlapped {
			s.ns = max(model, masks)
		}
		all, none, tokens = all+s.ns, none+model, tokens+len(s.live)
		for _, g := range s.live {
			if g[1] == 0 {
				ttft = append(ttft, s.ns+0.5e6)
				continue
			}
			itl = append(itl, s.ns)
			if ended[g[0]] += s.ns; g[1] == b.Requests[g[0]].Tokens-1 {
				tpot = append(tpot, ended[g[0]]/float64(g[1]))
			}
		}
	}
	masks := asFloats(pass)
	for _, list := range [][]float64{ttft, tpot, itl, masks} {
		slices.Sort(list)
	}
	serving = []float64{1e9 * float64(tokens) / all, 1e9 * float64(tokens) / none, 100 * (1 - none/all), nearestRank(masks, 50, 1) / 1e3, nearestRank(masks, 99, 100) / 1e3,
		100 * float64(stolen) / (average(masks) * float64(len(masks))), float64(tokens) / float64(len(steps)), float64(len(steps))}
	cold := math.Floor(average(asFloats(c.GrammarNS))) + average(asFloats(c.Problems[0].CompileNS)) + nearestRank(ttft, 50, 1)
	latency = []float64{nearestRank(ttft, 50, 1) / 1e6, nearestRank(ttft, 99, 100) / 1e6, cold / 1e6, nearestRank(tpot, 50, 1) / 1e6, nearestRank(tpot, 99, 100) / 1e6,
		nearestRank(itl, 50, 1) / 1e6, nearestRank(itl, 99, 100) / 1e6, itl[len(itl)-1] / 1e6}
	return serving, latency
}

// servedHeads are the columns of servedFigures.
var servedHeads = map[string][]string{
	"serving": {"tokens/s", "unconstrained", "lost", "masks of a step p50 µs", "p99 µs", "stolen", "mean batch", "steps"},
	"latency": {"TTFT p50 ms", "TTFT p99 ms", "cold ms", "TPOT p50 ms", "TPOT p99 ms", "ITL p50 ms", "ITL p99 ms", "ITL max ms"},
}

// TestServingRecomputed: the tables of throughput and of latencies, computed again from the times
// of the steps.
func TestServingRecomputed(t *testing.T) {
	dir := servedStore(t)
	set, store := load(t, dir), must.Get(cell.Open(dir))(t)
	plan := must.Get(store.Manifest())(t).Throughput
	seen := 0
	for _, table := range []*document.Table{tableOf(t, set, "serving"), tableOf(t, set, "latency")} {
		names := slices.IndexFunc(table.Columns, func(c document.Column) bool { return c.Head == "engine" }) + 1
		rows := map[string][]document.Text{} // by what stands left of the figures
		left := make([]string, names)
		for _, row := range table.Rows {
			for i := range left {
				left[i] = cmp.Or(row[i].Body, left[i])
			}
			rows[strings.Join(left, " ")] = row[names:]
		}
		for _, c := range rawCells(t, dir) {
			for _, id := range plan.Of(c.Record) {
				b, err := store.Batch(id)
				if err != nil || b.Outcome != cell.OK {
					continue
				}
				for state, pass := range map[string][]int64{"first": b.FirstNS, "again": b.AgainNS} {
					for _, masks := range plan.Masks {
						stolen := map[string]int64{"first": b.FirstStolenNS, "again": b.AgainStolenNS}[state]
						want, latency := servedFigures(c, b, pass, stolen, masks == "overlapped")
						if table.ID == "latency" {
							want = latency
						}
						key := strings.Join([]string{"json", "Example 1B", masks, strconv.Itoa(id.Batch), c.Label, state}, " ")
						for i, head := range servedHeads[table.ID] {
							column := slices.IndexFunc(table.Columns[names:], func(c document.Column) bool { return c.Head == head })
							if column < 0 && math.IsNaN(want[i]) { // a percentile of too few everywhere
								continue
							}
							if body := rows[key][column].Body; !agrees(body, want[i:i+1]) {
								t.Errorf("%s, %s: %s is %q, and is %v", table.ID, key, head, body, want[i])
							}
							seen++
						}
					}
				}
			}
		}
	}
	if seen < 400 {
		t.Errorf("%d figures were looked at", seen)
	}
}
