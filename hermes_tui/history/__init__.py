"""A state.db as a reader sees it: where it is, how it is opened, what its rows mean."""
