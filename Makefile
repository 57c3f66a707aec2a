# The commands of contributors and CI. `make` lists the targets; `make build` and `make test` need only Go.

# Pinned tools. The version of msgp is the one in go.mod, because generated code and runtime must agree. The version of TinyGo is in
# toolchain/tinygo/go.mod.
GOLANGCI_LINT_VERSION := v2.15.0
MSGP_VERSION          := v1.6.5

FUZZTIME ?= 5s
FUZZ_PACKAGES ?= ./...
TINYGO   ?= $(or $(shell command -v tinygo),/opt/tinygo/bin/tinygo)

BIN           := $(CURDIR)/.bin
GOLANGCI_LINT := $(BIN)/golangci-lint

# The tests share compiled guests: see internal/testcache.
export AGENTHOST_TEST_CACHE := $(BIN)/guests

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# grpcnotrace leaves out pages of grpc that nothing here shows. They execute html/template, so the linker would keep every
# exported method of every type.
BUILD_TAGS := grpcnotrace
# These tags each leave out a part of the command: see CONTRIBUTING.md.
SMALL_TAGS := $(BUILD_TAGS),no_cloud,no_extism,no_keyring,no_otel,no_postgres,no_registry,no_scripts,no_serve
RELEASE    := go build -trimpath -ldflags='-s -w'

.PHONY: build
build: ## compile all packages, and write the command to bin/agenthost
	go build -tags $(BUILD_TAGS) ./...
	go build -tags $(BUILD_TAGS) -o bin/agenthost ./cmd/agenthost

.PHONY: release
release: ## write the command without debug information to bin/agenthost
	$(RELEASE) -tags $(BUILD_TAGS) -o bin/agenthost ./cmd/agenthost

.PHONY: small
small: ## write the command without server, databases on other machines, clouds, scripts and telemetry to bin/agenthost-small
	$(RELEASE) -tags $(SMALL_TAGS) -o bin/agenthost-small ./cmd/agenthost

.PHONY: vetsmall
vetsmall: ## vet the command and its tests as make small builds it
	go vet -tags $(SMALL_TAGS) ./cmd/agenthost/...

.PHONY: size
size: release small ## write bench/profiles/size.txt: what the commands consist of
	mkdir -p bench/profiles
	go run ./toolchain/size "$(BUILD_TAGS)" "$(SMALL_TAGS)" >bench/profiles/size.txt

# Some tests build programs. Building them first keeps go test and those builds from compiling the same packages at the same time.
.PHONY: test
test: ## run all tests; needs only Go
	go build -tags $(BUILD_TAGS) -o /dev/null ./cmd/agenthost ./examples/mcp/server ./examples/embed
	GOGC=400 go test -vet=off ./... # make lint vets the code; fewer garbage collections save a tenth of the time

.PHONY: lint
lint: $(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION) ## run all linters (.golangci.yml)
	$< config verify
	$< run
	cd bench && $< run ./...

.PHONY: fmt
fmt: $(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION) ## format all Go code
	$< fmt

.PHONY: generate
generate: $(BIN)/msgp-$(MSGP_VERSION) ## rewrite the generated Go code
	PATH="$(BIN):$$PATH" go generate ./...

.PHONY: plugins
plugins: ## build the Wasm plugins and test guests whose source changed (all: make -B plugins)

RANDOM_AGENTS = go test -count=1 ./test/reference

.PHONY: property
property: ## run random agents: 10,000 native, 1,000 as TinyGo plugins, 1,000 native with the race detector (make test runs 100)
	$(RANDOM_AGENTS) -run 'TestRandomAgents/native' -rapid.checks=10000
	$(RANDOM_AGENTS) -run 'TestRandomAgents/tinygo' -rapid.checks=1000
	$(RANDOM_AGENTS) -race -run 'TestRandomAgents/native' -rapid.checks=1000

