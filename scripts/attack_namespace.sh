#!/usr/bin/env bash
# Run a command where it can write to one temporary folder only, sees no process but its own, and has no rights of an administrator:
#
#     scripts/attack_namespace.sh pytest -q tests/sandbox/test_walls.py
#
# For code that attacks: a payload that does what it says destroys nothing. The network is as it was. The folder is /tmp, HOME and
# TMPDIR there; it goes with the command. Where mount namespaces are refused, it ends with 77 and runs nothing.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
user=$([ "$(id -u)" = 0 ] || echo --map-root-user)
# shellcheck disable=SC2086
unshare $user --mount --pid --fork true 2>/dev/null || { echo "no mount namespaces here: nothing was run" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tmp/home" "$folder/dev/shm" "$folder/dev/pts"
chmod 1777 "$folder/tmp" "$folder/tmp/home"
# shellcheck disable=SC2016,SC2086
unshare $user --mount --pid --fork bash -euc '
    trap "echo \"the namespace could not be made: nothing was run\" >&2; exit 77" ERR
    folder=$1; shift
    mount --make-rprivate /
    for node in null zero full random urandom tty; do touch "$folder/dev/$node"; mount --bind "/dev/$node" "$folder/dev/$node"; done
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts"
    ln -s pts/ptmx "$folder/dev/ptmx"
    mount -t tmpfs -o size=256m tmpfs "$folder/dev/shm"
    ln -s /proc/self/fd "$folder/dev/fd"
    at=$PWD
    mount --rbind "$folder/dev" /dev
    mount -t proc proc /proc
    for place in /proc/sys /proc/sysrq-trigger; do [ ! -e "$place" ] || mount --bind "$place" "$place"; done
    # each mount by itself: a flag that was locked must be given again
    while read -r _ _ _ _ place options _; do
        case $place in /dev/pts | /dev/shm | /dev/null | /dev/zero | /dev/full | /dev/random | /dev/urandom | /dev/tty | /proc) continue ;; esac
        mount -o "remount,bind,${options/#rw/ro}" "$(printf %b "$place")" 2>/dev/null || umount -l "$(printf %b "$place")"
    done < /proc/self/mountinfo
    mount --bind "$folder/tmp" /tmp
    mount -o remount,bind,rw /tmp
    cd "$at"
    export HOME=/tmp/home TMPDIR=/tmp PYTHONDONTWRITEBYTECODE=1 PYTEST_ADDOPTS="-p no:cacheprovider ${PYTEST_ADDOPTS:-}"
    exec setpriv --bounding-set=-all,+setuid,+setgid --inh-caps=-all --no-new-privs "$@"
' attack "$folder" "$@"
