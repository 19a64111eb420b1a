"""Unpacking of files packed by the Unix program ``compress`` (``.Z``) on their way into the cache.

One address of the UCI repository still serves this format, which the standard library does not
read.
"""

from pathlib import Path

__all__ = ["UnpackingDownloader", "unpack"]

_MAGIC = b"\x1f\x9d"


def unpack(packed):
    """Unpack the contents of a ``.Z`` file.

    Parameters
    ----------
    packed : bytes

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If `packed` is not in this format, or damaged.
    """
    from unlzw3 import unlzw

    if packed[:2] != _MAGIC or len(packed) < 3:
        raise ValueError("not a .Z file: it does not begin with the bytes 1f 9d")
    if len(packed) == 3:
        return b""
    try:
        return bytes(unlzw(packed))
    except (ValueError, IndexError) as error:
        raise ValueError(f"damaged .Z file: {error}") from error


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
