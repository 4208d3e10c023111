package reports

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
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

// said makes data without footnotes of values.
func said(values ...float64) []datum {
	figures := make([]datum, len(values))
	for i, v := range values {
		figures[i] = datum{value: v}
	}
	return figures
}

// publishedTable puts the published figures that the set's workloads declare beside ours; nil if
// none does, or no source has any for our vocabularies. Ours stand first, each workload and
// vocabulary a block of rows.
func (s *Set) publishedTable() *Table {
	t := &Table{ID: "published", Title: "Beside the published figures",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {Head: "offline s", Right: true},
			{Head: "mask mean µs", Right: true}, {Head: "passed %", Right: true}, {Head: "measured by"}}}
	var sources []*source
	type place struct{ workload, tokenizer string }
	var seen []place
	for _, c := range s.Cells {
		figures, at := publishedFor(c.Published, c.Tokenizer), place{c.Workload, c.Tokenizer}
		if len(figures) == 0 || slices.Contains(seen, at) {
			continue
		}
		seen = append(seen, at)
		s.addOurs(t, c)
		for _, f := range figures {
			t.Rows = append(t.Rows, t.publishedRow([]Text{{}, {}, {Body: f.system}}, []datum{f.offlineSeconds, f.onlineMicros, f.passed}, f.source.name))
			if !slices.Contains(sources, f.source) {
				sources = append(sources, f.source)
			}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	t.Caption = "Published figures of the experiments that the workloads name, in the sources' units and order, for orientation: grammar, corpus, " +
		"implementation language and machine all differ from ours. " + offlineCaption + captions(sources)
	return t
}

// addOurs adds the rows of all cells of a workload and a vocabulary, those of the cell given. The
// first says what they were measured on, which is seldom what the sources' figures were.
func (s *Set) addOurs(t *Table, of *Cell) {
	names := []Text{t.measuredOn(of), {Body: of.Tokenizer}}
	for _, c := range s.Cells {
		if c.Workload == of.Workload && c.Tokenizer == of.Tokenizer {
			names = append(names[:2:2], Text{Body: c.engineName()})
			figures := said(offlineSeconds(c), maskMicros(c), passedPercent(c))
			if c.Outcome != cell.OK { // a timeout is no pass
				figures[len(figures)-1].note = outcomeNote(c)
			}
			row := t.publishedRow(names, figures, "gcdbench")
			if form, differ := formOf(c); form != "" {
				by := &row[len(row)-1]
				by.Body, by.Mark = "gcdbench, "+form, t.note(c.Algorithm+": "+differ)
			}
			t.Rows = append(t.Rows, row)
			names = []Text{{}, {}}
		}
	}
}

// formOf says whether a cell's algorithm ran as its paper publishes it or as it is engineered here,
// and how the two differ; "" if the algorithm has one form only.
func formOf(c *Cell) (form, differ string) {
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

// measuredOn is the name of a cell's workload, with what it was measured on as a footnote.
func (t *Table) measuredOn(c *Cell) Text {
	return Text{Body: c.Workload, Mark: t.note("gcdbench's figures: with the grammar " + c.Grammar + ", on the documents " + c.Dataset)}
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

// publishedRow is a row of a table, ours or a source's: names, figures with three digits, who
// measured.
func (t *Table) publishedRow(names []Text, figures []datum, by string) []Text {
	row := slices.Clone(names)
	for _, f := range figures {
		row = append(row, t.datumText(f, significant))
	}
	return append(row, Text{Body: by})
}

// datumText writes a datum, with the mark of its footnote.
func (t *Table) datumText(f datum, write func(float64) string) Text {
	text := Text{Body: write(f.value)}
	if f.note != "" {
		text.Mark = t.note(f.note)
	}
	return text
}

// offlineCaption says what stands under "offline" for ours.
const offlineCaption = "Our offline is the sum of all that is done before a text begins: the tables of the grammar, what all algorithms share of " +
	"the vocabulary, and the algorithm's own compile (of JSON schemas the means of one schema); what is built on the way is not in it. " +
	"Our mask is the mean of delivered masks on documents that are new to the engine. "

// offlineSeconds is the whole offline time, as published preprocessing times are. It and the next
// two are a cell's figures in the papers' units.
func offlineSeconds(c *Cell) float64 {
	if c.Offline == nil {
		return unsaid
	}
	return c.Offline.Sum / 1e9
}

// maskMicros is the mean time of a delivered mask on documents that are new to the engine.
func maskMicros(c *Cell) float64 {
	m := c.headline(c.MaskNS)
	if m == nil {
		return unsaid
	}
	return m.Mean / 1e3
}

// passedPercent is the share of samples that got the right verdict, in percent.
func passedPercent(c *Cell) float64 {
	if c.Positives+c.Negatives == 0 {
		return unsaid
	}
	return 100 * float64(c.PositivesPassed+c.NegativesPassed) / float64(c.Positives+c.Negatives)
}
