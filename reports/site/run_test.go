package site

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/document"
	"gcdbench/reports/draw"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
	"gcdbench/reports/tables"
)

// nastyText is what a name or a reason may hold.
const nastyText = "</script><img src=x onerror=alert(1)>\x1b[31m\u2028\u202e&\"'"

// madePage is a document whose rows are of two workloads, two vocabularies, three algorithms and
// three states, with a summary and figures.
func madePage() (*document.Document, []*plots.Figure, names) {
	n := names{Workloads: []string{"json", "java"}, Tokenizers: []string{"llama3", "qwen2.5"}, Algorithms: []plots.Line{{Label: "naive"}, {Label: "trie"}, {Label: "psc"}}}
	times := &document.Table{ID: "masks", Title: "Delivered masks", Caption: "Short.",
		Columns: []document.Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {Head: "state"}, {Head: "p50", Right: true}, {Head: "against the first", Right: true}}}
	bill := &document.Table{ID: "bill", Title: "The bill", Caption: strings.Repeat("Long. ", 40), States: []string{"", "", "fresh", "new", "again"},
		Columns: []document.Column{{Head: "workload"}, {Head: "algorithm"}, {Head: "after 1", Right: true}, {Head: "after 100", Right: true}, {Head: "after 1,000", Right: true}}}
	mark := bill.Note("a note " + nastyText)
	var samples []plots.Sample
	var curves []plots.Curve
	for w, workload := range n.Workloads {
		for a, line := range n.Algorithms {
			algorithm := line.Label
			curves = append(curves, plots.Curve{Panel: workload, Line: line, Tokens: []float64{0, 10000}, NS: []float64{1e5 * float64(a*a), 1e5*float64(a*a) + 1e7*float64(10-3*a)}})
			bill.Rows = append(bill.Rows, []document.Text{{Body: workload}, {Body: algorithm, Mark: mark}, {Body: "1"}, {Body: "2"}, {Body: "3"}})
			for t, tokenizer := range n.Tokenizers {
				for s, state := range []string{"again", "fresh", "new"} {
					ns := float64(1000*(10-3*a) + 100*w + 10*t + s)
					times.Rows = append(times.Rows, []document.Text{{Body: workload}, {Body: tokenizer}, {Body: algorithm}, {Body: state}, {Body: show.Significant(ns/1e3) + " µs [1, 2]"}, {Body: show.None}})
					if t == 0 {
						samples = append(samples, plots.Sample{Panel: workload + ", " + state, Line: line, Values: []float64{ns, ns + 1, 2 * ns}})
					}
				}
			}
		}
	}
	summary := &document.Table{ID: "headline", Title: "Headline: p50 of a new document", Columns: []document.Column{{Head: "algorithm"}, {Head: "json", Right: true}, {Head: "java", Right: true}},
		Rows: [][]document.Text{{{Body: "naive"}, {Body: "10 µs"}, {Body: "10.1 µs"}}, {{Body: "trie"}, {Body: "7 µs"}, {Body: "7.1 µs"}}, {{Body: "psc"}, {Body: "4 µs"}, {Body: "4.1 µs"}}}}
	d := &document.Document{Title: "gcdbench: " + nastyText, Warnings: []string{"beware " + nastyText}, Lead: []string{"All were right."}, State: "new",
		Summary: []*document.Table{summary}, Tables: []*document.Table{times, bill}, About: []string{"Measured here."}}
	document.MakeVisible(reflect.ValueOf(d))
	return d, []*plots.Figure{plots.ECDF("ecdf-llama3", samples), plots.ECDF("alone", samples[:3]), plots.Cumulative("bill", curves)}, n
}

// renderPage writes the made page.
func renderPage(t *testing.T) string {
	t.Helper()
	d, figures, n := madePage()
	var b strings.Builder
	must.OK(t, WriteRun(&b, d, figures, n))
	return b.String()
}

// scriptElement is an element that a browser does not read as markup.
var scriptElement = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)

