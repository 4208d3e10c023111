// Package judged stores the findings of package harness/judging about engines of other semantics in
// a result directory, where reports read them.
//
//	judged/KEY.log                 an Overview of the cell with that key, and one Document a line
//	judged/witnesses/HASH.json     a Witness
//
// A line is written in one write: when a document is done, and for a long document now and then
// before. It is a line of a cell.Log, so one that is torn or has changed is left out. The last
// Overview counts, and the last line about a document. file.go reads and writes.
package judged

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gcdbench/internal/words"
)

// Schema is the version of the files. Lines of other versions are left out, and their documents
// judged again.
const Schema = 2

// A Class is the kind of a finding about a difference between two masks.
type Class string

// The classes, the gravest first.
const (
	// AdmitsInvalid: the engine goes on, by its own masks, to the end of a text that is not in the
	// language.
	AdmitsInvalid Class = "admits an invalid text"
	// ExcludesValid: a text of the language cannot be generated, however its value is spelled.
	ExcludesValid Class = "excludes a valid text"
	// DeadEnd: a token is allowed after which no text can end.
	DeadEnd Class = "dead end"
	// Undecided: there is no witness, or no judge for it.
	Undecided Class = "undecided"
	// Convention: a valid text is excluded, and the same value in another spelling is not; or the
	// judge itself has two readings of the grammar (judges.LexersDiffer).
	Convention Class = "convention"
)

// Classes are all of them, the gravest first.
var Classes = []Class{AdmitsInvalid, ExcludesValid, DeadEnd, Undecided, Convention}

// Sides of a comparison, for Finding.Whose.
const (
	Engine    = "engine"    // of another semantics
	Reference = "reference" // of the contract
)

// A Finding counts the differences of one kind.
type Finding struct {
	// Whose is the side at fault: Engine, Reference, or "" for Undecided.
	Whose string `json:"whose"`
	Class Class  `json:"class"`
	// Cause is a few words for counting: the rule that the invalid text breaks, the spelling that is
	// excluded, the reason why there is no verdict.
	Cause string `json:"cause"`
	// Positions counts the positions where a token differs for this cause, Leading those where it
	// is the gravest finding: the sum of Leading over all findings is the number of positions
	// judged.
	Positions int `json:"positions"`
	Leading   int `json:"leading"`
	// Tokens counts the tokens that differ, over all positions.
	Tokens int `json:"tokens"`
	// Witness is the hash of the shortest witness; "" if there is none.
	Witness string `json:"witness,omitempty"`
	// WitnessBytes is the length of its text.
	WitnessBytes int `json:"witness_bytes,omitempty"`
}

// Same reports whether two findings are of one kind.
func (f *Finding) Same(o *Finding) bool {
	return f.Whose == o.Whose && f.Class == o.Class && f.Cause == o.Cause
}

// Compare orders findings: the gravest class first, then the engine's, then by positions.
func (f *Finding) Compare(o *Finding) int {
	return cmp.Or(cmp.Compare(rank(f.Class), rank(o.Class)), cmp.Compare(f.Whose, o.Whose),
		cmp.Compare(o.Positions, f.Positions), cmp.Compare(f.Cause, o.Cause))
}

// rank is the place of a class among Classes.
func rank(c Class) int { return slices.Index(Classes, c) }

// add adds the counts of another finding of the same kind.
func (f *Finding) add(o *Finding) {
	f.Positions += o.Positions
	f.Leading += o.Leading
	f.Tokens += o.Tokens
	f.Show(o.Witness, o.WitnessBytes)
}

// Show gives the finding a witness, unless it has a better one: a witness with a text, or a shorter
// text.
func (f *Finding) Show(witness string, length int) {
	switch {
	case witness == "":
	case f.Witness == "", f.WitnessBytes == 0 && length > 0, length > 0 && length < f.WitnessBytes:
		f.Witness, f.WitnessBytes = witness, length
	}
}

// Add adds a finding to a list, to the one of its kind if there is one.
func Add(list []Finding, f Finding) []Finding {
	for i := range list {
		if list[i].Same(&f) {
			list[i].add(&f)
			return list
		}
	}
	return append(list, f)
}

// An Overview counts how the masks of a cell and of its reference compare, over all documents,
// judged or not, and has the limits of the judgement.
type Overview struct {
	// Documents counts the documents that both sides answered. Unanswered counts the rest, which no
	// other count includes.
	Documents  int `json:"documents"`
	Unanswered int `json:"documents_unanswered"`
	// Compared counts the positions at which both sides were asked, Behind those at which only one
	// was: the other side had refused a token before.
	Compared int `json:"positions_compared"`
	Behind   int `json:"positions_behind_a_refusal"`
	// Differ counts the positions at which the masks differ, DocumentsDiffer and SchemasDiffer the
	// documents and schemas with such positions; a grammar is one schema.
	Differ          int `json:"positions_differ"`
	DocumentsDiffer int `json:"documents_differ"`
	SchemasDiffer   int `json:"schemas_differ"`
	// Limit bounds the positions that are judged; 0 for all that differ. Seed draws them.
	Limit int    `json:"limit"`
	Seed  uint64 `json:"seed"`
}

