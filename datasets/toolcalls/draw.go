package toolcalls

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/datasets"
	"gcdbench/grammar/tools"
	"gcdbench/internal/jsontext"
)

// A Setup says which requests are made of a corpus.
type Setup struct {
	// Request has the format and what a response may be made of; its tools are drawn.
	tools.Request
	// Count is how many tools a request has; 0 for as many as a response of the corpus comes with, and
	// else DefaultCount. If the corpus has fewer, tools come again under other names.
	Count int
	// Requests is how many there are; 0 for one for each response of the corpus, or else
	// DefaultRequests.
	Requests int
	// Without are keywords of JSON Schema: tools whose parameters have one are not drawn. An engine
	// that lacks a keyword takes none of the requests that have it, so that a comparison over many
	// tools needs tools that all take.
	Without []string
	// Seed draws tools, calls and texts.
	Seed uint64
}

// Defaults of a Setup.
const (
	DefaultCount    = 8
	DefaultRequests = 20
)

// rightOnes is how many right responses are made for a drawn request: one of each kind.
const rightOnes = 4

// Source has the requests as documents that bring their grammar: the text of a document's schema is
// the request in JSON.
func (c *Corpus) Source(s Setup) datasets.Source { return &source{c, s} }

type source struct {
	corpus *Corpus
	setup  Setup
}

func (s *source) Info() datasets.Info { return s.corpus.info }

// Documents draws the requests and their responses.
func (s *source) Documents(ctx context.Context) (docs []datasets.Document, err error) {
	var conversations []*conversation
	for _, one := range s.corpus.conversations {
		if one.raw == nil || one.format == s.setup.Format {
			conversations = append(conversations, one)
		}
	}
	n := s.setup.Requests
	if n == 0 {
		n = len(conversations)
	}
	if n == 0 {
		n = DefaultRequests
	}
	pool, err := s.pool()
	if err != nil {
		return nil, err
	}
	for i := range n {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := &draw{setup: &s.setup, request: s.setup.Request, pool: pool, rng: rand.New(rand.NewPCG(s.setup.Seed, uint64(i)))}
		if i < len(conversations) {
			err = d.conversation(conversations[i])
		} else {
			err = d.drawn(fmt.Sprintf("request-%05d", i))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.corpus.info.Name, err)
		}
		docs = append(docs, d.docs...)
	}
	return docs, nil
}

// pool are the tools that the format can write.
func (s *source) pool() (list []*sample, err error) {
	var first error
	for _, t := range s.corpus.tools {
		if jsontext.HasKey(t.Parameters, s.setup.Without) {
			continue
		}
		if err := tools.Supports(s.setup.Format, t.Tool); err == nil {
			list = append(list, t)
		} else if first == nil {
			first = err
		}
	}
	switch {
	case len(list) == 0 && first == nil:
		return nil, fmt.Errorf("%s: every tool has one of the keywords %s", s.corpus.info.Name, strings.Join(s.setup.Without, ", "))
	case len(list) == 0:
		return nil, fmt.Errorf("%s: no tool can be written in the format %s; the first: %w", s.corpus.info.Name, s.setup.Format, first)
	}
	return list, nil
}

// draw makes one request with its responses.
type draw struct {
	setup   *Setup
	request tools.Request
	pool    []*sample
	rng     *rand.Rand
	tools   []*sample // of the request, in its order
	checker *Checker
	schema  *datasets.Schema
	docs    []datasets.Document
}

// choose gives the request its tools: its own, and drawn ones up to the count.
func (d *draw) choose(own []*sample) {
	d.tools = slices.Clone(own)
	names := map[string]bool{}
	for _, t := range own {
		names[t.Name] = true
	}
	count := d.setup.Count
	if count == 0 && len(own) == 0 {
		count = DefaultCount
	}
	for round := 1; len(d.tools) < count; round++ {
		for _, at := range d.rng.Perm(len(d.pool)) {
			t := d.pool[at]
			if round > 1 {
				again := *t
				again.Name = fmt.Sprintf("%s_%d", t.Name, round)
				t = &again
			}
			if len(d.tools) < count && !names[t.Name] {
				d.tools, names[t.Name] = append(d.tools, t), true
			}
		}
	}
	d.rng.Shuffle(len(d.tools), func(i, j int) { d.tools[i], d.tools[j] = d.tools[j], d.tools[i] })
	for _, t := range d.tools {
		d.request.Tools = append(d.request.Tools, t.Tool)
	}
	d.checker = NewChecker(&d.request)
}

