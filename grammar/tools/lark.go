package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/lark"
)

// Lark is the language of responses for package lark.
func (r *Request) Lark() ([]byte, error) {
	return r.lark(&larkDialect{
		header: "%lexer contextual\n",
		until: func(w *larkWriter, trigger string, others []string) string {
			others = w.texts(others)
			switch {
			case w.isToken(trigger):
				return w.free(w, others, true) + " " + w.lit(trigger)
			case len(others) > 0:
				return "%until " + alternatives([]string{trigger}) + " %before " + alternatives(others)
			}
			return "%until " + alternatives([]string{trigger})
		},
		free: func(w *larkWriter, triggers []string, _ bool) string {
			if triggers = w.texts(triggers); len(triggers) > 0 {
				return "(%without " + alternatives(triggers) + ")?"
			}
			return w.once("TEXT", "", ": /(.|\\n)+/") + "?"
		},
	})
}

// Names are the special tokens that the grammar of Lark names, as in a rule: those of the markers
// that the request can come to.
func (r *Request) Names() ([]string, error) {
	if len(r.Markers) == 0 {
		return nil, nil
	}
	one := *r // tools have no markers
	one.One, one.Tools = "one", []Tool{{Name: "one", Parameters: []byte(`{"type": "object"}`)}}
	g, err := one.Grammar(context.Background(), "markers", nil)
	if err != nil {
		return nil, err
	}
	return g.SpecialTokens(), nil
}

// Name is how a rule names the token that is a marker.
func Name(marker string) string {
	if strings.HasPrefix(marker, "<") {
		return marker
	}
	return "<" + marker + ">"
}

// Marker is the marker that a rule names so.
func Marker(name string) string {
	if strings.HasPrefix(name, "<[") {
		return name[1 : len(name)-1]
	}
	return name
}

// inText refuses a request whose markers are tokens, in a language where they are text.
func (r *Request) inText(language string) error {
	if len(r.Markers) == 0 {
		return nil
	}
	return fmt.Errorf("unsupported: %s is written with markers as text, and the request has %s as tokens", language, strings.Join(r.Markers, " "))
}

// LLGuidance is the language of responses in llguidance's Lark, as its documentation writes calls
// among text: a lazy terminal that ends with the trigger (docs/syntax.md of
// github.com/guidance-ai/llguidance, "Tool calling").
func (r *Request) LLGuidance() ([]byte, error) {
	if err := r.inText("llguidance's Lark"); err != nil {
		return nil, err
	}
	return r.lark(&larkDialect{
		header: "%llguidance {}\n",
		footer: "TEXT: /(.|\\n)*/\n",
		until: func(w *larkWriter, trigger string, _ []string) string {
			return w.once("until", trigger, "[lazy]: TEXT "+strconv.Quote(trigger))
		},
		free: func(w *larkWriter, triggers []string, alone bool) string {
			if !alone { // a trigger ends the lazy terminal beside it, and TEXT with it
				return "TEXT"
			}
			fmt.Fprintf(&w.out, "TRIGGERED: TEXT %s TEXT\nUNTRIGGERED: TEXT & ~TRIGGERED\n", alternatives(triggers))
			return "UNTRIGGERED"
		},
	})
}

// Grammar is the language of responses as a grammar, called name.
func (r *Request) Grammar(ctx context.Context, name string, kept *jsonschema.Kept) (*grammar.Grammar, error) {
	text, err := r.Lark()
	if err != nil {
		return nil, err
	}
	return ParseLark(ctx, name, text, kept)
}

// ParseLark reads what Request.Lark wrote. A request is written before a clock begins, and read
// after. kept has what requests have in common; it may be nil.
func ParseLark(ctx context.Context, name string, text []byte, kept *jsonschema.Kept) (*grammar.Grammar, error) {
	return lark.Parse(text, lark.Options{File: name + ".lark", Name: name, Context: ctx, Kept: kept})
}

// A larkDialect is how a dialect of Lark writes text: the shortest that ends with a trigger and has
// none of the others, and one without triggers.
type larkDialect struct {
	header, footer string
	until          func(w *larkWriter, trigger string, others []string) string
	free           func(w *larkWriter, triggers []string, alone bool) string
}

