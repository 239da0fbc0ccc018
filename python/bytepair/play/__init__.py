"""The playground: byte-pair encoding in the browser, on the real engine and this computer alone."""

from bytepair.play.room import Room
from bytepair.play.serving import listener, refuse_without_packages, serve
from bytepair.play.shelf import Shelf

__all__ = ["Room", "Shelf", "listener", "refuse_without_packages", "serve"]
