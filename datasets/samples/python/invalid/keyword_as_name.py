"""Messages between named mailboxes."""

from dataclasses import dataclass, field
from datetime import datetime, timezone


@dataclass
class Message:
    sender: str
    text: str
    sent: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


class Post:
    def __init__(self):
        self.boxes = {}

    def send(self, to, from, text=""):
        message = Message(sender=to, text=text)
        self.boxes.setdefault(to, []).append(message)
        return message

    def read(self, name):
        while self.boxes.get(name):
            yield self.boxes[name].pop(0)


post = Post()
post.send("ann", "bob", text="hello")
for message in post.read("ann"):
    print(message.sender, message.text)
