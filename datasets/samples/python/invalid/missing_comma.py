"""Draws a bar chart in the terminal."""

import shutil


def bar(value, largest, width, fill="#"):
    return fill * round(value / largest * width)


def chart(data, /, *, title=None, width=None):
    width = width or shutil.get_terminal_size().columns - 20
    largest = max(data.values(), default=1)
    if title is not None:
        print(title.center(width + 20))
    for label, value in data.items():
        print(f"{label[:12]:>12}", bar(value, largest, width) f"{value:g}", sep=" | ")


chart({"apples": 12, "pears": 7.5, "plums": 30}, title="Fruit", width=40)
