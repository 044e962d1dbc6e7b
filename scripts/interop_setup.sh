#!/usr/bin/env bash
# Installs what tests/interop talks to, servers that this project did not write: aimock (npm) and the LiteLLM proxy (pip,
# in a virtual environment of its own, because it pins what this package does not). All of it goes into .interop/, which
# ignores itself. The first time takes about a minute (50 s where it was measured), then a second.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=.interop
python=${PYTHON:-python3}
mkdir -p "$folder"
printf '*\n' >"$folder/.gitignore"

if [ ! -f "$folder/node_modules/@copilotkit/aimock/dist/cli.js" ]; then
  npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error '@copilotkit/aimock'
fi

if [ ! -x "$folder/litellm-venv/bin/litellm" ]; then
  "$python" -m venv "$folder/litellm-venv"
  "$folder/litellm-venv/bin/python" -m pip install --quiet --disable-pip-version-check 'litellm[proxy]>=1.80' websockets
fi

echo "interop: aimock and the LiteLLM proxy are in $folder"
