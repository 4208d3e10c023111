package config

import (
	"math"
	"slices"
)

// The shapes of a configuration, outermost last. This table is the definition
// of the format: the checker, the JSON Schema and the documentation of each key
// come from here.

// What a duration and a size look like, as regular expressions that Go and ECMAScript read alike:
// an editor that checks the file by the JSON Schema should say what Load says.
const (
	durationPattern = `^[0-9]+(\.[0-9]+)?(ms|s|m|h)([0-9]+(\.[0-9]+)?(ms|s|m))*$`
	sizePattern     = `^[0-9]+(\.[0-9]+)? ?(B|kB|MB|GB|KiB|MiB|GiB)$`
)

// duration is a positive time with a unit.
func duration() shape {
	return quantity("a duration such as 500ms, 10m or 1h30m", durationPattern, func(v string) error {
		_, err := ParseDuration(v)
		return err
	})
}

// size is a positive number of bytes with a unit.
func size() shape {
	return quantity("a size such as 512MiB, 8GiB or 100kB", sizePattern, func(v string) error {
		_, err := ParseSize(v)
		return err
	})
}

// algorithmShape is an entry of algorithms. Options are free here, since which there are is the
// algorithm's to say: build.go checks them by the name beside them.
var algorithmShape = either{
	text("an algorithm's name"),
	object{"an algorithm", []field{
		{"name", "The algorithm's name, as `gcdbench list algorithms` shows it.", true, text("an algorithm's name")},
		{"options", "Options of the algorithm.", false, table{"options (a mapping of names to values)", anyScalar("a single value")}},
		{"label", "How tables and plots call this entry.", false, text("a label")},
	}},
}

// cutShape is one size of a sweep.
var cutShape = either{integer(1, math.MaxInt32), word("all")}

// tokenizerShape is an entry of tokenizers: a plain name, or a mapping where there is more to say
// than a name holds.
var tokenizerShape = either{
	text("a tokenizer's name, name[:n] for its first n ids"),
	object{"a tokenizer", []field{
		{"name", "The tokenizer's name, as `gcdbench list tokenizers` shows it.", false, text("a tokenizer's name")},
		{"file", "Path of a tokenizer.json, relative to this file.", false, text("a path")},
		{"cut", "Vocabulary sizes of a sweep: each keeps the first n ids, and every single byte; `all` keeps every id.", false, either{cutShape, list{cutShape, 1}}},
		{"label", "How tables and plots call this vocabulary.", false, text("a label")},
	}},
}

// datasetShape is a workload's documents. That name and format exclude each other, and which keys
// go with which format, no shape says: see build.go and workloads.go.
var datasetShape = either{
	text("a corpus's name"),
	object{"a dataset", []field{
		{"name", "A corpus's name, as `gcdbench list datasets` shows it.", false, text("a corpus's name")},
		{"format", "How to read path: a glob of files, a directory, a zip, JSON lines with id and content, or Parquet as the Hugging Face hub has it; or, for the grammar `schema`, a corpus of JSON schemas: maskbench, schemas (a directory), jsonschemabench, json-schema-test-suite; or, for `tools`, tools (JSON lines of tools and responses, or MaskBench).", false, word(slices.Concat(DocumentFormats, SchemaFormats, []string{FormatTools})...)},
		{"path", "File, directory, or glob (format files; ** is any number of folders), relative to this file.", false, text("a path")},
		{"glob", "Which files of a folder or archive to take, such as **/*.java.", false, text("a glob such as **/*.java")},
		{"column", "Of format parquet: the column that has the texts; by default the first called content, text or code.", false, text("a column's name")},
		{"invalid", "Which of the files of formats dir and zip are negatives, documents with a known mistake, such as invalid/**.", false, text("a glob such as invalid/**")},
		{"limit", "Take at most this many documents, negatives not counted; of a schema corpus this many schemas, each with all of its instances.", false, integer(1, math.MaxInt32)},
		{"sample", "Choose the documents of limit at random by the seed: `random`; or take the `first` ones, the default.", false, word("first", "random")},
		{"min_bytes", "Leave out documents, or schemas, that are smaller.", false, either{integer(0, math.MaxInt64), size()}},
		{"max_bytes", "Leave out documents, or schemas, that are larger.", false, either{integer(1, math.MaxInt64), size()}},
		{"filter", "`parses` leaves out documents that the grammar refuses; `right`, of a corpus of schemas, leaves out schemas whose grammar does not judge all instances as they are labelled, or that lack valid or invalid ones; `none` keeps all, the default. Reports say how many were left out, and why.", false, word("none", FilterParses, FilterRight)},
		{"special", "What names of special tokens in a document are, if the grammar names these tokens: `text`, the default, or these tokens, at which the text is `split`.", false, word("text", "split")},
		{"negatives", "Documents with a known mistake, which limit does not count: `all`, the default, `none`, or at most this many; of a schema corpus this many for each schema.", false, either{integer(0, math.MaxInt32), word("all", "none")}},
	}},
}

