package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/jsontext"
)

// Verdicts on instances: the grammar's, the validator's, and the reason for a difference.
//
// The grammar and the validator share no code. An instance that both take is most likely valid; if
// the grammar takes an instance that the validator refuses, one of them has a bug. The opposite is
// no bug in general: a grammar also fixes white space and the order of keys, and enforces some
// keywords narrowly. To find out which of these it is, the schema is compiled again with one of
// them relaxed.

// instanceChecker checks the instances of one schema.
type instanceChecker struct {
	ctx     context.Context
	text    []byte
	options jsonschema.Options
	timeout time.Duration // of a compile; 0 for none
	grammar *recognizer.Recognizer
	// variants are grammars of the schema for less strict texts, made when an instance is refused;
	// nil if that failed.
	variants     map[string]*recognizer.Recognizer
	compiled     *jsonschema.Result // by options
	validator    *labels.Validator
	validatorErr error
}

// newInstanceChecker compiles a schema. The error is that of the compiler or of building the
// tables.
func newInstanceChecker(ctx context.Context, text []byte, options jsonschema.Options, timeout time.Duration) (*instanceChecker, error) {
	if options.Kept == nil {
		options.Kept = jsonschema.NewKept() // for the variants
	}
	c := &instanceChecker{ctx: ctx, text: text, options: options, timeout: timeout, variants: map[string]*recognizer.Recognizer{}}
	var err error
	if c.grammar, err = c.compile(options); err != nil {
		return nil, err
	}
	others := map[string][]byte{}
	if options.Library != nil {
		for _, f := range options.Library.Files() {
			others[f.URI] = f.Text
		}
	}
	c.validator, c.validatorErr = labels.NewAmong(text, options.URI, others)
	return c, nil
}

// compile makes a recognizer of the schema. Tables that are too large are unsupported, as are
// grammars that the compiler finds too large.
func (c *instanceChecker) compile(options jsonschema.Options) (*recognizer.Recognizer, error) {
	result, err := compileWithin(c.ctx, c.timeout, jsonschema.Open, c.text, options)
	if err != nil {
		return nil, err
	}
	if c.compiled == nil {
		c.compiled = result
	}
	r, err := recognizer.New(c.ctx, result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil && c.ctx.Err() == nil {
		err = &jsonschema.UnsupportedError{Reason: "the tables of its grammar are too large", Detail: err.Error()}
	}
	return r, err
}

// check is the verdict on one instance.
func (c *instanceChecker) check(id string, instance []byte, label *bool) (*instanceResult, error) {
	r := &instanceResult{ID: id, OK: true, Label: label}
	c.validate(r, instance)
	err := c.grammar.Check(instance)
	var refused *recognizer.Refusal
	switch {
	case err == nil:
		return r, nil
	case !errors.As(err, &refused):
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	r.OK = false
	// The names of a schema's terminals would mean nothing to its author.
	f := explainRefusal(c.grammar, instance, refused)
	r.Error = &instanceError{documentError{f.line, f.column, f.message()}, instancePlace(instance, f.offset), f.expected, nil}
	r.Because = c.because(r, instance)
	if r.Because == becauseInvalid || r.Because == becauseNarrower || r.Because == becauseUnknown {
		r.Error.Keywords = blamed(c.ctx, c.text, c.options, instance, f.offset)
	}
	r.Flags = c.flags(r.Because, instance)
	return r, nil
}

// flags are the flags of schema check with which the grammar takes an instance that was refused for
// its white space or the order of its keys; none if they do not help, since --any-order has its
// limits.
func (c *instanceChecker) flags(because string, instance []byte) (list []string) {
	space := because == becauseSpace || because == becauseBoth
	order := because == becauseOrder || because == becauseBoth
	if !space && !order {
		return nil
	}
	if g := c.variant(because, order, space, false); g == nil || g.Check(instance) != nil {
		return nil
	}
	if space {
		list = append(list, "--whitespace any")
	}
	if order {
		list = append(list, "--any-order")
	}
	return list
}

// validate asks the independent validator.
func (c *instanceChecker) validate(r *instanceResult, instance []byte) {
	err := c.validatorErr
	if err == nil {
		if r.Why, err = c.validator.Explain(instance); err == nil {
			valid := r.Why == ""
			r.Valid = &valid
			return
		}
	}
	r.ValidatorError = oneLine(err)
}

// because says why an instance was refused: it is invalid, or the mildest change to the grammar
// that takes it. Without a verdict of the validator the label counts.
func (c *instanceChecker) because(r *instanceResult, instance []byte) string {
	valid := r.Valid
	if valid == nil { // a keyword of the schema that the validator does not know, say
		valid = r.Label
	}
	switch {
	case !json.Valid(instance): // first, since a validator needs JSON
		return becauseNotJSON
	case valid != nil && !*valid:
		return becauseInvalid
	case jsontext.RepeatsKey(instance): // a validator reads one of the two and does not see the other
		return becauseTwice
	}
	// The mildest change first.
	for _, v := range []struct {
		name         string
		order, space bool
	}{{becauseSpace, false, true}, {becauseOrder, true, false}, {becauseBoth, true, true}} {
		if g := c.variant(v.name, v.order, v.space, valid != nil); g != nil && g.Check(instance) == nil {
			return v.name
		}
	}
	if valid != nil {
		return becauseNarrower
	}
	return becauseUnknown
}

// variant is the schema's grammar with keys in any order, or any white space, or both; nil if it
// does not compile. If valid is set, the instance is known to be valid, and the grammar may take
// more than the schema does: then objects may have any number of keys.
func (c *instanceChecker) variant(name string, order, space, valid bool) *recognizer.Recognizer {
	if order && valid {
		name += ", of valid ones"
	}
	g, made := c.variants[name]
	if !made {
		o := c.options
		// AnyOrder accepts nothing invalid, and therefore not all orders of many required keys.
		// LooseOrder neither requires nor counts keys, which is right for a valid instance.
		o.LooseOrder = order && valid
		o.AnyOrder = o.AnyOrder || order && !valid
		if space {
			o.WhiteSpace = jsonschema.AnySpace
		}
		g, _ = c.compile(o) // without one the question stays open
		c.variants[name] = g
	}
	return g
}