// TestPageIsClosed: the page is well formed, loads nothing, and runs its own script alone.
func TestPageIsClosed(t *testing.T) {
	d, _, _ := madePage()
	d.Warnings = append(d.Warnings, "with \xff")
	for name, page := range map[string]string{"made": renderPage(t), "failures": renderSet(t, loaded.Load(t, made.Sets["failures"].Store(t)))} {
		scripts := scriptElement.FindAllStringSubmatch(page, -1)
		if len(scripts) != 2 {
			t.Fatalf("%s: %d scripts, want data and program", name, len(scripts))
		}
		if want := html.EscapeString(contentPolicy(scripts[1][1])); !strings.Contains(html.UnescapeString(page), html.UnescapeString(want)) {
			t.Errorf("%s: the policy does not let the script run", name)
		}
		if !json.Valid([]byte(scripts[0][1])) {
			t.Errorf("%s: the data is no JSON", name)
		}
		rest := scriptElement.ReplaceAllString(page, "")
		for _, bad := range []string{"src=x ", "<img", "@import", "url(", "<link", "ZgotmplZ", "\x1b", "\u2028", "\u202e"} {
			if strings.Contains(strings.ReplaceAll(rest, "&lt;img src=x ", ""), bad) {
				t.Errorf("%s: the page contains %q", name, bad)
			}
		}
		decoder := xml.NewDecoder(strings.NewReader(strings.Replace(rest, "<!DOCTYPE html>", "", 1)))
		decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: not well formed: %v", name, err)
			}
		}
	}
}

// TestPageParts: what the reader is to find, in its order.
func TestPageParts(t *testing.T) {
	page := renderPage(t)
	at := 0
	for _, part := range []string{`<h1>gcdbench: &lt;/script&gt;`, `\x1b[31m\u2028\u202e`, `class="warning"`, "All were right.", `id="summary-headline"`, `id="choices"`,
		`<select name="workload">`, `<option>java</option>`, `<select name="tokenizer">`, `<select name="state">`, `<option>fresh</option><option selected="selected">new</option><option>again</option>`,
		`<section class="keyed" id="masks">`, `data-workload="java" data-tokenizer="qwen2.5" data-algorithm="psc" data-state="new"`, `data-value="4.11e-06"`, `4.11 µs<small> [1, 2]</small>`,
		`<p class="note">Short.</p>`, `<figure id="figure-ecdf-llama3">`, `<noscript><svg`, `id="bill"`, `<th scope="col" data-state="fresh"`, `href="#bill-note-a"`, `id="bill-note-a"`,
		"<summary>What the figures are</summary>", `id="more-figures"`, `<figure id="figure-alone">`, "Measured here."} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind %.200q", part, page[max(0, at-100):])
		}
		at += i
	}
}

// TestPageData: the script reads what the figures are about, and how algorithms look.
func TestPageData(t *testing.T) {
	var data []figureData
	must.OK(t, json.Unmarshal([]byte(scriptElement.FindStringSubmatch(renderPage(t))[1]), &data))
	if len(data) != 3 {
		t.Fatalf("%d figures", len(data))
	}
	f := data[0]
	if f.Tokenizer != "llama3" || f.X.Unit != "ns" || f.Y.Unit != "share" || len(f.X.Ticks) < 2 {
		t.Errorf("%q, axes %+v, %+v", f.Tokenizer, f.X, f.Y)
	}
	var panels []string
	for _, p := range f.Panels {
		panels = append(panels, p.Workload+"/"+p.State)
	}
	if want := []string{"json/again", "json/fresh", "json/new", "java/again", "java/fresh", "java/new"}; !slices.Equal(panels, want) {
		t.Errorf("panels %v", panels)
	}
	for i, e := range f.Legend {
		if want := plots.StyleOf(e.Name, 0); e.Algorithm != []string{"naive", "trie", "psc"}[i] || e.Color != want.Color || e.Marker != want.Marker || !regexp.MustCompile(`^#[0-9A-F]{6}$`).MatchString(e.Color) {
			t.Errorf("entry %+v", e)
		}
	}
}

// TestNamesAbout: titles are taken apart by the names there are, and only by them.
func TestNamesAbout(t *testing.T) {
	n := names{Workloads: []string{"json", "a (b, new)", "c, new"}, States: []string{"fresh", "new"}}
	for title, want := range map[string][2]string{"json": {"json", ""}, "json, new": {"json", "new"}, "new": {"", "new"}, "a (b, new)": {"a (b, new)", ""},
		"c, new": {"c, new", ""}, "c, new, fresh": {"c, new", "fresh"}, "json, old": {}, "x, new": {}, "": {}} {
		if workload, state := n.about(title); workload != want[0] || state != want[1] {
			t.Errorf("%q: %q, %q", title, workload, state)
		}
	}
}

