"""Runs a translated grammar in the engine that its dialect is for.

Standard input is one JSON object: {"dialect", "text", "end_mark", "documents": [{"id", "base64"}]}. Standard output is
one: {"compile_s", "error"} and "results": {id: {"accepted", "at", "of", "seconds"}}, where "at" is how many bytes
the engine took. The vocabulary is the 256 bytes and an EOS token, so that what is asked is the language alone.
"""
import base64
import json
import os
import sys
import time
import types

EOS = 256
BYTES = [bytes([i]) for i in range(256)]


def llguidance_lark(job):
    from llguidance import LLMatcher, LLParserLimits, LLTokenizer, TokenizerWrapper

    class Bytes:
        eos_token_id, bos_token_id, special_token_ids = EOS, None, [EOS]
        tokens = BYTES + [b"<eos>"]

        def __call__(self, text):
            return list(text.encode() if isinstance(text, str) else text)

    tokenizer = LLTokenizer(TokenizerWrapper(Bytes()), slices=[])
    limits = LLParserLimits(max_items_in_row=1 << 24, initial_lexer_fuel=1 << 30, step_lexer_fuel=1 << 30,
                            step_max_items=1 << 30, max_lexer_states=1 << 24, max_grammar_size=1 << 30)
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(job["text"]), log_level=0, limits=limits)
    if matcher.is_error():
        raise ValueError(matcher.get_error())

    def check(text):
        matcher.reset()
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        for i, byte in enumerate(text):
            if matcher.try_consume_tokens([byte]) != 1:
                return False, i
        return matcher.is_accepting(), len(text)
    return check


def glrmask_lark(job):
    import glrmask
    vocab = glrmask.Vocab.from_id_to_bytes(dict(enumerate(BYTES)))
    constraint = glrmask.Grammar.from_lark(job["text"]).compile(vocab)

    def check(text):
        state = constraint.start()
        for i, byte in enumerate(text):
            if not state.commit_token(byte):
                return False, i
        return state.is_accepting(), len(text)
    return check


def stand_in_for_torch():
    """xgrammar names types of torch and transformers, and uses neither here."""
    class Anything:
        def __init__(self, *args, **kwargs):
            pass

    def attribute(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything

    os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"
    for name in "torch", "transformers":
        module = types.ModuleType(name)
        module.__path__, module.__getattr__ = [], attribute
        sys.modules[name] = module


def ebnf(job):
    stand_in_for_torch()
    import xgrammar
    info = xgrammar.TokenizerInfo(BYTES + [b"</s>"], vocab_size=EOS + 1, stop_token_ids=[EOS])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    compiled = compiler.compile_grammar(xgrammar.Grammar.from_ebnf(job["text"]))

    def check(text):
        matcher = xgrammar.GrammarMatcher(compiled)
        for i, byte in enumerate(text):
            if not matcher.accept_token(byte):
                return False, i
        return matcher.accept_token(EOS), len(text)
    return check


def gbnf(job):
    """llama.cpp has no wheel; xgrammar reads what both have in common."""
    return ebnf(job)


def kbnf(job):
    import kbnf
    mark = job["end_mark"].encode()
    tokens = BYTES + [mark]
    vocabulary = kbnf.Vocabulary({i: kbnf.Token(t) for i, t in enumerate(tokens)},
                                 {i: t.decode("latin-1") for i, t in enumerate(tokens)})
    engine = kbnf.Engine(job["text"], vocabulary)

    def accepts(token):
        try:
            return engine.try_accept_new_token(token)
        except ValueError:
            return None

    def check(text):
        engine.reset()
        for i, byte in enumerate(text):
            if accepts(byte) is None:
                return False, i
        return accepts(EOS) == kbnf.AcceptTokenResult.Finished, len(text)
    return check


def lark(job):
    from lark import Lark
    parser = Lark(job["text"], parser="lalr", lexer="basic")

    def check(text):
        from lark.exceptions import UnexpectedInput
        try:
            parser.parse(text.decode())
        except UnexpectedInput as e:
            return False, max(e.pos_in_stream or 0, 0)
        return True, len(text)
    return check


def main():
    job = json.load(sys.stdin)
    answer, start = {"error": ""}, time.monotonic()
    try:
        check = globals()[job["dialect"].replace("-", "_")](job)
        answer["compile_s"] = round(time.monotonic() - start, 3)
        answer["results"] = {}
        for document in job["documents"]:
            text, begin = base64.b64decode(document["base64"]), time.monotonic()
            accepted, at = check(text)
            answer["results"][document["id"]] = {"accepted": bool(accepted), "at": at, "of": len(text),
                                                 "seconds": round(time.monotonic() - begin, 3)}
    except Exception as e:  # whatever an engine says of a grammar is the answer
        answer["error"] = f"{type(e).__name__}: {e}"[:2000]
    print(json.dumps(answer))


main()
