#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""A calculator: lexer, recursive descent parser and evaluator in one file."""

import math
import operator
import re
import sys

TOKEN = re.compile(
    r"""
    (?P<space>   \s+ )
  | (?P<number>  (?: \d+ (?: \.\d* )? | \.\d+ ) (?: [eE][+-]?\d+ )? )
  | (?P<name>    [A-Za-z_]\w* )
  | (?P<symbol>  \*\* | // | [-+*/%(),=] )
    """,
    re.VERBOSE,
)

BINARY = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "//": (2, operator.floordiv),
    "%": (2, operator.mod),
}


class CalculatorError(Exception):
    def __init__(self, message, position=None):
        super().__init__(message)
        self.position = position

    def __str__(self):
        where = "" if self.position is None else f" at column {self.position + 1}"
        return self.args[0] + where


def tokenize(text):
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise CalculatorError(f"unexpected character {text[position]!r}", position)
        kind = match.lastgroup
        if kind != "space":
            yield kind, match[kind], position
        position = match.end()
    yield "end", "", len(text)


class Parser:
    functions = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "log")}

    def __init__(self, text, variables):
        self.tokens = list(tokenize(text))
        self.index = 0
        self.variables = variables

    def peek(self, offset=0):
        return self.tokens[min(self.index + offset, len(self.tokens) - 1)]

    def take(self, *expected):
        kind, value, position = self.peek()
        if expected and value not in expected and kind not in expected:
            wanted = " or ".join(repr(e) for e in expected)
            raise CalculatorError("expected %s, found %r" % (wanted, value or kind), position)
        self.index += 1
        return value

    def statement(self):
        if self.peek()[0] == "name" and self.peek(1)[1] == "=":
            name = self.take("name"); self.take("=")
            self.variables[name] = value = self.expression()
        else:
            value = self.expression()
        self.take("end")
        return value

    def expression(self, level=1):
        left = self.unary()
        while (entry := BINARY.get(self.peek()[1])) and entry[0] >= level:
            strength, function = entry
            self.take()
            right = self.expression(strength + 1)
            try:
                left = function(left, right)
            except ZeroDivisionError as error:
                raise CalculatorError("division by zero") from error
        return left

    def unary(self):
        sign = 1
        while self.peek()[1] in ("+", "-"):
            sign = -sign if self.take() == "-" else sign
        base = self.primary()
        if self.peek()[1] == "**":
            self.take()
            base **= self.unary()
        return sign * base

    def primary(self):
        kind, value, position = self.peek()
        self.index += 1
        if kind == "number":
            return float(value) if set(value) & set(".eE") else int(value)
        if value == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if kind == "name":
            if value in self.functions and self.peek()[1] == "(":
                self.take("(")
                arguments = [self.expression()]
                while self.peek()[1] == ",":
                    self.take(",")
                    arguments.append(self.expression())
                self.take(")")
                return self.functions[value](*arguments)
            try:
                return self.variables[value]
            except KeyError:
                raise CalculatorError(f"unknown name {value!r}", position) from None
        raise CalculatorError("a number was expected", position)


def main(stream=sys.stdin):
    variables = dict(pi=math.pi, e=math.e)
    for line in stream:
        line = line.strip()
        if not line or line.startswith("#"): continue
        try:
            print(Parser(line, variables).statement())
        except CalculatorError as error:
            print("error:", error, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
