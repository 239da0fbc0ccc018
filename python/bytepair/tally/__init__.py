"""Documents -> distinct pieces and how often each occurs; from counted pieces and tally files too."""

from __future__ import annotations

from bytepair.tally.counting import Rules, count, tally
from bytepair.tally.loading import is_tally_file, load_tally
from bytepair.tally.sample import Sample
from bytepair.tally.value import Tally

__all__ = ["Rules", "Sample", "Tally", "count", "is_tally_file", "load_tally", "tally"]
