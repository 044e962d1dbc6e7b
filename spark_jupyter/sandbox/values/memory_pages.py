"""Written arrays, found by the memory pages that they lie in.

A fork shares all pages with the kernel; one that is written becomes the copy's own. Linux tells for every page whether it is mapped only
once (bit 56 of ``/proc/self/pagemap``, Documentation/admin-guide/mm/pagemap.rst), so nothing needs to be kept beforehand. Where that can't
be read, nothing is reported.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from typing import Any

from spark_jupyter.sandbox.values.array_memory import arrays_of

_EXCLUSIVE = 1 << 56
_CHUNK = 1 << 16


def written(namespace: Mapping[str, object], names: Iterable[str]) -> set[str]:
    """The names among ``names`` whose array or table has pages of its own since the fork."""
    found = set()
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
            for name in names:
                if any(_touched(pagemap, start, size) for start, size in _buffers(namespace.get(name))):
                    found.add(name)
    except OSError:
        return set()
    return found


def _buffers(value: Any) -> list[tuple[int, int]]:
    """Address and size of the arrays behind a value."""
    found = (array for array in arrays_of(value) or () if array.flags.forc)
    return [(array.__array_interface__["data"][0], array.nbytes) for array in found]


def _touched(pagemap: Any, start: int, size: int) -> bool:
    import numpy

    first, last = -(-start // mmap.PAGESIZE), (start + size) // mmap.PAGESIZE  # only pages that are wholly the array's
    for page in range(first, last, _CHUNK):
        pagemap.seek(page * 8)
        entries = numpy.frombuffer(pagemap.read(8 * min(_CHUNK, last - page)), dtype="<u8")
        if (entries & _EXCLUSIVE).any():
            return True
    return False
