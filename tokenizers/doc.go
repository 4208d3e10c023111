// Package tokenizers turns text into the ids that an LLM emits, and ids into exact bytes.
//
// # What is here
//
// A Vocabulary is what masks are about: ids with their bytes, which of them may be in a mask
// (Legal), and which end a text (EOS). Its Trie is the flat prefix tree that algorithms walk. A
// Tokenizer encodes corpus text into ids of its vocabulary, which become the oracle tokens of a
// run. Load gets one ready by name, or from a tokenizer.json.
//
//	tiktoken.go                        encodings embedded in the program
//	acquire.go npm.go hub.go store.go  fetching, and the cache on disk
//	jsonscan.go tokenizerjson.go       reading a tokenizer.json; llamajs.go reads Llama 2's odd package
//	definition.go tokenbytes.go        the bytes and the kind of each id
//	cachefile.go                       the parsed form that is loaded in milliseconds
//	tokenizer.go                       the way of a text: added.go, normalize.go, pretokenize.go, split.go
//	bpe.go cutter.go piececache.go     byte-pair encoding
//	cut.go                             a vocabulary's first n ids
//	words.go                           other models: WordPiece, WordLevel, Unigram
//	naming.go                          the vocabulary of a grammar that names tokens
//
// # What is legal
//
// A mask may hold ids that are text. Control tokens (BOS, EOS, chat markup), ids without bytes
// and padding are never legal by their bytes. Tokens that were added after a model's own
// vocabulary without being special, like Qwen's <tool_call> or runs of spaces, are text: their
// content is their bytes, and texts are split at them before the model sees them. So are added
// tokens that the model's vocabulary has as well: Gemma's file lists every run of line breaks,
// tabs and spaces and many HTML tags so, and 6,242 <unusedN>, which nothing in the file tells
// apart from <table>.
//
// Text that reads like a control token is encoded as the text it is: Encode never gives an id
// that is not legal. EncodeSpecial reads control tokens. A grammar may name a token; Naming makes
// the vocabulary and the tokenizer that it has then.
//
// # Exactness
//
// Ids equal those of the tokenizers' own implementations; tests compare them with recorded
// ids of 259 texts for six of them. The bytes of these ids may differ from the text.
// Llama 2 and Mistral put a space in front of every text, Qwen composes characters (Unicode
// NFC). Where ids stand for what a model emits in the middle of a generation,
// EncodeContinuation gives ids whose bytes are exactly the text, or an error.
//
// # Bounds
//
// 4 Mi ids, 255 bytes per legal token, 16 Mi bytes of tokens, files of 256 MiB. Encoding is
// linear in the text but for pieces that a split pattern and the cutter leave whole, which cost
// n log n. Everything loaded is immutable and may be shared between goroutines.
package tokenizers
