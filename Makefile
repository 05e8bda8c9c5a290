# obstools
#
#   make              build the programs into build/bin
#   make demo         install dependencies, build, run an end-to-end demo
#   make check        install test dependencies, build, run all tests
#   make check-long   run the tests that take long
#   make check-slurm  run the Slurm scripts on a Slurm of two nodes
#   make install      install under PREFIX (/usr/local); also DESTDIR=
#   make uninstall    remove what install installed
#   make deb          make a Debian package in build
#   make portable     make a tarball that runs on other distributions
#   make dist         make a source tarball in build
#   make sbom         list its files and licenses as SPDX
#   make clean        remove what was built
#
#   make lint         check the sources against the rules of this repository
#   make format       format the sources with clang-format
#   make analyze      run the static analyzers (minutes)
#   make bench        time the programs
#   make bench-readme print the rows of README.md's tables of speed
#   make bench-viewer time the page
#   make fuzz         run every fuzz target; T=SECONDS, SEED=N
#   make torture      fail each system call and allocation in turn
#   make valgrind     check memory with valgrind
#   make differential compare with other implementations; T=SECONDS
#   make coverage     line coverage of the tests
#   make soak         serve thousands of requests, watch memory
#
# Variables: V=1 prints commands, O=DIR builds elsewhere, SAN=1 builds with
# sanitizers (check, torture), CC=clang. WITHOUT="httpd screen curl" leaves out
# the programs that need libmicrohttpd (obs-serve, trace-timeline), ncursesw
# (obs-top) or libcurl (obs-scrape, profile-rollout): what is left needs zlib
# alone.
#
# A new lib/**/*.c, cmd/NAME.c, man/NAME.1, tests/unit/NAME.c or
# tests/fuzz/NAME.c is picked up by its place; nothing here names it.

VERSION := 0.1.0
O ?= build
PREFIX ?= /usr/local
T ?= 30

OBJCOPY ?= objcopy

ifeq ($(origin CC),default)
CC := gcc
endif

# ---- where things are built: one directory a flavour

ifdef FUZZ
B := $(O)/fuzz
else ifdef SAN
B := $(O)/san
else
B := $(O)
endif

ifdef V
say = @:
Q :=
else
say = @printf '  %-8s%s\n' $(1) $(2)
Q := @
endif

# ---- flags

# The library that a part needs, the files that include its headers, and the
# programs that come with it.
PARTS := httpd curl screen
httpd_PACKAGE := libmicrohttpd
httpd_FILES := lib/net/server/httpd.c
httpd_CMD := obs-serve trace-timeline
curl_PACKAGE := libcurl
curl_FILES := lib/net/client/http.c
curl_CMD := obs-scrape profile-rollout
screen_PACKAGE := ncursesw
screen_FILES := lib/sink/screen/screen.c lib/sink/screen/terminal.c
screen_CMD := obs-top

UNKNOWN_PARTS := $(filter-out $(PARTS),$(WITHOUT))
$(if $(UNKNOWN_PARTS),$(error WITHOUT takes $(PARTS), not $(UNKNOWN_PARTS)))
# without KIND: that of all parts left out.
without = $(foreach part,$(WITHOUT),$($(part)_$(1)))

PACKAGES := $(filter-out $(call without,PACKAGE),\
	$(foreach part,$(PARTS),$($(part)_PACKAGE)) zlib)
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)

# have FLAG: FLAG itself where the compiler takes it.
have = $(shell $(CC) -Werror $(1) -c -x c /dev/null -o /dev/null \
	2>/dev/null && echo $(1))

HARDEN := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE \
	-D_FORTIFY_SOURCE=2 $(call have,-fstack-clash-protection) \
	$(call have,-fcf-protection)
SANITIZE := address,undefined

ifdef FUZZ
CFLAGS ?= -O1 -g
FLAVOUR := -fsanitize=fuzzer-no-link,$(SANITIZE) -fno-omit-frame-pointer \
	-DOBS_FUZZ
FLAVOUR_LD := -fsanitize=fuzzer,$(SANITIZE)
else ifdef SAN
CFLAGS ?= -O1 -g
FLAVOUR := -fPIE -fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer -DOBS_INSTRUMENTED
FLAVOUR_LD := -pie -fsanitize=$(SANITIZE)
else
CFLAGS ?= -O3 -g
FLAVOUR := $(HARDEN)
FLAVOUR_LD := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
endif

# The user's CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS come last and stay theirs.
LANGUAGE := -std=c11 -D_GNU_SOURCE -DOBS_VERSION='"$(VERSION)"' -Ilib
COMPILE := $(CC) $(LANGUAGE) -Wall -Wextra -Wshadow -Wconversion -Werror \
	$(FLAVOUR) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS)
