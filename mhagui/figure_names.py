"""What figures there are, and in which formats; known without loading what draws them."""

# Every figure by the name its files have, with what it shows.
FIGURES = {
    "heads": "Weights of every head",
    "head": "Weights of one head",
    "scores": "Scores of every head",
    "projection": "W_O, Concat and output",
    "w-o": "Output projection W_O",
    "concat": "Concat",
    "output": "Output O",
    "listening": "Which channels listen to which heads",
    "filter-bank": "Filter bank: what each head adds",
    "packed-wq": "Packed W_Q with the heads' slices",
    "packed-wk": "Packed W_K with the heads' slices",
    "packed-wv": "Packed W_V with the heads' slices",
    "pipeline": "Every stage of one head",
    "impulse": "Impulse responses",
    "frequency": "Frequency responses",
    "entropy": "Row entropy",
    "singular-values": "Singular values and ranks",
    "information": "Information about the next token",
    "redundancy": "Redundancy of the heads",
    "cost": "Cost",
    "lesson": "The lesson's figures on one page",
    "summary": "One-page summary",
}
# Those that consist of panels, in their order: of other figures, and of a table of facts.
FACTS = "facts"
PANELS = {
    "lesson": ("heads", "packed-wq", "projection", "impulse"),
    "summary": (FACTS, "heads", "entropy", "impulse", "filter-bank"),
}
FORMATS = ("png", "svg", "pdf", "eps", "tiff")
