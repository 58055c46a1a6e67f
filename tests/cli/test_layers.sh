#!/bin/bash
# What objects link; and that names of kinds where they do not belong are found.
set -euo pipefail
"$SN_SOURCE_DIR/scripts/layers" "$SN_BUILD_DIR"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r "$SN_SOURCE_DIR/src" "$SN_SOURCE_DIR/include" "$SN_SOURCE_DIR/cli" "$tmp"
mkdir -p "$tmp/scripts" "$tmp/web/src"
cp "$SN_SOURCE_DIR/scripts/layers" "$tmp/scripts"
cd "$tmp"
cat >src/io/kinds.c <<'END'
/* "beam2d_cr" */
int kinds(const char *t) { return strncmp(t, "beam", 4) == 0 || strcmp(t, "fixed") == 0; }
const char *fine[] = {"spring", "a beam2d_cr is a beam", "beams", "energy", "clamp"};
END
cat >cli/kinds2.c <<'END'
const char *text[] = {"beam2d_cr", "fixed", "like beam2d_cr"};
END
cat >web/src/kinds.ts <<'END'
/* 'revolute' */
const a = /^(revolute|x)/.test(name) ? 1 / 2 : name.startsWith('beam'); // 'revolute'
const b = ['mass', 'hinge', `beam2d_cr:${name}`, 'round'];
END
scripts/layers >found && exit 1
cat >expected <<'END'
cli/kinds2.c:1: the literal beam2d_cr names a kind
src/io/kinds.c:2: the literal beam names a kind
src/io/kinds.c:2: the literal fixed names a kind
web/src/kinds.ts:2: the literal ^(revolute|x) names a kind
web/src/kinds.ts:2: the literal beam names a kind
web/src/kinds.ts:3: the literal beam2d_cr:${name} names a kind
END
diff expected found