// begin enters the request as a schema of the corpus, once it is complete.
func (d *draw) begin(id string) error {
	grammar, err := d.request.Lark()
	d.schema = &datasets.Schema{ID: id, Group: fmt.Sprintf("%d tools", len(d.tools)), Text: d.request.JSON(), Grammar: grammar}
	return err
}

// conversation makes the request of a response of the corpus.
func (d *draw) conversation(c *conversation) error {
	for _, t := range c.tools {
		if err := tools.Supports(d.request.Format, t.Tool); err != nil {
			return fmt.Errorf("the response %s: %w", c.id, err)
		}
	}
	d.choose(c.tools)
	if d.request.Choice == tools.ChoiceOne {
		d.request.One = c.tools[0].Name
	}
	if err := d.begin(c.id); err != nil {
		return err
	}
	if c.raw != nil {
		return d.add(c.raw, c.what)
	}
	parts := c.parts
	if d.request.Reasoning && (len(parts) == 0 || parts[0].Reasoning == "") {
		parts = slices.Insert(slices.Clone(parts), 0, tools.Part{Reasoning: d.text()})
	}
	text, err := d.request.Write(parts)
	if err != nil {
		return fmt.Errorf("the response %s: %w", c.id, err)
	}
	return d.add(text, c.what)
}

// add enters a response, with the checker's verdict.
func (d *draw) add(response []byte, what string) error {
	v, err := d.checker.Check(response)
	if err != nil {
		return err
	}
	if !v.Valid() {
		what = v.Kind + ": " + v.Reason
	}
	d.docs = append(d.docs, datasets.Document{
		ID: fmt.Sprintf("%s#%d", d.schema.ID, len(d.docs)), Size: int64(len(response)), Negative: !v.Valid(), Schema: d.schema, Description: what,
		Read: func() ([]byte, error) { return slices.Clone(response), nil },
	})
	return nil
}

// drawn makes a request of drawn tools: a right response of each kind, and a wrong one of each
// kind.
func (d *draw) drawn(id string) error {
	d.choose(nil)
	if choice := d.request.Choice; choice == tools.ChoiceOne {
		d.request.Choice = tools.ChoiceAuto // until the tool is drawn
		one, err := d.call()
		if err != nil {
			return err
		}
		d.request.Choice, d.request.One = choice, one.Call
	}
	if err := d.begin(id); err != nil {
		return err
	}
	var first []tools.Part
	for kind := range rightOnes {
		parts, err := d.response(kind)
		if err != nil {
			return err
		}
		text, err := d.request.Write(parts)
		if err != nil {
			return err
		}
		if err := d.add(text, "drawn"); err != nil {
			return err
		}
		if kind == 0 {
			first = parts
		}
	}
	return d.spoil(first)
}

// call draws a call that the checker takes.
func (d *draw) call() (tools.Part, error) {
	for _, at := range d.rng.Perm(len(d.tools)) {
		t := d.tools[at]
		if d.request.One != "" && t.Name != d.request.One {
			continue
		}
		for _, i := range d.rng.Perm(len(t.calls)) {
			one := call{name: t.Name, arguments: t.calls[i]}
			if wrong, err := d.checker.call(&one); wrong == nil && err == nil {
				return tools.Part{Call: t.Name, Arguments: t.calls[i]}, nil
			}
		}
	}
	return tools.Part{}, fmt.Errorf("none of the %d tools of a request has a call that its schema takes; give some lines \"calls\"", len(d.tools))
}

