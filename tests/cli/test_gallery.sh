#!/bin/bash
# Every folder of examples/ has its picture in the gallery, pictures are small PNGs, and docs/gallery.md and README.md are what
# scripts/gallery makes of the heads of the models. No browser is needed.
set -u
cd "${SN_SOURCE_DIR:?}" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
for folder in examples/*/; do
    name=$(basename "$folder")
    case $name in plugin | benchmarks) continue ;; esac # to be compiled first; many, for their numbers
    grep -q "^$name/" examples/gallery.txt || fail "examples/$name has no line in examples/gallery.txt"
done
models=$(sed -E 's/[[:space:]]*#.*//; /^$/d' examples/gallery.txt | awk '{print $1}')
for model in $models; do
    picture=docs/pictures/$(basename "$model" .yaml).png
    [ -f "examples/$model" ] || fail "there is no examples/$model"
    [ "$(head -c 8 "$picture" 2>/dev/null | od -An -t x1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "$picture is no PNG: scripts/gallery makes it"
    [ "$(stat -c %s "$picture" 2>/dev/null || echo 0)" -le 61440 ] || fail "$picture is larger than 60 kB"
    for text in "![" "pictures/$(basename "$picture")" "sinew run examples/$model"; do
        grep -qF -- "$text" docs/gallery.md || fail "docs/gallery.md lacks $text"
    done
    grep -qF "(docs/pictures/$(basename "$picture"))" README.md || fail "README.md lacks $picture"
done
# written anew in a copy, nothing changes
mkdir -p "$work/docs" "$work/scripts"
cp -r examples README.md "$work/" && cp -r docs/pictures "$work/docs/" && cp scripts/gallery "$work/scripts/" || exit 1
bash "$work/scripts/gallery" --text || fail "scripts/gallery --text"
cmp docs/gallery.md "$work/docs/gallery.md" || fail "docs/gallery.md is not what scripts/gallery writes"
cmp README.md "$work/README.md" || fail "README.md is not what scripts/gallery writes"
! grep -qE '^## $|!\[\]' docs/gallery.md || fail "an example without a title"
[ $failures -eq 0 ]
