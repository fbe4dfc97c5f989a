#!/usr/bin/env bash
# Runs every test. Installs what the tests need where it may (Debian, as root), else stops with the command to run.
#
# Tests that need a GPU use one if there is one, else Mesa's software Vulkan. OPTIRS_REQUIRE_GPU=1 (set here) turns a
# missing device into a failure; set it to 0 to let those tests say SKIP instead.
set -euo pipefail
cd "$(dirname "$0")/.."

needed=()
have() { command -v "$1" >/dev/null 2>&1; }
have spirv-val || needed+=(spirv-tools)
have glslangValidator || needed+=(glslang-tools)
have g++ || have clang++ || needed+=(g++)
have chromium || have chromium-browser || have google-chrome || have google-chrome-stable || needed+=(chromium)
ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || needed+=(libvulkan1)
compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null ||
    [ -n "${VK_DRIVER_FILES:-}" ] || needed+=(mesa-vulkan-drivers)

if [ "${#needed[@]}" -gt 0 ]; then
    install="apt-get update && apt-get install -y --no-install-recommends ${needed[*]}"
    if have apt-get && [ "$(id -u)" = 0 ]; then
        echo "installing ${needed[*]}"
        DEBIAN_FRONTEND=noninteractive bash -c "$install" >/dev/null
    else
        echo "The tests need ${needed[*]}. Run (as root, on Debian), then start this script again:" >&2
        echo "    $install" >&2
        exit 1
    fi
fi

export OPTIRS_REQUIRE_GPU="${OPTIRS_REQUIRE_GPU:-1}"
# Mesa's device-select layer complains of a missing display session otherwise.
export NODEVICE_SELECT=1
# Where software Vulkan is all there is, it must be asked for by name.
if [ -z "${OPTIRS_ADAPTER:-}" ]; then
    OPTIRS_ADAPTER="$(cargo run --quiet -p optirs-gpu-tests --bin adapter)"
    export OPTIRS_ADAPTER
fi
echo "testing on ${OPTIRS_ADAPTER:-the CPU alone}"

cargo test --workspace --all-targets "$@"
cargo test --workspace --doc "$@"
cargo test -p optimizer-specs --features cli --test optspec --test cli_check "$@"
