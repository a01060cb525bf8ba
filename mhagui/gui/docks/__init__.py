"""The docks, one module each."""
