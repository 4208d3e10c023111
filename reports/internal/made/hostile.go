package made

import (
	"gcdbench/harness/cell"
)

// Hostile is a name that would colour a terminal, ring its bell, end a line, and turn the direction
// of writing.
const Hostile = "x\x1b[31m\x07\u202e\u009b\r\n"

// HostileSet is of schemas whose names are all hostile, with failures and wrong verdicts that name
// them.
func HostileSet() Results {
	m := SchemaSet
	m.Change = func(r *cell.Record, traces []cell.Trace) {
		OfSchemas(r, traces)
		r.Workload, r.Label, r.Tokenizer, r.Grammar, r.Dataset = r.Workload+Hostile, r.Label+Hostile, r.Tokenizer+Hostile, r.Grammar+Hostile, r.Dataset+Hostile
		for i := range r.Samples {
			r.Samples[i].ID += Hostile
			r.Samples[i].Detail = Hostile + r.Samples[i].Detail
		}
		for i := range r.Problems {
			r.Problems[i].ID, r.Problems[i].Group = r.Problems[i].ID+Hostile, r.Problems[i].Group+Hostile
		}
	}
	return m
}
