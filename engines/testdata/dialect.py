"""Verdicts of llguidance or XGrammar, which the argument names, on Lark grammars of their dialect, and on EBNF.

{"grammar", "texts"} a line, answered with a line: {"error"}, or {"accepted": [true or false]}. Tokens are bytes, and
<think> (257) and </think> (258), which are read as tokens wherever a text has them.
"""

import json
import re
import sys

ORDINARY = [bytes([b]) for b in range(256)]
END, SPECIAL = 256, {"<think>": 257, "</think>": 258}


def tokens(text):
    for part in re.split("(</?think>)", text):
        yield from [SPECIAL[part]] if part in SPECIAL else part.encode()


def llguidance():
    from llguidance import LLMatcher, LLTokenizer

    encoder = {text: i for i, text in enumerate(ORDINARY)}
    special = {"<end>": END, **SPECIAL}
    tokenizer = LLTokenizer.from_tiktoken(encoder=encoder, special_tokens=special, pattern="(?s).+", n_vocab=259, eos_token=END)

    def judge(grammar, texts):
        matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar), log_level=0)
        if matcher.is_error():
            return {"error": matcher.get_error()}
        copies = [(matcher.deep_copy(), text) for text in texts]
        return {"accepted": [all(m.consume_token(t) for t in tokens(text)) and m.is_accepting() for m, text in copies]}

    return judge


def xgrammar():
    sys.path.insert(0, "python")
    import standins
    import tvm_ffi  # before the stand-ins, since it looks for a real torch

    standins.install("torch").tensor = lambda *_, **__: None
    standins.install("transformers")
    import xgrammar as x

    vocabulary = ORDINARY + [b"<end>", *(name.encode() for name in SPECIAL)]
    info = x.TokenizerInfo(vocabulary, x.VocabType.RAW, vocab_size=259, stop_token_ids=[END])
    compiler = x.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def judge(grammar, texts):
        try:
            read = x.Grammar.from_ebnf(grammar) if "::=" in grammar else x.Grammar.from_lark(grammar, tokenizer_info=info)
            made = compiler.compile_grammar(read)
        except Exception as e:
            return {"error": str(e)}
        matchers = [(x.GrammarMatcher(made), text) for text in texts]
        return {"accepted": [all(m.accept_token(t) for t in [*tokens(text), END]) for m, text in matchers]}

    return judge


judge = {"llguidance": llguidance, "xgrammar": xgrammar}[sys.argv[1]]()
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps(judge(question["grammar"], question["texts"])), flush=True)
