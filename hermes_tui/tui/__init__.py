"""The Textual application, and nothing else."""
