#!/usr/bin/env bash
# Runs the tests of the browser door in a headless Chromium: tests/console/run.sh PROGRAM FOLDER MAINSTAY
#
# PROGRAM is the built example test_programs of the crate server, MAINSTAY the built command, FOLDER keeps the driver and the
# screenshots. CHROMIUM names a
# browser; otherwise one is looked for, and with the rights of root installed from Debian's packages. The driver comes from npm
# and brings no browser. Without a browser, node or the driver the tests are skipped, with a message.
set -euo pipefail

program=$(realpath "$1")
mainstay=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
mkdir -p "$2"
work=$(realpath "$2")

skip() {
    echo "SKIPPED: $1"
    exit 0
}

find_browser() {
    local name
    for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
        if [ -n "$name" ] && command -v "$name"; then return 0; fi
    done
    return 1
}

install_browser() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    timeout 60 bash -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium-headless-shell' \
        >"$work/apt.txt" 2>&1
}

browser=$(find_browser) || { install_browser && browser=$(find_browser); } || skip "no Chromium is found or can be installed"
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are needed"

# Installed anew when the list has changed; the copy of the list is put there last.
if ! cmp -s "$here/package-lock.json" "$work/installed.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$work"
    (cd "$work" && timeout 60 npm ci --silent --ignore-scripts --no-audit --no-fund) || skip "the driver cannot be installed"
    cp "$here/package-lock.json" "$work/installed.json"
fi
cp "$here/console.test.mjs" "$here/shop.test.mjs" "$work"
status=0
timeout 120 node "$work/console.test.mjs" "$program" "$browser" "$work" || status=1
timeout 240 node "$work/shop.test.mjs" "$mainstay" "$browser" "$work" "$here" || status=1
exit $status
