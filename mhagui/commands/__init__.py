"""The commands of the command line, a module each; what they share is in `shared` and `output`."""
