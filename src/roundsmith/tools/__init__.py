"""One module a program: arguments in, facts out. Nothing here knows a cipher."""
