"""The dialog that writes figures of the scene, its numbers and scripts to files."""
