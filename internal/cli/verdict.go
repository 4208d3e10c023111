package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/recognizer"
)

// Verdicts on instances: the grammar's, the validator's, and what explains the difference.
//
// The grammar and the validator share no code, so where they agree that an instance is valid it most likely is, and where
// the grammar takes what the validator refuses one of them has a bug. The other way round is no bug in general: a grammar
// also fixes white space and the order of keys, and enforces some keywords narrowly. Which of these it is, is found out by
// changing one thing at a time and asking the grammar again.

// instanceChecker checks the instances of one schema.
type instanceChecker struct {
	ctx     context.Context
	text    []byte
	options jsonschema.Options
	timeout time.Duration // of a compile; 0 for none
	grammar *recognizer.Recognizer
	// variants are the same schema with less strict texts, built when an instance is refused; nil if that failed.
	variants     map[string]*recognizer.Recognizer
	validator    *labels.Validator
	validatorErr error
}

// newInstanceChecker compiles a schema. The error is that of the compiler or of building the tables.
func newInstanceChecker(ctx context.Context, text []byte, options jsonschema.Options, timeout time.Duration) (*instanceChecker, error) {
	if options.Kept == nil {
		options.Kept = jsonschema.NewKept() // for the variants
	}
	c := &instanceChecker{ctx: ctx, text: text, options: options, timeout: timeout, variants: map[string]*recognizer.Recognizer{}}
	var err error
	if c.grammar, err = c.compile(options); err != nil {
		return nil, err
	}
	c.validator, c.validatorErr = labels.New(text)
	return c, nil
}

// compile makes a recognizer of the schema under some options. Tables that are too large are said to be unsupported, as the
// compiler says it of what it knows to be too large before.
func (c *instanceChecker) compile(options jsonschema.Options) (*recognizer.Recognizer, error) {
	result, err := compileWithin(c.ctx, c.timeout, c.text, options)
	if err != nil {
		return nil, err
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
	// The names of a schema's terminals would mean nothing to who wrote the schema.
	f := explainRefusal(c.grammar, instance, refused)
	r.Error = &instanceError{documentError{f.line, f.column, f.message()}, instancePlace(instance, f.offset), f.expected}
	r.Because = c.because(r, instance)
	r.Flags = c.flags(r.Because, instance)
	return r, nil
}

// flags are the flags of schema check with which the grammar takes an instance that was refused for its white space or
// the order of its keys. There are none where even they do not help: --any-order has its limits.
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

// because says why a refused instance was: it is invalid, or the mildest change to the grammar that takes it. Where
// the validator has no verdict the label stands in for it.
func (c *instanceChecker) because(r *instanceResult, instance []byte) string {
	valid := r.Valid
	if valid == nil { // a keyword of the schema that the validator does not know, say
		valid = r.Label
	}
	switch {
	case !json.Valid(instance): // before all else: a validator has no opinion on what is no JSON
		return becauseNotJSON
	case valid != nil && !*valid:
		return becauseInvalid
	case keyTwice(instance):
		return becauseTwice
	}
	// The mildest first: what white space alone explains needs no other order.
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

// variant is the schema's grammar with keys in any order, or any white space, or both; nil if it has none. Of an
// instance that is known to be valid it may take more than is valid, and then does so for objects of any size.
func (c *instanceChecker) variant(name string, order, space, valid bool) *recognizer.Recognizer {
	if order && valid {
		name += ", of valid ones"
	}
	g, made := c.variants[name]
	if !made {
		o := c.options
		// AnyOrder accepts nothing that is invalid, and so not all orders of many required keys.
		// LooseOrder asks for no key and counts none, which does not matter of an instance that is
		// known to be valid.
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

// keyTwice tells whether an object of a JSON text has a key twice. A validator reads one of them and knows nothing
// of the other.
func keyTwice(instance []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(instance))
	// Tokens instead of a decoded value, which has one of two equal keys; escapes are decoded, as "a" and "\u0061" are equal.
	type level struct {
		keys  map[string]bool // nil in an array
		value bool            // the next token is a value
	}
	var stack []level
	for {
		token, err := tokens.Token()
		if err != nil {
			return false
		}
		top := len(stack) - 1
		delim, _ := token.(json.Delim)
		switch key, isText := token.(string); {
		case delim == '}' || delim == ']':
			stack = stack[:top]
			continue
		case top >= 0 && stack[top].keys != nil && !stack[top].value:
			if isText && stack[top].keys[key] {
				return true
			}
			stack[top].keys[key], stack[top].value = true, true
			continue
		case top >= 0:
			stack[top].value = false
		}
		switch delim {
		case '{':
			stack = append(stack, level{keys: map[string]bool{}})
		case '[':
			stack = append(stack, level{})
		}
	}
}
