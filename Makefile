# Everything a contributor or CI runs. `make` lists the targets; only `make test` needs nothing but Go.

# Pinned tools. msgp: the version in go.mod, since generated code and runtime must agree. TinyGo's
# version stands in toolchain/tinygo/go.mod.
GOLANGCI_LINT_VERSION := v2.15.0
MSGP_VERSION          := v1.6.5

FUZZTIME ?= 5s
TINYGO   ?= $(or $(shell command -v tinygo),/opt/tinygo/bin/tinygo)

BIN           := $(CURDIR)/.bin
GOLANGCI_LINT := $(BIN)/golangci-lint

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## compile everything, and the command to bin/agenthost
	go build ./...
	go build -trimpath -o bin/agenthost ./cmd/agenthost

.PHONY: test
test: ## run the tests; needs nothing but Go
	go test ./...

.PHONY: lint
lint: $(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION) ## run all linters (.golangci.yml)
	$< config verify
	$< run

.PHONY: fmt
fmt: $(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION) ## format all Go code
	$< fmt

.PHONY: generate
generate: $(BIN)/msgp-$(MSGP_VERSION) ## rewrite the generated Go code
	PATH="$(BIN):$$PATH" go generate ./...

.PHONY: plugins
plugins: ## build the Wasm plugins and test guests whose source changed (all: make -B plugins)

# The guest of standard Go is compiled before the race detector slows that down.
RANDOM_AGENTS = AGENTHOST_TEST_CACHE=$(BIN)/guests go test -count=1 ./internal/reference

.PHONY: property
property: ## perform random agents: 10,000 native, 1,000 TinyGo, 100 standard Go, and a tenth of each with the race detector
	$(RANDOM_AGENTS) -run 'TestRandomAgents/native' -rapid.checks=10000
	$(RANDOM_AGENTS) -run 'TestRandomAgents/tinygo' -rapid.checks=1000
	$(RANDOM_AGENTS) -run 'TestRandomAgents/^go$$' -rapid.checks=100
	$(RANDOM_AGENTS) -race -run 'TestRandomAgents/native' -rapid.checks=1000
	$(RANDOM_AGENTS) -race -run 'TestRandomAgents/tinygo' -rapid.checks=100
	$(RANDOM_AGENTS) -race -run 'TestRandomAgents/^go$$' -rapid.checks=10

SOAK ?= 2000000

.PHONY: soak
soak: ## make SOAK calls (default 2 million, half a minute) of plugins that misbehave, and look at what the process holds then
	AGENTHOST_SOAK=$(SOAK) go test -count=1 -run '^TestSoak$$' -timeout=60m -v ./host/plugin

.PHONY: bench
bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## fuzz every target for FUZZTIME each (default 5s)
	FUZZTIME=$(FUZZTIME) .ci/fuzz

.PHONY: nightly
nightly: ## what is too slow for every commit: long fuzzing, repeated shuffled race tests, steadier benchmarks
	go test -race -shuffle=on -count=5 -timeout=60m ./...
	$(MAKE) fuzz FUZZTIME=60s
	$(MAKE) soak SOAK=100000000
	go test -run '^$$' -bench . -benchmem -benchtime=3s -count=3 -timeout=120m ./...

.PHONY: ci
ci: ## run what CI runs
	.ci/run

.PHONY: clean
clean: ## remove installed tools and built commands
	rm -rf .bin bin

# Tools. The version is in the file name, so that a new pin installs anew; the plain name is what
# `go generate` and editors call.