// TestPageFigures: what figures have beside lines, the intervals, markers and crossings, is there
// to be drawn, and so is a figure with several states in one panel.
func TestPageFigures(t *testing.T) {
	_, _, n := madePage()
	n.States = []string{"fresh", "new"}
	psc, trie := plots.Line{Label: "psc"}, plots.Line{Label: "trie"}
	bill := dataOf(plots.Cumulative("bill", []plots.Curve{{Panel: "json", Line: psc, Tokens: []float64{0, 1000}, NS: []float64{1e6, 1.1e6}},
		{Panel: "json", Line: trie, Tokens: []float64{0, 1000}, NS: []float64{0, 1e7}}}), n)
	c := bill.Panels[0].Crossings
	if bill.Points || !bill.X.Zero || len(c) != 1 || c[0].Before != "trie" || c[0].After != "psc" || c[0].Tokens < 100 || c[0].Tokens > 102 {
		t.Errorf("points %v, zero %v, crossings %+v", bill.Points, bill.X.Zero, c)
	}
	rate := plots.Rate{Panel: "json", Line: psc, Size: 2000, MeanNS: 1000, Interval: stats.Interval{Low: 900, High: 1100}}
	more := rate
	more.Size = 4000
	if f := dataOf(plots.Throughput("throughput", []plots.Rate{rate, more}), n); !f.Points || len(f.Panels[0].Series[0].Low) != 2 || len(f.Panels[0].Series[0].Marks) != 4 {
		t.Errorf("throughput %+v", f)
	}
	var samples []plots.Sample
	for _, state := range n.States {
		line := psc
		line.State = state
		samples = append(samples, plots.Sample{Panel: "json", Line: line, Values: []float64{1, 2, 3}}, plots.Sample{Panel: "json", Line: trie, Values: []float64{0.1}})
	}
	f := plots.ECDF("ecdf", samples)
	var names []string
	for _, l := range dataOf(f, n).Legend {
		names = append(names, l.Name+"/"+l.Algorithm+"/"+l.State)
	}
	if want := []string{"psc, fresh/psc/fresh", "trie/trie/", "psc, new/psc/new"}; !slices.Equal(names, want) {
		t.Errorf("legend %q", names)
	}
	p := run{}
	second := *f
	second.Name = "ecdf-llama3" // of one vocabulary of several, which the caption names
	if _, err := p.place([]*plots.Figure{f, &second}, n); err != nil || !strings.Contains(p.Figures[0].Caption, "(2 times below 0.5 ns") {
		t.Errorf("%v, %+v", err, p.Figures)
	}
	if one, other := p.Figures[0].Caption, p.Figures[1].Caption; strings.Contains(one, "llama3") || !strings.Contains(other, ", llama3 (2 times") {
		t.Errorf("captions %q and %q", one, other)
	}
}

// served puts a page under an address and counts what is asked of it.
func served(t *testing.T, page string) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/report.html", asked
}

// shownRows are the rows of a table that can be seen, as the texts of one column.
func shownRows(table string, column int) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].filter(r => r.getClientRects().length).map(r => r.cells[%d].textContent.trim()).join(" ")`, table, column)
}

// pick chooses an option of a list as a reader would.
func choosing(b *browser, name, value string) {
	b.Eval(fmt.Sprintf(`(() => { const s = document.querySelector('#choices select[name=%s]'); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, name, value))
}

