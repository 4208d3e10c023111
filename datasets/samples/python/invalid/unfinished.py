"""Moon phases, roughly."""

from datetime import date

NEW_MOON = date(2000, 1, 6)
CYCLE = 29.530588853


def age(day):
    return (day - NEW_MOON).days % CYCLE


def phase(day):
    return NAMES[round(age(day) / CYCLE * len(NAMES)) % len(NAMES)]


NAMES = [
    "new moon",
    "waxing crescent",
    "first quarter",
    "waxing gibbous",
    "full moon",
