"""Reads safetensors files with nothing but the standard library."""

import json
import struct

# Mantissa bits without the leading one, and the exponent of the least normal.
PRECISION = {"F64": (52, -1022), "F32": (23, -126), "F16": (10, -14), "BF16": (7, -126)}
CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b"}


class Stored:
    """A tensor of a file: dtype, shape, numbers, raw bytes."""

    def __init__(self, dtype, shape, raw):
        self.dtype, self.shape, self.raw = dtype, shape, raw

    @property
    def values(self):
        if self.dtype == "BF16":
            words = struct.unpack(f"<{len(self.raw) // 2}H", self.raw)
            wide = struct.pack(f"<{len(words)}I", *[word << 16 for word in words])
            return struct.unpack(f"<{len(words)}f", wide)
        # Everything of one byte is compared as bytes.
        code = CODES.get(self.dtype, "B")
        return struct.unpack(f"<{len(self.raw) // struct.calcsize(code)}{code}", self.raw)


def load(path):
    """name -> Stored"""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = Stored(entry["dtype"], entry["shape"], data[begin:end])
    return tensors
