"""Pictures and tables of what was measured."""
