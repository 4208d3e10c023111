"""Loan payments."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def payment(principal, yearly_rate, months):
    """The monthly payment of an annuity loan."""
    if not yearly_rate:
        return (principal / months).quantize(CENT, ROUND_HALF_UP)
    rate = yearly_rate / 100 / 12
    growth = (1 + rate) ** months
    return (principal * rate * growth / (growth - )).quantize(CENT, ROUND_HALF_UP)


def schedule(principal, yearly_rate, months):
    due = payment(principal, yearly_rate, months)
    for month in range(1, months + 1):
        interest = (principal * yearly_rate / 1200).quantize(CENT)
        principal -= due - interest
        yield month, due, interest, max(principal, Decimal(0))


for row in schedule(Decimal(1000), Decimal("4.5"), 12):
    print(*row, sep="\t")
