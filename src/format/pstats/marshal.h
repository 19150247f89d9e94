/*
 * Python's marshal format, as far as a profile needs it, onto a struct text:
 * values one after the other, in the version that every Python since 3.0
 * reads.
 */
#ifndef FORMAT_PSTATS_MARSHAL_H
#define FORMAT_PSTATS_MARSHAL_H

#include <bobbin/model.h>

#include "core/text.h"

/* A dictionary is keys and values in turn until marshal_dict_end. */
void marshal_dict(struct text *t);
void marshal_dict_end(struct text *t);

/* n values follow. */
void marshal_tuple(struct text *t, uint32_t n);

void marshal_int(struct text *t, int64_t v);
void marshal_double(struct text *t, double v);
void marshal_true(struct text *t);
void marshal_str(struct text *t, struct bob_bytes s); /* UTF-8 */

#endif
