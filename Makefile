# mhagui: `make run` starts it, from a bare checkout too. `make` alone lists the rest.
#
#   make run ARGS="two-heads"     arguments for mhagui
#   make test ARGS="-k entropy"   arguments for pytest
#   make bench ARGS="a c"         some of the benchmarks, only printed
#   PYTHON=python3.12 make run    chooses the interpreter

.DEFAULT_GOAL := help
.PHONY: help run test thorough soak reliability lint style types contracts format pictures gallery real-models formulas bench clean

# Where the window has no screen to open on, the figures are written here instead. The other commands
# need no screen, and know no such option.
WINDOW_ARGS = $(if $(filter report export,$(firstword $(ARGS))),,--figures-if-no-display mhagui-figures)

help:
	@echo 'make run        set up what is missing, then start mhagui (ARGS="...")'
	@echo 'make test       run the tests, without a screen (ARGS="...")'
	@echo 'make thorough   run the tests that take seconds each: every file, window after window'
	@echo 'make soak       run the minutes-long test that watches for leaks'
	@echo 'make reliability  run the minutes-long tests that kill, break files and work at random'
	@echo 'make lint       check style, types and import contracts (each alone:'
	@echo '                make style, make types, make contracts)'
	@echo 'make format     put the code into the style that lint wants'
	@echo 'make pictures   draw the pictures of the README again'
	@echo 'make gallery    draw docs/gallery.md again, which shows every figure'
	@echo 'make real-models  find and draw the heads of docs/real-models.md again'
	@echo 'make formulas   draw the formulas of the tooltips again'
	@echo 'make bench      measure what is claimed to be quick, side by side with others'
	@echo 'make clean      remove the environment (.venv), caches and built files'

run:
	@.ci/prepare run
	@.venv/bin/python main.py $(WINDOW_ARGS) $(ARGS)

test:
	@.ci/prepare test
	QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -n auto $(ARGS)

thorough:
	@.ci/prepare test
	QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -n auto -m thorough $(ARGS)

reliability:
	@.ci/prepare test
	MHAGUI_KILLS=200 MHAGUI_MACHINE_EXAMPLES=2000 MHAGUI_STARTS=20 QT_QPA_PLATFORM=offscreen \
	    .venv/bin/python -m pytest -m 'not soak' --timeout 1800 -s tests/reliability \
	    tests/document/test_session_machine.py tests/end_to_end/test_start_use_quit.py
	.venv/bin/python tests/reliability/fuzz_sessions.py --count 26000

soak:
	@.ci/prepare test
	QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -m soak --timeout 900 $(ARGS)

lint: style types contracts

style:
	@.ci/prepare test
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/python .ci/check_sizes.py mhagui

types:
	@.ci/prepare test
	.venv/bin/mypy

contracts:
	@.ci/prepare test
	.venv/bin/lint-imports --no-logo

format:
	@.ci/prepare test
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

pictures:
	@.ci/prepare test
	.venv/bin/python docs/make_pictures.py

gallery:
	@.ci/prepare test
	.venv/bin/python docs/make_gallery.py

real-models:
	@.ci/prepare test
	.venv/bin/python docs/make_real_models.py

formulas:
	@.ci/prepare test
	.venv/bin/python docs/make_formulas.py

bench:
	@.ci/prepare bench
	@.venv/bin/python benchmarks/run.py $(ARGS)

clean:
	rm -rf .venv build dist .ci/prepare.log \
	    .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