.PHONY: profiles
profiles: ## write the profiles beside the tables of bench: the fuel of a hook's functions and of a wrap's, the time of a round, of eight tool calls, of a crowd and of 50 runs in SQLite, what a run sends to PostgreSQL, and a start, which needs perf
	mkdir -p bench/profiles
	go test -count=1 ./host/plugin -run '^TestFuelProfile$$' -profiles
	toolchain/profile.sh round-five-memory cpu 'A round with five middlewares that do nothing and a thread in memory: five-memory in the suite loop.' \
		./host -count=1 -bench '^BenchmarkLoop$$/^five_noop_hooks_and_a_thread$$' -benchtime 5s
	toolchain/profile.sh eight-tools cpu 'A round with eight tool calls at once through a wrap in TinyGo, on one core, as in the suite guest.' \
		./host/plugin -count=1 -cpu 1 -bench '^BenchmarkParallelTools$$/^tinygo$$' -benchtime 5s
	toolchain/profile.sh crowd 'cpu mutex' 'Twelve crowds of 1,000 runs with three plugins, one after the other: the first row of the suite crowd.' \
		-C bench/peers/agenthost . -count=1 -bench '^BenchmarkCrowd$$' -benchtime 12x
	toolchain/profile.sh together 'cpu block' 'Fifty runs at once, whose threads one SQLite file keeps: the suite together.' \
		-C bench/peers/agenthost . -count=1 -bench '^BenchmarkTogether$$' -benchtime 8x -blockprofilerate 10000
	go test -count=1 ./host/checkpoint/postgres -run '^TestTripsOfARun$$' -profiles
	go test -count=1 ./cmd/agenthost -run '^TestStartProfile$$' -profiles

SOAK ?= 2000000

.PHONY: soak
soak: ## call misbehaving plugins SOAK times (default 2 million, half a minute), and check that the process leaks nothing
	AGENTHOST_SOAK=$(SOAK) go test -count=1 -run '^TestSoak$$' -timeout=60m -v ./host/plugin

SIEGE ?= 1m

.PHONY: siege
siege: ## let hostile plugins, tools and models act together for the time SIEGE, and check that the process stays below 1 GiB
	AGENTHOST_SIEGE=$(SIEGE) go test -count=1 -run '^TestSiege$$' -timeout=120m -v ./host/plugin/hostile

.PHONY: servers
servers: $(BIN)/servers/node_modules/.installed $(BIN)/servers/venv/.installed $(BIN)/servers/litellm/.installed $(BIN)/servers/langgraph/.installed $(BIN)/servers/python/.installed $(BIN)/servers/clients/.installed ## install the third-party servers, clients and checkers of tests; needs Node.js 20 or later, and Python 3.11 with venv

$(BIN)/servers/node_modules/.installed: test/testservers/package.json test/testservers/package-lock.json
	mkdir -p $(BIN)/servers
	cp $^ $(BIN)/servers
	cd $(BIN)/servers && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

$(BIN)/servers/venv/.installed: test/testservers/requirements.txt
	python3 -m venv $(BIN)/servers/venv
	$(BIN)/servers/venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	touch $@

# LiteLLM has other versions of the packages in venv.
$(BIN)/servers/litellm/.installed: test/testservers/litellm.txt
	python3 -m venv $(BIN)/servers/litellm
	$(BIN)/servers/litellm/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --no-compile --no-deps -r $<
	touch $@

$(BIN)/servers/langgraph/.installed: test/testservers/langgraph.txt
	python3 -m venv $(BIN)/servers/langgraph
	$(BIN)/servers/langgraph/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --no-compile --no-deps -r $<
	touch $@

$(BIN)/servers/python/.installed: test/testservers/python.txt
	python3 -m venv $(BIN)/servers/python
	$(BIN)/servers/python/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	touch $@

$(BIN)/servers/clients/.installed: test/testservers/clients.txt
	python3 -m venv $(BIN)/servers/clients
	$(BIN)/servers/clients/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --no-compile --no-deps -r $<
	touch $@

.PHONY: zig
zig: $(BIN)/zig/.installed ## install Zig, with which the conformance kit builds a guest; needs Python 3 with venv

$(BIN)/zig/.installed: tck/guests/zig/requirements.txt
	python3 -m venv $(BIN)/zig
	$(BIN)/zig/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --no-compile -r $<
	touch $@

LLMPOSTER_VERSION := 0.5.0

.PHONY: llmposter
llmposter: ## install llmposter, one more server for tests of models; takes three minutes of processor time, and needs cargo 1.89 or later
	cargo install llmposter --version $(LLMPOSTER_VERSION) --locked --no-default-features --root $(BIN)/servers/llmposter

DISTRIBUTION_VERSION := v3.1.2

.PHONY: otelcol
otelcol: ## build an OpenTelemetry Collector for a test; takes some minutes
	cd test/otelcol && CGO_ENABLED=0 go build -trimpath -o $(BIN)/servers/otelcol .

