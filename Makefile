# One command each: see it work, test it as CI does, measure it. Every step prints how long it took.
#
#   make demo     a quick build of the command, without optimisation, and a look at the sample folder
#   make release  the fast build: target/release/mainstay
#   make test     everything that CI runs
#   make bench    the published tables, on this machine (ARGS="--check" and others: see mainstay bench --help)
#   make fuzz     only the tests that feed damaged and random input (MAINSTAY_FUZZ_SECONDS=60 for longer)
#   make clients  only the real clients of SQL Server against the server
#   make console  only the pages of programs in a headless browser
#   make python   only the Python packages, the engine embedded and the driver for Informix servers: their wheels in dist/,
#                 tested in new environments (PYTHON_NEWER=python3.14 tests them under a second interpreter, too;
#                 PYTHON_BUILD= makes wheels without optimisation)
#   make clean    remove what was built
#
# Needs Rust and Python 3.11 or later; the Python packages that the tests use go into a folder of their own below the
# target folder. Cargo always builds the whole workspace: docs/building.md says why.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := demo
.NOTPARALLEL:

PYTHON ?= python3
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
VENV := $(TARGET)/interop-venv
PACKAGES := tests/interop/requirements.txt
FOREIGN := $(TARGET)/interop
WRITTEN := $(TARGET)/interop-written
CLIENTS := $(TARGET)/clients
# Workspaces of their own, built for speed into the same target folder.
DRIVER := crates/clients/python-informix
EMBEDDED := crates/clients/python-mainstay
# A second interpreter for the wheels: on the path, or one that pyenv has installed.
PYTHON_NEWER ?= $(firstword $(foreach minor,15 14 13 12,\
	$(shell python3.$(minor) -c 'import sys; print(sys.executable)' 2>/dev/null) \
	$(lastword $(sort $(wildcard $(HOME)/.pyenv/versions/3.$(minor).*/bin/python3.$(minor))))))
# Empty for wheels without optimisation, which are built in minutes.
PYTHON_BUILD ?= --release
BUILDER := $(TARGET)/python-builder
TESTED := $(TARGET)/python-tested
DIST := $(abspath dist)
CONSOLE := $(TARGET)/console
RELEASE := $(TARGET)/release/mainstay
# The demo creates a table: in a copy.
SHOP := $(TARGET)/demo-shop
DEBUG := $(TARGET)/debug/mainstay
SCRIPTED := $(TARGET)/debug/examples/scripted
PROGRAMS := $(TARGET)/debug/examples/test_programs

# $(call step,NAME,COMMAND): no comma in COMMAND.
step = @printf '\n== %s\n' '$(1)'; $(2) && printf '== %s: %d s\n' '$(1)' "$$SECONDS"

.PHONY: demo test bench fuzz clients console python clean release tools format lint build unit documentation venv interop smoke

demo:
	$(call step,quick build,cargo build --workspace --bin mainstay)
	@rm -rf '$(SHOP)' && cp -r sample '$(SHOP)'
	$(call step,demo,$(DEBUG) '$(SHOP)' --echo --timer -f sample/demo.sql)
	@printf '\n%s\n' 'This was the quick build, without optimisation: queries over many rows take ten times as long as in the fast' \
		'one, which `make release` makes.' 'Your own files: target/debug/mainstay FOLDER'

test: format lint build unit documentation interop smoke clients console

bench:
	$(call step,release build,cargo build --release --workspace --bin mainstay --bin mainstay-bench)
	$(call step,bench,$(RELEASE) bench $(ARGS))

# Two seconds of mutations a format, or MAINSTAY_FUZZ_SECONDS: docs/fuzzing.md.
fuzz:
	$(call step,fuzz,cargo test --workspace --test '*fuzz*' --test '*damage*' --test '*faults*')

clean:
	cargo clean
	rm -rf '$(VENV)' '$(FOREIGN)' '$(WRITTEN)'

release:
	$(call step,release build,cargo build --release --workspace --bin mainstay)

tools:
	@cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

format: tools
	$(call step,format,cargo fmt --all --check)

lint: tools
	$(call step,clippy,cargo clippy --workspace --all-targets -- -D warnings)

# Tests and the command in one go; what follows finds both.
build:
	$(call step,build,cargo build --workspace --all-targets)

unit:
	$(call step,tests,cargo test --workspace)

documentation:
	$(call step,documentation,RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps)

