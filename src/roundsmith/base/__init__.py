"""What every other room may use: errors, paths, the cache, templates, tables, pictures."""