LINK := $(CC) $(FLAVOUR) $(FLAVOUR_LD) -Wl,--as-needed $(CFLAGS) $(LDFLAGS)
LIBS := $(PKG_LIBS) -lpthread -lm $(LDLIBS)

# ---- what there is

LIB_SRC := $(filter-out $(call without,FILES),\
	$(sort $(wildcard lib/*/*.c lib/*/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/viewer.o \
	$(B)/obj/gen/catalogue.o $(B)/obj/gen/steps.o $(B)/obj/gen/rules.o \
	$(B)/obj/gen/pow10.o
LIB := $(B)/libobstools.a

# A program's name has a "-". What programs share is an archive, so that each
# links only what it uses.
CMD_SRC := $(sort $(notdir $(basename $(wildcard cmd/*.c))))
CMD_ALL := $(foreach name,$(CMD_SRC),$(if $(findstring -,$(name)),$(name)))
CMD := $(filter-out $(call without,CMD),$(CMD_ALL))
SHARED := $(filter-out $(CMD_ALL),$(CMD_SRC))
BIN := $(CMD:%=$(B)/bin/%)
COMMON_OBJ := $(SHARED:%=$(B)/obj/cmd/%.o)
COMMON := $(B)/libcmd.a

UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/bin/%,$(wildcard tests/fuzz/*.c))

VIEWER := $(sort $(foreach kind,html css js,\
	$(wildcard lib/sink/viewer/*.$(kind))))
MAN1 := $(filter-out $(patsubst %,man/%.1,$(call without,CMD)),$(wildcard man/*.1))
MAN3 := $(wildcard man/*.3)
MAN7 := $(wildcard man/*.7)
GLOSSARY := $(B)/man/obstools-metrics.7

# What C programs record with: the public functions, and nothing else that
# could clash with a name of theirs.
TRACE_LIB := $(B)/install/libobstools.a

# Where each shell looks for completions, below share, and under what name.
BASH_DIR := share/bash-completion/completions
ZSH_DIR := share/zsh/site-functions
FISH_DIR := share/fish/vendor_completions.d
COMPLETIONS := $(addprefix $(B)/,$(CMD:%=$(BASH_DIR)/%) \
	$(CMD:%=$(ZSH_DIR)/_%) $(CMD:%=$(FISH_DIR)/%.fish))

.PHONY: portable sbom all help check check-long check-slurm unit run-tests run-tests-long lint \
	analyze format bench bench-readme bench-viewer soak demo fuzz fuzzers torture \
	differential coverage valgrind install uninstall deb dist clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BIN) $(LIB) $(TRACE_LIB) $(COMPLETIONS) $(GLOSSARY)

help:
	@sed -n '3,/^$$/s/^# \{0,3\}//p' $(firstword $(MAKEFILE_LIST)) | \
		sed '/^A new/,$$d'

# ---- building

# Rewritten only when the words differ, so that a change of compiler, flags
# or the set of files rebuilds what it must and nothing else.
define remember
@mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$(1))' >$@.new
@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef

$(B)/flags: FORCE
	$(if $(PKG_LIBS),,$(error libraries are missing; run \
		scripts/install-deps))
	$(call remember,$(COMPILE) $(LINK) $(LIBS))

$(B)/members: FORCE
	$(call remember,$(LIB_OBJ) $(VIEWER))

compile = $(COMPILE) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile)

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(compile)

$(B)/gen/viewer.c: scripts/embed $(VIEWER) $(B)/members
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/embed $(VIEWER) >$@

$(B)/gen/catalogue.c: scripts/gen-catalogue lib/metrics/engines.tsv
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-catalogue lib/metrics/engines.tsv >$@

$(B)/gen/pow10.c: scripts/gen-pow10.c lib/base/pow10.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O1 -Ilib -o $(@D)/gen-pow10 $<
	$(Q)$(@D)/gen-pow10 >$@

$(B)/gen/rules.c: scripts/gen-rules lib/metrics/rules.tsv
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-rules lib/metrics/rules.tsv >$@

$(B)/gen/steps.c: scripts/gen-steps lib/metrics/engines.tsv lib/metrics/steps.tsv
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-steps lib/metrics/engines.tsv lib/metrics/steps.tsv >$@

TABLES := lib/metrics/engines.tsv lib/metrics/steps.tsv lib/metrics/rules.tsv

$(GLOSSARY): scripts/gen-metrics-page $(TABLES)
	@mkdir -p $(@D)
	$(Q)scripts/gen-metrics-page $(TABLES) >$@

$(LIB): $(LIB_OBJ) $(B)/members
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) qcs $@ $(LIB_OBJ)

$(TRACE_LIB): $(LIB)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(LD) -r -o $(@D)/obstools.o \
		$(filter $(B)/obj/lib/trace/%.o,$(LIB_OBJ)) $(LIB)
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='obs_*' \
		$(@D)/obstools.o
	$(Q)$(AR) qcs $@ $(@D)/obstools.o

$(COMMON): $(COMMON_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(COMMON_OBJ)

link = $(LINK) -o $@ $(filter %.o %.a,$^) $(LIBS)

ifdef FUZZ
$(FUZZERS): $(B)/bin/%: $(B)/obj/tests/fuzz/%.o $(COMMON) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(link)
else
$(BIN): $(B)/bin/%: $(B)/obj/cmd/%.o $(COMMON) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(link)
endif

complete = $(Q)mkdir -p $(@D) && scripts/completions $(1) $< >$@

$(B)/$(BASH_DIR)/%: $(B)/bin/% scripts/completions
	$(call complete,bash)
$(B)/$(ZSH_DIR)/_%: $(B)/bin/% scripts/completions
	$(call complete,zsh)
$(B)/$(FISH_DIR)/%.fish: $(B)/bin/% scripts/completions
	$(call complete,fish)

$(UNIT): $(B)/unit/%: $(B)/obj/tests/unit/%.o $(COMMON) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(link)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- testing

# A second make, since what install-deps brings changes the flags above.
check:
	@scripts/install-deps --test
	@$(MAKE) --no-print-directory run-tests

# Those with the tag "long" alone: faults and signals at many moments, huge
# inputs, many random ones, builds, more of the real peers.
check-long:
	@scripts/install-deps --test
	@$(MAKE) --no-print-directory run-tests-long

# The scripts of share/obstools/slurm on a real Slurm; check-long runs it, too.
check-slurm:
	@scripts/install-deps --test
	@$(MAKE) --no-print-directory run-tests TESTS=tests/slurm.bats

unit: $(UNIT)

# Preloaded into the programs; without a flavour, which would call itself.
FAULT := $(B)/fault.so

$(FAULT): tests/fault/fault.c $(B)/flags
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion \
		-Werror -O1 -g -fPIC -shared -o $@ $< -ldl

torture: all $(FAULT)
	@tests/torture.py --most 300 $(B)/bin $(FAULT)

run-tests: all unit $(FAULT)
	@scripts/run-tests $(if $(SAN),--no-browser) $(B) $(UNIT)

run-tests-long: all unit $(FAULT)
	@scripts/run-tests --long $(if $(SAN),--no-browser) $(B)

differential: all unit
	@scripts/differential $(B) $(T)

valgrind: all
	@scripts/valgrind $(B)/bin

# Its own flavour: objects with counters, and the tests that run them.
coverage:
	@$(MAKE) --no-print-directory O=$(O)/coverage \
		CFLAGS='-O0 -g --coverage -DOBS_INSTRUMENTED' all unit \
		$(O)/coverage/fault.so
	@scripts/coverage $(O)/coverage

lint:
	@scripts/lint

analyze:
	@scripts/analyze $(O) $(LANGUAGE) $(PKG_CFLAGS)

format:
	clang-format -i $(wildcard cmd/*.[ch] lib/*/*.[ch] lib/*/*/*.[ch] \
		tests/*/*.[ch])

bench: all
	@scripts/bench $(B)/bin
	@scripts/bench-profile $(B)/bin
	@scripts/bench-span $(B)/bin
	@scripts/bench-top $(B)/bin
	@scripts/bench-growth $(B)/bin

bench-readme: all
	@scripts/bench $(B)/bin --readme

bench-viewer: all
	@scripts/bench-viewer $(B)/bin

soak: all
	@scripts/soak-serve $(B)/bin

demo:
	@scripts/install-deps --demo
	@$(MAKE) --no-print-directory all
	@scripts/demo $(B)/bin

fuzz:
	@$(MAKE) --no-print-directory FUZZ=1 CC=clang fuzzers
	@scripts/fuzz $(O)/fuzz $(T) $(SEED)

fuzzers: $(FUZZERS)

# ---- installing

D = $(DESTDIR)$(PREFIX)

# Directories that are made for obstools where others have not made them.
OWN_DIRS := share/obstools/prometheus share/obstools/slurm \
	share/obstools/kubernetes share/obstools share/doc/obstools \
	lib/systemd/system lib/systemd \
	share/man/man1 share/man/man3 share/man/man7 \
	lib/pkgconfig $(BASH_DIR) $(dir $(BASH_DIR)) $(ZSH_DIR) $(dir $(ZSH_DIR)) \
	$(FISH_DIR) $(dir $(FISH_DIR))
DOCS := README.md NEWS LICENSE
# Below share/obstools, as they stand below scripts.
TOOLS := start-prometheus backfill-prometheus wandb-log
SYSTEMD := systemd/obstools-sidecar@.service \
	systemd/obstools-scraper.service systemd/obstools-recorder.service
KUBERNETES := kubernetes/sidecar.yaml kubernetes/scraper.yaml \
	kubernetes/Dockerfile
SLURM_TOOLS := slurm/perfsum-array slurm/perfsum-merge slurm/sidecar \
	slurm/prolog slurm/epilog
TOOL_DATA := prometheus/rules.yml prometheus/dashboard.json \
	prometheus/README.md

install: all
	install -d $(D)/bin $(OWN_DIRS:%=$(D)/%)
	install -m 644 $(DOCS) $(D)/share/doc/obstools
	install -m 755 $(TOOLS:%=scripts/%) $(D)/share/obstools
	install -m 755 $(SLURM_TOOLS:%=scripts/%) $(D)/share/obstools/slurm
	install -m 644 $(KUBERNETES:%=scripts/%) $(D)/share/obstools/kubernetes
	for unit in $(SYSTEMD); do \
		sed 's|/usr/bin/|$(PREFIX)/bin/|g' scripts/$$unit \
			>$(D)/lib/$${unit%/*}/system/$${unit#*/} || exit; \
	done
	install -m 644 $(TOOL_DATA:%=scripts/%) $(D)/share/obstools/prometheus
	install -m 644 $(filter $(B)/$(BASH_DIR)/%,$(COMPLETIONS)) $(D)/$(BASH_DIR)
	install -m 644 $(filter $(B)/$(ZSH_DIR)/%,$(COMPLETIONS)) $(D)/$(ZSH_DIR)
	install -m 644 $(filter $(B)/$(FISH_DIR)/%,$(COMPLETIONS)) $(D)/$(FISH_DIR)
	$(if $(BIN),install -m 755 $(BIN) $(D)/bin)
	$(if $(MAN1),install -m 644 $(MAN1) $(D)/share/man/man1)
	$(if $(MAN3),install -m 644 $(MAN3) $(D)/share/man/man3)
	install -m 644 $(MAN7) $(GLOSSARY) $(D)/share/man/man7
	install -d $(D)/include/obstools $(D)/lib/pkgconfig
	install -m 644 lib/trace/trace.h $(D)/include/obstools
	install -m 644 $(TRACE_LIB) $(D)/lib
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
		scripts/obstools.pc.in >$(D)/lib/pkgconfig/obstools.pc

uninstall:
	rm -f $(CMD:%=$(D)/bin/%) $(MAN1:man/%=$(D)/share/man/man1/%) \
		$(MAN3:man/%=$(D)/share/man/man3/%) \
		$(MAN7:man/%=$(D)/share/man/man7/%) \
		$(D)/share/man/man7/$(notdir $(GLOSSARY))
	rm -rf $(D)/include/obstools
	rm -f $(TOOLS:%=$(D)/share/obstools/%) $(TOOL_DATA:%=$(D)/share/obstools/%) \
		$(SLURM_TOOLS:%=$(D)/share/obstools/%) \
		$(KUBERNETES:%=$(D)/share/obstools/%) \
		$(SYSTEMD:systemd/%=$(D)/lib/systemd/system/%)
	rm -f $(D)/lib/libobstools.a $(D)/lib/pkgconfig/obstools.pc
	rm -f $(COMPLETIONS:$(B)/%=$(D)/%) $(DOCS:%=$(D)/share/doc/obstools/%)
	-rmdir --ignore-fail-on-non-empty $(OWN_DIRS:%=$(D)/%)

# What is installed comes from all, which need not be asked a second time.
deb: all
	@rm -rf $(B)/deb
	@$(MAKE) --no-print-directory -s -o all install PREFIX=/usr \
		DESTDIR=$(abspath $(B)/deb/root)
	@scripts/make-deb $(B)/deb/root $(VERSION) $(B) "$(MAINTAINER)"

# The programs again, with a run path of their own that the libraries of
# libraries are looked for in, too.
portable:
	@$(MAKE) --no-print-directory O=$(O)/portable \
		LDFLAGS="$(LDFLAGS) -Wl,--disable-new-dtags,-rpath,'\$$\$$ORIGIN/../lib/obstools'" \
		all
	@rm -rf $(O)/portable/root
	@$(MAKE) --no-print-directory -s O=$(O)/portable -o all install \
		PREFIX=/ DESTDIR=$(abspath $(O)/portable/root)
	@scripts/make-portable $(O)/portable/root $(VERSION) $(O)

dist:
	@mkdir -p $(O)
	git archive --prefix=obstools-$(VERSION)/ \
		-o $(O)/obstools-$(VERSION).tar.gz HEAD

# What the source tarball holds, file by file, as SPDX.
sbom:
	@command -v reuse >/dev/null || { \
		echo "make sbom: reuse is missing; apt-get install reuse" >&2; \
		exit 1; }
	@mkdir -p $(O)
	reuse --root . spdx -o $(O)/obstools-$(VERSION).spdx

clean:
	rm -rf $(B)
