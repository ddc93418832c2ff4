"""The error that the command line shows to its user."""

from __future__ import annotations


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why and what would work. Exit status 2, no traceback."""
