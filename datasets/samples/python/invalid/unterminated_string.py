"""Greetings in several languages."""

import random

GREETINGS = {
    "en": "Hello",
    "de": "Guten Tag",
    "fr": "Bonjour,
    "it": "Buongiorno",
}


def greet(name, language="en"):
    try:
        word = GREETINGS[language]
    except KeyError:
        raise ValueError(f"no greeting in {language!r}") from None
    return f"{word}, {name}!"


def main():
    language = random.choice(list(GREETINGS))
    for name in "Ann", "Bob":
        print(greet(name, language))


main()
