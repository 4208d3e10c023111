package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// kept are the results that the repository keeps.
var kept = filepath.Join("..", "..", "results")

// written is the site of the kept results.
func written(t *testing.T) (dir string, names []string) {
	t.Helper()
	results := must.Get(Load(kept))(t)
	dir = t.TempDir()
	for _, path := range must.Get(Write(dir, results))(t) {
		names = append(names, filepath.Base(path))
	}
	return dir, names
}

// TestLinks: every link of every page leads to a page, and to a place that is there.
func TestLinks(t *testing.T) {
	dir, names := written(t)
	pages := map[string]string{}
	for _, name := range names {
		text := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		pages[name] = string(text)
	}
	link, size := regexp.MustCompile(`(?:href|src)="([^"#:]*)(#[^"]*)?"`), 0
	for name, text := range pages {
		size += len(text)
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, bad := range []string{"ZgotmplZ", "http://", "https://"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to, ok := pages[m[1]]
			if m[1] == "" {
				to, ok = text, true
			}
			if place := strings.TrimPrefix(m[2], "#"); !ok || place != "" && !strings.HasPrefix(m[1], "compare") && !strings.Contains(to, `id="`+place+`"`) {
				t.Fatalf("%s links to %s%s, which is not there", name, m[1], m[2])
			}
		}
	}
	if size > 3_000_000 {
		t.Errorf("the site has %d bytes", size)
	}
}

// TestBadInput: what is no result is named, with what to do.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"no.json": "{", "none.json": `{"cells":[]}`, "null.json": `{"cells":[null]}`} {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "gcdbench report") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "gcdbench") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "missing")); err == nil {
		t.Error("a path that is missing is no error")
	}
}

// TestRanking: an engine with a known fault stands behind all others, and the sentences leave
// it out.
func TestRanking(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	s := slicesOf([]*row{
		{Engine: "wrong", Mean: f(1), Workload: "w"}, {Engine: "slow", Mean: f(9), Exact: true, Workload: "w"},
		{Engine: "quick", Mean: f(2), Exact: true, Workload: "w"}, {Engine: "quick #2", Mean: f(3), Exact: true, Workload: "w"},
		{Engine: "untimed", Exact: true, Workload: "w"},
	})[0]
	var order []string
	for _, r := range s.Rows {
		order = append(order, r.Engine)
	}
	if got := strings.Join(order, ", "); got != "quick, quick #2, slow, untimed, wrong" {
		t.Errorf("ranked %s", got)
	}
	for _, c := range []struct {
		low, high float64 // of the slow one
		says      string
	}{{0, 0, "quick and slow tie"}, {2.5, 20, "quick and slow tie"}, {4, 20, "quick is quickest, then slow"}} {
		for _, r := range s.Rows {
			switch {
			case r.Engine == "quick":
				r.Low, r.High = f(1), f(3)
			case r.Engine == "slow" && c.high > 0:
				r.Low, r.High = f(c.low), f(c.high)
			}
		}
		if says, figures := s.shortest(); says != c.says || !strings.HasPrefix(figures, "2.00 ns; then 9.00 ns") {
			t.Errorf("%q, %q", says, figures)
		}
		if said := strings.Join(s.sentences(), " "); strings.Contains(said, "these two tie") != (c.high < 20 || c.low < 3) {
			t.Errorf("%+v: %s", c, said)
		}
	}
}

// long skips a test with -short, which opens one page of a run and the pages of the site.
func long(t *testing.T) {
	t.Helper()
	seed.Usual(t) // takes seconds
}

// open shows a page of a site from the disk.
func open(b *browser, dir, page string, width int) {
	b.Show("file://"+filepath.Join(dir, page), width, 900)
}

