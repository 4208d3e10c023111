package config

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gcdbench/harness/models"
	"gcdbench/internal/yamltext"
)

// The part of a configuration that is about throughput: batches of generations beside a model.

// Throughput says which batches to measure, and beside which models.
type Throughput struct {
	Batch   []int // numbers of generations that advance together, ascending
	Threads []int // that compute the masks of a batch, ascending
	// Masks are SerialMasks, OverlappedMasks or both.
	Masks []string
	// MaxTokens is how many tokens of each document are generated at most; 0 for all.
	MaxTokens int
	Models    []Model
	Pos       Position
}

// When the masks of a step are computed.
const (
	// SerialMasks begin when the model's step has ended.
	SerialMasks = "serial"
	// OverlappedMasks are computed while the model's step runs.
	OverlappedMasks = "overlapped"
)

// DefaultContext is how many tokens a roofline assumes in the cache of each sequence.
const DefaultContext = 512

// DefaultPrompt is how many tokens a roofline assumes in a request's prompt: ShareGPT's mean, which
// is 161.31 by figure 11 of Kwon et al., Efficient Memory Management for Large Language Model
// Serving with PagedAttention (SOSP 2023). With the mean answer, 337.99, it is 499.
const DefaultPrompt = 161

// Model is a model beside which a vocabulary's batches are shown.
type Model struct {
	Tokenizer string // the label of the vocabulary that is the model's
	Table     *models.Table
	Pos       Position
}

// modelShape is an entry of throughput.models.
var modelShape = object{"a model", []field{
	{"model", "Whose roofline to compute, by its name in harness/models/shapes.json.", false, text("a model's name")},
	{"device", "What runs it, by its name in harness/models/devices.json.", false, text("a device's name")},
	{"context", "Tokens in the cache of each sequence, its prompt among them; 512 by default, or as long as a longer prompt.", false, integer(0, 1<<20)},
	{"prompt", "Tokens of each request's prompt, whose reading is part of TTFT; 161 by default, the mean of ShareGPT's, or as long as a shorter context.", false, integer(1, 1<<20)},
	{"times", "A table of measured steps, as harness/models/measure.py writes it, relative to this file; instead of model, device, context and prompt.", false, text("a path")},
	{"tokenizer", "The label of the vocabulary of tokenizers that this model has.", true, text("a tokenizer's label")},
	{"label", "How tables and plots call this model.", false, text("a label")},
}}

// threadsShape is one number of threads.
var threadsShape = either{integer(1, 4096), word("all")}

// throughputShape is throughput.
var throughputShape = object{"throughput", []field{
	{"batch", "How many generations advance together; 1, 2, 4 and so on to 256 by default.", false, list{integer(1, 65536), 1}},
	{"threads", "How many threads compute the masks of a batch; 1 by default, `all` for the machine's cores.", false, list{threadsShape, 1}},
	{"masks", "When masks are computed: `serial` after the model's step, `overlapped` while it runs, as vLLM and SGLang do; both by default.", false, list{word(SerialMasks, OverlappedMasks), 1}},
	{"max_tokens", "Generate at most this many tokens of each document; all by default.", false, integer(2, 1<<30)},
	{"models", "The models whose decoding steps the masks go with.", true, list{modelShape, 1}},
}}

// throughput reads the section; nil if there is none.
func (b *builder) throughput(n *yaml.Node, cfg *Config) *Throughput {
	if n == nil {
		return nil
	}
	t := &Throughput{Masks: listed(member(n, "masks"), SerialMasks, OverlappedMasks), Threads: []int{1}, Pos: Position{n.Line, n.Column},
		MaxTokens: int(intOr(member(n, "max_tokens"), 0))}
	if at := member(n, "batch"); at != nil {
		t.Batch = b.ascending(at, "batch size")
	} else {
		for size := 1; size <= 256; size *= 2 {
			t.Batch = append(t.Batch, size)
		}
	}
	if at := member(n, "threads"); at != nil {
		t.Threads = b.ascending(at, "number of threads")
	}
	for _, m := range member(n, "models").Content {
		t.Models = append(t.Models, b.model(m, cfg, slices.Max(t.Batch)))
	}
	b.distinctModels(t.Models)
	b.distinct(member(n, "masks"))
	return t
}

