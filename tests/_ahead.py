"""Work of other processes that tests wait for, done two at a time before its turn comes."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

#: Processes at a time.
PROCESSES = 2


@contextmanager
def ahead(work, request, parameter):
    """Call ``work`` with the parameter of every selected test of a module, in the order of tests.

    Parameters
    ----------
    work : callable
        It starts a process and waits for its end.
    request : pytest.FixtureRequest
        That of a fixture of the module.
    parameter : str
        Name of the parameter of the tests.

    Yields
    ------
    callable
        Waits for the result of one parameter, which raises what ``work`` raised.
    """
    chosen = {
        item.callspec.id: item.callspec.params[parameter]
        for item in request.session.items
        if getattr(item, "module", None) is request.module
        and parameter in getattr(getattr(item, "callspec", None), "params", {})
    }
    # Two threads that ask for the first temporary folder would both make the folder of all.
    request.getfixturevalue("tmp_path_factory").getbasetemp()
    pool = ThreadPoolExecutor(PROCESSES)
    try:
        futures = {name: pool.submit(work, value) for name, value in chosen.items()}
        yield lambda name: futures[name].result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
