"""Tic-tac-toe: who has won?"""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Board:
    def __init__(self, cells=" " * 9):
        self.cells = list(cells)

    def play(self, player, place):
        if self.cells[place] != " ":
            raise ValueError(f"{place} is taken")
        self.cells[place] = player

    def winner(self):
        for a, b, c in LINES:
            if self.cells[a] = self.cells[b] and self.cells[b] == self.cells[c] != " ":
                return self.cells[a]
        return None if " " in self.cells else "nobody"


board = Board("XX OO    ")
board.play("X", 2)
print(board.winner())
