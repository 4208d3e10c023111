package harness

import (
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/tools"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/tokenizers"
)

// Responses to requests with tools: the cost of a mask depends on the part of the response, a text
// or the arguments of a call, so samples record the part of each token.

// requestOf is a request without tools by the options of a workload.
func requestOf(t *config.ToolsOptions) tools.Request {
	return tools.Request{Format: t.Format, Choice: t.Choice, Parallel: t.Parallel, Text: t.Text, Reasoning: t.Reasoning}
}

// markers is a request of a workload with the markers that are tokens of a vocabulary.
func (w *loadedWorkload) markers(t *loadedTokenizer) *tools.Request {
	r := requestOf(w.Tools)
	if w.Tools.Markers == config.MarkersTokens {
		r.Markers = t.Vocabulary().Added(tools.Markers(r.Format))
	}
	return &r
}

// asTokens gives the requests and responses of the group the markers that are tokens.
func (g *prepared) asTokens() error {
	if len(g.markers) == 0 {
		return nil
	}
	for _, u := range g.units {
		r, err := tools.Read(u.id, u.schema.Text)
		if err != nil {
			return err
		}
		r.Markers = g.markers
		again := *u.schema
		if again.Grammar, err = r.Lark(); err != nil {
			return err
		}
		again.Text, u.schema = r.JSON(), &again
		for _, s := range u.documents {
			s.content = toolcalls.Tokens(r, s.content, !s.negative)
			s.bytes = len(s.content)
		}
	}
	return nil
}

// toolsOptions are the options in the form that results record.
func toolsOptions(o *config.ToolsOptions, markers []string) *cell.ToolsOptions {
	if o == nil {
		return nil
	}
	return &cell.ToolsOptions{Markers: markers, Format: o.Format, Choice: o.Choice, Text: o.Text, Parallel: o.Parallel, Reasoning: o.Reasoning, Count: o.Count, Without: o.Without}
}

// classify sets the parts of the documents of a request, once their tokens are there.
func (g *prepared) classify(u *unit) error {
	if u.schema == nil || u.schema.Grammar == nil {
		return nil
	}
	r, err := tools.Read(u.id, u.schema.Text)
	if err != nil {
		return err
	}
	for _, s := range u.documents {
		s.parts = partsOf(g.tokenizer.Vocabulary(), s.tokens, toolcalls.Classify(r, s.content))
	}
	return nil
}

// partsOf are the classes of tokens in runs; EOS is in none.
func partsOf(v *tokenizers.Vocabulary, tokens []int32, spans []toolcalls.Span) (parts []cell.SamplePart) {
	offset, at := 0, 0
	for _, id := range tokens[:len(tokens)-1] {
		for at < len(spans)-1 && spans[at].End <= offset {
			at++
		}
		class := string(spans[at].Class)
		if n := len(parts); n > 0 && parts[n-1].Class == class {
			parts[n-1].Tokens++
		} else {
			parts = append(parts, cell.SamplePart{Class: class, Tokens: 1})
		}
		offset += len(v.Token(int(id)))
	}
	return parts
}
