package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/tokenizers"
)

// toolsIntro begins the page of formats.
const toolsIntro = `# How models write calls

One response in each format, token by token, in the vocabulary o200k_base, where no marker is a token. Made by walking through the
response with masks: ` + "`go test ./internal/cli -run ToolsPage -update`" + `. The request has the tools get_time and get_timer, and lets a model write texts and
calls in any order; [how requests are described](reference.md#requests-with-tools). Legal is how many of the 200,019 tokens the mask has
in which the first of its row stands; the last row is the end of the text.
`

// toolsPage is the page of formats.
func toolsPage(t *testing.T) string {
	tok, err := tokenizers.Load(t.Context(), "o200k_base", tokenizers.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(toolsIntro)
	for _, format := range tools.Formats() {
		models, source := tools.About(format)
		fmt.Fprintf(&b, "\n## %s\n\n%s; after %s.\n\n| part | tokens | legal |\n|---|---|---|\n", format, models, source)
		request := &tools.Request{Format: format, Choice: tools.ChoiceAuto, Text: tools.TextAround, Parallel: true, Tools: []tools.Tool{
			{Name: "get_time", Parameters: []byte(`{"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"], "additionalProperties": false}`)},
			{Name: "get_timer", Parameters: []byte(`{"type": "object"}`)},
		}}
		response, err := request.Write([]tools.Part{{Text: "I look."}, {Call: "get_time", Arguments: []byte(`{"zone": "CET"}`)}})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := toolcalls.NewChecker(request).Check(response); err != nil || !v.Valid() || v.Calls != 1 {
			t.Fatalf("%s: %+v, %v of %q", format, v, err, response)
		}
		toolsRows(t, &b, tok, request, response)
	}
	return b.String()
}

// toolsRows writes a row for each part of a response.
func toolsRows(t *testing.T, b *strings.Builder, tok *tokenizers.Tokenizer, request *tools.Request, response []byte) {
	g, err := request.Grammar(t.Context(), request.Format, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	trie, err := algorithms.Lookup("trie")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trie.Compile(t.Context(), &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tok.EncodeContinuation(response)
	if err != nil {
		t.Fatal(err)
	}
	spans, state, at, row := toolcalls.Classify(request, response), engine.Start(), 0, 0
	var words []string
	for _, id := range ids {
		mask, token := state.Mask(), tok.Vocabulary().Token(int(id))
		if len(words) == 0 {
			row = mask.Count()
		}
		if !mask.Has(int(id)) || state.Commit(int(id)) != nil {
			t.Fatalf("%s: token %q is masked", request.Format, token)
		}
		shown := strconv.Quote(string(token))
		words = append(words, "`"+strings.ReplaceAll(strings.ReplaceAll(shown[1:len(shown)-1], `\"`, `"`), "|", `\|`)+"`")
		class := spans[0].Class
		for at += len(token); len(spans) > 0 && spans[0].End <= at; {
			spans = spans[1:]
		}
		if len(spans) == 0 || spans[0].Class != class {
			fmt.Fprintf(b, "| %s | %s | %d |\n", class, strings.Join(words, " "), row)
			words = nil
		}
	}
	if last := state.Mask(); last.Has(tok.Vocabulary().EOS()[0]) {
		fmt.Fprintf(b, "| the end | | %d |\n", last.Count())
	}
}

// TestToolsPage: docs/tools.md is what masks say today.
func TestToolsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "tools.md")
	want := toolsPage(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("docs/tools.md is not what masks say today: %v; run: go test ./internal/cli -run ToolsPage -update", err)
	}
}
