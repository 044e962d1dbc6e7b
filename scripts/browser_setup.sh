#!/usr/bin/env bash
# The browser that the tests drive: Debian's Chromium with a font. Installs them when root; otherwise says what is missing.
set -euo pipefail

if command -v chromium >/dev/null 2>&1 && fc-list 2>/dev/null | grep -qi dejavu; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "The browser tests need chromium and fonts-dejavu-core: ask your administrator for" >&2
  echo "  apt-get install --no-install-recommends chromium fonts-dejavu-core fontconfig" >&2
  exit 1
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  chromium fonts-dejavu-core fontconfig >/dev/null
