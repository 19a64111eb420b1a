"""What notebooks and the site agree on about pictures."""

#: Pixels beyond which a picture is not shrunk to a telephone, where its letters would be too small
#: to read: it scrolls there, from its left.
WIDE = 620
