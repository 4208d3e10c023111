// Package published has the figures that papers and projects print, with their sources, and the
// tables that set ours beside them.
package published

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// Figures of papers. Tables show them beside ours and name their source. No ratio and no plot has
// them, since machine, corpus and mostly the programming language differ from ours. A value that a
// source does not give is left open. A workload declares whose figures belong beside its own
// (`published` in the configuration), since the name of a grammar says little about it.

// A source is the origin of published figures, with the circumstances of their measurement.
type source struct {
	name     string // in the tables
	where    string // title, or repository, file and commit
	date     string
	machine  string
	versions string // of the engines
	differs  string // other differences from ours
}

// caption is the source as a sentence of a table's caption, without its full stop.
func (s *source) caption() string {
	return s.name + ": " + strings.Join([]string{s.where, s.date, s.machine, s.versions, s.differs}, "; ")
}

// A datum is a published value; NaN if the source does not give it.
type datum struct {
	value float64
	note  string // a footnote: why there is no value, or what is doubtful about it
}

// A published row has the figures of a system on a language with a vocabulary.
type published struct {
	source   *source
	identity string // what a workload declares to have the row beside its own
	system   string // as the source calls it
	vocab    string // our tokenizer of the same vocabulary

	offlineSeconds datum
	onlineMicros   datum // mean time of one mask
	passed         datum // share of samples processed correctly, in percent
}

// unsaid is a value that a source does not give.
var unsaid = math.NaN()

// A spread is what is published of many times.
type spread struct{ mean, p50, p90, p99, p999, max float64 }

// A schemaFigure is what a source says about an engine on JSON schemas. An infinite time stands
// where a figure is the time limit: what it would have been, nobody knows.
type schemaFigure struct {
	source *source
	system string
	note   string // a footnote of the whole row

	ttfm     spread // time to first mask of a schema, ms
	tbm      spread // mask and commit of a step, µs
	verdicts schemaVerdicts
}

// schemaVerdicts counts schemas.
type schemaVerdicts struct {
	schemas  float64
	right    float64 // all instances judged as labelled; without instances: compiled
	declined float64 // no grammar: the engine declared it unsupported, or failed in an orderly way
	lost     float64 // a crash, too much memory or too much time
	// With a valid instance refused, or an invalid one accepted.
	validRefused, invalidAccepted float64
}

// publishedFile has the figures; its head says how.
//
//go:embed published.tsv
var publishedFile string

// The published figures, in the order of their publication.
var publishedFigures, publishedOnSchemas = readPublished(publishedFile)

// readPublished reads the lines of publishedFile. A mistake there is found by tests.
func readPublished(text string) (programs []published, schemas []schemaFigure) {
	sources := map[string]*source{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "source":
			sources[f[1]] = &source{f[2], f[3], f[4], f[5], f[6], f[7]}
		case "program":
			programs = append(programs, published{sources[f[1]], f[2], f[3], f[4], datumOf(f[5]), datumOf(f[6]), datumOf(f[7])})
		case "schemas":
			x := schemaFigure{source: sources[f[1]], system: f[2], note: f[3]}
			for i, s := range []*spread{&x.ttfm, &x.tbm} {
				fmt.Sscan(f[4+i], &s.mean, &s.p50, &s.p90, &s.p99, &s.p999, &s.max)
			}
			v := &x.verdicts
			fmt.Sscan(f[6], &v.schemas, &v.right, &v.declined, &v.lost, &v.validRefused, &v.invalidAccepted)
			schemas = append(schemas, x)
		}
	}
	return programs, schemas
}

// datumOf reads a value with its footnote.
func datumOf(text string) datum {
	number, note, _ := strings.Cut(text, ": ")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		value = unsaid
	}
	return datum{value, note}
}

// A publishedRow is a row of a table beside published figures: ours or a source's.
type publishedRow struct {
	cell           *result.Cell // of the workload and vocabulary
	name, nameNote string
	figures        []datum
	by, byNote     string // who measured
}

