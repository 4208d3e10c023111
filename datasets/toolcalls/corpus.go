package toolcalls

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gcdbench/datasets"
	"gcdbench/grammar/tools"
	"gcdbench/internal/jsontext"
)

// A corpus of tools is JSON Lines, compressed by gzip or not. A line is one of
//
//	{"name": ..., "description": ..., "parameters": {...}, "calls": [{...}], "wrong": [{...}]}
//	{"id": ..., "tools": [...], "response": [{"text": ...}, {"call": NAME, "arguments": {...}}]}
//	{"id": ..., "tools": [...], "format": ..., "text": ...}
//	{"id": ..., "group": ..., "schema": {...}, "tests": [{"valid": ..., "data": ...}]}
//
// The first is a tool with arguments that are right, and ones that are not. The second is a
// response that can be written in any format; {"reasoning": ...} may be the first part. The third
// is a response as a model wrote it, for the workloads of its format. Their tools are names of
// tools of the file, or tools in the form of package tools. The fourth is a record of MaskBench,
// whose schema is taken as the parameters of a tool, and its instances as arguments; a folder or
// archive of its files is read, too.
//
// Labels are the Checker's: a response is right or wrong under the request that it is an answer to.

// SamplesName is the name of the embedded corpus.
const SamplesName = "tools-samples"

// A Corpus has tools, and responses with calls of them.
type Corpus struct {
	info          datasets.Info
	tools         []*sample
	named         map[string]*sample
	conversations []*conversation
}

// A sample is a tool with arguments.
type sample struct {
	tools.Tool
	calls, wrong [][]byte
}

// A conversation is one response.
type conversation struct {
	id    string
	tools []*sample
	parts []tools.Part
	// raw is a response as it was written, in a format; nil if there are parts.
	raw    []byte
	format string
	what   string // a description
}

//go:embed samples
var samples embed.FS

// Open reads a corpus: the embedded one by its name, or a file or folder.
func Open(ctx context.Context, nameOrPath string) (*Corpus, error) {
	c := &Corpus{named: map[string]*sample{}, info: datasets.Info{Name: nameOrPath, Language: "tools", Where: nameOrPath,
		Description: "tools and calls given by the user"}}
	if nameOrPath == SamplesName {
		return c, c.readSamples()
	}
	info, err := os.Stat(nameOrPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file or folder; %s is the embedded corpus of tools", nameOrPath, SamplesName)
	case err != nil:
		return nil, err
	case info.IsDir() || strings.HasSuffix(nameOrPath, ".zip"):
		err = c.readMaskBench(ctx, nameOrPath)
	default:
		err = c.readFile(ctx, nameOrPath)
	}
	if err == nil && len(c.tools) == 0 {
		err = fmt.Errorf("%s: no line has a tool", nameOrPath)
	}
	return c, err
}

// Info describes the corpus.
func (c *Corpus) Info() datasets.Info { return c.info }

// readSamples reads the embedded corpus.
func (c *Corpus) readSamples() error {
	c.info.Where, c.info.Licence, c.info.Description = "embedded", "Apache-2.0", "tools and responses written for this project, right ones and wrong ones"
	for _, name := range []string{"samples/tools.jsonl", "samples/conversations.jsonl"} {
		text, err := samples.ReadFile(name)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			if err := c.line(name, i+1, line); err != nil {
				return err
			}
		}
	}
	return c.resolve()
}