// alternatives are literals of which one is meant.
func alternatives(list []string) string {
	literals := make([]string, len(list))
	for i, s := range list {
		literals[i] = strconv.Quote(s)
	}
	return "(" + strings.Join(literals, " | ") + ")"
}

// larkWriter writes the rules of one request.
type larkWriter struct {
	*larkDialect
	format  *format
	request *Request
	out     strings.Builder
	named   map[string]string // rules that are written once
}

// rule writes a rule.
func (w *larkWriter) rule(name string, body ...string) {
	fmt.Fprintf(&w.out, "%s: %s\n", name, sequenceOf(body...))
}

// once writes a rule for a key unless there is one, and is its name.
func (w *larkWriter) once(prefix, key, body string) string {
	name, there := w.named[prefix+key]
	if !there {
		name = fmt.Sprintf("%s_%d", prefix, len(w.named))
		w.named[prefix+key] = name
		fmt.Fprintf(&w.out, "%s%s\n", name, body)
	}
	return name
}

// sequenceOf is an expansion of parts, some of which may be empty.
func sequenceOf(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// repeated is an item with others after it, each behind a separator.
func repeated(separator, item string) string {
	return item + " (" + sequenceOf(separator, item) + ")*"
}

// isToken tells whether a text is a marker that is a token.
func (w *larkWriter) isToken(s string) bool { return slices.Contains(w.request.Markers, s) }

// texts are those of some markers that are text.
func (w *larkWriter) texts(markers []string) []string {
	return slices.DeleteFunc(slices.Clone(markers), w.isToken)
}

// lit is a literal, or nothing for an empty text. Markers in it that are tokens are named.
func (w *larkWriter) lit(s string) string {
	first, marker := len(s), ""
	for _, m := range w.request.Markers {
		if at := strings.Index(s, m); at >= 0 && at < first {
			first, marker = at, m
		}
	}
	switch {
	case s == "":
		return ""
	case marker == "":
		return strconv.Quote(s)
	}
	return sequenceOf(w.lit(s[:first]), Name(marker), w.lit(s[first+len(marker):]))
}

// lark writes a request in a dialect.
func (r *Request) lark(d *larkDialect) ([]byte, error) {
	w := &larkWriter{larkDialect: d, format: formatOf(r.Format), request: r, named: map[string]string{}}
	w.out.WriteString(d.header)
	var body string
	var err error
	if w.format.messages {
		body, err = w.messages()
	} else {
		body, err = w.response()
	}
	if err != nil {
		return nil, err
	}
	w.rule("start", body)
	w.out.WriteString(d.footer)
	return []byte(w.out.String()), nil
}

// response is the expansion of a response of texts and groups of calls.
func (w *larkWriter) response() (string, error) {
	if err := w.calls(); err != nil {
		return "", err
	}
	body := w.parts()
	if !w.request.Reasoning {
		return body, nil
	}
	w.rule("response", body)
	return sequenceOf(w.lit(thinkBegin), w.until(w, thinkEnd, nil), w.lit(w.format.think), "response"), nil
}

// parts is the expansion of texts and groups.
func (w *larkWriter) parts() string {
	f, r := w.format, w.request
	list := "group"
	several := !r.single() && !f.many // groups may follow one another
	if several {
		list = repeated(w.lit(f.between), "group")
	}
	switch around := r.Text == TextAround && !r.single(); {
	case r.Choice != ChoiceAuto && !around:
		return list
	case r.Choice == ChoiceAuto && r.Text == TextNone:
		return w.free(w, f.triggers(), true) + " | " + list
	case r.Choice != ChoiceAuto:
		w.groupAfterText()
		return "group part* " + w.free(w, f.triggers(), false)
	case around:
		w.groupAfterText()
		return "part* " + w.free(w, f.triggers(), false)
	}
	w.groupAfterText()
	if several {
		return w.free(w, f.triggers(), false) + " | part (" + sequenceOf(w.lit(f.between), "group") + ")*"
	}
	return w.free(w, f.triggers(), false) + " | part"
}

// groupAfterText writes the rule part: a text that ends with a trigger, and the group of calls that
// it begins.
func (w *larkWriter) groupAfterText() {
	var ways []string
	for i, o := range w.format.openers {
		var others []string
		for j, other := range w.format.openers {
			if i != j {
				others = append(others, other.trigger)
			}
		}
		ways = append(ways, sequenceOf(w.until(w, o.trigger, others), w.lit(o.rest), "calls"))
	}
	w.rule("part", strings.Join(ways, " | "))
}

// calls writes the rules group, a group with its opener, and calls, a group after it.
func (w *larkWriter) calls() error {
	f := w.format
	var ways []string
	for _, o := range f.openers {
		ways = append(ways, w.lit(o.trigger+o.rest)+" calls")
	}
	if err := w.call(); err != nil {
		return err
	}
	body := "call"
	if f.many && !w.request.single() {
		body = repeated(w.lit(f.comma), "call")
	}
	w.rule("calls", body, w.lit(f.close))
	w.rule("group", strings.Join(ways, " | "))
	return nil
}

// call writes the rule of a call after its opener: a choice among the tools. What follows a name is
// in one literal with it, so that no name is the beginning of another.
func (w *larkWriter) call() error {
	f := w.format
	var ways []string
	for _, t := range w.request.callable() {
		arguments, err := w.arguments(&t)
		if err != nil {
			return err
		}
		ways = append(ways, sequenceOf(w.lit(t.Name+f.middle), arguments))
	}
	w.rule("choice", strings.Join(ways, "\n    | "))
	w.rule("call", w.lit(f.head), "choice", w.lit(f.end))
	return nil
}

// arguments is the expansion of a tool's arguments.
func (w *larkWriter) arguments(t *Tool) (string, error) {
	if !w.format.xml {
		return "%json " + string(t.Parameters), nil
	}
	params, err := t.params(w.format.name)
	if err != nil {
		return "", err
	}
	var list []string
	for _, p := range params {
		one := w.param(&p)
		if !p.required {
			one = "(" + one + ")?"
		}
		list = append(list, one)
	}
	return sequenceOf(list...), nil
}

// param is the expansion of a parameter.
func (w *larkWriter) param(p *param) string {
	begin := w.lit(paramBegin + p.name + paramMiddle)
	switch {
	case p.raw && p.values == nil:
		return begin + " " + w.until(w, paramEnd, nil)
	case p.raw:
		ends := make([]string, len(p.values))
		for i, v := range p.values {
			ends[i] = v + paramEnd
		}
		return begin + " " + alternatives(ends)
	}
	return begin + " %json " + string(p.schema) + " " + w.lit(paramEnd)
}

// messages is the expansion of a response of messages.
func (w *larkWriter) messages() (string, error) {
	r := w.request
	if err := w.calls(); err != nil {
		return "", err
	}
	next := w.lit(nextOne)
	calls := "group"
	if !r.single() {
		calls = repeated(next, "group")
	}
	andFinal := fmt.Sprintf("(%s final)?", next)
	around := r.Text == TextAround && !r.single()
	if around {
		w.rule("item", "pre | group")
	}
	if around || r.Choice == ChoiceAuto && r.Text != TextNone {
		w.rule("pre", w.lit(preamble), w.until(w, endOfText, nil))
	}
	if around || r.Choice == ChoiceAuto {
		w.rule("final", w.lit(final), w.until(w, endOfAll, nil))
	}
	var body string
	switch {
	case r.Choice != ChoiceAuto && around:
		body = fmt.Sprintf("group (%s item)* %s", next, andFinal)
	case r.Choice != ChoiceAuto:
		body = calls
	case around:
		body = "final | " + repeated(next, "item") + " " + andFinal
	case r.Text == TextNone:
		body = "final | " + calls
	default:
		body = fmt.Sprintf("(pre %s)* (final | %s)", next, calls)
	}
	if !r.Reasoning {
		return body, nil
	}
	w.rule("response", body)
	return sequenceOf(w.lit(analysis), w.until(w, endOfText, nil), next, "response"), nil
}
