# Targets: build test lint bench fuzz soak real-clients real-runtimes generate
GO      ?= go
# The race detector needs a C compiler.
CC_HERE := $(shell command -v $${CC:-cc} 2>/dev/null)
RACE    := $(if $(CC_HERE),-race,)
# What these packages do is mostly to start programs, again and again, and each takes ten
# times as long to start under the race detector: they are tested without it. What runs
# inside of them is tested with it by the packages that it is from. The subjects are tested
# in both ways, with the detector in part.
PROGRAMS := ./bridges ./cmd/... ./mutants ./subjects

.PHONY: build test lint bench fuzz soak real-clients real-runtimes generate

build:
	$(GO) build -trimpath -o bin/adaptercheck ./cmd/adaptercheck

test:
	@for language in node python3; do \
	  command -v $$language >/dev/null || echo "no $$language here: its bridge is not tested"; \
	done
	@$(if $(RACE),echo "testing with the race detector",echo "no C compiler here: testing without the race detector")
	$(GO) test $(RACE) -timeout 30m $(if $(RACE),$$($(GO) list ./... | grep -vxF "$$($(GO) list ./bridges ./cmd/... ./mutants)"),./...)
	$(if $(RACE),$(GO) test -timeout 30m $(PROGRAMS))

# gofmt, vet (also for Windows), staticcheck, the contract for wasm, and the rule
# which package may import which.
lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./...
	$(GO) tool staticcheck ./...
	GOOS=js GOARCH=wasm $(GO) build ./contract/...
	$(GO) test -count=1 ./internal/arrows

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	GO=$(GO) ./bench/provider/run.sh bin/adaptercheck

# Every fuzz target for a short while; FUZZTIME=1m for longer.
FUZZTIME ?= 10s
fuzz:
	@for dir in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x ./$$dir || exit 1; \
	  done; \
	done

# The long forms of tests that kill, wait or repeat.
soak:
	ADAPTERCHECK_SOAK=1 $(GO) test -timeout 60m -run TestKilled ./reference

# Drives the fakes with the clients that people use. It needs npm and its registry;
# nothing but the real judges does. See docs/real-judges.md.
real-clients: build
	./realclients/run.sh bin/adaptercheck

# Judges the adapters over the programs that they are for.
real-runtimes:
	$(GO) build -trimpath -o bin/realruntimes ./realruntimes
	./realruntimes/run.sh bin/realruntimes

# Rewrites the golden files from what the code says now. Read the difference.
generate:
	$(GO) test ./golden ./mutants ./conformance/report/render -update
	$(GO) run ./internal/gendocs
