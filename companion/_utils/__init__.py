"""What has no other home: checks, files, paths, processes, threads."""
