"""Figures of cores and circuits, one by one and in campaigns, as records."""
