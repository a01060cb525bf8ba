"""The one kind of error that is shown to a user as it stands."""


class UserError(ValueError):
    """What was asked cannot be done; one sentence names the thing and what would be right."""
