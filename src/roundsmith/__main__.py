"""`python -m roundsmith`: the command line."""

from roundsmith.cli import main

main()
