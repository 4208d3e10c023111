"""A template engine of one function."""

import re

FIELD = re.compile(r"\$\{(\w+)\}")


def render(template, **values):
    def replace(match):
        name = match.group(1)
        if name not in values:
            raise KeyError(name)
        return str(values[name])

    return FIELD.sub(replace, template)


def main():
    user = "Ann"
    text = render("Dear ${name}, you owe ${amount}.", name=$user, amount=12)
    print(text)


main()