// readFile reads JSON Lines.
func (c *Corpus) readFile(ctx context.Context, path string) error {
	left := int64(datasets.MaxCorpusBytes)
	err := datasets.EachLine(path, func(number int, text []byte) error {
		if left -= int64(len(text)); left < 0 {
			return fmt.Errorf("%s: the corpus is larger than the limit of %d bytes", path, datasets.MaxCorpusBytes)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.line(path, number, slices.Clone(text))
	})
	if err != nil {
		return err
	}
	return c.resolve()
}

// A record is a line of any kind.
type record struct {
	ID         json.RawMessage   `json:"id"`
	Name       string            `json:"name"`
	Parameters json.RawMessage   `json:"parameters"`
	Calls      []json.RawMessage `json:"calls"`
	Wrong      []json.RawMessage `json:"wrong"`
	Tools      []json.RawMessage `json:"tools"`
	Response   []part            `json:"response"`
	Format     string            `json:"format"`
	Text       *string           `json:"text"`
	Mistake    string            `json:"mistake"`
	Group      string            `json:"group"`
	Schema     json.RawMessage   `json:"schema"`
	Tests      []struct {
		Valid bool            `json:"valid"`
		Data  json.RawMessage `json:"data"`
	} `json:"tests"`
	Description string `json:"description"`
}

// A part is a piece of a response in a record.
type part struct {
	Text      string          `json:"text"`
	Reasoning string          `json:"reasoning"`
	Call      string          `json:"call"`
	Arguments json.RawMessage `json:"arguments"`
}

// line reads one line.
func (c *Corpus) line(file string, number int, text []byte) error {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return datasets.LineError(file, number, text, err)
	}
	var err error
	switch {
	case r.Schema != nil && r.Tests != nil:
		err = c.maskBench(&r)
	case r.Response != nil || r.Text != nil:
		err = c.conversation(&r, number)
	case r.Name != "":
		err = c.addTool(tools.Tool{Name: r.Name, Description: r.Description, Parameters: r.Parameters}, r.Calls, r.Wrong)
	default:
		err = errors.New(`the object is no tool ("name", "parameters"), no response ("tools", "response" or "text") and no record of MaskBench ("schema", "tests")`)
	}
	if err != nil {
		return fmt.Errorf("%s:%d:1: %w", file, number, err)
	}
	return nil
}

// addTool checks a tool and adds it. A name that was there is changed.
func (c *Corpus) addTool(t tools.Tool, calls, wrong []json.RawMessage) error {
	s, err := newSample(t, calls, wrong)
	if err != nil {
		return err
	}
	s.Name = c.freeName(s.Name)
	c.tools, c.named[s.Name] = append(c.tools, s), s
	return nil
}

// freeName is a name that no tool of the corpus has: the name, or the name with a number.
func (c *Corpus) freeName(name string) string {
	free := name
	for n := 2; c.named[free] != nil; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// newSample is a tool as package tools reads it, with arguments in the order of its schema.
func newSample(t tools.Tool, calls, wrong []json.RawMessage) (*sample, error) {
	if t.Parameters == nil {
		t.Parameters = []byte(`{"type": "object"}`)
	}
	one := tools.Request{Format: "hermes", Choice: tools.ChoiceAuto, Text: tools.TextAround, Tools: []tools.Tool{t}}
	r, err := tools.Read("the tool "+t.Name, one.JSON())
	if err != nil {
		return nil, err
	}
	s := &sample{Tool: r.Tools[0]}
	order := jsontext.DeclaredOrder(s.Parameters)
	for _, list := range []struct {
		from []json.RawMessage
		to   *[][]byte
	}{{calls, &s.calls}, {wrong, &s.wrong}} {
		for _, arguments := range list.from {
			if bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) { // others cannot be written as a call
				*list.to = append(*list.to, tools.OneLine(order.Sorted(arguments)))
			}
		}
	}
	return s, nil
}

// conversation adds a response; its tools are found once the file is read.
func (c *Corpus) conversation(r *record, number int) error {
	id := fmt.Sprintf("line %d", number)
	if r.ID != nil && json.Unmarshal(r.ID, &id) != nil {
		id = string(r.ID) // a number
	}
	one := &conversation{id: id, format: r.Format, what: r.Mistake}
	for _, p := range r.Response {
		one.parts = append(one.parts, tools.Part{Reasoning: p.Reasoning, Text: p.Text, Call: p.Call, Arguments: p.Arguments})
	}
	if r.Text != nil {
		if !slices.Contains(tools.Formats(), r.Format) {
			return fmt.Errorf(`a response with "text" needs its "format", one of %s; found %q`, strings.Join(tools.Formats(), ", "), r.Format)
		}
		one.raw = []byte(*r.Text)
	}
	for _, t := range r.Tools {
		s := &sample{}
		if json.Unmarshal(t, &s.Name) != nil { // a tool of its own
			q, err := tools.Read("tools", []byte(`{"tools": [`+string(t)+`]}`))
			if err != nil {
				return err
			}
			s.Tool = q.Tools[0]
		}
		one.tools = append(one.tools, s)
	}
	if len(one.tools) == 0 {
		return errors.New(`a response needs its "tools": names of tools of the file, or tools`)
	}
	c.conversations = append(c.conversations, one)
	return nil
}

