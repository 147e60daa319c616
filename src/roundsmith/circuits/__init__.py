"""Circuits from finite-field arithmetic: tables, towers and straight-line programs."""
