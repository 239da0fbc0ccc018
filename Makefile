# One definition of every command; CI calls only these.
# Needs: Python 3.11+ (with venv), Rust, a C linker, make. `make setup` says which is missing and how to get it.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup dev demo test lint docs bench fuzz asan audit wheel actions clean check

MINIMUM_RUST := 1.89
# rustup's own folder is often not on PATH in a shell that was open before it was installed.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYO3_PYTHON := $(CURDIR)/.venv/bin/python

# The first Python that is new enough; plain python3 where none is, so that `check` can say so.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && exit; done; echo python3)
# Never the scripts in .venv/bin: those hold absolute paths, and break when the folder moves.
VENV_PYTHON := .venv/bin/python
PIP := $(VENV_PYTHON) -m pip install --quiet

# Folders are listed too, since a deleted file changes nothing else.
SOURCES := $(shell find python crates -name __pycache__ -prune -o ! -name '*.so' ! -name '*.pyc' -print) \
	pyproject.toml Cargo.toml $(wildcard Cargo.lock README.md LICENSE*)

help:
	@echo "make demo    set everything up; learn, use, explain and save a tokenizer from text that is already here"
	@echo "make test    set everything up and run every test"
	@echo "make lint    formatters, linters, types"
	@echo "make docs    the pages that are made from the code: reference, messages"
	@echo "make bench   equal output first, then time, against the public tools"
	@echo "make fuzz    every target of hostile input for FUZZ_SECONDS=60 each; make asan: the core's tests, memory checked"
	@echo "make wheel   wheel and source distribution in dist, each installed and tried in a clean environment"
	@echo "make audit   licences and sources of all that is built on; make actions: the release workflow"
	@echo "make setup   the release build in .venv        make dev   an editable build with overflow checks"
	@echo "make clean   remove everything that was built"

setup: .venv/.release
	@echo "setup: .venv holds the release build"

dev: .venv/.dev
	@echo "dev: .venv holds the editable build"

demo: .venv/.release
	@echo "demo: the whole journey on text that is already here"
	@mkdir -p target/demo
	@$(VENV_PYTHON) -m bytepair demo --force --output target/demo/tokenizer.json

test: .venv/.release .venv/.group-test
	@echo "test: the Rust core"
	@cargo test --quiet --package bytepair-core
	@echo "test: the package, its docs and its command line"
	@$(VENV_PYTHON) -m pytest --numprocesses auto --dist loadfile

lint: .venv/.release .venv/.group-test .venv/.group-lint
	@echo "lint: Python format, rules and types"
	@$(VENV_PYTHON) -m ruff format --check --quiet . || { echo "fix it with: $(VENV_PYTHON) -m ruff format ."; exit 1; }
	@$(VENV_PYTHON) -m ruff check --quiet .
	@$(VENV_PYTHON) -m mypy
	@$(VENV_PYTHON) -m mypy.stubtest --concise --mypy-config-file pyproject.toml bytepair._native
	@echo "lint: Rust format and rules"
	@cargo fmt --all --check
	@cargo clippy --quiet --workspace --all-targets -- -D warnings

docs: .venv/.release
	@echo "docs: making the pages that come from the code"
	@$(VENV_PYTHON) docs/made/reference.py
	@$(VENV_PYTHON) docs/made/errors.py

bench: .venv/.release .venv/.group-bench .venv/.peers
	@echo "bench: equal output first, then time"
	@$(VENV_PYTHON) -m benchmarks $(BENCH)

# FUZZ names targets; without it all are run.
FUZZ_SECONDS ?= 60
fuzz: .venv/.release .venv/.group-test
	@# One by one, and not needed: it does not install everywhere.
	@$(PIP) --group fuzz >/dev/null 2>&1 || echo "fuzz: atheris does not install here; files are changed by chance"
	@echo "fuzz: $(FUZZ_SECONDS) seconds a target"
	@$(VENV_PYTHON) -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ)

# Doctests are left out: rustdoc links the sanitizer another way.
asan: check
	@echo "asan: the tests of the core under AddressSanitizer"
	@RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test --quiet --release --package bytepair-core --lib --tests \
		--target "$$(rustc -vV | sed -n 's/^host: //p')" --target-dir target/asan

