# Bytes of the file IN as a list of C numbers in the file OUT, for `static const unsigned char x[] = {` `#include OUT` `};`.
# cmake -DIN=... -DOUT=... -P embed.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "${bytes}\n")