$(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	ln -f $(BIN)/golangci-lint $@

$(BIN)/msgp-$(MSGP_VERSION):
	GOBIN=$(BIN) go install github.com/tinylib/msgp@$(MSGP_VERSION)
	ln -f $(BIN)/msgp $@

# Wasm guests. The built files are committed, so that tests and users need no TinyGo; equal sources and
# tools give equal bytes, whatever the directory.
#
#   -scheduler=none  a guest has no goroutines; the default one costs 300 µs per call and 60 % more code
#   -no-debug        drops DWARF; the function names in a trap's stack trace stay
#   -opt=s           a quarter smaller than 2: what keeps a plugin with the whole SDK below 200 KB
#
# and panics keep their text (no -panic=trap, which would save 8 %): the operator reads it in the fault.

TINYGO_BUILD := $(TINYGO) build -target=wasip1 -buildmode=c-shared -scheduler=none -no-debug -opt=s

ifeq ($(TINYGO),/opt/tinygo/bin/tinygo)
export TINYGOROOT := /opt/tinygo
endif

# A test file changes no guest.
go_files = $(shell find $1 -name '*.go' ! -name '*_test.go' 2>/dev/null)

PLUGINS := $(patsubst %/,%,$(sort $(dir $(wildcard plugins/*/main.go))))
GUESTS  := $(patsubst %/,%,$(sort $(dir $(wildcard host/plugin/testdata/guests/*/main.go))))

plugin_wasm = $1/$(notdir $1).wasm
guest_wasm  = host/plugin/testdata/$(notdir $1).tinygo.wasm

WASM := $(foreach d,$(PLUGINS),$(call plugin_wasm,$d)) $(foreach d,$(GUESTS),$(call guest_wasm,$d))

# The probe that runs the reference's vectors: its source is in several packages.
PROBE := internal/reference/testdata/probe.tinygo.wasm

plugins: plugins/TOOLCHAIN $(WASM) $(PROBE)

$(PROBE): $(call go_files,internal/reference/guest internal/reference/probe internal/reference/strict) internal/reference/guest/bound.bin
	$(TINYGO_BUILD) -o $@ ./internal/reference/guest

$(WASM) $(PROBE): Makefile go.mod plugins/TOOLCHAIN $(call go_files,abi sdk/go plugins/internal)

# wasm_rule builds the package in directory $1 to the file $2.
define wasm_rule
$2: $(call go_files,$1)
	$(TINYGO_BUILD) -o $$@ ./$1
endef

$(foreach d,$(PLUGINS),$(eval $(call wasm_rule,$d,$(call plugin_wasm,$d))))
$(foreach d,$(GUESTS),$(eval $(call wasm_rule,$d,$(call guest_wasm,$d))))

# The guest of Rust, for tests and benchmarks of the meter. It is committed too, and not built anew in CI: that needs a Rust
# with the standard library of wasm32-unknown-unknown, as toolchain/rust.sh makes it.

RUST_SOURCE := host/plugin/meter/testdata/scan
RUST_GUEST  := host/plugin/meter/testdata/scan.rust.wasm

.PHONY: rust
rust: $(RUST_GUEST) ## build the Rust guest if its source changed (RUSTUP_TOOLCHAIN=debian-web after toolchain/rust.sh)

$(RUST_GUEST): $(RUST_SOURCE)/Cargo.toml $(wildcard $(RUST_SOURCE)/src/*.rs)
	cargo build --quiet --release --target wasm32-unknown-unknown --manifest-path $< --target-dir $(BIN)/rust
	cp $(BIN)/rust/wasm32-unknown-unknown/release/scan.wasm $@

# The tools that built the committed files: looked at every time, written (and so everything rebuilt)
# only when they differ. CI compares bytes only where the tools are these.
plugins/TOOLCHAIN: FORCE
	@command -v $(TINYGO) >/dev/null || { \
		echo 'make: no TinyGo: put one on PATH, or run toolchain/tinygo.sh (Debian, as root)' >&2; exit 1; }
	@tools=$$($(TINYGO) version && wasm-opt --version) || exit; \
		[ "$$tools" = "$$(cat $@ 2>/dev/null)" ] || { mkdir -p $(@D) && echo "$$tools" >$@; }

.PHONY: FORCE
FORCE:
