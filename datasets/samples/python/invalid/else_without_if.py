"""Guess a number."""

import random


def ask(prompt, low, high):
    while True:
        answer = input(prompt)
        if answer.isdigit() and low <= int(answer) <= high:
            return int(answer)
        print("a number from", low, "to", high)


def play(low=1, high=100):
    secret = random.randint(low, high)
    tries = 0
    while True:
        guess = ask("your guess: ", low, high)
        tries += 1
        if guess == secret:
            print("right after", tries, "tries")
            return tries
        hint = "more" if guess < secret else "less"
        else:
            print(hint)


if __name__ == "__main__":
    scores = sorted(play() for _ in range(3))
    print("best:", scores[0])
