package tools

import (
	"bytes"
	"encoding/json"
)

// StructuralTag is the language of responses as a structural tag of XGrammar, the JSON that its
// compile_structural_tag takes. It is built of the same formats as XGrammar's own functions for
// models (python/xgrammar/builtin_structural_tag.py of version 0.2.8), where these have the case.
func (r *Request) StructuralTag() ([]byte, error) {
	if err := r.inText("a structural tag"); err != nil {
		return nil, err
	}
	t := tagWriter{format: formatOf(r.Format), request: r}
	if err := t.tools(); err != nil {
		return nil, err
	}
	body := t.response()
	if t.format.messages {
		body = t.messages()
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(node{"type": "structural_tag", "format": t.reasoned(body)})
	return out.Bytes(), err
}

// A node is one format of a structural tag.
type node map[string]any

func constant(s string) node { return node{"type": "const_string", "value": s} }
func oneOf(list ...node) node {
	if len(list) == 1 {
		return list[0]
	}
	return node{"type": "or", "elements": list}
}
func sequence(list ...node) node { return node{"type": "sequence", "elements": list} }
func star(content node) node     { return node{"type": "star", "content": content} }
func tag(begin string, content node, end string) node {
	return node{"type": "tag", "begin": begin, "content": content, "end": end}
}
func anyText(excludes ...string) node {
	if len(excludes) == 0 {
		return node{"type": "any_text"}
	}
	return node{"type": "any_text", "excludes": excludes}
}

// separated is one tag or more with a separator between them; exactly one if single is set.
func separated(tags []node, separator string, single bool) node {
	return node{"type": "tags_with_separator", "tags": tags, "separator": separator, "at_least_one": true, "stop_after_first": single}
}

// tagWriter writes one request.
type tagWriter struct {
	*format
	request *Request
	groups  []node // a tag for each way in which a group of calls may begin, and each tool unless a group has many
}

// tools makes the groups.
func (t *tagWriter) tools() error {
	var calls []node
	for _, tool := range t.request.callable() {
		content := node{"type": "json_schema", "json_schema": json.RawMessage(tool.Parameters)}
		middle, end := t.middle, t.end
		if t.xml {
			if _, err := tool.params(t.name); err != nil {
				return err
			}
			content["style"] = "qwen_xml"
			end = "\n" + end
		}
		calls = append(calls, tag(t.head+tool.Name+middle, content, end))
	}
	for _, o := range t.openers {
		begin := o.trigger + o.rest
		if t.many {
			t.groups = append(t.groups, tag(begin, separated(calls, t.comma, t.request.single()), t.close))
			continue
		}
		for _, c := range calls {
			t.groups = append(t.groups, tag(begin+c["begin"].(string), c["content"].(node), c["end"].(string)+t.close))
		}
	}
	return nil
}

// triggered is text with groups among it.
func (t *tagWriter) triggered(atLeastOne, stopAfterFirst bool) node {
	return node{"type": "triggered_tags", "triggers": t.triggers(), "tags": t.groups, "at_least_one": atLeastOne, "stop_after_first": stopAfterFirst}
}

// response is a response of texts and groups of calls.
func (t *tagWriter) response() node {
	r := t.request
	several := !r.single() && !t.many // groups may follow one another
	list := separated(t.groups, t.between, !several)
	switch around := r.Text == TextAround && !r.single(); {
	case r.Choice == ChoiceOne:
		return oneOf(t.groups...)
	case r.Choice != ChoiceAuto && around:
		return t.triggered(true, false)
	case r.Choice != ChoiceAuto:
		return list
	case around:
		return t.triggered(false, false)
	case r.Text == TextNone:
		return oneOf(anyText(t.triggers()...), list)
	case several: // all groups after the first stand together
		return sequence(t.triggered(false, true), star(sequence(constant(t.between), oneOf(t.groups...))))
	}
	return t.triggered(false, true)
}

// reasoned puts reasoning first, if there is to be some.
func (t *tagWriter) reasoned(body node) node {
	switch {
	case !t.request.Reasoning:
		return body
	case t.format.messages:
		return sequence(tag(analysis, anyText(), endOfText), constant(nextOne), body)
	case t.think == "":
		return sequence(tag(thinkBegin, anyText(), thinkEnd), body)
	}
	return sequence(tag(thinkBegin, anyText(), thinkEnd), constant(t.think), body)
}

// messages is a response of messages.
func (t *tagWriter) messages() node {
	r, next := t.request, constant(nextOne)
	last, pre := tag(final, anyText(), endOfAll), tag(preamble, anyText(), endOfText)
	calls := separated(t.groups, nextOne, r.single())
	items := separated(append([]node{pre}, t.groups...), nextOne, false)
	andLast := node{"type": "optional", "content": sequence(next, last)}
	switch around := r.Text == TextAround && !r.single(); {
	case r.Choice != ChoiceAuto && around:
		return sequence(oneOf(t.groups...), star(sequence(next, oneOf(append([]node{pre}, t.groups...)...))), andLast)
	case r.Choice != ChoiceAuto:
		return calls
	case around:
		return oneOf(last, sequence(items, andLast))
	case r.Text == TextNone:
		return oneOf(last, calls)
	}
	return sequence(star(sequence(pre, next)), oneOf(last, calls))
}
