"""Whether a core answers right: blocks, messages, files, NIST's tests."""
