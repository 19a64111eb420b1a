"""The papermill engine ``companion``, by which ``companion reproduce`` runs every notebook.

    papermill --engine companion table_1.ipynb out.ipynb -p C 10

It is papermill's own, but for this. Kernels are forked from a process that has imported what
notebooks need, and nothing of the user's profiles gets into them. A notebook is written once, at
its end, without what differs from run to run: equal runs give equal files. What stops a notebook
stands in its cell, also that the kernel died.
"""

import nbformat

_KERNEL = "python3"
_LANGUAGE = "python"
INJECTED = "injected-parameters"


def clean(notebook):
    """Remove what papermill and Jupyter note beside the story, in place."""
    notebook.nbformat = 4
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:02d}")
        tags = cell.metadata.pop("tags", [])
        if INJECTED in tags:
            cell.id = INJECTED
        if tags:
            cell.metadata["tags"] = tags
        for name in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(name, None)
    for name in ("papermill", "widgets", "companion"):
        notebook.metadata.pop(name, None)
    names = {"display_name": "Python 3", "language": _LANGUAGE, "name": _KERNEL}
    notebook.metadata["kernelspec"] = names
    notebook.metadata["language_info"] = {"name": _LANGUAGE}


def _add_error(cell, name, text, traceback=()):
    outputs = [output.output_type for output in cell.outputs]
    if "error" not in outputs:
        options = {"ename": name, "evalue": text, "traceback": [*traceback]}
        cell.outputs.append(nbformat.v4.new_output("error", **options))


def _show_error(cell, cell_index, execute_reply):
    """Have a cell show its error, also one that IPython only prints, as of an unknown magic."""
    error = execute_reply["content"]
    _add_error(cell, error["ename"], error["evalue"], error["traceback"])


class CompanionEngine:
    """What papermill asks of an engine.

    No subclass of papermill's own, which is not there yet where papermill loads this.
    """

    @staticmethod
    def nb_kernel_name(nb, name=None):
        """Whatever a notebook names, it runs in this Python."""
        return _KERNEL

    @staticmethod
    def nb_language(nb, language=None):
        """Python."""
        return _LANGUAGE

    @staticmethod
    def execute_notebook(nb, kernel_name, output_path=None, again=True, **options):
        """Run all cells of a notebook, in place, up to the first that fails.

        A kernel that does not start gets another try: of its ports, which its manager chooses, a
        program beside it may have taken one meanwhile.
        """
        from nbclient.exceptions import DeadKernelError
        from papermill.engines import NBClientEngine

        from companion.reproduction.warm import WarmKernelManager

        options |= {
            "kernel_manager_class": WarmKernelManager,
            "coalesce_streams": True,  # not as they happened to come
            "on_cell_error": _show_error,
        }
        try:
            NBClientEngine.execute_notebook(nb, kernel_name, **options)
        except DeadKernelError as error:
            started = [cell for cell in nb.cells if cell.metadata.papermill.start_time]
            *before, dead = [cell for cell in started if cell.cell_type == "code"]
            counts = [cell.execution_count for cell in before]
            dead.execution_count = max(filter(None, counts), default=0) + 1
            _add_error(dead, type(error).__name__, str(error))
        except RuntimeError:
            if not again:
                raise
            CompanionEngine.execute_notebook(nb, kernel_name, again=False, **options)
        clean(nb)
        return nb
