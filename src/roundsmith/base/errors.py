"""The errors that a user may see: one sentence each, no traceback."""


class RoundsmithError(Exception):
    """A mistake in what the user gave or has installed.

    The message is one sentence that says what is wrong and what would be right. The command
    line prints it and exits with status 2.
    """


class ToolError(RoundsmithError):
    """A program we call is missing, or it refused its input."""


class ToolMissing(ToolError):
    """A program or package that we need is not there and could not be fetched."""


class TimedOut(ToolError):
    """A program took longer than it was given."""


class DoesNotFit(ToolError):
    """A core is larger than the device."""


class DoesNotRoute(ToolError):
    """A core was placed, and its wires found no way."""


class Killed(RoundsmithError):
    """A program was ended by a signal, or had no memory left: no verdict on what it was given.

    It is no ToolError, so that nothing takes it for one and stores it.
    """


class KnownFailure(RoundsmithError):
    """A design that failed before, and was not tried again."""


class VerificationFailed(RoundsmithError):
    """A core is wrong; the sentence names it and its first wrong block.

    The command line exits with status 1: the input was fine, the core is not.
    """
