"""The errors that a user may see: one sentence each, no traceback."""


class RoundsmithError(Exception):
    """A mistake in what the user gave or has installed.

    The message is one sentence that says what is wrong and what would be right. The command
    line prints it and exits with status 2.
    """


class ToolError(RoundsmithError):
    """A program we call is missing, or it refused its input."""


class VerificationFailed(RoundsmithError):
    """A core is wrong; the sentence names it and its first wrong block.

    The command line exits with status 1: the input was fine, the core is not.
    """