// ascending reads whole numbers, each greater than the one before; "all" is the machine's cores,
// and is left out if they stand there already.
func (b *builder) ascending(n *yaml.Node, what string) (list []int) {
	for _, at := range n.Content {
		all := at.Value == "all"
		value := int(intOr(at, int64(runtime.NumCPU())))
		if len(list) > 0 && value <= list[len(list)-1] {
			if all {
				continue
			}
			b.errorf(at, "the %s %d stands behind %d: expected ascending numbers, each once", what, value, list[len(list)-1])
			continue
		}
		list = append(list, value)
	}
	return list
}

// model reads an entry of models, with its table.
func (b *builder) model(n *yaml.Node, cfg *Config, largest int) Model {
	m := Model{Pos: Position{n.Line, n.Column}}
	at := member(n, "tokenizer")
	m.Tokenizer = at.Value
	var known []string
	for _, t := range cfg.Tokenizers {
		known = append(known, t.Label)
	}
	if !slices.Contains(known, m.Tokenizer) {
		b.errorf(at, "%q is the label of no vocabulary under tokenizers%s; there are %s", yamltext.Clip(at.Value), didYouMean(at.Value, known), strings.Join(known, ", "))
	}
	if times := member(n, "times"); times != nil {
		m.Table = b.measuredTable(n, times, largest)
	} else {
		m.Table = b.roofline(n, largest)
	}
	if l := member(n, "label"); l != nil && m.Table != nil {
		m.Table.Model = l.Value
	}
	return m
}

// measuredTable loads a table; nil if it cannot be used.
func (b *builder) measuredTable(n, times *yaml.Node, largest int) *models.Table {
	for _, key := range []string{"model", "device", "context", "prompt"} {
		if other := member(n, key); other != nil {
			b.errorf(other, "%s goes with a roofline; times is a measured table, which has its own", key)
		}
	}
	before := len(b.errs)
	path := b.existing(times, "table")
	if len(b.errs) > before {
		return nil
	}
	table, err := models.Load(path)
	switch {
	case err != nil:
		b.errorf(times, "cannot use the table: %v", err)
		return nil
	case table.Largest() < largest:
		b.errorf(times, "the table ends at a batch of %d, and batch goes to %d: measure larger ones, or leave them out", table.Largest(), largest)
	}
	return table
}

// roofline computes a table; nil if its names are unknown.
func (b *builder) roofline(n *yaml.Node, largest int) *models.Table {
	model, device := member(n, "model"), member(n, "device")
	if model == nil || device == nil {
		b.errorf(n, "a model needs model and device, for a roofline, or times, for a measured table")
		return nil
	}
	shape, err := models.ShapeOf(model.Value)
	if err != nil {
		b.errorf(model, "%v", err)
	}
	on, wrong := models.DeviceOf(device.Value)
	if wrong != nil {
		b.errorf(device, "%v", wrong)
	}
	if err != nil || wrong != nil {
		return nil
	}
	context, prompt := b.lengths(n)
	return models.Roof(shape, on, context, prompt, largest)
}

// lengths are the tokens in each cache and in each prompt, which the cache holds.
func (b *builder) lengths(n *yaml.Node) (context, prompt int) {
	context, prompt = int(intOr(member(n, "context"), DefaultContext)), int(intOr(member(n, "prompt"), DefaultPrompt))
	switch {
	case prompt <= context:
	case member(n, "context") == nil:
		context = prompt
	case member(n, "prompt") == nil:
		prompt = context
	default:
		b.errorf(member(n, "prompt"), "a prompt of %d tokens is longer than the context of %d, which holds it", prompt, context)
	}
	return context, prompt
}

// distinctModels reports two models of one vocabulary that figures could not tell apart.
func (b *builder) distinctModels(list []Model) {
	seen := map[string]Position{}
	for _, m := range list {
		if m.Table == nil {
			continue
		}
		id := fmt.Sprintf("%s\x00%s\x00%s\x00%s", m.Tokenizer, m.Table.Model, m.Table.Device, m.Table.Kind)
		if first, twice := seen[id]; twice {
			b.errorf(&yaml.Node{Line: m.Pos.Line, Column: m.Pos.Column}, "%s on %s stands already at line %d column %d; give one of them another label",
				m.Table.Model, m.Table.Device, first.Line, first.Column)
		}
		seen[id] = m.Pos
	}
}
