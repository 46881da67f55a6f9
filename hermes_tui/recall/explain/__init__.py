"""Why the agent sees what it sees, why it does not, and what it would see under other rules."""
