"""An instrument for multi-head attention."""

__version__ = "0.1.0"
