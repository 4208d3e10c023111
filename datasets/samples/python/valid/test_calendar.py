"""Tests of a calendar that fits in the same file."""

import unittest
from datetime import date
from unittest import mock

DAYS = (31, 28, 31, 30, 31, 30,
        31, 31, 30, 31, 30, 31)
NAMES = "Mo Tu We Th Fr Sa Su".split()


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(year, month):
    if not 1 <= month <= 12:
        raise ValueError("month %d" % month)
    return DAYS[month - 1] + (month == 2 and is_leap(year))


def weekday(year, month, day):
    """Zeller's congruence, with Monday as 0."""
    if month < 3:
        month += 12
        year -= 1
    century, of_century = divmod(year, 100)
    h = day + 13 * (month + 1) // 5 + of_century + of_century // 4 + century // 4 + 5 * century
    return (h + 5) % 7


def page(year, month, *, today=None):
    yield "%s" % " ".join(NAMES)
    cells = ["  "] * weekday(year, month, 1)
    for day in range(1, days_in(year, month) + 1):
        mark = "**" if today and (year, month, day) == (today.year, today.month, today.day) else None
        cells.append(mark or f"{day:2}")
        if len(cells) == 7:
            yield " ".join(cells)
            cells.clear()
    if cells: yield " ".join(cells)


class LeapYears(unittest.TestCase):
    cases = [
        (1900, False), (2000, True),
        (2023, False), (2024, True),
    ]

    def test_known_years(self):
        for year, expected in self.cases:
            with self.subTest(year=year):
                self.assertIs(is_leap(year), expected)

    def test_agrees_with_the_library(self):
        import calendar
        self.assertEqual([y for y in range(1890, 2110) if is_leap(y)],
                         [y for y in range(1890, 2110) if calendar.isleap(y)])

    @unittest.skipIf(DAYS[1] != 28, "February was patched")
    def test_february(self):
        self.assertEqual(days_in(2024, 2), 29)
        self.assertEqual(days_in(2023, 2), 28)


class Weekdays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.first, cls.last = date(1970, 1, 1), date(2038, 1, 19)

    def setUp(self):
        self.seen = set()
        self.addCleanup(self.seen.clear)

    def tearDown(self):
        del self.seen

    def test_every_hundredth_day(self):
        for ordinal in range(self.first.toordinal(), self.last.toordinal(), 100):
            day = date.fromordinal(ordinal)
            self.seen.add(weekday(day.year, day.month, day.day))
            self.assertEqual(weekday(*day.timetuple()[:3]), day.weekday(), msg=f"{day}")
        self.assertSetEqual(self.seen, {*range(7)})

    def test_bad_month(self):
        with self.assertRaises(ValueError) as caught:
            days_in(2024, 13)
        self.assertRegex(str(caught.exception), r"^month \d+$")
        self.assertRaises(ValueError, lambda: days_in(2024, 0))


class Pages(unittest.TestCase):
    maxDiff = None

    def test_page(self):
        lines = list(page(2024, 2, today=date(2024, 2, 29)))
        self.assertEqual(lines[0], "Mo Tu We Th Fr Sa Su")
        self.assertTrue(lines[-1].endswith("**"))
        self.assertEqual(len(lines), 6), self.assertNotIn("30", lines[-1])

    @mock.patch(f"{__name__}.days_in", return_value=7)
    @mock.patch.dict("os.environ", {"TZ": "UTC"}, clear=False)
    def test_short_month(self, fake):
        list(page(2024, 1))
        fake.assert_called_with(2024, 1)
        calls = [mock.call(2024, 1)]
        assert fake.mock_calls == calls, (
            "called with "
            f"{fake.mock_calls}"
        )


def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    for case in (LeapYears, Weekdays, Pages):
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    unittest.main(verbosity=2)
