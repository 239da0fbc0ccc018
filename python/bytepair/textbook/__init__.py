"""Byte-pair encoding as books print it: pure Python, no dependency, made to be read.

Start with `text`, where the whole corpus is one row of characters; then read `words`, where the corpus is a table of
counted words with a marker at the end of each, so that the same work is done once a distinct word.

The fast engine learns the same merges in the same modes; the tests hold it to these two files.
"""

from . import text, words

__all__ = ["text", "words"]
