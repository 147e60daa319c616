"""Golden models and standard vectors; nothing here imports anything of ours."""
