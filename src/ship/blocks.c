/*
 * Blocks of a segment: reads runs, cuts them into rows; see the header. The
 * parts: who.c finds what samples have in common (struct owner), minutes.c adds
 * them up, stacks.c writes stacks.
 */
#include "ship/blocks.h"

#include <stdlib.h>
#include <unistd.h>

#include "ship/blocks_inside.h"

const char blocks_columns_samples[] = "day,service,host,runtime,route,pid,tid,"
    "kind,period,seg,blk,status,ts,stack,value";

int
blocks_open(struct bob_ctx *ctx, const struct block_source *src,
    const struct block_how *how, struct blocks **ret)
{
	static const struct bob_read_opts opts = { .size = sizeof(opts),
		.flags = BOB_READ_RECOVER | BOB_READ_ONE_THREAD };
	struct blocks *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return err_nomem(ctx), BOB_FAILED;
	(void)lseek(src->fd, 0, SEEK_SET);
	b->ctx = ctx;
	b->src = *src;
	b->how = *how;
	if (bob_open_fd(ctx, src->fd, src->name, &opts, &b->in) < 0) {
		free(b);
		return BOB_FAILED;
	}
	b->dict = bob_reader_dict(b->in);
	stackids_init(&b->ids, ctx, b->dict);
	idle_init(&b->idle, ctx, b->dict);
	owner_init(&b->owner, b);
	minutes_init(&b->minutes, ctx, b->dict->seed);
	if (rowbin_init(&b->samples, ctx, how->packing) < 0 ||
	    rowbin_init(&b->stacks, ctx, how->packing) < 0 ||
	    rowbin_init(&b->sums, ctx, how->packing) < 0) {
		blocks_close(b);
		return err_set_status(ctx, BOB_FAILED);
	}
	*ret = b;
	return BOB_OK;
}

void
blocks_close(struct blocks *b)
{
	if (b == NULL)
		return;
	rowbin_done(&b->samples);
	rowbin_done(&b->stacks);
	rowbin_done(&b->sums);
	minutes_done(&b->minutes);
	owner_done(&b->owner);
	sent_done(b);
	idle_done(&b->idle);
	stackids_done(&b->ids);
	bob_close(b->in);
	free(b);
}

uint64_t
blocks_undated(const struct blocks *b)
{
	return b->n_undated;
}

/* True if a row of time ts belongs to the next block. */
static int
is_full(struct blocks *b, uint64_t ts)
{
	if (b->block.samples.n_rows == 0)
		return 0;
	if (b->block.samples.n_rows == BLOCK_ROWS)
		return 1;
	if (block_day(ts) == b->block.day || b->n_days >= BLOCK_DAYS)
		return 0;
	b->n_days++;
	return 1;
}

static void
begin_block(struct blocks *b, uint64_t ts)
{
	b->block.day = block_day(ts);
	b->block.t_first = b->block.t_last = ts;
	b->is_wanted = b->how.wants == NULL ||
	    b->how.wants(b->how.user, b->block.blk, b->block.day);
	(void)put_u16(b->owner.head, b->block.day);
	(void)put_u32(b->owner.head + b->owner.n_head - 4, b->block.blk);
}

/* Adds one row. Returns BOB_OK or FATAL; AGAIN if the block is full. */
static int
add_row(struct blocks *b, uint64_t ts, uint64_t value)
{
	struct owner *o = &b->owner;
	uint8_t *p;

	if (is_full(b, ts))
		return BOB_AGAIN;
	if (b->block.samples.n_rows++ == 0)
		begin_block(b, ts);
	b->block.n_samples += value;
	if (ts < b->block.t_first)
		b->block.t_first = ts;
	if (ts > b->block.t_last)
		b->block.t_last = ts;
	if (!b->is_wanted)
		return BOB_OK;
	p = rowbin_room(&b->samples, o->n_head + 25);
	memcpy(p, o->head, o->n_head);
	p += o->n_head;
	*p++ = b->status;
	p = put_u64(put_u64(put_u64(p, ts), b->stack), value);
	b->samples.n += o->n_head + 25;
	return minutes_add(&b->minutes, ts, &b->sum, value);
}