// Chosen is how many positions are to be judged.
func (o *Overview) Chosen() int {
	if o.Limit == 0 {
		return o.Differ
	}
	return min(o.Limit, o.Differ)
}

// covers reports whether an overview includes the positions of another.
func (o *Overview) covers(other *Overview) bool {
	return o.Limit == 0 || o.Seed == other.Seed && other.Limit != 0 && other.Limit <= o.Limit
}

// A Document has the findings about one document of a cell.
type Document struct {
	Version int `json:"version"` // Schema
	// Cell and Reference are the keys of the cells that differ.
	Cell      string `json:"cell"`
	Reference string `json:"reference"`
	Problem   int    `json:"problem"` // index into the records' Problems: the schema
	Sample    int    `json:"sample"`  // index into the records' Samples
	ID        string `json:"id"`      // the sample's
	// Differ counts the positions at which the masks differ; Positions are those that were judged,
	// ascending. Undecided counts the Positions with an undecided token.
	Differ    int      `json:"differ"`
	Positions []uint32 `json:"positions"`
	Undecided int      `json:"undecided"`
	// How it was judged: the seed that drew the positions, the time limit of the search for a
	// witness, and the judge with its version, "" for none. A document with an undecided token is
	// judged again with more time, or by another judge.
	Seed      uint64    `json:"seed"`
	TimeoutNS int64     `json:"timeout_ns"`
	Judge     string    `json:"judge"`
	Findings  []Finding `json:"findings"`
}

// Has reports whether a position was judged.
func (d *Document) Has(position uint32) bool {
	_, ok := slices.BinarySearch(d.Positions, position)
	return ok
}

// counts reports whether an overview includes a document. It does not include positions that
// another seed drew, unless all positions were judged and are asked for.
func (d *Document) counts(o *Overview) bool {
	return d.Seed == o.Seed || o.Limit == 0 && len(d.Positions) == d.Differ
}

// A Sum has the findings about all documents of a cell.
type Sum struct {
	Overview
	// Judged counts the positions that were judged, DocumentsJudged their documents, Undecided the
	// judged positions with an undecided token.
	Judged          int `json:"positions_judged"`
	DocumentsJudged int `json:"documents_judged"`
	Undecided       int `json:"positions_undecided"`
	// Least and Most are the time limits of the search for a witness, the least and the most of all
	// documents.
	Least    time.Duration   `json:"timeout_ns"`
	Most     time.Duration   `json:"timeout_ns_most"`
	Findings []SummedFinding `json:"-"`
}

// A SummedFinding is a Finding over all documents, with the number of its schemas.
type SummedFinding struct {
	Finding
	Schemas int `json:"schemas"`
}

// Sum adds the documents up; Compare orders the findings.
func (c *Cell) Sum() Sum {
	s := Sum{Overview: c.Overview}
	var list []Finding
	type kind struct{ whose, class, cause string }
	kindOf := func(f *Finding) kind { return kind{f.Whose, string(f.Class), f.Cause} }
	found := map[kind]map[int]bool{}
	for _, d := range c.Documents {
		s.add(&d)
		for _, f := range d.Findings {
			list = Add(list, f)
			k := kindOf(&f)
			if found[k] == nil {
				found[k] = map[int]bool{}
			}
			found[k][d.Problem] = true
		}
	}
	slices.SortFunc(list, func(a, b Finding) int { return a.Compare(&b) })
	for _, f := range list {
		s.Findings = append(s.Findings, SummedFinding{f, len(found[kindOf(&f)])})
	}
	return s
}

// add adds a document's counts.
func (s *Sum) add(d *Document) {
	if len(d.Positions) == 0 {
		return
	}
	s.Judged += len(d.Positions)
	s.DocumentsJudged++
	s.Undecided += d.Undecided
	timeout := time.Duration(d.TimeoutNS)
	if s.Least == 0 || timeout < s.Least {
		s.Least = timeout
	}
	s.Most = max(s.Most, timeout)
}

// Sample says in words how much was judged: "60 of 60 positions in 45 of 180 documents; limit 60,
// seed 1, timeout 3s".
func (s *Sum) Sample() string {
	limit := "no limit"
	if s.Limit > 0 {
		limit = fmt.Sprintf("limit %d, seed %d", s.Limit, s.Seed)
	}
	text := fmt.Sprintf("%d of %s in %d of %s; %s", s.Judged, words.Count(s.Chosen(), "position"), s.DocumentsJudged, words.Count(s.DocumentsDiffer, "document"), limit)
	switch {
	case s.Least == 0:
		return text
	case s.Least == s.Most:
		return fmt.Sprintf("%s, timeout %v", text, s.Most)
	}
	return fmt.Sprintf("%s, timeout %v to %v", text, s.Least, s.Most)
}

// Name is the finding in words.
func (f *Finding) Name() string {
	if f.Whose == "" {
		return fmt.Sprintf("%s: %s", f.Class, f.Cause)
	}
	return fmt.Sprintf("the %s %s: %s", f.Whose, verb(f.Class), f.Cause)
}

// verb is a class as a verb.
func verb(c Class) string {
	switch c {
	case DeadEnd:
		return "has a dead end"
	case Convention:
		return "has a convention"
	}
	return string(c)
}
