#!/usr/bin/env bash
# The browser that the tests drive: Debian's Chromium with a font. Installs them when root; otherwise says what is missing.
# Besides, where they can be had, Chromium without what only a window needs (tests take a third less time with that), and a program that speaks.
set -euo pipefail

have() { command -v "$1" >/dev/null 2>&1; }
complete() { have chromium && fc-list 2>/dev/null | grep -qi dejavu; }
may_install() { [ "$(id -u)" -eq 0 ] && have apt-get; }
install() {
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

if ! complete; then
  if ! may_install; then
    echo "The browser tests need chromium and fonts-dejavu-core: ask your administrator for" >&2
    echo "  apt-get install --no-install-recommends chromium fonts-dejavu-core fontconfig" >&2
    exit 1
  fi
  install chromium fonts-dejavu-core fontconfig
fi
if may_install && ! have chromium-headless-shell; then
  install chromium-headless-shell || echo "There is no chromium-headless-shell to install: Chromium itself will do." >&2
fi
if may_install && ! have flite; then
  install flite || echo "There is no flite to install: tests of spoken prompts are left out." >&2
fi
