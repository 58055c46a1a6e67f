#!/bin/bash
# No room of the library calls up: the symbols of the objects say so, where includes cannot.
exec "$SN_SOURCE_DIR/scripts/layers" "$SN_BUILD_DIR"
