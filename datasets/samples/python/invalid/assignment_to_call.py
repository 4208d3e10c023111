"""Counts letters without the standard library."""


def letters(text):
    return [c for c in text.lower() if c.isalpha()]


def histogram(text):
    counts = {}
    for letter in letters(text):
        counts.get(letter, 0) = counts.get(letter, 0) + 1
    return counts


def show(counts):
    for letter, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(letter, "*" * count)


show(histogram("The quick brown fox jumps over the lazy dog"))
