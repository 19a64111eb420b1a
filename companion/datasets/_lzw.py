"""Unpacking of files packed by the Unix program ``compress`` (``.Z``).

One address of the UCI repository still serves this format, which the standard library does not
read. The method is that of Welch (1984), A technique for high-performance data compression,
Computer 17(6), 8-19.
"""

from pathlib import Path

__all__ = ["UnpackingDownloader", "unpack"]

_MAGIC = b"\x1f\x9d"
_CLEAR = 256


def unpack(packed):
    """Unpack the contents of a ``.Z`` file.

    Codes are 9 bits wide at first and widen as the table fills. They are written in groups of
    eight, and a change of width starts a new group, so that the rest of the old one is skipped.

    Parameters
    ----------
    packed : bytes

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If `packed` is not in this format.
    """
    if packed[:2] != _MAGIC or len(packed) < 3:
        raise ValueError("not a .Z file: it does not begin with the bytes 1f 9d")
    max_width, has_clear = packed[2] & 0x1F, bool(packed[2] & 0x80)
    payload, n_bits = packed[3:], 8 * (len(packed) - 3)
    table = [bytes([value]) for value in range(256)] + [b""] * has_clear
    n_fixed = len(table)
    width, position, run_start, previous, out = 9, 0, 0, None, []
    while position + width <= n_bits:
        first = position >> 3
        window = int.from_bytes(payload[first : first + 4], "little")
        code = (window >> (position & 7)) & ((1 << width) - 1)
        position += width
        if has_clear and code == _CLEAR:
            position = run_start = _next_group(position, run_start, width)
            del table[n_fixed:]
            width, previous = 9, None
            continue
        if code < len(table):
            entry = table[code]
        elif code == len(table) and previous is not None:
            entry = previous + previous[:1]
        else:
            raise ValueError(f"damaged .Z file: code {code} before it is defined")
        out.append(entry)
        if previous is not None and len(table) < 1 << max_width:
            table.append(previous + entry[:1])
        previous = entry
        if len(table) == 1 << width and width < max_width:
            position = run_start = _next_group(position, run_start, width)
            width += 1
    return b"".join(out)


def _next_group(position, run_start, width):
    group = 8 * width
    return run_start + -(-(position - run_start) // group) * group


class UnpackingDownloader:
    """A downloader for pooch that unpacks what another one has fetched.

    The digest that pooch checks is then that of the unpacked file.

    Parameters
    ----------
    downloader : callable
        A downloader in pooch's sense.
    """

    def __init__(self, downloader):
        self.downloader = downloader

    def __call__(self, url, output_file, pooch, **kwargs):
        """Fetch `url` into the file `output_file` and unpack it in place."""
        self.downloader(url, output_file, pooch, **kwargs)
        path = Path(output_file)
        path.write_bytes(unpack(path.read_bytes()))
