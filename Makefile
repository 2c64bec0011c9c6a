# FleetKit: `make help` lists the recipes.
SHELL := /bin/bash
PACKAGES := libsqlite3-dev libssl-dev libarchive-dev libzstd-dev libxml2 zlib1g-dev libcurl4-openssl-dev sqlite3 pkg-config python3
# The registry's server needs PostgreSQL's client library; its tests also start PostgreSQL and nginx.
REGISTRY_PACKAGES := libpq-dev
REGISTRY_TEST_PACKAGES := postgresql nginx-light
RELEASE := .build/release/fleetkit
# Without debug information, a release build takes four fifths of the time and half the space.
OPTIMIZED := -c release -debug-info-format none
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# The command for distribution contains Swift's runtime. It is built in a folder next to .build: the flags differ, so in
# the same folder every change between the two would rebuild everything.
STATIC := .build-dist/release/fleetkit
LINUX := $(filter Linux,$(shell uname -s))
# It also contains libarchive and zstd (packaging/static-libraries.sh).
STATIC_PC := .build-dist/pkgconfig
STATIC_FLAGS := $(if $(LINUX),--static-swift-stdlib) -Xcc "-ffile-prefix-map=$(CURDIR)=."
STATIC_SOURCES := Package.swift $(shell find Sources Packages/*/Sources formats/schemas -type f 2>/dev/null)
DEMO_NOTE := demo/vault/checklists/night-passage-ready-before-dark.md
DIST := dist
FORMATTED := Package.swift Sources $(addprefix Packages/JSONSchema/,Package.swift Sources Tests Benchmarks) Tests Benchmarks Registry/Package.swift Registry/Sources Registry/Tests \
  fuzz/Package.swift fuzz/Sources
PREFIX := /usr/local
DESTDIR :=

.PHONY: help setup setup-registry bench-peers build registry demo demo-rehearsal demo-registry test test-registry test-browser test-dependents lint format bench bench-foreign bench-large bench-registry bench-pages test-crash test-large test-recover \
  test-interface test-hostile \
  fuzz fuzz-random suites docs judges judges-large dist test-dist \
  install uninstall clean

help: ## List the recipes
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## Install the packages that building and testing need (Debian, apt)
	@$(call install,$(PACKAGES))

setup-registry: setup ## Install the packages that building and testing the registry need as well
	@$(call install,$(REGISTRY_PACKAGES) $(REGISTRY_TEST_PACKAGES))

define install
	missing=""; for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then echo "Installing:$$missing"; $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; fi
endef

build: setup ## Build the command in release
	@swift build $(OPTIMIZED) --product fleetkit

registry: setup ## Build the registry's server in release (docs/registry.md)
	@$(call install,$(REGISTRY_PACKAGES))
	@cd Registry && swift build $(OPTIMIZED) --product fleetkit-registry

demo: build ## Run the demo: export, convert, compare, migrate, import, edit notes and tables, validate, pack, back up
	@rm -rf demo && mkdir demo
	@echo; echo "── 1. A Phase 1 library, as it came off a phone"; echo
	@$(RELEASE) inspect samples/phase1-library.sqlite
	@echo; echo "── 2. Everything in it, as a bundle"; echo
	@$(RELEASE) export samples/phase1-library.sqlite --to demo/library.jsonl
	@echo; echo "── 3. A new library in today's schema, from the bundle"; echo
	@$(RELEASE) convert demo/library.jsonl --to demo/new.sqlite
	@echo; echo "── 4. Do both say the same?"; echo
	@$(RELEASE) diff samples/phase1-library.sqlite demo/new.sqlite
	@echo; echo "── 5. The old library itself, migrated in place"; echo
	@cp samples/phase1-library.sqlite demo/migrated.sqlite && $(RELEASE) migrate demo/migrated.sqlite --yes
	@echo; echo "── 6. Curated checklists brought into it, twice"; echo
	@$(RELEASE) import samples/curated-checklists.jsonl --into demo/migrated.sqlite
	@$(RELEASE) import samples/curated-checklists.jsonl --into demo/migrated.sqlite
	@echo; echo "── 7. Is it good, and may it be published?"; echo
	@$(RELEASE) validate samples/ci && $(RELEASE) validate demo/migrated.sqlite --profile publish --fail-on none --max-findings 2
	@echo; echo "── 8. As notes: somebody edits one step, the library takes it over, one line of the notes is another"; echo
	@$(RELEASE) export demo/migrated.sqlite --to demo/vault/ && cp -r demo/vault demo/vault-before
	@sed 's/each watch · 5 min/each watch · 10 min/' $(DEMO_NOTE) > demo/note.md && mv demo/note.md $(DEMO_NOTE)
	@$(RELEASE) import demo/vault/ --into demo/migrated.sqlite && $(RELEASE) export demo/migrated.sqlite --to demo/vault/
	@echo; cd demo && diff -r -U1 vault-before vault; rm -rf vault-before
	@echo; echo "── 9. And why a note was taken for what it was"; echo
	@$(RELEASE) inspect 'samples/vault/checklists/Fuel dock.md' --explain
	@echo; echo "── 10. A backup, an hour of work, what has changed since, and the proof that it comes back"; echo
	@$(RELEASE) backup demo/migrated.sqlite --to demo/backups/ && $(RELEASE) import samples/ci --into demo/migrated.sqlite -q
	@$(RELEASE) backup demo/migrated.sqlite --to demo/backups/ --since demo/backups/
	@$(RELEASE) backups demo/backups && $(RELEASE) verify --restore demo/backups/*
	@echo; echo "── 11. A content pack: built, signed, verified"; echo
	@$(RELEASE) pack build samples/ci --config samples/pack/pack.yml --to demo/first-charter.fleetpack
	@$(RELEASE) pack keygen demo/publisher --no-password && $(RELEASE) pack sign demo/first-charter.fleetpack --key demo/publisher.key
	@$(RELEASE) pack verify demo/first-charter.fleetpack --trust demo/publisher.pub
	@echo; echo "── 12. A checklist from a spreadsheet, one row of it corrected afterwards"; echo
	@$(RELEASE) import samples/tables --into demo/migrated.sqlite || test $$? = 3
	@sed -i.before 's/half an hour/30/' demo/migrated.sqlite.fleetkit/rejects/*.csv
	@$(RELEASE) import --retry demo/migrated.sqlite.fleetkit/rejects/*.csv --into demo/migrated.sqlite
	@echo; echo "── 13. What is in the library"; echo
	@$(RELEASE) list demo/migrated.sqlite
	@echo; echo "The files are in demo/. Try: $(RELEASE) show demo/migrated.sqlite --title '*man over*'"

demo-rehearsal: build ## Rehearse a whole migration on the samples: everything in, proved, backed up and undone (docs/rehearsal.md)
	@FLEETKIT=$(RELEASE) samples/rehearsal/run.sh rehearsal

demo-registry: registry ## Start a registry with the samples on a free port, with a tour for a browser; Ctrl-C stops it (docs/registry.md)
	@python3 samples/registry/demo.py Registry/.build/release/fleetkit-registry

# The queue's tests publish to the real registry, so it is built first. Tests have a build folder of their own, in which
# the modules where they spend their time are optimized (Package.swift) and nothing has debug information. They start the
# command as it is distributed: a debug build spends 140 ms of each start on checking its own options.
test: export FLEETKIT_COMMAND := $(CURDIR)/$(STATIC)
test: export FLEETKIT_OPTIMIZED := 1
test: $(STATIC) setup-registry ## Run all tests (a short run of the long ones included)
	@cd Registry && swift build --product fleetkit-registry
	@Tests/run.sh --beside '^SyncTests\.' --beside '^(BackupTests|CommandTests|PackTests)\.' \
	  --beside '^(ImportingTests|MergingTests|TableTests)\.' --scratch-path .build-test -debug-info-format none
	@$(MAKE) --no-print-directory test-registry

test-registry: setup-registry ## Run the registry's tests
	@cd Registry && swift build --build-tests && ../Tests/run.sh --skip-build

BROWSER := .build/judges-browser

test-browser: setup-registry ## Read the registry's pages in chromium, with axe and with hostile content (400 MB to install)
	@$(call install,chromium fonts-dejavu)
	@cmp -s packaging/judges-browser.txt $(BROWSER)/judges.txt || { python3 -m venv --clear $(BROWSER) && \
	  $(BROWSER)/bin/pip install --quiet --disable-pip-version-check --requirement packaging/judges-browser.txt && \
	  cp packaging/judges-browser.txt $(BROWSER)/judges.txt; }
	@cd Registry && swift build --product fleetkit-registry
	@$(BROWSER)/bin/python Registry/Tests/browser.py

test-dependents: setup ## Build and test Packages/JSONSchema alone, and a sample app that depends on FleetKit by a git URL
	@Tests/dependents.sh

lint: ## Check formatting, style, and the English of comments, messages and pages
	@swift format lint --strict --recursive --parallel $(FORMATTED)
	@python3 Tests/Words/count.py

format: ## Format the sources
	@swift format --in-place --recursive --parallel $(FORMATTED)

bench-peers:
	@dpkg-query -W libcmark0.30.2 >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends libcmark0.30.2

bench: setup registry bench-peers ## Measure against bare loops in the same run (docs/benchmarks.md)
	@swift build $(OPTIMIZED)
	@.build/release/fleetkit-bench bench-data

bench-foreign: $(STATIC) judges ## Measure against peers on data that is not shaped like our output (docs/benchmarks.md)
	@command -v restic >/dev/null || DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends restic libarchive-tools zstd
	@swift build $(OPTIMIZED) --product fleetkit-bench
	@python3 Benchmarks/foreign.py bench-data

bench-large: setup ## Measure a million records and a document of 2 GB; temporarily needs 10 GB of disk
	@swift build $(OPTIMIZED)
	@.build/release/fleetkit-bench bench-data large

bench-registry: registry ## Measure the registry against FastAPI with SQLite and with PostgreSQL (docs/registry.md)
	@$(call install,$(REGISTRY_TEST_PACKAGES) wrk)
	@Registry/Benchmarks/run.sh
	@python3 Registry/Benchmarks/postgresql.py Registry/.build/release/fleetkit-registry Registry/.build/bench-peer/bin/python
	@python3 Registry/Benchmarks/batch.py

bench-pages: registry ## Measure the registry's pages at 300 requests/s with 10 000 items (docs/registry.md)
	@$(call install,wrk)
	@Registry/Benchmarks/pages.sh

# Syncs and rebinds are killed while they exchange data with the real registry, so the registry is built first.
test-crash: setup-registry ## Kill every verb that writes at 200 random moments, fill disks of every size, undo 500 imports, make backups for 100 nights on a disk that rots, send 2 000 operations over a bad network, kill registries 50 times and their database 10 times
	@swift build $(OPTIMIZED)
	@swift build
	@cd Registry && swift build --product fleetkit-registry
	@FLEETKIT_CRASH_RUNS=200 FLEETKIT_UNDO_RUNS=500 FLEETKIT_ROT_NIGHTS=100 FLEETKIT_COMMAND=$(CURDIR)/$(RELEASE) swift test --filter "CrashTests|UndoPropertyTests|RotNightsTests"
	@FLEETKIT_FAULT_OPERATIONS=2000 FLEETKIT_FAULT_KILLS=50 FLEETKIT_COMMAND=$(CURDIR)/$(RELEASE) \
	  swift test --filter FaultRunTests
	@cd Registry && swift build --build-tests && FLEETKIT_CRASH_RUNS=50 FLEETKIT_CLUSTER_KILLS=50 FLEETKIT_CLUSTER_FAILOVERS=10 \
	  swift test --skip-build --filter 'ProcessCrashTests|ProcessClusterTests'

test-interface: setup-registry judges ## Test the registry with 5 000 cases of schemathesis, on SQLite and on PostgreSQL
	@cd Registry && swift build --product fleetkit-registry
	@FLEETKIT_REQUIRE_JUDGES=1 FLEETKIT_SCHEMATHESIS_CASES=5000 Registry/Tests/schemathesis.sh
	@FLEETKIT_REQUIRE_JUDGES=1 FLEETKIT_SCHEMATHESIS_CASES=5000 python3 Registry/Benchmarks/cluster.py Registry/Tests/schemathesis.sh

test-large: setup-registry ## Test a library of 300 MB while a program writes to it, ZIP archives beyond 4 GiB, a million queued operations, the withdrawal of every library's publications, and a registry with 2 million items on PostgreSQL; temporarily needs 30 GB of disk
	@swift build $(OPTIMIZED) --product fleetkit
	@swift build
	@FLEETKIT_LARGE=1 FLEETKIT_COMMAND=$(CURDIR)/$(RELEASE) swift test --filter LargeTests --skip QueueLargeTests
	@FLEETKIT_LARGE=1 swift test --filter LargeZipTests
	@cd Registry && swift build $(OPTIMIZED) --product fleetkit-registry
	@FLEETKIT_LARGE=1 FLEETKIT_COMMAND=$(CURDIR)/$(RELEASE) swift test --filter 'QueueLargeTests|WithdrawalTests'
	@python3 Registry/Benchmarks/large.py Registry/.build/release/fleetkit-registry
	@$(call install,wrk) && python3 Registry/Benchmarks/connections.py Registry/.build/release/fleetkit-registry

test-recover: setup ## Flip every byte of five checklists, damage 2 000 libraries of 1 MB and 200 of 40 MB; takes an hour
	@swift build $(OPTIMIZED) --product fleetkit
	@swift build
	@FLEETKIT_RECOVER=1 FLEETKIT_COMMAND=$(CURDIR)/$(RELEASE) swift test --filter RecoveryTests

test-hostile: setup ## Measure memory and time for every kind of hostile file of 4, 8 and 16 MB (Tests/Hostile)
	@swift build $(OPTIMIZED) --product fleetkit
	@python3 Tests/Hostile/run.py $(RELEASE)

fuzz: setup ## Fuzz every reader with coverage and AddressSanitizer (FLEETKIT_FUZZ_SECONDS each, 1200; fuzz/README.md)
	@fuzz/build.sh
	@fuzz/run.sh

fuzz-random: setup ## Change bytes at random in bundles, libraries, columns and a million notes (FLEETKIT_FUZZ_SEED)
	@swift build
	@FLEETKIT_FUZZ_ROUNDS=3000 swift test --filter FuzzTests --skip MarkdownFuzzTests
	@FLEETKIT_FUZZ_ROUNDS=29412 swift test --filter MarkdownFuzzTests

suites: setup ## Run the official suites (FLEETKIT_SUITES=folder)
	@swift build
	@swift test --filter SuiteTests

docs: ## Regenerate the generated pages
	@swift build
	@FLEETKIT_RECORD=1 swift test --filter 'DocumentationTests' || true

judges: ## Install the third-party tools that check our files in tests (packaging/judges.txt)
	@packaging/judges.sh

judges-large: setup judges test-dependents ## Check our files with the large judges: LibreOffice, chromium, 5 000 cases of schemathesis (800 MB to install)
	@command -v soffice >/dev/null || DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends libreoffice-calc-nogui
	@FLEETKIT_REQUIRE_JUDGES=1 swift test --filter SpreadsheetJudgeTests
	@$(MAKE) --no-print-directory test-browser
	@$(MAKE) --no-print-directory test-interface

$(STATIC): $(STATIC_SOURCES) | setup
	@$(if $(LINUX),packaging/static-libraries.sh $(STATIC_PC),true)
	@PKG_CONFIG_PATH="$(CURDIR)/$(STATIC_PC)$${PKG_CONFIG_PATH:+:$$PKG_CONFIG_PATH}" \
	  swift build $(OPTIMIZED) --product fleetkit --scratch-path .build-dist $(STATIC_FLAGS)
	@touch $@

dist: $(STATIC) ## Package the command: tar.gz, .deb and SHA256SUMS in dist/ (docs/installing.md)
	@packaging/dist.sh $(STATIC) "$(DIST)"

test-dist: ## Test the packages in dist/ as on a user's machine (make dist makes them)
	@packaging/test-dist.sh "$(DIST)"

install: $(STATIC) ## Install below PREFIX (/usr/local); DESTDIR is put before it
	@packaging/install.sh $(STATIC) "$(DESTDIR)$(PREFIX)"

uninstall: ## Remove what make install installed
	@packaging/uninstall.sh "$(DESTDIR)$(PREFIX)"

clean: ## Remove what was built
	@rm -rf .build .build-dist .build-test .build-jsonschema fuzz/.build Registry/.build Registry/.build-* dist demo rehearsal bench-data
