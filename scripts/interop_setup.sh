#!/usr/bin/env bash
# Installs what tests/interop talks to, servers that this project did not write: aimock (npm), the LiteLLM proxy and JupyterHub (pip,
# in virtual environments of their own, because they pin what this package does not) with its proxy (npm), and the compliance tests of Open Responses where their
# repository can be had: no registry has them. OPEN_RESPONSES may name another place to clone it from. All of it goes into .interop/, which
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

if [ ! -x "$folder/hub-venv/bin/jupyterhub" ]; then
  "$python" -m venv "$folder/hub-venv"
  "$folder/hub-venv/bin/python" -m pip install --quiet --disable-pip-version-check jupyterhub jupyterlab
fi

if [ ! -f "$folder/node_modules/.bin/configurable-http-proxy" ]; then
  npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error configurable-http-proxy
fi

if [ ! -e "$folder/node_modules/.bin/mcp-inspector" ]; then
  npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error @modelcontextprotocol/inspector
fi

if [ ! -e "$folder/node_modules/.bin/opencode" ]; then
  npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error opencode-ai
fi

if [ ! -x "$folder/collaboration-venv/bin/python" ]; then
  "$python" -m venv "$folder/collaboration-venv"
  "$folder/collaboration-venv/bin/python" -m pip install --quiet --disable-pip-version-check 'jupyter-collaboration==5.*' jupyterlab -e .
fi

compliance=$folder/open-responses
if [ ! -d "$compliance/repo" ]; then
  from=${OPEN_RESPONSES:-https://github.com/openresponses/openresponses}
  rm -rf "$compliance/new"
  if GIT_TERMINAL_PROMPT=0 git clone --quiet "$from" "$compliance/new" &&
    git -C "$compliance/new" -c advice.detachedHead=false checkout --quiet 92c12d96d7b61d6d15e2214daa5e9c6000ab6e1c; then
    npm install --prefix "$compliance" --no-audit --no-fund --no-save --loglevel=error bun 'zod@^3.25.76'
    mv "$compliance/new" "$compliance/repo"
  else
    echo "interop: $from can't be had here, so the command line of Open Responses is left out; its cases are played all the same"
  fi
fi

echo "interop: aimock, the LiteLLM proxy and JupyterHub are in $folder"