.PHONY: distribution
distribution: ## install distribution, the registry for container images that most others are built on, for a test; takes some minutes
	GOBIN=$(BIN)/servers/distribution go install github.com/distribution/distribution/v3/cmd/registry@$(DISTRIBUTION_VERSION)

TEMPORAL_VERSION := v1.5.1

.PHONY: temporal
temporal: $(BIN)/servers/temporal/temporal ## install Temporal's command line with its development server, for tests; takes four minutes of processor time

$(BIN)/servers/temporal/temporal:
	GOBIN=$(@D) go install github.com/temporalio/cli/cmd/temporal@$(TEMPORAL_VERSION)

# Temporal's server and the program that makes its tables are built with the dependencies of the command line, which has most of their packages.
.PHONY: temporal-server
temporal-server: $(BIN)/servers/temporal/temporal-server ## install Temporal's server as in production, for tests on PostgreSQL

$(BIN)/servers/temporal/temporal-server: $(BIN)/servers/temporal/temporal
	.ci/temporal-server github.com/temporalio/cli@$(TEMPORAL_VERSION) $(@D)

.PHONY: fleet
fleet: ## write the command with the engine of Temporal to bin/agenthost-fleet
	cd cmd/agenthost/agenthost-fleet && go build -o $(CURDIR)/bin/agenthost-fleet .

FAULTS ?= 6
FLEET_SIEGE ?= 1m

.PHONY: fleet-faults
fleet-faults: temporal ## hold the engine of Temporal to its contract with a real server, kill FAULTS workers (default 6), and besiege a fleet for the time FLEET_SIEGE (default 1m); takes six minutes
	cd engine/temporal && AGENTHOST_TEMPORAL=1 AGENTHOST_FAULTS=$(FAULTS) go test -count=1 -timeout=60m -v ./...
	cd cmd/agenthost/agenthost-fleet && AGENTHOST_TEMPORAL=1 AGENTHOST_FLEET_SIEGE=$(FLEET_SIEGE) go test -count=1 -timeout=60m -v ./...

.PHONY: fleet-faults-postgres
fleet-faults-postgres: temporal-server ## do the same to the engine with Temporal's server on PostgreSQL, with 16 shards, which restarts too
	AGENTHOST_TEMPORAL=1 go test -count=1 ./test/temporalserver
	cd engine/temporal && AGENTHOST_TEMPORAL=postgres AGENTHOST_FAULTS=$(FAULTS) go test -count=1 -timeout=60m -v .

.PHONY: bench-fleet
bench-fleet: temporal-server ## measure what Temporal adds to runs, KILLS kills and a thousand threads that wait, in some minutes, and write engine/temporal/RESULTS.md; nothing else may run meanwhile
	cd engine/temporal && AGENTHOST_TEMPORAL=postgres AGENTHOST_FLEET_BENCH=$(KILLS) go test -count=1 -timeout=120m -v -run '^TestTheTargets$$' .

.PHONY: fleet-lint
fleet-lint: $(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION) ## run all linters on the modules with the engine of Temporal
	cd engine/temporal && $< run ./...
	cd cmd/agenthost/agenthost-fleet && $< run ./...

OPEN_WEBUI_VERSION := 0.12.4

.PHONY: open-webui
open-webui: $(BIN)/servers/open-webui/.installed-$(OPEN_WEBUI_VERSION) ## install Open WebUI, and use an agent with it; needs Python 3.11, 7 GB and a quarter of an hour
	AGENTHOST_OPEN_WEBUI=$(BIN)/servers/open-webui/bin/open-webui go test -count=1 -v -run TestOpenWebUI ./test/openai

$(BIN)/servers/open-webui/.installed-$(OPEN_WEBUI_VERSION):
	rm -rf $(BIN)/servers/open-webui
	python3 -m venv $(BIN)/servers/open-webui
	$(BIN)/servers/open-webui/bin/pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --only-binary :all: open-webui==$(OPEN_WEBUI_VERSION)
	touch $@

UIS := $(BIN)/uis

# The commits of the pages. Their builds ask Google for a font, and here get an answer from a file.
AGENT_CHAT_UI  := fdc87e65307581b02898d33c62b3f285e56bd85b
DEEP_AGENTS_UI := f6a4f34565b42688be06498031fc9351c152614e
PAGE_BUILD     := NEXT_TELEMETRY_DISABLED=1 NEXT_FONT_GOOGLE_MOCKED_RESPONSES=$(CURDIR)/test/uis/testdata/fonts.cjs node_modules/.bin/next build

