/*
 * The listing that `bobbin dump` prints: every fact of every sample in plain
 * ASCII, a line per run of equal ones. It is described in
 * docs/formats/dump.md. It can only be written.
 */
#ifndef FORMAT_DUMP_H
#define FORMAT_DUMP_H

#include "format/format.h"

extern const struct format dump_format;
extern const struct sink_ops dump_sink;

/* True when the frames of two stacks have the same text in the listing. */
int dump_stacks_equal(const struct bob_dict *d, bob_stack a, bob_stack b);

#endif
