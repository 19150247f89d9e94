/* Shipping one segment to a ClickHouse server, block by block. */
#ifndef SHIP_CH_SEND_H
#define SHIP_CH_SEND_H

#include "ship/clickhouse.h"
#include "ship/idset.h"

/*
 * Ships a segment: asks which blocks the server has, sends the others, and asks
 * again. Returns BOB_OK when the server counts exactly what the segment has;
 * FAILED: c->why says what to do. `stacks` are those that the server is known
 * to have. *ret is filled in either case.
 */
int ch_send(struct ch *c, const struct block_source *src,
    struct idset *stacks, struct send_result *ret);

#endif