// TestPageInChromium reads the page as a user does: chooses, sorts, and points.
func TestPageInChromium(t *testing.T) {
	seed.Usual(t)
	b := newBrowser(t)
	url, asked := served(t, renderPage(t))
	b.Show(url, 1400, 1000)
	expect := func(what, expression, want string) {
		t.Helper()
		if got := b.Eval(expression); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("the page begins with the headline's state", shownRows("masks", 3), strings.TrimSpace(strings.Repeat("new ", 12)))
	expect("columns of other states", `document.querySelectorAll("#bill thead th:not([hidden])").length`, "3")
	expect("the summary is whole", shownRows("summary-headline", 0), "naive trie psc")
	expect("panels of the state", `[...document.querySelectorAll("#figure-ecdf-llama3 h3")].map(e => e.textContent).join("; ")`, "json, new; java, new")

	choosing(b, "workload", "java")
	choosing(b, "tokenizer", "llama3")
	expect("rows of java and llama3", shownRows("masks", 2), "naive trie psc")
	expect("panels of java", `document.querySelectorAll("#figure-ecdf-llama3 .panel").length`, "1")
	expect("lines", `document.querySelectorAll("#figure-ecdf-llama3 .panel .line").length`, "3")
	b.Eval(`document.querySelector("#choices details").open = true`)
	b.Click("#choices [value=trie]")
	expect("crossings without trie", `document.querySelectorAll("#figure-bill .crossing circle").length`, "1")
	expect("rows without trie", shownRows("masks", 2), "naive psc")
	expect("lines without trie", `document.querySelectorAll("#figure-ecdf-llama3 .panel .line").length`, "2")
	b.Click("#choices [value=trie]")
	expect("crossings", `document.querySelectorAll("#figure-bill .crossing circle").length`, "3") // each pair, in one workload

	b.Click("#masks th:nth-child(5) button")
	expect("upwards", shownRows("masks", 2), "psc trie naive")
	b.Click("#masks th:nth-child(5) button")
	expect("downwards", shownRows("masks", 2), "naive trie psc")
	expect("said to readers of screens", `document.querySelector("#masks th:nth-child(5)").getAttribute("aria-sort")`, "descending")

	x, y := b.Middle("#figure-ecdf-llama3 .panel svg")
	b.Mouse("mouseMoved", x, y)
	expect("values under the pointer", `/time of one mask: ?[\d.]+ µs/.test(document.querySelector("#figure-ecdf-llama3 .panel svg").textContent)`, "true")

	choosing(b, "tokenizer", "qwen2.5")
	expect("a figure of another vocabulary", `document.getElementById("figure-ecdf-llama3").hidden`, "true")
	if asked.Load() != 1 || len(b.Requests) != 1 {
		t.Errorf("%d requests: %v", asked.Load(), b.Requests)
	}
	if len(b.Problems) > 0 {
		t.Errorf("problems: %v", b.Problems)
	}
}

// TestReportInChromium: the page of a run begins with new documents, and its rows follow the state
// that is chosen.
func TestReportInChromium(t *testing.T) {
	long(t)
	b := newBrowser(t)
	url, _ := served(t, renderSet(t, loaded.Load(t, made.Sets["quick"].Store(t))))
	b.Show(url, 1400, 1000)
	for _, step := range []struct{ choose, masks, bill string }{
		{"", "new", "8"}, {"again", "again", "8"}, {"fresh", "fresh", "8"},
	} {
		if step.choose != "" {
			choosing(b, "state", step.choose)
		}
		if got := b.Eval(`document.querySelector("#choices [name=state]").value`); got != step.masks {
			t.Errorf("the state %q is chosen, want %q", got, step.masks)
		}
		for _, table := range []string{"masks", "steps"} {
			if got, want := b.Eval(shownRows(table, 2)), strings.TrimSpace(strings.Repeat(step.masks+" ", 8)); got != want {
				t.Errorf("%s of %q: %q, want %q", table, step.choose, got, want)
			}
		}
		if got := len(strings.Fields(b.Eval(shownRows("bill", 2)))); fmt.Sprint(got) != step.bill {
			t.Errorf("%d rows of the bill, which is about no state", got)
		}
	}
	// What is all right is one line, without a table.
	if got := b.Eval(`document.querySelectorAll("#verdicts table tbody tr").length + " " + /All 8 cells are right/.test(document.getElementById("verdicts").textContent)`); got != "0 true" {
		t.Errorf("the verdicts: %s", got)
	}
	if len(b.Problems) > 0 {
		t.Errorf("problems: %v", b.Problems)
	}
}

// TestPageOnAPhone: nothing but the tables is wider than the window.
func TestPageOnAPhone(t *testing.T) {
	long(t)
	b := newBrowser(t)
	for name, page := range map[string]string{"made": renderPage(t), "schemas": renderSet(t, loaded.Load(t, made.SchemaSet.Store(t)))} {
		url, _ := served(t, page)
		b.Show(url, 400, 800)
		if got := b.Eval(`document.documentElement.scrollWidth + " " + innerWidth`); got != "400 400" {
			t.Errorf("%s: page and window are %s pixels wide", name, got)
		}
		if got := b.Eval(`[...document.querySelectorAll(".panel svg")].every(e => e.getBoundingClientRect().width > 200 && e.getBoundingClientRect().right <= 400)`); got != "true" {
			t.Errorf("%s: a figure does not fit", name)
		}
	}
}

// TestPageWithoutScript: without scripts a reader sees all rows and the plots, and no controls that
// do nothing.
func TestPageWithoutScript(t *testing.T) {
	seed.Usual(t)
	b := newBrowser(t)
	b.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	url, _ := served(t, renderPage(t))
	b.Show(url, 1400, 1000)
	for expression, want := range map[string]string{
		`[...document.querySelectorAll("#masks tbody tr")].filter(r => r.getClientRects().length).length`: "36",
		`document.querySelectorAll("figure noscript svg").length`:                                         "3",
		`document.getElementById("choices").getClientRects().length`:                                      "0",
	} {
		if got := b.Eval(expression); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

// renderSet is the page of a set.
func renderSet(t *testing.T, set *result.Set) string {
	t.Helper()
	var b strings.Builder
	must.OK(t, WriteRun(&b, tables.Document(set), draw.Figures(set), NamesOf(set)))
	return b.String()
}
