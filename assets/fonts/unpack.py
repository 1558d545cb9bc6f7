"""Unpacks WOFF files into the TrueType files that the share cards are drawn with.

    python3 assets/fonts/unpack.py frontend/node_modules/@fontsource/barlow-condensed/files/NAME.woff assets/fonts/NAME.ttf
"""

import struct
import sys
import zlib


def unpack(woff: bytes) -> bytes:
    signature, flavor, _, count = struct.unpack(">4s4sIH", woff[:14])
    assert signature == b"wOFF", "this is no WOFF file"
    tables = []
    for n in range(count):
        tag, offset, packed, size, checksum = struct.unpack(">4sIIII", woff[44 + 20 * n : 64 + 20 * n])
        data = woff[offset : offset + packed]
        tables.append((tag, checksum, zlib.decompress(data) if packed < size else data))
    power = 1 << (count.bit_length() - 1)
    head = flavor + struct.pack(">HHHH", count, power * 16, power.bit_length() - 1, (count - power) * 16)
    place, entries, bodies = 12 + 16 * count, b"", b""
    for tag, checksum, data in tables:
        entries += struct.pack(">4sIII", tag, checksum, place, len(data))
        padded = data + b"\0" * (-len(data) % 4)
        bodies, place = bodies + padded, place + len(padded)
    return head + entries + bodies


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as target:
        target.write(unpack(source.read()))
