/* sinew/limits.h: sizes that something is made for. What is beyond is refused, when a kind is registered, a
   model compiled or an expression read, by a message that names the limit; nothing within the library assumes
   less. */
#ifndef SINEW_LIMITS_H
#define SINEW_LIMITS_H

enum {
    /* of a kind's table */
    SN_MAX_SLOTS = 64,            /* entries of `slots` */
    SN_MAX_OPTIONS = 32,          /* entries of `options` */
    SN_MAX_NODES = 32,            /* that an object may have: args.max */
    SN_MAX_COMPONENTS = 64,       /* of a sensor or an output of an element */
    SN_MAX_FIELD_COMPONENTS = 12, /* of a field */
    SN_MAX_PROPERTY = 64,         /* numbers of a material, section or shape */
    SN_MAX_SUPPORT = 8,           /* slots that a signal depends on at a time: `support` */
    SN_MAX_CURVED = 12,           /* coordinates of a node kind with a retract of its own */
    SN_MAX_SETTINGS = 16,         /* of a scheme */
    /* of an object */
    SN_MAX_EQUATIONS = 64, /* of a joint: bits of sn_layout.velocity */
    SN_MAX_COORDINATES =
        2048,           /* of its nodes together, equations counted: its matrices are dense; of a node */
    SN_MAX_CHOSEN = 31, /* the first coordinates of a node, which an option "@coords" tells apart */
    /* of a model */
    SN_MAX_NAME = 120,      /* characters of a name, prefixes of included files counted */
    SN_MAX_VARIABLES = 256, /* different names in an expression */
    SN_MAX_ELEMENTS =
        10000000,            /* pieces of meshes and loads on them counted: 200 numbers of each fit an int */
    SN_MAX_NUMBERS = 1 << 28 /* those of mesh nodes and of each piece of tapered beams counted */
};

#endif
