/* Deep copies of filters and options, which outlive the call. */
#ifndef ANALYZE_SPEC_H
#define ANALYZE_SPEC_H

#include <bobbin/filter.h>
#include <bobbin/option.h>

#include "core/error.h"

/* Copies a filter (NULL: an empty one), as many fields as from->size says.
 * Returns BOB_OK or FATAL. Call filter_spec_done in either case. */
int filter_spec_copy(struct bob_ctx *ctx, struct bob_filter *ret,
    const struct bob_filter *from);
void filter_spec_done(struct bob_filter *f);

/* Returns BOB_OK or FATAL. Call options_done in either case. */
int options_copy(struct bob_ctx *ctx, struct bob_option **ret, size_t *ret_n,
    const struct bob_option *from, size_t n);
void options_done(struct bob_option *v, size_t n);

#endif
