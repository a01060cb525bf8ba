"""Widgets that know nothing of the bench."""