# The conformance suite of the A2A protocol is not on PyPI.
A2A_TCK := 357c4a87afa2818731590647cccbea31c31733a2

.PHONY: a2a-tck
a2a-tck: $(BIN)/a2a-tck/.venv/.installed ## run the conformance suite of A2A; needs Python 3.11, GitHub, PyPI and two minutes
	A2A_TCK=$(BIN)/a2a-tck go test -count=1 -v ./test/a2a -run TestConformance

$(BIN)/a2a-tck/.venv/.installed:
	rm -rf $(BIN)/a2a-tck
	git clone -q https://github.com/a2aproject/a2a-tck $(BIN)/a2a-tck
	cd $(BIN)/a2a-tck && git checkout -q $(A2A_TCK) && python3 -m venv .venv && .venv/bin/pip install -q .
	touch $@

.PHONY: uis
uis: $(UIS)/agent-chat-ui/.next/BUILD_ID $(UIS)/deep-agents-ui/.next/BUILD_ID $(UIS)/driver/node_modules/.installed ## build agent-chat-ui and deep-agents-ui, and use them in Chromium; needs Node.js 20, Chromium, GitHub and five minutes
	AGENTHOST_UIS=$(UIS) go test -count=1 -v ./test/uis

$(UIS)/agent-chat-ui/.next/BUILD_ID:
	rm -rf $(UIS)/agent-chat-ui
	git clone -q https://github.com/langchain-ai/agent-chat-ui $(UIS)/agent-chat-ui
	cd $(UIS)/agent-chat-ui && git checkout -q $(AGENT_CHAT_UI) && npm_config_manage_package_manager_versions=false npx --yes pnpm@10.34.9 install --frozen-lockfile
	cd $(UIS)/agent-chat-ui && NEXT_PUBLIC_API_URL=http://127.0.0.1:8123 NEXT_PUBLIC_ASSISTANT_ID=helper $(PAGE_BUILD)

$(UIS)/deep-agents-ui/.next/BUILD_ID:
	rm -rf $(UIS)/deep-agents-ui
	git clone -q https://github.com/langchain-ai/deep-agents-ui $(UIS)/deep-agents-ui
	cd $(UIS)/deep-agents-ui && git checkout -q $(DEEP_AGENTS_UI) && npx --yes yarn@1.22.22 install --frozen-lockfile
	cd $(UIS)/deep-agents-ui && $(PAGE_BUILD) --webpack

.PHONY: copilotkit
copilotkit: $(BIN)/copilotkit/node_modules/.installed ## use agents with CopilotKit's runtime, which it installs in a minute; needs Node.js 20
	AGENTHOST_COPILOTKIT=$(BIN)/copilotkit go test -count=1 -v -run CopilotKit ./test/agui

$(BIN)/copilotkit/node_modules/.installed: test/agui/testdata/copilotkit/package.json test/agui/testdata/copilotkit/package-lock.json
	mkdir -p $(BIN)/copilotkit
	cp $^ $(BIN)/copilotkit
	cd $(BIN)/copilotkit && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

$(UIS)/driver/node_modules/.installed: test/uis/testdata/package.json test/uis/testdata/package-lock.json
	mkdir -p $(UIS)/driver
	cp $^ $(UIS)/driver
	cd $(UIS)/driver && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

# axe-core checks the page for barriers.
$(BIN)/studio/node_modules/.installed: test/studio/testdata/package.json test/studio/testdata/package-lock.json
	mkdir -p $(BIN)/studio
	cp $^ $(BIN)/studio
	cd $(BIN)/studio && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

.PHONY: test-ui
test-ui: $(BIN)/studio/node_modules/.installed ## use the studio in Chromium, and fail without one; takes a minute; AGENTHOST_SHOTS=DIR keeps pictures
	AGENTHOST_UI=1 go test -count=1 ./studio ./test/studio

.PHONY: bench-ui
bench-ui: ## measure the studio in Chromium: its first view, its size, and how smoothly 10,000 events scroll; nothing else may run meanwhile
	AGENTHOST_UI=1 go test -count=1 -p=1 -parallel=1 -v -run '^Test(ThePageIsSmall|TheFirstView|AFileWithManyEvents)$$' ./studio ./test/studio | grep _test.go