wheel: .venv/.release .venv/.group-release
	@echo "wheel: building the wheel and the source distribution"
	@rm -rf dist
	@$(VENV_PYTHON) -m maturin build --quiet --release --strip --out dist
	@$(VENV_PYTHON) -m maturin sdist --quiet --out dist
	@$(VENV_PYTHON) -m release.installing dist

audit: .venv/.release
	@echo "audit: licences and sources of crates and packages"
	@$(VENV_PYTHON) -m release.audit

actions: .venv/.made .venv/.group-release
	@echo "actions: faults of the workflows"
	@# A program, not a script with an absolute path in it.
	@.venv/bin/zizmor --offline --quiet .github/workflows
	@echo "actions: not pinned by hash, $$(grep -ohE 'uses: .*' .github/workflows/*.yml | sort -u | grep -cvE '@[0-9a-f]{40}') in all:"
	@grep -ohE 'uses: .*' .github/workflows/*.yml | sort -u | grep -vE '@[0-9a-f]{40}' || true

clean:
	@echo "clean: removing .venv, target and caches"
	@rm -rf .venv target dist .hypothesis .mypy_cache .ruff_cache .pytest_cache benchmarks/results
	@find . -name __pycache__ -prune -exec rm -rf {} + -o -path ./python/\*.so -exec rm -f {} +

# The tools that cannot be installed from here: every missing one is named, then make stops.
check:
	@missing=0; need() { echo "setup: $$1" >&2; missing=1; }; \
	if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		found=$$("$(PYTHON)" --version 2>/dev/null); \
		need "Python 3.11 or newer is missing (found: $${found:-none}). Install it (Debian: apt install python3 python3-venv; macOS: brew install python) or name one: make PYTHON=/path/to/python3.12"; \
	elif ! "$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null; then \
		need "$(PYTHON) has no venv module. Install it (Debian: apt install python3-venv)"; \
	fi; \
	if ! command -v cargo >/dev/null 2>&1; then \
		need "Rust is missing: no cargo on PATH or in ~/.cargo/bin. Install it from https://rustup.rs"; \
	else \
		rust=$$(rustc --version 2>/dev/null | cut -d ' ' -f 2); \
		printf '%s\n' $(MINIMUM_RUST) "$${rust:-0}" | sort -V -C || \
			need "Rust $(MINIMUM_RUST) or newer is needed (found: $${rust:-no rustc}). Run: rustup update stable (get rustup from https://rustup.rs)"; \
	fi; \
	if ! command -v cc >/dev/null 2>&1; then \
		need "A C linker is missing: no cc on PATH. Install one (Debian: apt install gcc libc6-dev; Fedora: dnf install gcc; macOS: xcode-select --install)"; \
	fi; \
	exit $$missing

.venv/.made: | check
	@echo "setup: making .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv --clear .venv
	@# Dependency groups need pip 25.1.
	@$(PIP) --upgrade 'pip>=25.1'
	@touch $@

.venv/.release: .venv/.made $(SOURCES)
	@$(MAKE) --no-print-directory check
	@echo "setup: building and installing the release build (Rust is compiled: some minutes the first time)"
	@$(PIP) .
	@rm -f .venv/.dev
	@touch $@

.venv/.dev: .venv/.made $(SOURCES)
	@$(MAKE) --no-print-directory check
	@echo "dev: building and installing an editable build with overflow checks (some minutes the first time)"
	@$(PIP) --config-settings build-args=--profile=dev --editable .
	@rm -f .venv/.release
	@touch $@

.venv/.group-%: .venv/.made pyproject.toml
	@echo "setup: installing what '$*' needs"
	@$(PIP) --group $*
	@touch $@

# One by one, and none is needed: not every peer installs everywhere.
.venv/.peers: .venv/.group-bench
	@echo "setup: installing further tools to compare with"
	@for peer in gigatoken fastokens quicktok-v1 gigabpe rustbpe; do \
		$(PIP) "$$peer" >/dev/null 2>&1 || echo "setup: $$peer does not install here; going on without it"; done
	@touch $@
