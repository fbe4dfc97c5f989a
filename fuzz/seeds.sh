#!/usr/bin/env bash
# Puts the rules of the repository, right and wrong, into the corpus of the fuzz target `source`.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p corpus/source
find ../optimizer-specs/specs ../optimizer-specs/tests/diagnostics ../tests/published ../tests/rules -name '*.rs' |
    while read -r file; do
        cp "$file" "corpus/source/$(tr / - <<<"${file#../}")"
    done
