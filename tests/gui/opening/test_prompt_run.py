"""How long a prompt may be, and what is said of one that is too long."""

from types import SimpleNamespace

import pytest

from mhagui.gui.opening.prompt_run import count_tokens, kept_bytes, most_tokens
from mhagui.models import ModelFacts, Tokens


@pytest.fixture
def large():
    """A model of 16 layers with 32 heads of 64, d_model 2,048, that reads 100,000 tokens."""
    sizes = (16, 32, 8, 2048, 64, 1000, 100_000, 10**9)
    facts = ModelFacts("large", "LLaMA", *sizes, predicts_next=True)
    return SimpleNamespace(facts=facts, tokens=lambda prompt: Tokens(*(tuple(prompt),) * 3))


def test_the_bench_limits_prompts_as_well(large):
    assert most_tokens(large.facts) == 4096
    told = count_tokens(large, "x" * 4097).why_not
    assert "These are 4,097 tokens, and the bench holds 4,096" in told


def test_it_is_said_beforehand_where_no_layer_can_be_on_the_bench(large):
    assert count_tokens(large, "x" * 500).warning == ""
    count = count_tokens(large, "x" * 2000)
    assert count.why_not == ""  # its heads can be scored
    assert "T = 2000" in count.warning
    assert "there can be" in count.warning


def test_the_memory_of_a_run_counts_x_q_k_and_v_of_all_layers(large):
    assert kept_bytes(large.facts, 10) == 16 * 10 * (2048 + 32 * 64 + 2 * 8 * 64) * 4
