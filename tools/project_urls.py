"""Hatchling's hook: the address of the project in the metadata of a build, where it is known."""

import runpy
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProjectUrls(MetadataHookInterface):
    """Names the page of the repository, its issues and its changes."""

    def update(self, metadata):
        """Add them to the metadata of the project."""
        path = Path(self.root, "companion", "_utils", "repository.py")
        repository = runpy.run_path(str(path))["find_repository"](self.root)
        metadata["urls"] = {}
        if repository is not None:
            metadata["urls"] = {
                "Source": repository.url,
                "Issues": f"{repository.url}/issues",
                "Changes": repository.file("CHANGELOG.md"),
            }