// PublishedTable puts the published figures that the set's workloads declare beside ours; nil if
// none does, or no source has any for our vocabularies. Ours stand first, each workload and
// vocabulary a block of rows.
func PublishedTable(s *result.Set) *document.Table {
	var list []publishedRow
	var sources []*source
	for _, g := range s.Groups() {
		i := slices.IndexFunc(g.Cells, func(c *result.Cell) bool { return len(publishedFor(c.Published, c.Tokenizer)) > 0 })
		if i < 0 {
			continue
		}
		of := g.Cells[i]
		for _, c := range g.Cells {
			row := publishedRow{cell: of, name: c.EngineName(), by: "gcdbench", figures: []datum{{value: offlineSeconds(c)}, {value: maskMicros(c)}, {value: passedPercent(c)}}}
			if c.Outcome != cell.OK { // a timeout is no pass
				row.figures[2].note = result.OutcomeNote(c)
			}
			if form, differ := formOf(c); form != "" {
				row.by, row.byNote = "gcdbench, "+form, c.Algorithm+": "+differ
			}
			list = append(list, row)
		}
		for _, f := range publishedFor(of.Published, of.Tokenizer) {
			list = append(list, publishedRow{cell: of, name: f.system, by: f.source.name, figures: []datum{f.offlineSeconds, f.onlineMicros, f.passed}})
			if !slices.Contains(sources, f.source) {
				sources = append(sources, f.source)
			}
		}
	}
	return fillPublished(document.Titled("published", offlineCaption, captions(sources)), list, func(_ string, v float64) string { return show.Significant(v) }, "offline s", "mask mean µs", "passed %").OrNil()
}

// fillPublished gives a table its rows: names, figures, who measured. A footnote says what a
// workload was measured on, which is seldom what the sources' figures were.
func fillPublished(t *document.Table, list []publishedRow, write func(head string, v float64) string, heads ...string) *document.Table {
	t.Once = 2
	figures := []document.Figure[publishedRow]{
		document.Worded("workload", func(r publishedRow) string { return r.cell.Workload }).Noted(func(r publishedRow) string {
			return "gcdbench's figures: with the grammar " + r.cell.Grammar + ", on the documents " + r.cell.Dataset
		}),
		document.Worded("vocabulary", func(r publishedRow) string { return r.cell.Tokenizer }),
		document.Worded("algorithm", func(r publishedRow) string { return r.name }).Noted(func(r publishedRow) string { return r.nameNote }),
	}
	for i, head := range heads {
		figures = append(figures, document.Figure[publishedRow]{Head: head, Of: func(r publishedRow) string { return write(head, r.figures[i].value) }, Note: func(r publishedRow) string { return r.figures[i].note }})
	}
	return document.Fill(t, list, figures, []document.Figure[publishedRow]{document.Worded("measured by", func(r publishedRow) string { return r.by }).Noted(func(r publishedRow) string { return r.byNote })})
}

// formOf says whether a cell's algorithm ran as its paper publishes it or as it is engineered here,
// and how the two differ; "" if the algorithm has one form only.
func formOf(c *result.Cell) (form, differ string) {
	a, err := algorithms.Lookup(c.Algorithm)
	if err != nil { // a result of another program
		return "", ""
	}
	for _, o := range a.Options() {
		if o.Name == algorithms.FormOption {
			form = cmp.Or(c.Names.Options[o.Name], o.Default)
			if form == algorithms.FormPublished {
				form = "as published"
			}
			return form, o.Help
		}
	}
	return "", ""
}

// captions are the sources as the end of a caption.
func captions(sources []*source) string {
	var b strings.Builder
	for _, s := range sources {
		b.WriteString(s.caption() + ". ")
	}
	return strings.TrimSpace(b.String())
}

// publishedFor are the figures of an identity for our tokenizer of that vocabulary, in the sources'
// order.
func publishedFor(identity, tokenizer string) []published {
	var list []published
	for _, f := range publishedFigures {
		if f.identity == identity && f.vocab == tokenizer {
			list = append(list, f)
		}
	}
	return list
}

// offlineCaption says what stands under "offline" for ours.
const offlineCaption = "Our offline is the sum of all that is done before a text begins: the tables of the grammar, what all algorithms share of " +
	"the vocabulary, and the algorithm's own compile (of JSON schemas the means of one schema); what is built on the way is not in it. " +
	"Our mask is the mean of delivered masks on documents that are new to the engine. "

// offlineSeconds is the whole offline time, as published preprocessing times are. It and the next
// two are a cell's figures in the papers' units.
func offlineSeconds(c *result.Cell) float64 {
	if c.Offline == nil {
		return unsaid
	}
	return c.Offline.Sum / 1e9
}

// maskMicros is the mean time of a delivered mask on documents that are new to the engine.
func maskMicros(c *result.Cell) float64 {
	m := c.Headline(c.MaskNS)
	if m == nil {
		return unsaid
	}
	return m.Mean / 1e3
}

// passedPercent is the share of samples that got the right verdict, in percent.
func passedPercent(c *result.Cell) float64 {
	if c.Positives+c.Negatives == 0 {
		return unsaid
	}
	return 100 * float64(c.PositivesPassed+c.NegativesPassed) / float64(c.Positives+c.Negatives)
}
