/* The tables of all targets, for target.c alone. */
#ifndef SHIP_TARGETS_H
#define SHIP_TARGETS_H

#include "ship/target.h"

extern const struct target_ops ch_target, dir_target, s3_target;

#endif
