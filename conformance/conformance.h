/* sinew-conformance: what every kind must do, checked for any of them by its table alone. Each function
   prints what it checked and what does not apply, and returns the number of failures. quiet: prints nothing.
 */
#ifndef SN_CONFORMANCE_H
#define SN_CONFORMANCE_H

#include "sinew/plugin.h"

/* Coordinates of nodes whose entry decides how many: numbers in each open slot. */
extern int conform_size;

int conform_node(const sn_node_class *c, int quiet);
int conform_element(const sn_element_class *c, const void *block,
                    int quiet); /* block: of a kind with a file */
int conform_joint(const sn_joint_class *c, const void *block,
                  int quiet); /* block: of a kind that ties nodes to an element with a file */
int conform_signal(const sn_signal_class *c, int quiet);
int conform_sensor(const sn_sensor_class *c, int quiet);

#endif
