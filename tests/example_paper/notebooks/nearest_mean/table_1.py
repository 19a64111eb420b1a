# %% [markdown]
# # Table 1: error of the nearest mean
#
# **What.** Table 1 of A. Example, *How Near Is the Nearest Mean?*: the error of the best rule and
# of the nearest mean, for two round Gaussians whose means are $d$ apart.
#
# **How closely.** The paper's size, every cell.
#
# **How long.** Seconds.

# %% tags=["parameters"]
profile: str = "paper"  # sizes of the study: quick or paper
jobs: int = 1  # processes for what is not yet computed, 1 to 256
fresh: bool = False  # compute everything anew, whatever is on record

# %%
from companion.reproduction.display import published_vs_reproduced, verdict_table
from companion.reproduction.regenerate import regenerate

run = regenerate("nearest_mean/table_1", profile=profile, jobs=jobs, fresh=fresh)

# %%
published_vs_reproduced(run.rows("d = 1", "d = 2", "d = 3"))

# %% [markdown]
# "The excess shrinks as the classes part":

# %%
verdict_table(run.rows("claim"))
