# make build | demo | test | bench | fuzz | sanitize | soak | lint | install (PREFIX=, DESTDIR=) | clean

PREFIX ?= /usr
# Debian's, whichever version its python3 is.
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
BINARIES ?= .build/release
SWIFT_BUILD = swift build --configuration release --static-swift-stdlib
PACKAGES = Tests/System/install-packages

build:
	@$(PACKAGES) build
	@echo 'building with swift (a minute or two the first time)'
	@$(SWIFT_BUILD) --quiet
	@$(MAKE) --silent -C Clients/C

# A tap, the keyboard, the view moves up, a tap outside: on a real touchscreen if there is one.
demo:
	@$(PACKAGES) demo
	@$(MAKE) --no-print-directory build
	@Tests/System/demo

# Everything: swift test, the daemon on pretended devices, and in a virtual machine.
test:
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory build
	@Tests/run

bench:
	@$(PACKAGES) bench test
	@$(MAKE) --no-print-directory build
	@Tests/Bench/run

# Arbitrary input, for a minute each (FUZZ_SECONDS=), from touches to conversations: Tests/README.md.
fuzz:
	@$(PACKAGES) build
	@Tests/Fuzz/run

# The system tests of a daemon with the address sanitizer, and of one with the thread sanitizer.
sanitize:
	@$(PACKAGES) build test
	@Tests/System/sanitize

# A day with a million touches, in the virtual machine; some tens of minutes.
soak:
	@$(PACKAGES) build test
	@$(MAKE) --no-print-directory build
	@KEYLIFT_TOUCHES=$${KEYLIFT_TOUCHES:-1000000} VM_LIMIT=7200 Tests/System/vm/test-in-vm $(BINARIES) Day

lint:
	@$(PACKAGES) lint
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Clients
	git grep -lE '^#!.*(bash|sh)$$' | xargs shellcheck
	git ls-files 'Clients/C/*.[ch]' | xargs clang-format --dry-run --Werror

install:
	install -D -m 755 $(BINARIES)/keyliftd $(DESTDIR)$(PREFIX)/bin/keyliftd
	install -D -m 755 $(BINARIES)/keyliftctl $(DESTDIR)$(PREFIX)/bin/keyliftctl
	for unit in keylift.service keylift.socket keylift-plugin@.service keylift-plugin@.socket \
	    keylift-scene@.service; do \
	  sed -E 's@^(Exec(Start|Reload)=|Documentation=file:)/usr/@\1$(PREFIX)/@' systemd/$$unit | \
	  install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit; done
	install -D -m 644 systemd/keylift.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/keylift.conf
	install -d $(DESTDIR)$(PREFIX)/share/keylift/interfaces
	install -m 644 Sources/KeyliftProtocol/Interfaces/*.varlink $(DESTDIR)$(PREFIX)/share/keylift/interfaces/
	$(MAKE) -C Clients/C install
	install -D -m 644 Clients/Python/keylift.py $(DESTDIR)$(PYTHONDIR)/keylift.py
	for plugin in night higher log-shows; do \
	  install -D -m 755 Examples/plugins/$$plugin.py $(DESTDIR)$(PREFIX)/lib/keylift/plugins/$$plugin || exit; done
	install -D -m 644 README.md $(DESTDIR)$(PREFIX)/share/doc/keylift/README.md
	install -D -m 644 LICENSE $(DESTDIR)$(PREFIX)/share/doc/keylift/LICENSE
	install -d $(DESTDIR)$(PREFIX)/share/doc/keylift/Documentation
	install -m 644 Documentation/*.md $(DESTDIR)$(PREFIX)/share/doc/keylift/Documentation/
	test -e $(DESTDIR)/etc/keylift/keylift.conf || \
	  install -D -m 644 Config/keylift.conf $(DESTDIR)/etc/keylift/keylift.conf
	install -d $(DESTDIR)/etc/keylift/scenes
	install -m 644 Config/scenes/*.json $(DESTDIR)/etc/keylift/scenes/

clean:
	rm -rf .build build

.PHONY: build demo test bench fuzz sanitize soak lint install clean
