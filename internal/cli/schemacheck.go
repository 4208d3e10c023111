package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/datasets"
	"gcdbench/harness/config"
	"gcdbench/internal/words"
)

// schema check: which instances the grammar of a schema takes, where it refuses one, and the
// verdict of an independent validator. The two may differ: a grammar also fixes the order of keys
// and the white space, and a keyword that is enforced narrowly refuses valid instances. A refusal
// names its reason.

// corpusFlagNames are the flags of schema check that choose from a corpus.
var corpusFlagNames = []string{"format", "id", "limit"}

// checkFlags are the flags of schema check.
type checkFlags struct {
	schemaFlags
	jsonl   string
	corpus  string
	format  string
	ids     []string
	limit   int
	verbose bool // --all
}

// schemaCheck tells, before any model runs, whether masks would let the instances of a schema
// through. It also explains the verdicts of a report.
func (a *app) schemaCheck() *cobra.Command {
	var f checkFlags
	cmd := newCommand("schema check", nil, func(cmd *cobra.Command, args []string) error {
		switch {
		case f.corpus != "" && (len(args) > 0 || f.jsonl != ""):
			return errors.New("a corpus brings its own schemas and instances: name a schema or --corpus, not both")
		case f.corpus != "":
			return a.checkCorpus(cmd.Context(), &f)
		case len(args) == 0:
			return errors.New("which schema? name FILE.json and instances, or --corpus")
		}
		for _, flag := range corpusFlagNames {
			if f.given(flag) {
				return fmt.Errorf("--%s goes with --corpus, not with the schema %s", flag, args[0])
			}
		}
		if len(args) == 1 && f.jsonl == "" {
			return errors.New("no instance: name files, - for standard input, or --jsonl FILE")
		}
		return a.checkInstances(cmd.Context(), args[0], args[1:], &f)
	})
	f.add(cmd)
	cmd.Flags().StringVar(&f.jsonl, "jsonl", "", "a JSON Lines file of instances, optionally .gz")
	cmd.Flags().StringVar(&f.corpus, "corpus", "", "a schema corpus: a name, or a path in --format")
	cmd.Flags().StringVar(&f.format, "format", "maskbench", "the format of --corpus, if it is a path: "+strings.Join(config.SchemaFormats, ", "))
	cmd.Flags().StringArrayVar(&f.ids, "id", nil, "of a corpus, only the schema with this id (may be repeated)")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "of a corpus, only this many schemas; 0 for all")
	cmd.Flags().BoolVar(&f.verbose, "all", false, "also print the instances with the right verdict")
	return cmd
}

// instanceResult is the JSON of one instance.
type instanceResult struct {
	Schema string `json:"schema,omitempty"` // of a corpus
	ID     string `json:"id"`
	OK     bool   `json:"ok"` // the grammar takes it
	// Label is the corpus's verdict; null if it has none.
	Label *bool `json:"label"`
	// Valid is the verdict of the independent validator, and Why its reason; null without a
	// verdict, for the reason in ValidatorError.
	Valid          *bool          `json:"valid"`
	Why            string         `json:"why,omitempty"`
	ValidatorError string         `json:"validator_error,omitempty"`
	Error          *instanceError `json:"error,omitempty"`
	// Because is the reason of a refusal: not JSON; invalid; valid, but for order of keys, white
	// space, or both; a key twice; narrower (a keyword is enforced narrowly); or, without a
	// verdict, invalid or narrower.
	Because string `json:"because,omitempty"`
	// Flags are flags of schema check with which the grammar takes a refused instance. They were
	// tried.
	Flags []string `json:"flags,omitempty"`
}

// instanceError is where and why an instance is refused.
type instanceError struct {
	documentError
	Pointer  string   `json:"pointer"`            // of the value or key that is wrong; "" is the whole instance
	Expected []string `json:"expected,omitempty"` // texts that could stand there, or what they are like
	// Keywords are those of the schema without which the grammar would read on, each a JSON pointer
	// and what the keyword wants; none if no few of them are the reason.
	Keywords []string `json:"keywords,omitempty"`
}

// Why an instance was refused.
const (
	becauseInvalid  = "invalid"
	becauseOrder    = "order of keys"
	becauseSpace    = "white space"
	becauseBoth     = "order of keys and white space"
	becauseNarrower = "narrower"
	becauseTwice    = "a key twice"
	becauseNotJSON  = "not JSON"
	becauseUnknown  = "invalid or narrower"
)

// right tells whether the verdict is the label's, or without a label whether the instance was
// taken.
func (r *instanceResult) right() bool {
	if r.Label != nil {
		return r.OK == *r.Label
	}
	return r.OK
}

