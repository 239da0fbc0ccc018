"""Fuzzing: `fuzz_targets/` are those of the Rust core, `readers.py` is every reader of files; `python -m fuzz` runs all."""