// resolve finds the tools that responses name.
func (c *Corpus) resolve() error {
	for _, one := range c.conversations {
		for i, s := range one.tools {
			found := c.named[s.Name]
			switch {
			case s.Parameters != nil: // its own
				if found == nil {
					c.tools, c.named[s.Name] = append(c.tools, s), s
				}
			case found == nil:
				return fmt.Errorf("%s: the response %s names the tool %q, which no line has", c.info.Name, one.id, s.Name)
			default:
				one.tools[i] = found
			}
		}
	}
	return nil
}

// toolGroups are the groups of MaskBench whose schemas are of tools.
func toolGroups() []string { return []string{"", "BFCL", "Glaiveai2K", "MCPspec"} }

// maskBench adds a record of MaskBench, if it is of a tool. The schema of BFCL is an object with
// one property, the function.
func (c *Corpus) maskBench(r *record) error {
	if !slices.Contains(toolGroups(), r.Group) {
		return nil
	}
	var id string
	if err := json.Unmarshal(r.ID, &id); err != nil {
		return errors.New(`a record of MaskBench needs its "id"`)
	}
	var calls, wrong []json.RawMessage
	for _, t := range r.Tests {
		if t.Valid {
			calls = append(calls, t.Data)
		} else {
			wrong = append(wrong, t.Data)
		}
	}
	_, name, found := strings.Cut(id, "---")
	if !found {
		name = id
	}
	t := tools.Tool{Name: cleanName(name), Parameters: r.Schema}
	if r.Group == "BFCL" {
		t, calls, wrong = unwrapped(t, calls, wrong)
	}
	if c.addTool(t, calls, wrong) != nil {
		return nil // a schema that is true or false is no tool's
	}
	return nil
}

// cleanName is a name without the characters that the name of a tool cannot have.
func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, name)
}

// unwrapped is a function of BFCL, if that is what a schema is: its only property.
func unwrapped(t tools.Tool, calls, wrong []json.RawMessage) (tools.Tool, []json.RawMessage, []json.RawMessage) {
	v, err := jsontext.Parse(t.Name, t.Parameters)
	if err != nil || v.Get("properties") == nil || len(v.Get("properties").Keys) != 1 {
		return t, calls, wrong
	}
	name, inner := v.Get("properties").Keys[0], v.Get("properties").Items[0]
	inside := func(list []json.RawMessage) (out []json.RawMessage) {
		for _, instance := range list {
			var members map[string]json.RawMessage
			if json.Unmarshal(instance, &members) == nil && members[name] != nil {
				out = append(out, members[name])
			}
		}
		return out
	}
	return tools.Tool{Name: cleanName(name), Parameters: t.Parameters[inner.From:inner.To]}, inside(calls), inside(wrong)
}

// readMaskBench reads a folder or archive of MaskBench's files.
func (c *Corpus) readMaskBench(ctx context.Context, path string) error {
	src, err := datasets.Open("maskbench", path, "")
	if err != nil {
		return err
	}
	set, err := datasets.Load(ctx, src, datasets.Query{Negatives: -1})
	if err != nil {
		return err
	}
	for schema, of := range set.BySchema() {
		id, err := json.Marshal(schema.ID)
		if err != nil {
			return err
		}
		r := record{ID: id, Group: schema.Group, Schema: schema.Text}
		for _, s := range of {
			r.Tests = append(r.Tests, struct {
				Valid bool            `json:"valid"`
				Data  json.RawMessage `json:"data"`
			}{!s.Negative, s.Content})
		}
		if err := c.maskBench(&r); err != nil {
			return err
		}
	}
	return nil
}
