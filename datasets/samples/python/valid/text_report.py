'''Reports as text: every kind of string literal the language has.'''

import string
import textwrap
from datetime import date, timedelta

TITLE = "Weekly report"
EMPTY = ''
QUOTES = 'It\'s "quoted"', "It's \"quoted\"", '''It's "quoted"''', """It's "quoted" """
PATH = r'C:\temp\new' + "\\" + R"raw\d+"
BYTES = b'GIF89a\x01\x00' b"\xff\xfe" rb'\d' Rb"\w" bR'''raw ' bytes''' BR"""x"""
UNICODE = u'caf\u00e9' U"\N{GREEK SMALL LETTER ALPHA}" '\U0001F600'
JOINED = ("one string "
          'in several '   # with a comment in between
          """pieces""")
TABLE = """\
+----------+-------+
| name     | value |
+----------+-------+
"""
TEMPLATE = string.Template("$name owes $$${amount}\
 since ${since}")

HELP = """
Usage: report [options]

    -h, --help      show "this" text and exit
    -w, --width N   width of the page ("" means 72)
"""


def heading(text, level=1, *, width=72):
    rule = "=-~"[level - 1] * min(len(text), width)
    return f'{text}\n{rule}\n'


def money(amount, currency="EUR"):
    return f"{amount:>{12},.2f} {currency}" if amount >= 0 else f"({-amount:,.2f}) {currency!s}"


def paragraph(text, width=60):
    return textwrap.fill(" ".join(text.split()), width, initial_indent="  ", subsequent_indent="  ")


def row(*cells, widths=(20, 10), align="<>"):
    parts = []
    for cell, width, side in zip(cells, widths, align):
        parts.append(f"{str(cell):{side}{width}}")
    return " | ".join(parts).rstrip()


class Report:
    """A report.

    >>> Report("x").render(date(2024, 1, 1)).splitlines()[0]
    'x'
    """

    separator = "\n" * 2

    def __init__(self, title=TITLE):
        self.title, self.sections = title, []

    def section(self, title, *lines, **totals):
        body = [*lines]
        body += [row(name.replace("_", " "), money(value)) for name, value in totals.items()]
        self.sections.append((title, body))
        return self

    def render(self, today):
        monday = today - timedelta(days=today.weekday())
        out = [heading(self.title), f"Week of {monday:%d.%m.%Y} (day {today:%j})"]
        for number, (title, body) in enumerate(self.sections, start=1):
            out.append(heading(f"{number}. {title}", 2))
            out.extend(body or ["(nothing)"])
        return self.separator.join(out)

    def __format__(self, spec):
        text = self.render(date(2024, 2, 29))
        return text.upper() if spec == "u" else text

    __str__ = __repr__ = lambda self: f"<Report {self.title!r} with {len(self.sections)} sections>"


def main():
    report = Report()
    report.section("Sales", paragraph(JOINED), north=1234.5, south_west=-20) \
          .section("Notes", "none " "so far", """but
a line break""")
    print(f"{report:u}", report, sep=f"{'-' * 20}\n")
    print(TEMPLATE.substitute(name="Ann", amount=12, since='May'))
    print("%-10s|%5.1f|%(percent)s" .replace("%(percent)s", "100%%") % ("left", 2.25))
    print("{0:<8}{1!r:^8}{name[0]}".format("a", 'b', name="cd"), f'{{literal}} {1 + 1 = }')
    print(rf"\d{{2}}{PATH}", fR'{EMPTY}', F"{UNICODE}", len(BYTES), QUOTES[0] == QUOTES[1], TABLE, HELP, sep="\t")
    print('a' 'b' == "ab", "" "" == '', "tab\there", '\x41\101\
z')


if __name__ == '__main__':
    main()
