"""Figures are drawn on axes that no window shows."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pytest


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)
