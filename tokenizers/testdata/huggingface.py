"""Trains small tokenizers of every kind with Hugging Face's tokenizers, and encodes texts with them.

Standard input: {"dir": FOLDER, "texts": [...]}. Standard output: a JSON object a line, first the version of the
module, then {"name", "ids"} for each tokenizer, whose file is FOLDER/NAME.json; ids has a list for each text.
"""
import json
import os
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SPECIALS = ["<unk>", "</s>", "<|im_start|>"]
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
WORDS = (
    "the cat sat on a mat and then it went away again, they'll say; naïve café über Straße İstanbul ΣΑΣ ﬁne 12345 67 "
    "x=1;y=2 if(a){b();} [1, 2.5, -3e8] hello world HELLO World 日本語 中文字 한국어 русский язык العربية नमस्ते 😀 👩‍👩‍👧 don't"
)
LINES = [" ".join(WORDS.split()[i:] + WORDS.split()[:i]) for i in range(0, 40)] + ["\n\n  if x:\n\t\ty = 2\r\n"] * 5


def byte_level(pre=None, normalizer=None, **options):
    t = Tokenizer(models.BPE(**options))
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pre is None)
    t.pre_tokenizer = last if pre is None else pre_tokenizers.Sequence(pre + [last])
    t.normalizer = normalizer
    t.decoder = decoders.ByteLevel()
    return t, trainers.BpeTrainer(
        vocab_size=500, max_token_length=40, special_tokens=SPECIALS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def sentence_piece(scheme):
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if scheme is None:
        t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        t.pre_tokenizer = None
    else:
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = SPECIALS + ["<0x%02X>" % b for b in range(256)]
    return t, trainers.BpeTrainer(vocab_size=700, max_token_length=40, special_tokens=special, show_progress=False)


def bert(**options):
    t = Tokenizer(models.WordPiece(unk_token="<unk>", max_input_chars_per_word=12))
    t.normalizer = normalizers.BertNormalizer(**options)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    return t, trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIALS, show_progress=False)


def unigram(pre, normalizer=None):
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer = normalizer, pre
    return t, trainers.UnigramTrainer(vocab_size=250, special_tokens=SPECIALS, unk_token="<unk>", show_progress=False)


def word_level(pre, normalizer=None):
    t = Tokenizer(models.WordLevel(unk_token="<unk>"))
    t.normalizer, t.pre_tokenizer = normalizer, pre
    return t, trainers.WordLevelTrainer(vocab_size=90, special_tokens=SPECIALS, show_progress=False)


def bpe_of_words(pre, normalizer):
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.normalizer, t.pre_tokenizer = normalizer, pre
    return t, trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIALS, show_progress=False)


N, P = normalizers, pre_tokenizers
TOOLS = [AddedToken("<tool_call>", normalized=False), AddedToken("<think>", normalized=True)]
RUNS = [AddedToken(" " * n, normalized=True) for n in range(2, 9)]
ODD = [
    AddedToken("<left>", lstrip=True, normalized=False),
    AddedToken("<right>", rstrip=True, normalized=False),
    AddedToken("cat", single_word=True, normalized=False),
    AddedToken("café", normalized=True),
    AddedToken("atm", normalized=False),
]

ALL = {
    "gpt2": (byte_level, {}, []),
    "qwen": (byte_level, {"pre": [split(QWEN)], "normalizer": N.NFC()}, TOOLS),
    "pythia": (byte_level, {"normalizer": N.NFC()}, RUNS + TOOLS),
    "ignore-merges": (byte_level, {"pre": [split(QWEN)], "ignore_merges": True}, ODD),
    "deepseek": (byte_level, {"pre": [split(r"\p{N}{1,3}"), split(r"[一-龥]+"), split(QWEN)]}, ODD + TOOLS),
    "digits": (byte_level, {"pre": [P.Digits(individual_digits=True)]}, RUNS),
    "removed": (byte_level, {"pre": [split(r"[ ,]+", "removed"), P.Punctuation("contiguous")], "normalizer": N.NFKD()}, []),
    "with-next": (byte_level, {"pre": [split(r"\s", "merged_with_next"), split("[a-e]", "merged_with_previous")]}, TOOLS),
    "llama2": (sentence_piece, {"scheme": None}, ODD),
    "gemma": (sentence_piece, {"scheme": "never"}, RUNS),
    "mistral": (sentence_piece, {"scheme": "first"}, TOOLS),
    "bert": (bert, {"lowercase": True}, ODD),
    "bert-cased": (bert, {"lowercase": False, "strip_accents": False, "handle_chinese_chars": False}, TOOLS),
    "bert-accents": (bert, {"lowercase": False, "strip_accents": True, "clean_text": False}, []),
    "t5": (unigram, {"pre": P.Sequence([P.WhitespaceSplit(), P.Metaspace(prepend_scheme="always")])}, TOOLS),
    "unigram-nfkc": (unigram, {"pre": P.Metaspace(), "normalizer": N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")])}, ODD),
    "word-level": (word_level, {"pre": P.Whitespace(), "normalizer": N.Lowercase()}, ODD),
    "word-level-delimiter": (word_level, {"pre": P.CharDelimiterSplit(" "), "normalizer": N.Strip()}, []),
    "accents": (bpe_of_words, {"pre": P.Whitespace(), "normalizer": N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase()])}, ODD),
    "contiguous": (bpe_of_words, {"pre": split(r"\w+", "contiguous", True), "normalizer": N.Strip(left=False)}, TOOLS),
}


def save(t, path):
    """Writes a tokenizer. The trainer takes the tokens of bytes for special ones; in models they are not."""
    file = json.loads(t.to_str())
    file["added_tokens"] = [a for a in file["added_tokens"] if not a["content"].startswith("<0x")]
    with open(path, "w") as out:
        json.dump(file, out)


def main():
    asked = json.load(sys.stdin)
    print(json.dumps(tokenizers.__version__), flush=True)
    for name, (make, options, more) in ALL.items():
        t, trainer = make(**options)
        t.train_from_iterator(LINES, trainer)
        t.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in SPECIALS])
        t.add_tokens(more)
        path = os.path.join(asked["dir"], name + ".json")
        save(t, path)
        t = Tokenizer.from_file(path)
        ids = [t.encode(text, add_special_tokens=False).ids for text in asked["texts"]]
        print(json.dumps({"name": name, "ids": ids}), flush=True)


main()
