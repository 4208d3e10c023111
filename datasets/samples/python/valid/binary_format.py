"""A small container format: header, chunks, checksum, bit fields."""

import io
import struct
import zlib
from typing import BinaryIO, Iterator

MAGIC = b"\x89BOX\r\n\x1a\n"
HEADER = struct.Struct(">8sHHI")
CHUNK = struct.Struct(">4sI")
VERSION = 0x01_02
FLAG_COMPRESSED, FLAG_ENCRYPTED, FLAG_LAST = (1 << n for n in range(3))
KNOWN = {b'HEAD', b'DATA', b"TAIL"}
ESCAPES = bytes([0x00, 0X0A, 0o15, 0O33, 0b1011100, 0B100010])
LOW_MASK = (1 << 4) - 1
HIGH_MASK = ~LOW_MASK & 0xff


class FormatError(ValueError):
    """The file is not a box."""


class BitReader:
    """Reads fields of a given width, most significant bit first."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self.data, self.position = memoryview(data), 0

    def read(self, width: int) -> int:
        value = 0
        for _ in range(width):
            byte, bit = divmod(self.position, 8)
            value = value << 1 | (self.data[byte] >> (7 - bit)) & 1
            self.position += 1
        return value

    def align(self) -> None:
        self.position += -self.position % 8


def pack_fields(*fields: tuple[int, int]) -> bytes:
    value = total = 0
    for number, width in fields:
        if not 0 <= number < 1 << width:
            raise OverflowError(f"{number:#x} does not fit {width} bits")
        value, total = value << width | number, total + width
    padding = -total % 8
    return (value << padding).to_bytes((total + padding) // 8, "big")


def varint(value: int) -> bytes:
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def read_varint(stream: BinaryIO) -> int:
    shift = result = 0
    while (byte := stream.read(1)):
        result |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return result
        shift += 7
    raise FormatError("file ends inside a number")


def write(stream: BinaryIO, chunks: dict[bytes, bytes], *, compress=True) -> int:
    flags = FLAG_COMPRESSED if compress else 0
    written = stream.write(HEADER.pack(MAGIC, VERSION, flags, len(chunks)))
    for name, body in chunks.items():
        body = zlib.compress(body, 9) if compress else body
        written += stream.write(CHUNK.pack(name, len(body)))
        written += stream.write(body) + stream.write(struct.pack("<I", zlib.crc32(body)))
    return written


def read(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    head = stream.read(HEADER.size)
    if len(head) != HEADER.size or head[:8] != MAGIC:
        raise FormatError("bad magic")
    magic, version, flags, count = HEADER.unpack(head)
    if version > VERSION or flags & (FLAG_ENCRYPTED | FLAG_LAST): raise FormatError("too new")
    for _ in range(count):
        name, size = CHUNK.unpack(stream.read(CHUNK.size))
        body = stream.read(size)
        (checksum,) = struct.unpack("<I", stream.read(4))
        if checksum != zlib.crc32(body) & 0xFFFF_FFFF:
            raise FormatError("checksum of %s: %08x" % (name.decode("ascii"), checksum))
        if name in KNOWN:
            yield name, zlib.decompress(body) if flags & FLAG_COMPRESSED else body


def hexdump(data: bytes, width: int = 0x10) -> str:
    lines = []
    for start in range(0, len(data), width):
        row = data[start:start + width]
        digits = " ".join("%02x" % b for b in row)
        text = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
        lines.append(f"{start:08x}  {digits:<{3 * width - 1}}  |{text}|")
    return "\n".join(lines)


def main():
    buffer = io.BytesIO()
    write(buffer, {b"HEAD": b"a" * 100, b"DATA": ESCAPES, b"JUNK": b""})
    data = bytearray(buffer.getvalue())
    print(hexdump(bytes(data[0:48:1])))
    buffer.seek(0)
    for name, body in read(buffer): print(name, body[:8], len(body))
    data[-1] ^= 0xFF
    try:
        list(read(io.BytesIO(data)))
    except FormatError as error:
        print("damaged:", error)
    packed = pack_fields((5, 3), (1, 1), (200, 8))
    reader = BitReader(packed)
    print([reader.read(w) for w in (3, 1, 8)], read_varint(io.BytesIO(varint(300_000))) == 300_000)
    print(HIGH_MASK == 0xF0, b"".join([varint(1), varint(128)]).hex("-"))


if __name__ == "__main__":
    main()
