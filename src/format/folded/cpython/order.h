/*
 * The order of stacks by their bytes, without writing them out: as if each
 * were its frames with a ';' between any two.
 */
#ifndef FORMAT_FOLDED_CPYTHON_ORDER_H
#define FORMAT_FOLDED_CPYTHON_ORDER_H

#include "model/dict.h"

/*
 * rank[s], for each stack s of `tree` but 0 where it is not 0, becomes its
 * place in the order of those; others stay 0. A frame's bytes are its name, an
 * id of `names`; no two frames have the same and none holds a ';'. BOB_OK or
 * FATAL. Time is that of sorting the frames, and linear in the number of
 * stacks.
 */
int tachyon_order(const struct bob_dict *tree, const struct bob_dict *names,
    uint32_t *rank);

#endif
