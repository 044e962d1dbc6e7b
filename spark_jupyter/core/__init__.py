"""The session: what can happen to a turn, a job, a proposal. Pure."""
