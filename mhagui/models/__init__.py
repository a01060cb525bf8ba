"""Whole models from their files, run by NumPy on a prompt, so that any head can be looked at.

GPT-2, LLaMA, Qwen2 and BERT checkpoints (safetensors), and GGUF files of the first three. What
cannot be rebuilt exactly is refused by name. Needs the extra ``models``; no Qt.
"""

from mhagui.models.forward import Edit
from mhagui.models.model import Model, ModelFacts, Run, describe, open_model
from mhagui.models.tokenizer import Tokens

__all__ = ["Edit", "Model", "ModelFacts", "Run", "Tokens", "describe", "open_model"]
