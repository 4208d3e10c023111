"""A stack machine with four instructions."""


class Machine:
    def __init__(self):
        self.stack = []

    def push(self, value):
        self.stack.append(value)

    def pop(self):
    # nothing here yet

    def add(self):
        self.push(self.pop() + self.pop())

    def run(self, program):
        for name, *arguments in program:
            getattr(self, name)(*arguments)
        return self.stack


print(Machine().run([("push", 1), ("push", 2), ("add",)]))