// TestSiteInChromium reads the site as a user does, from the disk.
func TestSiteInChromium(t *testing.T) {
	seed.Usual(t)
	b := newBrowser(t)
	dir, _ := written(t)
	open(b, dir, "index.html", 1300)
	expect := func(what, expression, want string) {
		t.Helper()
		if got := b.Eval(expression); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("questions", `[...document.querySelectorAll("h2")].map(e => e.textContent).join(", ")`, "JSON schemas, Tools, Programs, Under load")
	expect("plots", `document.querySelectorAll("figure:not([hidden]) svg").length > 1`, "true")
	before := b.Eval(`document.querySelector("#schemas tbody").rows.length`)
	b.Eval(`document.querySelector("#schemas input[name=exact]").click()`)
	if after := b.Eval(`document.querySelector("#schemas tbody").rows.length`); after == before {
		t.Errorf("%s rows with and without a known fault", after)
	}
	expect("none of them wrong", `document.querySelectorAll("#schemas tr.inexact").length`, "0")
	expect("another result", `(() => { const s = document.querySelector("#programs select[name=result]"); s.value = "headline"; s.dispatchEvent(new Event("change", {bubbles: true}));
		return document.querySelector("#programs tbody").textContent.includes("legality"); })()`, "true")
	expect("sorted", `(() => { const t = document.querySelector("#programs table"); const b = t.tHead.rows[0].cells[1].querySelector("button"); b.click(); b.click();
		const v = [...t.tBodies[0].rows].map(r => +r.cells[1].dataset.value); return v.every((x, i) => i === 0 || x <= v[i - 1]); })()`, "true")
	b.Eval(`document.querySelector("#schemas tbody a").focus()`)
	expect("reached by the keyboard", `document.activeElement.textContent`, b.Eval(`document.querySelector("#schemas tbody a").textContent`))
	open(b, dir, "compare.html#a=psc&b=greatgramma", 1300)
	expect("two engines", `document.querySelectorAll("tbody tr").length > 10`, "true")
	open(b, dir, "history.html", 1300)
	expect("history", `document.querySelectorAll("tbody tr").length > 1 && !document.getElementById("lines").hidden`, "true")
	if len(b.Problems) > 0 {
		t.Errorf("problems: %v", b.Problems)
	}
	for _, r := range b.Requests {
		if !strings.HasPrefix(r, "file:") && !strings.HasPrefix(r, "data:") {
			t.Errorf("it asked for %s", r)
		}
	}
}

// TestQuestions: what a new user asks is answered by a few clicks from the first page: which engine
// for schemas at p99; who is right where llguidance differs, with a witness; what a vocabulary of
// 262,000 costs.
func TestQuestions(t *testing.T) {
	long(t)
	b := newBrowser(t)
	dir, _ := written(t)
	started, clicks := time.Now(), 0
	follow := func(link string) { // by its text, in the page that is open
		clicks++
		to := b.Eval(`[...document.querySelectorAll("a")].find(a => a.textContent.includes("` + link + `")).getAttribute("href")`)
		open(b, dir, to, 1300)
	}
	answered := func(question string, most int, expression, want string) {
		t.Helper()
		got := b.Eval(expression)
		t.Logf("%s %d clicks, %v", question, clicks, time.Since(started).Round(10*time.Millisecond))
		if !strings.Contains(got, want) || clicks > most {
			t.Errorf("%s after %d clicks %q, want %q after %d", question, clicks, got, want, most)
		}
		started, clicks = time.Now(), 0
		open(b, dir, "index.html", 1300)
	}
	open(b, dir, "index.html", 1300)
	answered("Which engine for schemas at p99?", 0, `[...document.querySelectorAll("#schemas li")].map(e => e.textContent).find(e => e.includes("p99"))`, "psc")
	follow("Differences")
	follow("llguidance: convention")
	answered("Is psc right where llguidance differs?", 2, `document.body.textContent`, "gcdbench engines replay results/")
	choose := func(name, value string) {
		clicks++
		b.Eval(`(() => { const s = document.querySelector("#programs select[name=` + name + `]"); s.value = "` + value + `"; s.dispatchEvent(new Event("change", {bubbles: true})); return s.value; })()`)
	}
	choose("result", "vocabularies")
	choose("vocabulary", "gemma3")
	answered("What does 262k cost?", 2, `[...document.querySelectorAll("#programs tbody tr")].map(e => e.textContent).find(e => e.startsWith("psc")) + document.querySelector("#programs select[name=vocabulary]").value`, "gemma3")
}

// samples are pages of each kind.
func samples(names []string) []string {
	seen := map[string]bool{}
	var list []string
	for _, name := range names {
		kind, _, _ := strings.Cut(strings.TrimSuffix(name, ".html"), "-")
		if strings.HasSuffix(name, ".html") && !seen[kind] {
			seen[kind] = true
			list = append(list, name)
		}
	}
	return list
}

// TestSiteOnAPhone: nothing but tables and code is wider than the window.
func TestSiteOnAPhone(t *testing.T) {
	long(t)
	b := newBrowser(t)
	dir, names := written(t)
	for _, name := range samples(names) {
		open(b, dir, name, 390)
		if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
			t.Errorf("%s is %s pixels wide", name, got)
		}
	}
}

