"""Sieve of Eratosthenes and a few uses."""


def primes(limit):
    sieve = [False, False] + [True] * (limit - 1)
    for n in range(2, int(limit ** 0.5) + 1):
        if sieve[n]:
            sieve[n * n::n] = [False] * len(range(n * n, limit + 1, n))
    return [n for n, prime in enumerate(sieve) if prime)


def factors(number):
    found = {}
    for p in primes(int(number ** 0.5) + 1):
        while number % p == 0:
            found[p] = found.get(p, 0) + 1
            number //= p
    if number > 1:
        found[number] = 1
    return found


assert factors(360) == {2: 3, 3: 2, 5: 1}
