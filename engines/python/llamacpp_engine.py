"""llama.cpp's grammars as an engine of gcdbench: GBNF, a set of stacks, every token every time.

What it is. llama.cpp (through PyPI llama-cpp-python 0.3.36, MIT, source only: pip builds it with a
C++ compiler, in 7 minutes on one core if CMAKE_ARGS is "-DLLAVA_BUILD=OFF") constrains sampling by
a grammar in GBNF over characters. It keeps a set of parser stacks and, at each step, tries all
tokens on all of them; nothing is precomputed, so a compile takes milliseconds, and so does a mask.

What is called. llama_model_load_from_file with vocab_only, on a GGUF file that this adapter writes
from the vocabulary's bytes (a grammar sampler wants a model's vocabulary; no weights are in it);
json_schema_to_gbnf of llama-cpp-python at compile; llama_sampler_init_grammar, llama_sampler_clone
for a generation; llama_sampler_apply over |V| candidates in fill, whose logits become bits;
llama_sampler_accept in commit. That is MaskBench's adapter, except that it resets one sampler,
which reads the grammar again.

Options. MaskBench calls the converter without options, as we do: a blank or none between tokens of
JSON, required keys first, each kind in the order of the schema.

Traps. What the grammar does not take must never reach llama_sampler_accept: an exception of C++
(or, for EOS, an abort) ends the process. So commit asks first: the mask that it has, or the engine
with one candidate. The vocabulary's texts must differ: an id with bytes that an earlier one has is
unused there, and gets the bit of the other. A token that starts with byte 0 is never legal. All
EOS ids are one to us. Errors of a grammar go to the log, which is caught for the message. The
converter refuses what it does not know by exceptions of several kinds, and ignores some keywords;
it writes maxLength as nested brackets, and llama.cpp dies of a stack overflow on 20,000 of them.
"""

import ctypes
import struct
import tempfile
from importlib import metadata

import gcdbench_engine as g
import llama_cpp
import numpy as np
from delivery import write_flags, write_only
from llama_cpp.llama_grammar import json_schema_to_gbnf
from vocabularies import byte_level, firsts, ordinary, twins

NORMAL, CONTROL, UNUSED = 1, 3, 5  # kinds of tokens in a GGUF file
GGUF_U32, GGUF_I32, GGUF_STRING, GGUF_ARRAY = 4, 5, 8, 9  # and of its values
ERROR = 4  # llama.cpp's log level

said = []  # what llama.cpp logged as an error since the last look


@llama_cpp.llama_log_callback
def listen(level, text, _):
    if level == ERROR:
        said.append(text.decode("utf-8", "replace").strip())


llama_cpp.llama_log_set(listen, None)


def gguf(v, first):
    """Returns a GGUF file that has a byte-level vocabulary and nothing else."""
    texts, text = byte_level(v, first), ordinary(v)
    kinds = [
        NORMAL if token in text and first[token] == token else UNUSED for token in range(v.size)
    ]
    kinds[v.eos[0]] = CONTROL

    def string(text):
        data = text.encode()
        return struct.pack("<Q", len(data)) + data

    def array(kind, values):
        return struct.pack("<IQ", kind, len(values)) + b"".join(values)

    values = [
        ("general.architecture", GGUF_STRING, string("llama")),
        ("tokenizer.ggml.model", GGUF_STRING, string("gpt2")),
        ("tokenizer.ggml.pre", GGUF_STRING, string("default")),
        ("tokenizer.ggml.tokens", GGUF_ARRAY, array(GGUF_STRING, [string(text) for text in texts])),
        (
            "tokenizer.ggml.token_type",
            GGUF_ARRAY,
            array(GGUF_I32, [struct.pack("<i", k) for k in kinds]),
        ),
        ("tokenizer.ggml.merges", GGUF_ARRAY, array(GGUF_STRING, [])),
        ("tokenizer.ggml.eos_token_id", GGUF_U32, struct.pack("<I", v.eos[0])),
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(values))
    return head + b"".join(
        string(name) + struct.pack("<I", kind) + value for name, kind, value in values
    )


def load(data):
    """Returns llama.cpp's model of a GGUF file without weights."""
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    with tempfile.NamedTemporaryFile(suffix=".gguf") as f:
        f.write(data)
        f.flush()
        model = llama_cpp.llama_model_load_from_file(f.name.encode(), parameters)
    if not model:
        raise RuntimeError("llama.cpp does not read the vocabulary: " + heard())
    return model


def heard():
    """Returns what llama.cpp has logged, and forgets it."""
    text = "; ".join(said)
    said.clear()
    return text


class Candidates:
    """llama.cpp's array of candidates: id, logit and probability of each."""

    def __init__(self, ids):
        self.data = np.zeros(len(ids), [("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        self.data["id"] = ids
        self.logits = self.data["logit"]
        array = llama_cpp.llama_token_data_array
        at = self.data.ctypes.data_as(llama_cpp.llama_token_data_p)
        self.array = array(data=at, size=len(ids), selected=-1, sorted=False)
        self.pointer = ctypes.byref(self.array)

    def apply(self, sampler):
        """Sets the logit of each candidate that the sampler forbids to -inf, and of others to 0."""
        self.logits.fill(0)
        llama_cpp.llama_sampler_apply(sampler, self.pointer)


class Engine(g.Engine):
    name, version, licence = "llama.cpp", metadata.version("llama_cpp_python"), "MIT"
    takes = ["json-schema", "gbnf"]

    def vocabulary(self, v):
        self.eos, self.first = v.eos, firsts(v)
        self.twin, self.known = twins(self.first)
        self.model = load(gguf(v, self.first))
        self.all = Candidates(np.arange(v.size))
        self.one = Candidates([0])

    def empty_call(self):
        return llama_cpp.llama_max_devices

    def compile(self, kind, text, options):
        if kind == "json-schema":
            text = json_schema_to_gbnf(text)
        vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        said.clear()
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
        if not sampler:
            raise ValueError("llama.cpp refuses the grammar: " + heard())
        return Grammar(self, sampler, len(text))


class Grammar:
    def __init__(self, engine, sampler, length):
        self.engine, self.sampler, self.length = engine, sampler, length

    def __del__(self):
        llama_cpp.llama_sampler_free(self.sampler)

    def start(self):
        return Generation(self.engine, llama_cpp.llama_sampler_clone(self.sampler))

    def stats(self):
        return {"grammar": (self.length, "characters")}


class Generation:
    def __init__(self, engine, sampler, ended=False):
        self.engine, self.sampler, self.ended = engine, sampler, ended
        self.flags = None  # of the last mask, until the next token

    def __del__(self):
        llama_cpp.llama_sampler_free(self.sampler)

    def fill(self, row):
        if self.ended:
            return write_only(row, [])
        engine = self.engine
        engine.all.apply(self.sampler)
        self.flags = flags = engine.all.logits == 0
        if len(engine.twin):
            flags[engine.twin] = flags[engine.known]
        write_flags(row, flags)

    def takes(self, token):
        if self.flags is not None:
            return self.flags[token]
        one = self.engine.one
        one.data["id"] = token
        one.apply(self.sampler)
        return one.logits[0] == 0

    def commit(self, token):
        token = self.engine.first[token]
        if self.ended or not self.takes(token):
            return False
        if token == self.engine.eos[0]:
            self.ended = True
        else:
            llama_cpp.llama_sampler_accept(self.sampler, token)
        self.flags = None
        return True

    def clone(self):
        return Generation(self.engine, llama_cpp.llama_sampler_clone(self.sampler), self.ended)


if __name__ == "__main__":
    g.serve(Engine)
