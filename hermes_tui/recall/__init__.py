"""What session_search would find, and what it would not, without a model."""
