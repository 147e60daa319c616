"""`python -m roundsmith`: the command line."""

from roundsmith.cli.cli import main

main()
