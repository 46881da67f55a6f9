"""Find a conversation in a Hermes Agent history and see what session_search would recall."""

__version__ = "0.1.0"
