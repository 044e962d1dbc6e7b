#!/usr/bin/env bash
# Installs what tests/interop and some of tests/browser talk to, servers that this project did not write, into .interop/, which ignores
# itself: from npm aimock, JupyterHub's proxy, MCP Inspector and OpenCode; in virtual environments of their own, because they pin what this
# package does not, the LiteLLM proxy, jupyter-ai, JupyterHub, a kernel gateway, otter-grader and nbgrader, and JupyterLab with each of two
# collaboration extensions; and the compliance tests of Open Responses where their repository can be had: no registry has them. OPEN_RESPONSES may name another place to clone
# it from. The first time takes four minutes on two busy cores, then a second.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=.interop
python=${PYTHON:-python3}
mkdir -p "$folder"
printf '*\n' >"$folder/.gitignore"

# All at once: without a package.json npm takes away what an earlier call installed.
missing=
for program in configurable-http-proxy mcp-inspector opencode; do
  [ -e "$folder/node_modules/.bin/$program" ] || missing=yes
done
if [ -n "$missing" ] || [ ! -f "$folder/node_modules/@copilotkit/aimock/dist/cli.js" ]; then
  npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error \
    '@copilotkit/aimock' configurable-http-proxy @modelcontextprotocol/inspector opencode-ai
fi

# A virtual environment in .interop/NAME-venv with these packages. One whose installation was cut short is made anew.
environment() {
  local place=$folder/$1-venv
  shift
  if [ ! -e "$place/.complete" ]; then
    "$python" -m venv --clear "$place"
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    touch "$place/.complete"
  fi
}
environment litellm 'litellm[proxy]>=1.80' websockets
environment hub jupyterhub jupyterlab
environment collaboration 'jupyter-collaboration==5.*' jupyterlab -e .
environment documents jupyter-server-documents jupyterlab notebook -e .
environment gateway jupyter-kernel-gateway
environment graders otter-grader nbgrader -e .
environment frames 'ibis-framework[duckdb]' 'dask[dataframe,distributed]' 'pyspark[connect]' 'ray[data]' polars pytest -e .
environment jupyter-server-mcp jupyter-server-mcp ipykernel -e '.[mcp]'
# It brings release 1 of the SDK mcp, with which the tools work too; the extra asks for release 2.
environment jupyter-ai 'jupyter-ai==3.*' jupyter-server-mcp -e .

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

echo "interop: what the tests talk to is in $folder"
