#!/bin/bash
# What README.md shows works as shown: the model, every line that begins with "sinew", the numbers promised behind
# them, and the C program, which must print the same number as the command. Every whole model in docs/ passes
# "sinew check".
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
readme=$SN_SOURCE_DIR/README.md
cmake --install "$SN_BUILD_DIR" --prefix "$tmp/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/prefix" -name sinew.pc)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} PATH=$tmp/prefix/bin:$PATH
cd "$tmp"

fail() { echo "$1" && exit 1; }
blocks() { # language, file: the insides of its blocks
    awk -v mark="\`\`\`$1" '$0 == "```" { on = 0 } on; $0 == mark { on = 1 }' "$2"
}
near() { # number, what was promised: to the digits it was promised with
    awk -v x="$1" -v y="$2" 'BEGIN { n = split(y, p, "."); exit !((x - y)^2 <= (0.5000001 * 10^-(n > 1 ? length(p[2]) : 0))^2) }'
}

blocks yaml "$readme" >cantilever.yaml
[ "$(wc -l <cantilever.yaml)" -eq 10 ] || fail "README.md: the model is not one block of ten lines"
blocks sh "$readme" >shown
grep '^sinew ' shown >commands || fail "README.md shows no commands"
while read -r line; do
    bash -c "$line" >out 2>err || fail "README.md: '$line' fails: $(cat err)"
    [ ! -s err ] || fail "README.md: '$line' says: $(cat err)"
done <commands

promised=$(sed -n 's/.*equilibrium: tip\.y = \(-[0-9.]*\) m.*/\1/p' commands)
near "$(sinew static cantilever.yaml --print tip.y)" "${promised:?}" || fail "README.md: tip.y is not $promised m"
sed -n 's/.*natural frequencies: //p' commands | tr -d ' Hz' | tr ',' '\n' >promised
sinew modes cantilever.yaml -n 3 | awk '$1 ~ /^[1-9]$/ { print $2 }' | paste - promised >pairs
[ "$(wc -l <pairs)" -eq 3 ] || fail "README.md does not promise three frequencies"
while read -r got promised; do
    near "$got" "$promised" || fail "README.md: $promised Hz is promised, $got Hz is found"
done <pairs

blocks c "$readme" >tip.c
eval "$(grep '^cc ' shown)" || fail "README.md: the C program does not compile"
said=$(./tip) || fail "README.md: the C program fails"
[ "$said" = "$(sinew run cantilever.yaml --set 'L=1.2 m' --print tip.y@0.5)" ] ||
    fail "README.md: the C program says '$said', the command another number"

for page in "$SN_SOURCE_DIR"/docs/*.md; do
    rm -f model-*.yaml
    awk '$0 == "```" { on = 0 } on && first { first = 0; use = /^sinew: 1/; n += use }
         on && use { print > ("model-" n ".yaml") } $0 == "```yaml" { on = first = 1; use = 0 }' "$page"
    for model in model-*.yaml; do
        [ ! -e "$model" ] || sinew check "$model" >/dev/null || fail "$page: a model in it does not pass"
    done
done
