# make build | deb | demo | demo-keyboard | test | bench | fuzz | sanitize | soak | lint | clean
# make install (PREFIX=, DESTDIR=)

PREFIX ?= /usr
# Debian's, whichever version its python3 is.
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
UNITDIR ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
DOCDIR ?= $(PREFIX)/share/doc/keylift
BINARIES ?= .build/release
SWIFT_BUILD = swift build --configuration release --static-swift-stdlib
PACKAGES = Tests/System/install-packages

build:
	@$(PACKAGES) build
	@$(MAKE) --no-print-directory programs
	@$(MAKE) --silent -C Clients/C

programs:
	@echo 'building with swift (a minute or two the first time)'
	@$(SWIFT_BUILD) --quiet

# Debian packages in build/deb, checked by lintian.
deb:
	@$(PACKAGES) build deb
	@$(MAKE) --no-print-directory build
	@debian/build build/deb

# A tap, the keyboard, the view moves up, a tap outside: on a real touchscreen if there is one.
demo:
	@$(PACKAGES) demo
	@$(MAKE) --no-print-directory build
	@Tests/System/demo

# The same with a real keyboard (KEYBOARD=squeekboard or wvkbd), without a screen; pictures in build/demo-keyboard.
demo-keyboard:
	@$(PACKAGES) demo-keyboard
	@$(MAKE) --no-print-directory build
	@Tests/System/demo-keyboard $(KEYBOARD)

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
	(git grep -lE '^#!.*(bash|sh)$$' -- ':!*.md'; git ls-files Completions/bash) | xargs shellcheck
	git ls-files 'Clients/C/*.[ch]' | xargs clang-format --dry-run --Werror
	Sources/CWayland/generate --check

# What `make build` built, and what goes with it.
install: install-programs install-units install-configuration install-documentation install-plugins
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/keylift/interfaces Sources/KeyliftProtocol/Interfaces/*.varlink
	$(MAKE) -C Clients/C install
	install -D -m 644 Clients/Python/keylift.py $(DESTDIR)$(PYTHONDIR)/keylift.py

install-programs:
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(BINARIES)/keyliftd $(BINARIES)/keyliftctl $(BINARIES)/keylift-osk
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions Completions/bash/*
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions Completions/zsh/*
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d Completions/fish/*

install-units:
	for unit in $(notdir $(wildcard systemd/*.service systemd/*.socket)); do \
	  sed -E '/^(Exec(Start|Reload)|Documentation)=/s@(=|file:)/usr/@\1$(PREFIX)/@' systemd/$$unit | \
	  install -D -m 644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$unit || exit; done
	sed -E '/^(ExecStart|Documentation)=/s@(=|file:)/usr/@\1$(PREFIX)/@' systemd/user/keylift-osk.service | \
	  install -D -m 644 /dev/stdin $(DESTDIR)$(USERUNITDIR)/keylift-osk.service
	install -D -m 644 systemd/keylift.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/keylift.conf

install-configuration:
	test -e $(DESTDIR)/etc/keylift/keylift.conf || \
	  install -D -m 644 -t $(DESTDIR)/etc/keylift Config/keylift.conf
	install -D -m 644 -t $(DESTDIR)/etc/keylift/scenes Config/scenes/*.json
	test -e $(DESTDIR)/etc/default/keylift-osk || \
	  install -D -m 644 Config/keylift-osk.default $(DESTDIR)/etc/default/keylift-osk

install-plugins:
	for plugin in $(basename $(notdir $(wildcard Examples/plugins/*.py))); do \
	  install -D -m 755 Examples/plugins/$$plugin.py $(DESTDIR)$(PREFIX)/lib/keylift/plugins/$$plugin || exit; done

# The licence by the name that Debian has for it. Links lead to where things are installed.
install-documentation:
	for section in 1 5 7 8; do \
	  install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man$$section Documentation/man/*.$$section || exit; done
	install -D -m 644 -t $(DESTDIR)$(DOCDIR)/examples Clients/C/form.c Clients/Python/form.py Clients/Swift/*.swift Examples/gtk-form.py
	install -D -m 644 LICENSE $(DESTDIR)$(DOCDIR)/copyright
	install -d $(DESTDIR)$(DOCDIR)/Documentation
	for page in README.md Documentation/*.md; do \
	  sed -E -e 's@\]\((\.\./)?Clients\)@](\1examples)@g' -e 's@\]\((\.\./)?Examples/@](\1examples/@g' -e 's@\]\(LICENSE\)@](copyright)@g' \
	    -e 's@\]\(Sources/KeyliftProtocol/Interfaces\)@](../../keylift/interfaces)@g' $$page | \
	  install -m 644 /dev/stdin $(DESTDIR)$(DOCDIR)/$$page || exit; done

clean:
	rm -rf .build build

.PHONY: build programs deb demo demo-keyboard test bench fuzz sanitize soak lint clean install install-programs install-units \
  install-configuration install-plugins install-documentation