// FormatTools is the format of corpora of tools, which package toolcalls reads.
const FormatTools = "tools"

// DocumentFormats are the formats of corpora whose documents are all of one
// grammar, SchemaFormats those of corpora that bring a JSON schema with their
// documents. Package datasets reads both.
var (
	DocumentFormats = []string{"files", "dir", "zip", "jsonl", "parquet"}
	SchemaFormats   = []string{"maskbench", "schemas", "jsonschemabench", "json-schema-test-suite"}
)

// What is published that a workload may say it is like: PublishedPrograms for workloads of one
// grammar, PublishedSchemas for those of JSON schemas. Package reports has the figures of each.
var (
	PublishedPrograms = []string{"greatgramma-go", "greatgramma-java", "greatgramma-python", "psc-java", "psc-go", "psc-sql"}
	PublishedSchemas  = []string{"psc-json-schema", "maskbench"}
)

// MaxTools is the most tools that a request may be drawn with.
const MaxTools = 100_000

// toolsShape is what tools says. Its words are the business of package tools.
var toolsShape = object{"a workload of requests with tools", []field{
	{"format", "How the model writes calls, as `gcdbench tools formats` lists: hermes, llama3.1 and so on.", true, text("a format's name")},
	{"choice", "`auto`, the default: text or calls; `required`: at least one call; `one`: a call of one tool, which is drawn.", false, text("auto, required or one")},
	{"parallel", "Whether a response may have several calls; true by default.", false, truth()},
	{"text", "Where text may stand in a response with calls: `around` them, the default, `before` the first, or `none`.", false, text("around, before or none")},
	{"reasoning", "Whether a response begins with reasoning; false by default.", false, truth()},
	{"markers", "What markers such as `<tool_call>` are: `text`, the default, for every engine; or `tokens`: those that the vocabulary has as tokens of their own, special or added, are these tokens, which engines from outside take no request with.", false, word(MarkersTokens, MarkersText)},
	{"count", "How many tools a request has. By default those that a response of the corpus comes with, or 8.", false, integer(1, MaxTools)},
	{"without", "Keywords of JSON Schema: tools whose parameters have one are not drawn. An engine that lacks a keyword takes no request that has it.", false, list{text("a keyword"), 1}},
	{"requests", "How many requests there are. By default one for each response of the corpus, or 20 where it has none.", false, integer(1, math.MaxInt32)},
}}

