package tools

import (
	"bytes"
	"fmt"
	"strings"

	"gcdbench/internal/jsontext"
)

// A Part is a piece of a response: reasoning, a text, or a call. One of its fields is set.
type Part struct {
	Reasoning, Text string
	Call            string // the name of a tool
	Arguments       []byte // of a call, a JSON object
}

// Write spells a response in the format of the request. Between calls that follow one another there
// is what the format has there. It fails where the format has no way to write a part; whether the
// request allows the response is not its business, so that wrong ones can be written, too.
func (r *Request) Write(parts []Part) ([]byte, error) {
	w := writer{format: formatOf(r.Format), request: r}
	for i, p := range parts {
		var before, after Part
		if i > 0 {
			before = parts[i-1]
		}
		if i+1 < len(parts) {
			after = parts[i+1]
		}
		last := i+1 == len(parts)
		if err := w.part(before, p, after, last); err != nil {
			return nil, err
		}
		if w.messages && !last {
			w.out.WriteString(nextOne)
		}
	}
	return w.out.Bytes(), nil
}

// writer writes one response.
type writer struct {
	*format
	request *Request
	out     bytes.Buffer
}

// part writes a part, given those around it; last is whether there is none after it.
func (w *writer) part(before, p, after Part, last bool) error {
	switch {
	case p.Call != "":
		return w.call(before, p, after)
	case w.messages && p.Reasoning != "":
		w.out.WriteString(analysis + p.Reasoning + endOfText)
	case w.messages && last:
		w.out.WriteString(final + p.Text + endOfAll)
	case w.messages:
		w.out.WriteString(preamble + p.Text + endOfText)
	case p.Reasoning != "":
		w.out.WriteString(thinkBegin + p.Reasoning + thinkEnd + w.think)
	default:
		w.out.WriteString(p.Text)
	}
	return nil
}

// call writes a call, and the group around it where it is the first or the last of one.
func (w *writer) call(before, p, after Part) error {
	first := before.Call == "" || !w.many
	switch {
	case !first:
		w.out.WriteString(w.comma)
	case before.Call != "" && !w.messages:
		w.out.WriteString(w.between)
	}
	if first {
		w.out.WriteString(w.openers[0].trigger + w.openers[0].rest)
	}
	w.out.WriteString(w.head + p.Call + w.middle)
	if err := w.arguments(p); err != nil {
		return err
	}
	w.out.WriteString(w.end)
	if after.Call == "" || !w.many {
		w.out.WriteString(w.close)
	}
	return nil
}

// arguments writes the arguments of a call.
func (w *writer) arguments(p Part) error {
	v, err := jsontext.Parse(p.Call, p.Arguments)
	switch {
	case err != nil:
		return fmt.Errorf("the arguments of a call: %w", err)
	case v.Kind != jsontext.Object:
		return fmt.Errorf("the arguments of a call of %s are no object", p.Call)
	case !w.xml:
		w.out.Write(OneLine(p.Arguments))
		return nil
	}
	raw := map[string]bool{}
	if t := w.request.Tool(p.Call); t != nil {
		params, err := t.params(w.name)
		if err != nil {
			return err
		}
		for _, one := range params {
			raw[one.name] = one.raw
		}
	}
	for i, key := range v.Keys {
		x := v.Items[i]
		text := string(OneLine(p.Arguments[x.From:x.To]))
		if x.Kind == jsontext.String && raw[key] {
			text = x.Text
		}
		if strings.Contains(text, paramEnd) {
			return fmt.Errorf("the argument %q of a call of %s has the text that ends an argument in the format %s", key, p.Call, w.name)
		}
		w.out.WriteString(paramBegin + key + paramMiddle + text + paramEnd)
	}
	return nil
}