/* What all rows of a run have in common. */
static int
begin_run(struct blocks *b, const struct bob_run *run)
{
	int idle = idle_of(&b->idle, run->stack, run->status, run->flags);

	if (idle < 0 || owner_of(&b->owner, run->track, run->annot) < 0 ||
	    stackids_get(&b->ids, run->stack, &b->stack) < 0)
		return BOB_FATAL;
	b->status = run->flags & BOB_RUN_STATUS
	    ? (uint8_t)((run->status & 0x3f) | ROW_STATUS) : 0;
	b->status |= idle ? ROW_IDLE : 0;
	b->sum = (struct minute){ .route = b->owner.route,
		.stack = run->stack, .period = (uint32_t)b->segment.period_us,
		.is_idle = (uint8_t)idle, .kind = b->owner.kind,
		.id = b->stack };
	/* A run may begin in the middle of a block. */
	(void)put_u16(b->owner.head, b->block.day);
	(void)put_u32(b->owner.head + b->owner.n_head - 4, b->block.blk);
	return BOB_OK;
}

/* Adds the rest of the current run. Returns BOB_OK, FATAL or AGAIN. */
static int
add_run(struct blocks *b, const struct bob_run *run)
{
	uint64_t base = b->segment.start_us;
	int r;

	if (base == 0 || !(run->flags & BOB_RUN_TIMED)) {
		b->n_undated = count_add(b->n_undated, run->count);
		return BOB_OK;
	}
	if (b->at_sample == 0) {
		b->t = run->t_first;
		if (begin_run(b, run) < 0)
			return BOB_FATAL;
	}
	if (run->dt == NULL)
		return add_row(b, base + b->t, run->count);
	while (b->at_sample < run->count) {
		r = add_row(b, base + b->t, 1);
		if (r != BOB_OK)
			return r;
		if (b->at_sample + 1 < run->count)
			b->t += run->dt[b->at_sample];
		b->at_sample++;
	}
	return BOB_OK;
}

/* Adds the rest of the current event. Returns as add_run. */
static int
add_runs(struct blocks *b)
{
	int r;

	for (; b->at_run < b->event.n_runs; b->at_run++, b->at_sample = 0) {
		r = add_run(b, &b->event.runs[b->at_run]);
		if (r != BOB_OK)
			return r;
	}
	return BOB_OK;
}

/* Reads the next event. Returns BOB_OK, EOF or FATAL. */
static int
read_event(struct blocks *b)
{
	int r = bob_next(b->in, &b->event);

	b->at_run = 0;
	b->at_sample = 0;
	if (r != BOB_OK) {
		b->event.kind = 0;
		return r == BOB_AGAIN ? BOB_EOF : r;
	}
	if (b->event.kind == BOB_EVENT_SEGMENT) {
		b->segment = *b->event.segment;
		return owner_segment(&b->owner, &b->segment);
	}
	if (b->event.kind == BOB_EVENT_MARK)
		return owner_mark(&b->owner, &b->segment, b->event.mark);
	return BOB_OK;
}

/* Completes the block. Returns BOB_OK or FATAL. */
static int
end_block(struct blocks *b, struct block *ret)
{
	if (b->is_wanted) {
		if (stacks_write(b) < 0 || minutes_write(b) < 0)
			return BOB_FATAL;
		b->block.samples.p = rowbin_finish(&b->samples,
		    &b->block.samples.n);
		b->block.stacks.p = rowbin_finish(&b->stacks,
		    &b->block.stacks.n);
		b->block.sums.p = rowbin_finish(&b->sums, &b->block.sums.n);
		if (b->block.samples.p == NULL || b->block.stacks.p == NULL ||
		    b->block.sums.p == NULL)
			return BOB_FATAL;
		b->block.stacks.n_rows = b->stacks.n_rows;
		b->block.sums.n_rows = b->sums.n_rows;
		b->block.stack_ids = b->sent_now;
	}
	*ret = b->block;
	return BOB_OK;
}

int
blocks_next(struct blocks *b, struct block *ret)
{
	uint32_t blk = b->has_begun ? b->block.blk + 1 : 0;
	int r;

	memset(&b->block, 0, sizeof(b->block));
	b->block.blk = blk;
	b->has_begun = 1;
	b->n_sent_now = 0;
	rowbin_begin(&b->samples);
	rowbin_begin(&b->stacks);
	rowbin_begin(&b->sums);
	minutes_begin(&b->minutes);
	/* The rest of what was read when the block before was full. */
	r = b->event.kind == BOB_EVENT_RUNS ? add_runs(b) : BOB_OK;
	while (r == BOB_OK) {
		r = read_event(b);
		if (r == BOB_OK && b->event.kind == BOB_EVENT_RUNS)
			r = add_runs(b);
	}
	if (r < 0)
		return r;
	if (r == BOB_EOF && b->block.samples.n_rows == 0)
		return BOB_EOF;
	return end_block(b, ret);
}
