"""Temperatures."""


def to_celsius(fahrenheit):
    """Convert to degrees Celsius."""
    return (fahrenheit - 32) * 5 / 9


def to_fahrenheit(celsius):
    """Convert to degrees Fahrenheit.

    >>> to_fahrenheit(100)
    212.0
    ""
    return celsius * 9 / 5 + 32


class Thermometer:
    def __init__(self, celsius=0.0):
        self.celsius = celsius

    @property
    def fahrenheit(self):
        return to_fahrenheit(self.celsius)


print(Thermometer(36.6).fahrenheit)