// workloadShape is an entry of workloads. The last five keys are for the grammar "schema" alone.
var workloadShape = object{"a workload", []field{
	{"name", "How tables and plots call this workload; the grammar's and the dataset's name by default.", false, text("a name")},
	{"grammar", "A grammar's name, as `gcdbench list grammars` shows it, or a .lark, .gbnf or .ebnf file relative to this file, or `schema` for a corpus of JSON schemas, each the grammar of its own instances. Either grammar or tools.", false, text("a grammar's name or a .lark file")},
	{"tools", "Requests with tools, in the place of a grammar: each brings the language of its own responses.", false, toolsShape},
	{"start", "The grammar's start rule, if it is not called start.", false, text("a rule's name")},
	{"lexer", "The grammar's lexer, as Lark calls it: `basic` reads every terminal everywhere, `contextual` those that the parser's state takes, `dynamic` cuts a text in every way that the rules allow; by default the one that the grammar asks for, and else `basic`.", false, word("basic", "contextual", "dynamic")},
	{"import_paths", "Folders, relative to this file, in which the imports of a .lark file are searched before its own folder.", false, list{text("a folder"), 1}},
	{"dataset", "The documents: a corpus's name, or where to find them.", true, datasetShape},
	{"published", "Which published figures stand beside this workload's in reports: those of a paper's experiment with the same language and kind of documents. Nothing is measured otherwise.", false, word(slices.Concat(PublishedPrograms, PublishedSchemas)...)},
	{"whitespace", "Where instances of a schema may have white space: `strict`, the default, is nowhere or one space after each comma and colon, `any` is wherever JSON allows it.", false, word("strict", "any")},
	{"order", "The order of keys in instances of a schema: `any`, the default, or as `declared`, which is what XGrammar and llguidance enforce: write that where engines of others are compared.", false, word("declared", "any")},
	{"lenient", "Whether to leave out keywords of a schema that are not supported, and so to accept too much, instead of not compiling it; false by default.", false, truth()},
	{"schemas", "A folder of other schemas, relative to this file, that those of the dataset may refer to: by their paths in it, and by their identifiers.", false, text("a folder")},
	{"schema_files", "Other schemas that those of the dataset may refer to: a path, relative to this file, for each URI.", false, table{"schema_files (a mapping of URIs to paths)", text("a path")}},
}}

// measureShape is measure. Upper bounds are far above what a run survives; they catch a size or a
// time put into the wrong key.
var measureShape = object{"measure", []field{
	{"warmup", "Passes over each sample between the first one, which is timed, and the ones timed again; 1 by default.", false, integer(0, 1000)},
	{"repeat", "Timed passes over each sample after the first; 3 by default.", false, integer(1, 1000)},
	{"compiles", "How often each algorithm compiles each grammar, and each JSON schema is compiled to a grammar. By default 5 times what takes less than 10 s, and once what takes longer, or is a JSON schema.", false, integer(1, 1000)},
	{"timeout", "Time for one compile, of a grammar or by an algorithm, and for one algorithm on one sample; 10m by default.", false, duration()},
	{"memory", "Heap that the algorithms of a workload may hold before one is stopped; half of the machine's memory by default.", false, size()},
	{"positions", "Ask naive for its mask only at about this many positions of each workload, spread over its samples by the seed; all by default. The others are asked at all positions, as in decoding.", false, integer(1, math.MaxInt32)},
	{"between", "What happens between two steps, outside of the clock: logits, the default, applies the mask to a row of logits as a decoder does; nothing goes on at once.", false, word(BetweenLogits, BetweenNothing)},
}}

// rootShape is the whole file.
var rootShape = object{"a configuration", []field{
	{"name", "Names the result and its default directory.", true, pattern("a name of at most 100 letters, digits, '.', '_' and '-'", `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)},
	{"seed", "Every random choice of a run derives from it; 1 by default.", false, integer(0, math.MaxInt64)},
	{"algorithms", "The algorithms to compare. The same one twice gives the noise floor.", true, list{algorithmShape, 1}},
	{"tokenizers", "The vocabularies to measure on.", true, list{tokenizerShape, 1}},
	{"workloads", "Grammars, each with its documents.", true, list{workloadShape, 1}},
	{"measure", "How to measure.", false, measureShape},
	{"throughput", "Batches of generations beside a model: tokens per second and latencies.", false, throughputShape},
	{"load", "Requests that arrive while others are served: what `gcdbench load` measures.", false, loadShape},
}}

// A Key is one that a configuration may have.
type Key struct {
	Path string // from the top, as in workloads.dataset.limit; lists are not marked
	Doc  string // one sentence, and what it is by default
}

// Keys lists the keys of configurations, each after the one that it is in.
func Keys() []Key { return keysIn(rootShape, "") }

// keysIn are the keys of the objects in a shape.
func keysIn(s shape, path string) (keys []Key) {
	switch s := s.(type) {
	case either:
		for _, one := range s {
			keys = append(keys, keysIn(one, path)...)
		}
	case list:
		return keysIn(s.of, path)
	case object:
		for _, f := range s.fields {
			keys = append(append(keys, Key{path + f.key, f.doc}), keysIn(f.shape, path+f.key+".")...)
		}
	}
	return keys
}
