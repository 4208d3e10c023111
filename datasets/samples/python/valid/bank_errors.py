"""Accounts, transfers, and every way an exception can travel."""

import contextlib
import sys
import traceback
from types import TracebackType

__all__ = ["Account", "Bank", "BankError", "InsufficientFunds"]


class BankError(Exception):
    pass


class InsufficientFunds(BankError):
    def __init__(self, account, missing):
        self.account, self.missing = account, missing
        super().__init__(f"account {account} lacks {missing}")


class Locked(BankError): ...


class Account:
    """One account; the balance is in cents."""

    def __init__(self, number, balance=0):
        self.number = number
        self._balance = balance
        self.locked = False

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        if self.locked:
            raise Locked(self.number)
        if value < 0:
            raise InsufficientFunds(self.number, -value)
        self._balance = value

    @balance.deleter
    def balance(self):
        del self._balance


class Transaction:
    def __init__(self, *accounts):
        self.before = {account: account.balance for account in accounts}

    def __enter__(self):
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if error is not None:
            for account, balance in self.before.items():
                account._balance = balance
        return None


class Bank:
    def __init__(self):
        self.accounts = {}
        self.failures = 0

    def open(self, number, balance=0):
        if number in self.accounts:
            raise BankError("exists", number)
        account = self.accounts[number] = Account(number, balance)
        return account

    def transfer(self, source, target, amount):
        try:
            a, b = self.accounts[source], self.accounts[target]
        except KeyError as error:
            self.failures += 1
            raise BankError(f"no account {error.args[0]}") from error
        with Transaction(a, b):
            b.balance += amount
            a.balance -= amount
        return a.balance, b.balance

    def try_transfer(self, *args):
        try:
            result = self.transfer(*args)
        except InsufficientFunds as error:
            print("refused:", error, file=sys.stderr)
            return False
        except (Locked, BankError):
            self.failures += 1
            return False
        except:
            traceback.print_exc()
            raise
        else:
            print("now", *result)
            return True
        finally:
            print("done")

    def settle(self, orders):
        errors = []
        for order in orders:
            try:
                self.transfer(*order)
            except BankError as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("settlement failed", errors)


def report(bank, orders):
    try:
        bank.settle(orders)
    except* InsufficientFunds as group:
        for error in group.exceptions:
            print("missing", error.missing)
    except* (Locked, BankError):
        print("something else")
    else:
        print("all settled")
    finally:
        del orders


def main():
    bank = Bank()
    bank.open("A", 100_00); bank.open("B")
    ok = bank.try_transfer("A", "B", 25_00)
    assert ok, "the first transfer is covered"
    assert not bank.try_transfer("B", "A", 99_00)
    report(bank, [("A", "B", 1), ("A", "B", 10**9), ("A", "?", 0)])
    with contextlib.suppress(Exception), contextlib.ExitStack() as stack:
        stack.callback(print, "leaving")
        raise RuntimeError("ignored") from None
    try:
        try: 1 / 0
        finally: print("inner")
    except ZeroDivisionError: pass
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