.PHONY: pictures
pictures: ## make the pictures of the studio again that README.md and docs/studio.md show; look at them before you commit them
	AGENTHOST_UI=1 AGENTHOST_PICTURES=1 go test -count=1 -run '^Test(FromAQuestionToAFork|TheViews|APluginThatFaults|TheLiveStep)$$' ./test/studio

.PHONY: recordings
recordings: ## record the runs again that the tests of the studio's model replay
	go test -count=1 -run '^TestRecord$$' ./test/studio -update

.PHONY: hostile
hostile: ## let slow, huge, silent and thousands of clients at a server; takes three minutes
	AGENTHOST_HOSTILE=1 go test -count=1 -timeout=30m -v ./test/hostileclients

.PHONY: proxies
proxies: ## run the documented configurations of nginx and Caddy, which must be installed, with streams that are silent for a minute
	AGENTHOST_PROXIES=1 go test -count=1 -run '^TestBehindAProxy$$' -timeout=10m -v ./server

.PHONY: dashboard
dashboard: ## let Prometheus, which must be installed, scrape a server and answer each query of the Grafana dashboard
	go test -count=1 -run '^TestPrometheusAnswersTheDashboard$$' -v ./cmd/agenthost

LOAD ?= 2000

.PHONY: load
load: ## make LOAD runs (default 2000), 200 at once, with SQLite and with PostgreSQL, and check that their streams are whole
	AGENTHOST_LOAD=$(LOAD) go test -count=1 -run '^TestLoad$$' -timeout=30m -v ./test/load
	AGENTHOST_STRANGERS=20000 go test -count=1 -timeout=30m -run '^TestWhatIsAnothersIsNotThere$$' ./server/langgraph

SERVER_SOAK ?= 1m

.PHONY: soak-server
soak-server: ## let clients use a server for the time SERVER_SOAK, with SQLite and with PostgreSQL, and check that it loses and leaks nothing
	AGENTHOST_SERVER_SOAK=$(SERVER_SOAK) go test -count=1 -run '^TestSoak$$' -timeout=180m -v ./test/load

KILLS ?= 60

.PHONY: kills
kills: ## kill processes that run an agent, or their connections, KILLS times per store (default 60), and check that nothing is lost
	AGENTHOST_KILLS=$(KILLS) go test -count=1 -run '^TestKill|^TestTheWay' -timeout=60m -v ./test/crash ./test/replicas

.PHONY: bench
bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## fuzz every target of FUZZ_PACKAGES (default all) for FUZZTIME each (default 5s)
	FUZZTIME=$(FUZZTIME) .ci/fuzz $(FUZZ_PACKAGES)

GOVULNCHECK_VERSION := v1.8.0

.PHONY: vulncheck
vulncheck: ## look for known vulnerabilities in the code that we call; needs the database at vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...

.PHONY: nightly
nightly: ## run the checks that are too slow for every commit: long fuzzing, repeated shuffled race tests, steadier benchmarks
	$(MAKE) llmposter
	$(MAKE) distribution
	$(MAKE) otelcol
	$(MAKE) -B python
	git diff --exit-code -- sdk/python plugins/TOOLCHAIN.rust # equal sources and tools give equal bytes
	AGENTHOST_SLOW_GUESTS=1 go test -count=1 -timeout=60m ./test/reference
	go test -race -shuffle=on -count=5 -timeout=60m ./...
	$(MAKE) fuzz FUZZTIME=60s
	$(MAKE) soak SOAK=100000000
	$(MAKE) siege SIEGE=10m
	$(MAKE) a2a-tck
	$(MAKE) uis
	$(MAKE) copilotkit
	$(MAKE) open-webui
	$(MAKE) proxies
	$(MAKE) dashboard
	AGENTHOST_SHOTS=$(BIN)/studio/shots $(MAKE) test-ui
	$(MAKE) hostile
	$(MAKE) load
	$(MAKE) soak-server SERVER_SOAK=1h
	$(MAKE) kills KILLS=500
	$(MAKE) fleet-lint
	$(MAKE) fleet-faults FAULTS=50 FLEET_SIEGE=10m
	$(MAKE) fleet-faults-postgres
	$(MAKE) bench-peers BENCH=-quick
	go test -run '^$$' -bench . -benchmem -benchtime=3s -count=3 -timeout=120m ./...

