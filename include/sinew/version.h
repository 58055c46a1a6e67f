/* sinew/version.h: the version, read from here by the build as well. */
#ifndef SINEW_VERSION_H
#define SINEW_VERSION_H

#define SN_VERSION "0.1.0"

#endif