// TestAccessible asks axe-core about a page of each kind, in light and dark. GCDBENCH_AXE is the
// path of its axe.min.js, which is in the npm package axe-core.
func TestAccessible(t *testing.T) {
	path := os.Getenv("GCDBENCH_AXE")
	if path == "" {
		t.Skip("GCDBENCH_AXE is not the path of axe.min.js (npm package axe-core)")
	}
	axe := must.Get(os.ReadFile(path))(t)
	b := newBrowser(t)
	dir, names := written(t)
	must.OK(t, os.WriteFile(filepath.Join(dir, "report.html"), []byte(renderSet(t, loaded.Load(t, made.SchemaSet.Store(t)))), 0o644))
	names = append(names, "report.html")
	for _, scheme := range []string{"light", "dark"} {
		b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		for _, name := range samples(names) {
			open(b, dir, name, 1000)
			b.Eval(string(axe) + "; 0")
			var found []struct{ ID, Help, HTML string }
			text := b.Eval(`axe.run().then(r => JSON.stringify(r.violations.map(v => ({id: v.id, help: v.help, html: v.nodes[0].html.slice(0, 200)}))))`)
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatalf("%s: %v in %.200s", name, err, text)
			}
			for _, f := range found {
				t.Errorf("%s, %s: %s (%s): %s", name, scheme, f.ID, f.Help, f.HTML)
			}
		}
	}
}

// TestCapacities: a result of requests under load is on the first page and its own, and in the
// summary, the highest capacity first.
func TestCapacities(t *testing.T) {
	file := filepath.Join(t.TempDir(), "load.json")
	capacity := func(label, rate, low, high, of string) string {
		return `{"workload":"schema","tokenizer":"llama3","model":"M","grammars":"100% unseen","label":"` + label + `","requests_per_second":` + rate +
			`,"interval_95":{"low":` + low + `,"high":` + high + `},"of_none":` + of + `,"ttft_ns":{"n":9,"mean":2e7,"p50":2e7,"p99":3e7,"max":3e7},"itl_ns":{"n":9,"mean":1e7,"p50":1e7,"max":2e7},"not_taken":0.1,"resident_peak_bytes":104857600}`
	}
	must.OK(t, os.WriteFile(file, []byte(`{"name":"load","cells":[],"warnings":[],"missing":[],"about":["how"],"capacities":[`+
		capacity("slow", "5", "4", "6", "0.25")+","+capacity("none", "20", "19", "21", "1")+","+capacity("quick", "19", "18.5", "19.5", "0.95")+`]}`), 0o644))
	results := must.Get(Load(file))(t)
	if got := Summary(results); !strings.Contains(got, "| schema under load, llama3 beside M | quick: 19 requests/s, 95% of none's, and refuses 10% of what is sent | slow: 5 requests/s, 25% of none's, and refuses 10%") || !strings.Contains(got, "[load](results/load.json)") {
		t.Error(got)
	}
	if says, figures := results[0].Answer(); !strings.Contains(says, "highest load") || !strings.HasPrefix(figures, "quick: 19") {
		t.Errorf("%s: %s", says, figures)
	}
	dir := t.TempDir()
	must.Get(Write(dir, results))(t)
	for _, page := range []string{"index.html", results[0].page()} {
		text := string(must.Get(os.ReadFile(filepath.Join(dir, page)))(t))
		if i, k := strings.Index(text, "19 [18.5, 19.5]"), strings.Index(text, ">slow<"); i < 0 || k < i || !strings.Contains(text, "100% unseen") {
			t.Errorf("%s has no ranking of capacities", page)
		}
	}
	tied := capacitySlice{Rows: results[0].Capacities[:1]}
	tied.Rows = append(tied.Rows, results[0].Capacities[0])
	if _, next := tied.says(); !strings.HasPrefix(next, "a tie: ") {
		t.Error(next)
	}
}

// TestEqualDifferences: what is found of an engine at two counts of tools is one page, which says
// where it was found; another cause is a page of its own.
func TestEqualDifferences(t *testing.T) {
	r := must.Get(Load(filepath.Join(kept, "engines.json")))(t)[0]
	i := slices.IndexFunc(r.Cells, func(c *result.Cell) bool { return c.Judged != nil && len(c.Judged.Findings) > 1 })
	again := *r.Cells[i]
	again.Workload = "another workload"
	r.Cells = append(r.Cells, &again)
	last, seen := len(r.Cells)-1, map[string]bool{}
	for k := range again.Judged.Findings {
		if name := r.differenceFile(last, k); name != r.differenceFile(i, k) || seen[name] {
			t.Errorf("finding %d is on page %s", k, name)
		} else {
			seen[name] = true
		}
	}
	name := r.differenceFile(i, 0)
	for _, f := range must.Get(pages([]*Result{r}))(t) {
		if text := string(f.Data); f.Name == name && strings.Count(text, "another workload") != 1 {
			t.Errorf("the page says where: %s", text)
		}
	}
}