// checkTotals are counted over instances; the JSON is the last line of schema check.
type checkTotals struct {
	Instances int `json:"instances"`
	Accepted  int `json:"accepted"` // by the grammar
	// Wrong counts the accepted instances that are labelled as invalid and the refused ones that
	// are not.
	Wrong           int `json:"wrong"`
	InvalidAccepted int `json:"invalid_accepted"` // by the label, or without one by the validator
	// ValidRefused counts the refused instances that the validator takes, by reason.
	ValidRefused map[string]int `json:"valid_refused"`
	// Disputed counts the labels that the validator contradicts.
	Disputed int `json:"disputed_labels"`
}

// add counts one verdict. The label decides whether an instance is valid, or else the validator.
func (t *checkTotals) add(r *instanceResult) {
	t.Instances++
	if r.OK {
		t.Accepted++
	}
	if !r.right() {
		t.Wrong++
	}
	valid := r.Valid
	if r.Label != nil {
		valid = r.Label
	}
	switch {
	case valid == nil:
	case r.OK && !*valid: // what must never be: see docs/json-schema.md
		t.InvalidAccepted++
	case !r.OK && *valid:
		t.ValidRefused[r.Because]++
	}
	if r.Label != nil && r.Valid != nil && *r.Label != *r.Valid {
		t.Disputed++
	}
}

// checkInstances checks files, and then the lines of a file, against one schema.
func (a *app) checkInstances(ctx context.Context, schema string, files []string, f *checkFlags) error {
	options, err := f.options(schema)
	if err != nil {
		return err
	}
	text, err := a.readInput(schema)
	if err != nil {
		return err
	}
	c, err := newInstanceChecker(ctx, text, options, f.timeout)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return a.schemaRefused(schemaFailureOf(schema, text, err))
	}
	a.warnOfSchema(schema, c.compiled)
	if c.validatorErr != nil {
		a.note("%s: the validator does not take the schema: %s", schema, oneLine(c.validatorErr))
	}
	totals := &checkTotals{ValidRefused: map[string]int{}}
	one := func(id string, instance []byte, label *bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := c.check(id, instance, label)
		if err != nil {
			return err
		}
		totals.add(r)
		return a.printInstance(r, f.verbose || f.jsonl == "")
	}
	for _, file := range files {
		instance, err := a.readInput(file)
		if err != nil {
			return err
		}
		if err := one(file, withoutLineEnd(instance), nil); err != nil {
			return err
		}
	}
	if f.jsonl != "" {
		if err := eachInstance(f.jsonl, one); err != nil {
			return err
		}
		if totals.Instances == 0 {
			return fmt.Errorf("%s: the file has no lines", f.jsonl)
		}
	}
	a.failed = totals.Wrong > 0
	return a.tell(totals, "%s", totals)
}

// schemaRefused reports that a schema has no grammar: a finding, unless it is no JSON schema.
func (a *app) schemaRefused(f *schemaFailure) error {
	if a.failed = f.outcome() != schemaInvalid; !a.failed {
		return errors.New(f.String())
	}
	return a.tell(map[string]any{"schema": f.file, "outcome": f.outcome(), "error": f.String(), "failure": f}, "%s", f)
}

// withoutLineEnd drops one line end from the end of a text, which editors put there.
func withoutLineEnd(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
}

// eachInstance reads the instances of a JSON Lines file.
func eachInstance(path string, f func(id string, instance []byte, label *bool) error) error {
	return datasets.EachLine(path, func(line int, text []byte) error {
		var record struct {
			ID      any             `json:"id"`
			Content *string         `json:"content"`
			Data    json.RawMessage `json:"data"`
			Valid   *bool           `json:"valid"`
		}
		if err := json.Unmarshal(text, &record); err != nil {
			return datasets.LineError(path, line, text, err)
		}
		// Ids are for people here, so a number is as good as a text, and none is no mistake.
		id := fmt.Sprintf("line %d", line)
		if record.ID != nil {
			id = fmt.Sprint(record.ID)
		}
		switch {
		case (record.Content == nil) == (record.Data == nil):
			return fmt.Errorf("%s:%d:1: the object must have either \"content\" or \"data\"", path, line)
		case record.Content != nil:
			return f(id, []byte(*record.Content), record.Valid)
		}
		return f(id, bytes.Clone(record.Data), record.Valid) // the line's buffer is used again
	})
}

// printInstance prints a verdict: as JSON always, in words only if it is wrong or all is set.
func (a *app) printInstance(r *instanceResult, all bool) error {
	if !a.asJSON && r.right() && !all {
		return nil
	}
	return a.say(r, "instance", r)
}

// String is the totals in a sentence.
func (t *checkTotals) String() string { return pageOf("instances", t) }

// Refused counts the valid instances that were refused.
func (t *checkTotals) Refused() (n int) {
	for _, of := range t.ValidRefused {
		n += of
	}
	return n
}

// oneLine is an error's first line, shortened.
func oneLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return words.Clip(s, 200)
}