.PHONY: ratios
ratios: ## check how many times as long one operation takes as another; nothing else may run meanwhile
	AGENTHOST_RATIOS=1 go test -count=1 -p=1 -run '^TestRatios$$' ./host ./host/plugin ./host/plugin/meter

BENCH ?=

.PHONY: bench-peers
bench-peers: ## measure agenthost and its peers in nearly an hour, and write bench/RESULTS.md (BENCH=-quick: a trial run)
	cd bench && go run . $(BENCH)

.PHONY: bench-server
bench-server: ## measure agenthost serve, langgraph dev and Aegra in twenty minutes, and print the tables (part of bench-peers)
	cd bench && go run . -only '^(server|token|idle)$$' $(BENCH)

.PHONY: ci
ci: ## run all checks that CI runs, and print how long each took
	.ci/run

.PHONY: clean
clean: ## remove installed tools and built commands
	rm -rf .bin bin

# Tools. The file name contains the version, so a new pin installs a new file. `go generate` and editors call the plain name.

$(GOLANGCI_LINT)-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	ln -f $(BIN)/golangci-lint $@

$(BIN)/msgp-$(MSGP_VERSION):
	GOBIN=$(BIN) go install github.com/tinylib/msgp@$(MSGP_VERSION)
	ln -f $(BIN)/msgp $@

# Wasm guests. The built files are committed, so that tests and users need no TinyGo. Equal sources and tools give equal bytes in any
# directory.
#
#   -scheduler=none  a guest has no goroutines; the default one costs 300 µs per call and 60 % more code
#   -no-debug        drops DWARF; a trap's stack trace still has the function names
#   -opt=z           a quarter smaller than -opt=2 and, with a meter, as fast; it keeps a plugin with the whole SDK below 200 KB
#
# -panic=trap would save 8 %, but the operator reads the text of a panic in the fault.

TINYGO_BUILD := $(TINYGO) build -target=wasip1 -buildmode=c-shared -scheduler=none -no-debug -opt=z

ifeq ($(TINYGO),/opt/tinygo/bin/tinygo)
export TINYGOROOT := /opt/tinygo
endif

# Guests do not depend on test files.
go_files = $(shell find $1 -name '*.go' ! -name '*_test.go' 2>/dev/null)

PLUGINS := $(patsubst %/,%,$(sort $(dir $(wildcard plugins/*/main.go))))
GUESTS  := $(patsubst %/,%,$(sort $(dir $(wildcard host/plugin/testdata/guests/*/main.go))))

plugin_wasm = $1/$(notdir $1).wasm
guest_wasm  = host/plugin/testdata/$(notdir $1).tinygo.wasm

WASM := $(foreach d,$(PLUGINS),$(call plugin_wasm,$d)) $(foreach d,$(GUESTS),$(call guest_wasm,$d))

# The probe that runs the reference's vectors. Its source is in several packages.
PROBE := test/reference/testdata/probe.tinygo.wasm

# Guests that are also built as Extism plugins.
EXTISM_PROBE := test/reference/testdata/probe.extism.wasm
EXTISM_BENCH := host/plugin/testdata/bench.extism.wasm

# The same guest that never frees memory.
LEAKING_BENCH := host/plugin/testdata/bench-leaking.tinygo.wasm

# A plugin built with Extism's PDK, in a Go module of its own.
EXTISM_MASK := examples/extism/mask/mask.wasm

plugins: plugins/TOOLCHAIN $(WASM) $(PROBE) $(EXTISM_PROBE) $(EXTISM_BENCH) $(LEAKING_BENCH) $(EXTISM_MASK)

$(PROBE): $(call go_files,test/reference/guest test/reference/probe test/reference/strict) test/reference/guest/bound.bin
	$(TINYGO_BUILD) -o $@ ./test/reference/guest

$(EXTISM_PROBE): $(call go_files,test/reference/guest test/reference/probe test/reference/strict) test/reference/guest/bound.bin
	$(TINYGO_BUILD) -tags extism -o $@ ./test/reference/guest

$(EXTISM_BENCH): $(call go_files,host/plugin/testdata/guests/bench)
	$(TINYGO_BUILD) -tags extism -o $@ ./host/plugin/testdata/guests/bench

$(LEAKING_BENCH): $(call go_files,host/plugin/testdata/guests/bench)
	$(TINYGO_BUILD) -gc=leaking -o $@ ./host/plugin/testdata/guests/bench