// response draws a right response: with one call after a text, with a call alone, with two calls
// and texts around them, with a text alone; as far as the request allows these.
func (d *draw) response(kind int) (parts []tools.Part, err error) {
	r := &d.request
	if r.Reasoning {
		parts = append(parts, tools.Part{Reasoning: d.text()})
	}
	if kind == 3 && r.Choice == tools.ChoiceAuto {
		return append(parts, tools.Part{Text: d.text()}), nil
	}
	several := r.Parallel && r.Choice != tools.ChoiceOne
	around := several && r.Text == tools.TextAround
	if kind%2 == 0 && r.Choice == tools.ChoiceAuto && r.Text != tools.TextNone {
		parts = append(parts, tools.Part{Text: d.text() + "\n"})
	}
	calls := 1
	if kind > 1 && several {
		calls = 2
	}
	for i := range calls {
		if i > 0 && around && kind == 2 {
			parts = append(parts, tools.Part{Text: "\n" + d.text() + "\n"})
		}
		one, err := d.call()
		if err != nil {
			return nil, err
		}
		parts = append(parts, one)
	}
	if around && kind == 2 {
		parts = append(parts, tools.Part{Text: "\n" + d.text()})
	}
	return parts, nil
}

// text draws one of the embedded texts.
func (d *draw) text() string {
	all, err := samples.ReadFile("samples/texts.txt")
	if err != nil {
		panic(err) // embedded
	}
	list := strings.Split(strings.TrimSpace(string(all)), "\n\n")
	return list[d.rng.IntN(len(list))]
}

// spoil makes wrong responses of a right one. One that the checker takes all the same is left out.
func (d *draw) spoil(parts []tools.Part) error {
	at := slices.IndexFunc(parts, func(p tools.Part) bool { return p.Call != "" })
	with := func(change func(p *tools.Part)) []byte {
		list := slices.Clone(parts)
		change(&list[at])
		text, err := d.request.Write(list)
		if err != nil { // arguments that the format cannot write
			return nil
		}
		return text
	}
	right := with(func(*tools.Part) {})
	list := [][]byte{
		with(func(p *tools.Part) { p.Call = d.unknown(p.Call) }),
		with(func(p *tools.Part) { p.Arguments = []byte("{}") }),
		d.misplace(right),
		d.cut(right),
	}
	if wrong := d.tools[slices.IndexFunc(d.tools, func(t *sample) bool { return t.Name == parts[at].Call })].wrong; len(wrong) > 0 {
		list = append(list, with(func(p *tools.Part) { p.Arguments = wrong[d.rng.IntN(len(wrong))] }))
	}
	for _, text := range list {
		v, err := d.checker.Check(text)
		switch {
		case err != nil:
			return err
		case text == nil || v.Valid():
			continue
		}
		if err := d.add(text, ""); err != nil {
			return err
		}
	}
	return nil
}

// unknown is a name like another one, which no tool has.
func (d *draw) unknown(name string) string {
	for d.request.Tool(name) != nil {
		name += "x"
	}
	return name
}

// misplace puts a text behind the first arguments, inside of the call.
func (d *draw) misplace(response []byte) []byte {
	v, err := d.checker.Check(response)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(v.Spans, func(s Span) bool { return s.Class == Arguments })
	if i < 0 {
		return nil
	}
	return slices.Concat(response[:v.Spans[i].End], []byte(" and so on "), response[v.Spans[i].End:])
}

// cut ends a response somewhere behind the beginning of its first call.
func (d *draw) cut(response []byte) []byte {
	v, err := d.checker.Check(response)
	if err != nil || len(v.Spans) < 2 {
		return nil
	}
	i := slices.IndexFunc(v.Spans, func(s Span) bool { return s.Class == Name })
	if i < 1 {
		return nil
	}
	from := v.Spans[i-1].End
	at := from + d.rng.IntN(len(response)-from)
	for !utf8.RuneStart(response[at]) {
		at--
	}
	return bytes.Clone(response[:at])
}
