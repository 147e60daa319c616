"""Roundsmith: from a requirement to a hardware core that is verified and measured."""