$(EXTISM_MASK): Makefile plugins/TOOLCHAIN $(filter-out $(EXTISM_MASK),$(wildcard $(dir $(EXTISM_MASK))*.*))
	cd $(@D) && $(TINYGO_BUILD) -o $(@F) .

$(WASM) $(PROBE) $(EXTISM_PROBE) $(EXTISM_BENCH) $(LEAKING_BENCH): Makefile go.mod plugins/TOOLCHAIN $(call go_files,abi sdk/go)

# wasm_rule builds the package in directory $1 and writes the file $2.
define wasm_rule
$2: $(call go_files,$1)
	$(TINYGO_BUILD) -o $$@ ./$1
endef

$(foreach d,$(PLUGINS),$(eval $(call wasm_rule,$d,$(call plugin_wasm,$d))))
$(foreach d,$(GUESTS),$(eval $(call wasm_rule,$d,$(call guest_wasm,$d))))

# Guests in Rust. They are committed too, and equal sources and tools give equal bytes in any directory:
#
#   --remap-path-prefix   keeps the build machine's directories out of panic texts
#   -zstack-size          64 KiB; the linker's default would take 1 MiB of each instance's memory
#   one package a call    cargo merges the features of all packages that it builds together
#
# Without rustup's target wasm32-unknown-unknown: toolchain/rust.sh, and then make RUSTUP_TOOLCHAIN=debian-web.

CARGO ?= cargo
RUST_TARGET := wasm32-unknown-unknown
RUST_STACK   = -Clink-arg=-zstack-size=65536
RUST_FLAGS   = $(RUST_STACK) --remap-path-prefix=$(CURDIR)=. \
	--remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=/cargo --remap-path-prefix=.cargo/agenthost=sdk/rust
RUST_BUILD   = env -u CARGO_ENCODED_RUSTFLAGS RUSTFLAGS='$(RUST_FLAGS)' \
	$(CARGO) build --quiet --release --locked --target $(RUST_TARGET) --target-dir $(BIN)/rust

rust_files = $(shell find $1 -name target -prune -o \( -name '*.rs' -o -name 'Cargo.*' \) -print)

