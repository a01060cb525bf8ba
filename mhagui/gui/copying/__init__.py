"""What every panel has to copy, the menus that offer it, and how it comes onto the clipboard."""