# Files of other programs, both ways: tests/interop/README.md.
interop: export PYTHONDONTWRITEBYTECODE := 1
interop: build venv
	$(call step,compare.py itself,'$(VENV)/bin/python' -m unittest discover -s tests/interop)
	@rm -rf '$(FOREIGN)' && mkdir -p '$(FOREIGN)'
	$(call step,write foreign files,'$(VENV)/bin/python' tests/interop/write_foreign.py '$(FOREIGN)')
	$(call step,read them with dbfread,'$(VENV)/bin/python' tests/interop/read_back.py '$(FOREIGN)')
	$(call step,compare,'$(VENV)/bin/python' tests/interop/compare.py '$(DEBUG)' '$(FOREIGN)' --dbfread)
	$(call step,compare LibreOffice,'$(VENV)/bin/python' tests/interop/compare.py '$(DEBUG)' tests/fixtures/libreoffice)
	$(call step,compare dBASE IV,'$(VENV)/bin/python' tests/interop/compare.py '$(DEBUG)' tests/fixtures/dbase4)
	@rm -rf '$(WRITTEN)' && mkdir -p '$(WRITTEN)'
	$(call step,write files for others,'$(TARGET)/debug/examples/write_tables' '$(WRITTEN)')
	$(call step,read them with others,'$(VENV)/bin/python' tests/interop/read_written.py '$(WRITTEN)')

# Made anew when the list of packages has changed; the copy of the list is put there last, so that a broken installation
# is not taken for a whole one.
venv:
	$(call step,python packages,cmp -s $(PACKAGES) '$(VENV)/installed.txt' || { $(install); })

install = rm -rf '$(VENV)' && $(PYTHON) -m venv '$(VENV)' \
	&& '$(VENV)/bin/python' -m pip install --quiet --disable-pip-version-check -r $(PACKAGES) \
	&& cp $(PACKAGES) '$(VENV)/installed.txt'

# What the demo prints is shown only when it fails.
smoke: build
	@rm -rf '$(SHOP)' && cp -r sample '$(SHOP)'
	$(call step,demo as a smoke test,{ '$(DEBUG)' '$(SHOP)' --echo -f sample/demo.sql </dev/null >'$(TARGET)/demo.txt' 2>&1 || { cat '$(TARGET)/demo.txt'; false; }; })
	$(call step,check of the sample folder,'$(DEBUG)' check sample </dev/null)

# The clients are installed once; tests/clients/README.md says which, and how to point them at another server.
clients: build
	$(call step,install clients,$(PYTHON) tests/clients/run.py --install --work '$(CLIENTS)')
	$(call step,clients of the door,$(PYTHON) tests/clients/run.py --work '$(CLIENTS)' --scripted '$(SCRIPTED)')
	$(call step,clients of a whole server,$(PYTHON) tests/clients/run.py --work '$(CLIENTS)' --serve '$(DEBUG)')

# Without a browser that is there or can be installed in a minute the tests are skipped, and said.
console: build
	$(call step,programs in a browser,tests/console/run.sh '$(PROGRAMS)' '$(CONSOLE)' '$(DEBUG)')

# The server under test is the debug build; INFORMIX_TEST_SERVER names another one.
python: export CARGO_TARGET_DIR := $(TARGET)
python: export PYTHONDONTWRITEBYTECODE := 1
python: export INFORMIX_TEST_SERVER ?= $(DEBUG)
python: tools
	@test -x "$$INFORMIX_TEST_SERVER" || cargo build --workspace --bin mainstay
	@test -x '$(BUILDER)/bin/maturin' || { $(PYTHON) -m venv '$(BUILDER)' && '$(BUILDER)/bin/python' -m pip install --quiet --disable-pip-version-check -r $(DRIVER)/requirements-build.txt; }
	@rm -f '$(DIST)'/mainstay_informix-*.whl '$(DIST)'/mainstay-*.whl
	$(call wheel,$(DRIVER))
	$(call wheel,$(EMBEDDED))
	$(call tested,$(PYTHON),$(DRIVER),mainstay_informix)
	$(call tested,$(PYTHON),$(EMBEDDED),mainstay)
	$(if $(PYTHON_NEWER),$(call tested,$(PYTHON_NEWER),$(DRIVER),mainstay_informix))
	$(if $(PYTHON_NEWER),$(call tested,$(PYTHON_NEWER),$(EMBEDDED),mainstay))

# $(call wheel,FOLDER): the wheel of a package in dist/.
define wheel
$(call step,format of $(1),cd $(1) && cargo fmt --check)
$(call step,clippy of $(1),cd $(1) && PYO3_PYTHON='$(BUILDER)/bin/python' cargo clippy -- -D warnings)
$(call step,wheel of $(1),'$(BUILDER)/bin/maturin' build $(PYTHON_BUILD) --manifest-path $(1)/Cargo.toml --interpreter '$(BUILDER)/bin/python' --out '$(DIST)')
endef

# $(call tested,INTERPRETER,FOLDER,PACKAGE): its tests and examples in a new environment.
define tested
@rm -rf '$(TESTED)' && $(1) -m venv '$(TESTED)' && '$(TESTED)/bin/python' -m pip install --quiet --disable-pip-version-check -r $(2)/requirements-test.txt '$(DIST)'/$(3)-*.whl
$(call step,tests and examples of $(3) under $(notdir $(1)),cd $(2)/tests && '$(TESTED)/bin/python' -m pytest -q -p no:cacheprovider --timeout 120)
endef