RUST_PLUGINS := $(patsubst %/,%,$(sort $(dir $(wildcard plugins/*/Cargo.toml))))
RUST_WASM    := $(foreach d,$(RUST_PLUGINS),$(call plugin_wasm,$d)) \
	test/reference/testdata/probe.rust.wasm host/plugin/testdata/bench.rust.wasm host/plugin/meter/testdata/scan.rust.wasm \
	examples/extism/quota/quota.wasm

.PHONY: rust
rust: plugins/TOOLCHAIN.rust $(RUST_WASM) ## build the plugins and test guests in Rust whose source changed

# rust_rule builds the package $2 of the workspace in directory $1 to the file $3.
define rust_rule
$3: $(call rust_files,$1) plugins/TOOLCHAIN.rust
	cd $1 && $$(RUST_BUILD) -p $2
	install -m 644 $(BIN)/rust/$(RUST_TARGET)/release/$2.wasm $$@
endef

$(foreach d,$(RUST_PLUGINS),$(eval $(call rust_rule,plugins,$(notdir $d),$(call plugin_wasm,$d))))
$(eval $(call rust_rule,sdk/rust,probe,test/reference/testdata/probe.rust.wasm))
$(eval $(call rust_rule,sdk/rust,bench,host/plugin/testdata/bench.rust.wasm))
$(eval $(call rust_rule,host/plugin/meter/testdata/scan,scan,host/plugin/meter/testdata/scan.rust.wasm))
$(eval $(call rust_rule,examples/extism/quota,quota,examples/extism/quota/quota.wasm))
examples/extism/quota/quota.wasm: examples/extism/quota/description.json
host/plugin/meter/testdata/scan.rust.wasm: RUST_STACK := # this guest represents a Rust module with the default stack

$(foreach d,$(RUST_PLUGINS),$(call plugin_wasm,$d)) test/reference/testdata/probe.rust.wasm: $(call rust_files,sdk/rust/src sdk/rust/derive)
test/reference/testdata/probe.rust.wasm: test/reference/guest/bound.bin

# The engine for plugins in JavaScript, in C. It is committed, and equal sources and tools give equal bytes in any directory.
.PHONY: js
js: plugins/TOOLCHAIN.clang ## build the engine for plugins in JavaScript if its source changed; needs clang-19, lld-19, wasi-libc and zstd
	$(MAKE) -C sdk/js/engine
	toolchain/pack.sh sdk/js/engine.wasm sdk/js/engine.wasm.zst

# The engine for plugins in Python, in Rust. The recursion limit of Python is reached before the stack of 1 MiB is used up.
.PHONY: python
python: plugins/TOOLCHAIN.rust sdk/python/engine.wasm.zst ## build the engine for plugins in Python if its source changed; takes several minutes

# The build takes too long for CI. There, a test compares its sources with the digest that the engine carries; make nightly builds it.
PYTHON_SOURCES := $(sort $(call rust_files,sdk/python/engine sdk/rust/src sdk/rust/derive) sdk/rust/Cargo.toml $(shell find sdk/python/engine -name '*.py'))

sdk/python/engine.wasm.zst: RUST_STACK := -Clink-arg=-zstack-size=1048576 --cfg getrandom_backend="custom"
sdk/python/engine.wasm.zst: plugins/TOOLCHAIN.rust $(PYTHON_SOURCES)
	@export ENGINE_SOURCES=$$(sha256sum $(PYTHON_SOURCES) | sha256sum | cut -d ' ' -f 1) && cd sdk/python/engine && $(RUST_BUILD)
	toolchain/pack.sh $(BIN)/rust/$(RUST_TARGET)/release/engine.wasm $@

# The directories with Rust sources. The engine for Python has no tests of its own.
RUST_WORKSPACES := sdk/rust plugins examples/extism/quota

.PHONY: rustlint
rustlint: ## run the linters of the Rust SDK, plugins and engine
	set -e; for d in $(RUST_WORKSPACES); do (cd $$d && $(CARGO) fmt --all --check && \
		$(CARGO) clippy --quiet --locked --workspace --all-targets --target-dir $(BIN)/rust-native -- -D warnings); done
	cd sdk/python/engine && $(CARGO) fmt --all --check # clippy would compile the interpreter, which needs a newer compiler than the rest

.PHONY: rusttest
rusttest: ## run the tests of the Rust SDK and plugins
	set -e; for d in $(RUST_WORKSPACES); do (cd $$d && $(CARGO) test --quiet --locked --workspace --target-dir $(BIN)/rust-native); done

.PHONY: rustpackage
rustpackage: ## pack the crates of the Rust SDK as for crates.io, and build what was packed
	cmp LICENSE sdk/rust/LICENSE && cmp LICENSE sdk/rust/derive/LICENSE
	cd sdk/rust && $(CARGO) package --quiet --locked --allow-dirty -p agenthost-derive -p agenthost --target-dir $(BIN)/rust-native

.PHONY: compilers
compilers: ## run the tests that build plugins with TinyGo and Rust, as a new user would
	AGENTHOST_COMPILERS=1 go test -count=1 -run 'TestFromNothingToARun|TestDevBuilds|TestDevOfANewProject' ./cmd/agenthost
	AGENTHOST_COMPILERS=1 go test -count=1 -run 'TinyGo' ./examples
	AGENTHOST_COMPILERS=1 go test -count=1 ./internal/toolchain/...
	AGENTHOST_COMPILERS=1 go test -count=1 -run 'TestTheWorkedExample' ./tck/certify

# These files name the tools that built the committed guests. They are checked every time, and written only when the tools differ,
# which rebuilds everything. CI compares bytes only if its tools are the recorded ones.
plugins/TOOLCHAIN: FORCE
	@command -v $(TINYGO) >/dev/null || { \
		echo 'make: no TinyGo: put one on PATH, or run toolchain/tinygo.sh (Debian, as root)' >&2; exit 1; }
	@tools=$$($(TINYGO) version && wasm-opt --version) || exit; \
		[ "$$tools" = "$$(cat $@ 2>/dev/null)" ] || { mkdir -p $(@D) && echo "$$tools" >$@; }

plugins/TOOLCHAIN.rust: FORCE
	@tools=$$(rustc --version) || exit; [ "$$tools" = "$$(cat $@ 2>/dev/null)" ] || echo "$$tools" >$@

plugins/TOOLCHAIN.clang: FORCE
	@tools=$$(clang-19 --version | head -n 1 && dpkg-query -W -f '$${Package} $${Version}\n' wasi-libc) || exit; \
		[ "$$tools" = "$$(cat $@ 2>/dev/null)" ] || echo "$$tools" >$@

.PHONY: FORCE
FORCE:
