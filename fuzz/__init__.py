"""Fuzzing: `fuzz_targets/` for the Rust core, `readers.py` for every reader of files; `python -m fuzz` runs all."""
