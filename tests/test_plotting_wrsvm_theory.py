"""The figure of expected losses shows what it is given."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np

from companion import plotting


def test_the_least_of_every_curve_is_marked():
    fig, ax = plt.subplots()
    u = np.linspace(0.0, 1.0, 11)
    curves = {"none": 1 + u, "s = -1/2": 1 - u}
    assert plotting.plot_lead_losses(ax, u, curves) is ax
    dots = [line.get_xydata().tolist() for line in ax.lines if line.get_marker() == "o"]
    assert dots == [[[0.0, 1.0]], [[1.0, 0.0]]]
    assert len({line.get_linestyle() for line in ax.lines if line.get_marker() != "o"}) == 2
    plt.close(fig)
