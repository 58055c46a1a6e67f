/* sinew/limits.h: sizes that something is made for. What is beyond is refused, when a kind is registered or
   when a model is compiled, by a message that names the limit; nothing within the library assumes less. */
#ifndef SINEW_LIMITS_H
#define SINEW_LIMITS_H

enum {
    /* of a kind's table */
    SN_MAX_SLOTS = 64,      /* entries of `slots` */
    SN_MAX_OPTIONS = 32,    /* entries of `options` */
    SN_MAX_NODES = 32,      /* that an object may have: args.max */
    SN_MAX_COMPONENTS = 64, /* of a sensor or an output of an element */
    SN_MAX_PROPERTY = 64,   /* numbers of a material, section or shape */
    SN_MAX_SUPPORT = 8,     /* slots that a signal depends on at a time: `support` */
    /* of an object */
    SN_MAX_EQUATIONS = 64,     /* of a joint: bits of sn_layout.velocity */
    SN_MAX_COORDINATES = 2048, /* of its nodes together, equations counted: its matrices are dense */
    SN_MAX_CHOSEN = 31         /* the first coordinates of a node, which an option "@coords" tells apart */
};

#endif
