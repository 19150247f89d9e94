/*
 * Shipping one segment; see the header.
 *
 * Invariants:
 * 1. A block is acknowledged only by its count: the server has as many rows and
 *    samples of it as the segment, and as many samples in the sums.
 * 2. Rows of a block are sent only if the server was asked since this call
 *    began, and had none of them.
 * 3. The stacks of a block are there before its samples.
 */
#include "ship/ch_send.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/mem.h"

/* What is counted of a block, here and there. */
struct tally_of_block {
	uint64_t rows, samples, sums; /* sums: samples in the sums */
};

struct send {
	struct ch *c;
	const struct block_source *src;
	struct idset *stacks;
	struct send_result *ret;
	uint16_t today;
	uint64_t t_first, t_last; /* of all blocks; first > last: not known */
	struct tally_of_block *here, *there;
	uint8_t *is_expired;
	size_t n_here, cap_here, n_there, cap_there, cap_is_expired;
};

static uint16_t
today(void)
{
	time_t now = time(NULL);

	return now < 0 ? 0 : (uint16_t)((uint64_t)now / 86400);
}

/* --- what the server has ------------------------------------------------- */

static int
more_there(struct send *s, size_t n)
{
	size_t i;

	if (MEM_GROW(s->c->ctx, s, there, n) < 0)
		return -1;
	for (i = s->n_there; i < n; i++)
		memset(&s->there[i], 0, sizeof(s->there[i]));
	if (n > s->n_there)
		s->n_there = n;
	return 0;
}

/* Takes numbers between tabs: block, rows, samples. */
static int
take_numbers(struct send *s, const char *p, size_t n, uint64_t v[3])
{
	const char *end = p + n;

	/* A block of a segment of 2^40 rows: more is no true answer. */
	if (ch_number(&p, end, &v[0]) && ch_number(&p, end, &v[1]) &&
	    ch_number(&p, end, &v[2]) && p == end && v[0] < (1u << 22))
		return more_there(s, (size_t)v[0] + 1);
	(void)err_set(s->c->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "the server counts '%.100s', which are no three numbers", end - n);
	return -1;
}

static int
take_samples(void *user, const char *p, size_t n)
{
	struct send *s = user;
	uint64_t v[3];

	if (take_numbers(s, p, n, v) < 0)
		return -1;
	s->there[v[0]].rows = v[1];
	s->there[v[0]].samples = v[2];
	return 0;
}

static int
take_sums(void *user, const char *p, size_t n)
{
	struct send *s = user;
	uint64_t v[3];

	if (take_numbers(s, p, n, v) < 0)
		return -1;
	s->there[v[0]].sums = v[2];
	return 0;
}

/* Asks what one table has of the segment. Service, dates and minutes are what
 * the server finds the rows by: `when` is an expression that has `unit` for
 * each minute since 1970. */
static int
ask_table(struct send *s, const char *table, const char *when, unsigned unit,
    ch_line_fn *line)
{
	struct sql *sql = &s->c->sql;
	size_t n = strlen(s->src->service);

	sql_begin(sql);
	sql_add(sql, "SELECT blk, count(), sum(value) FROM %s.%s WHERE "
	    "service = ", s->c->url.path, table);
	sql_string(sql, s->src->service, n < BLOCK_NAME ? n : BLOCK_NAME);
	sql_add(sql, " AND seg = %llu", (unsigned long long)s->src->seg);
	if (s->t_first <= s->t_last)
		sql_add(sql, " AND day >= toDate(%u) AND day <= toDate(%u) "
		    "AND %s >= %llu AND %s <= %llu",
		    block_day(s->t_first), block_day(s->t_last),
		    when, (unsigned long long)unit * block_minute(s->t_first),
		    when, (unsigned long long)unit * block_minute(s->t_last));
	sql_add(sql, " GROUP BY blk FORMAT TabSeparated");
	return ch_run(s->c, sql, line, s);
}

static int
ask(struct send *s)
{
	s->n_there = 0;
	return ask_table(s, "samples", "intDiv(ts, 60000000)", 1,
	    take_samples) < 0 ||
	    ask_table(s, "minutes", "toUInt32(minute)", 60, take_sums) < 0
	    ? BOB_FAILED : BOB_OK;
}

/* --- sending ------------------------------------------------------------- */

static struct tally_of_block
there_of(const struct send *s, uint32_t blk)
{
	return blk < s->n_there ? s->there[blk]
	                        : (struct tally_of_block){ 0, 0, 0 };
}

static int
is_too_old(const struct send *s, uint16_t day)
{
	unsigned keep = s->c->keep_days;

	return keep > 0 && (unsigned)day + keep <= s->today;
}

static int
wants(void *user, uint32_t blk, uint16_t day)
{
	const struct send *s = user;
	struct tally_of_block t = there_of(s, blk);

	return !is_too_old(s, day) && (t.rows == 0 || t.sums == 0);
}

static int
has_stack(void *user, uint64_t id, uint16_t day)
{
	struct send *s = user;

	if (day != s->stacks->epoch) {
		idset_clear(s->stacks);
		s->stacks->epoch = day;
	}
	return idset_has(s->stacks, id);
}

/* Sends the rows of one table, if there are any. */
static int
put(struct send *s, const char *table, const char *columns,
    const struct block *block, const struct block_rows *rows)
{
	char token[64];

	if (rows->n_rows == 0)
		return BOB_OK;
	(void)snprintf(token, sizeof(token), "%016llx-%u",
	    (unsigned long long)s->src->seg, block->blk);
	s->ret->has_sent = 1;
	s->ret->bytes_sent += rows->n;
	return ch_insert(s->c, table, columns, token, rows->p, rows->n);
}

/* Sends what the server does not have of a block. */
static int
put_block(struct send *s, const struct block *block)
{
	struct tally_of_block t = there_of(s, block->blk);
	uint64_t i;

	if (put(s, "stacks", blocks_columns_stacks, block, &block->stacks) < 0)
		return BOB_FAILED;
	for (i = 0; i < block->stacks.n_rows; i++)
		idset_add(s->stacks, block->stack_ids[i]);
	if (t.sums == 0 && put(s, "minutes", blocks_columns_sums, block,
	        &block->sums) < 0)
		return BOB_FAILED;
	return t.rows != 0 ? BOB_OK :
	    put(s, "samples", blocks_columns_samples, block, &block->samples);
}

/* Counts a block of the segment. */
static int
note_block(struct send *s, const struct block *block)
{
	size_t i = block->blk;

	if (MEM_GROW(s->c->ctx, s, here, i + 1) < 0 ||
	    MEM_GROW(s->c->ctx, s, is_expired, i + 1) < 0)
		return BOB_FATAL;
	s->here[i] = (struct tally_of_block){ block->samples.n_rows,
		block->n_samples, block->n_samples };
	s->is_expired[i] = (uint8_t)is_too_old(s, block->day);
	s->n_here = i + 1;
	if (block->t_first < s->t_first)
		s->t_first = block->t_first;
	if (block->t_last > s->t_last)
		s->t_last = block->t_last;
	return BOB_OK;
}

/* Reads the segment and sends what is missing. */
static int
send_missing(struct send *s)
{
	struct block_how how = { .packing = ch_packing(s->c), .wants = wants,
		.has_stack = has_stack, .user = s };
	struct block block;
	struct blocks *b;
	int r;

	s->n_here = 0;
	s->c->why = SHIP_LOCAL;
	if (blocks_open(s->c->ctx, s->src, &how, &b) < 0)
		return BOB_FAILED;
	while ((r = blocks_next(b, &block)) == BOB_OK) {
		if (note_block(s, &block) < 0)
			break;
		if (wants(s, block.blk, block.day) &&
		    put_block(s, &block) < 0) {
			blocks_close(b);
			return BOB_FAILED;
		}
		s->c->why = SHIP_LOCAL;
	}
	s->ret->undated = blocks_undated(b);
	blocks_close(b);
	return r == BOB_EOF ? BOB_OK : err_set_status(s->c->ctx, BOB_FAILED);
}

/* --- comparing ----------------------------------------------------------- */

/*
 * Removes a block that is there more than once: two senders were at work, and
 * the server does not recognise what is repeated (before 22.3, without
 * replication). It is gone some time later, and then sent again.
 */
static int
remove_block(struct send *s, const char *table, size_t blk)
{
	struct sql *sql = &s->c->sql;

	sql_begin(sql);
	sql_add(sql, "ALTER TABLE %s.%s DELETE WHERE seg = %llu AND blk = %zu",
	    s->c->url.path, table, (unsigned long long)s->src->seg, blk);
	return ch_run(s->c, sql, NULL, NULL);
}

/* A replica that lags has less for a while. */
static int
fail_by_count(struct send *s, size_t blk)
{
	const struct tally_of_block *h = &s->here[blk];
	struct tally_of_block t = there_of(s, (uint32_t)blk);

	if (t.rows > h->rows && remove_block(s, "samples", blk) < 0)
		return BOB_FAILED;
	if (t.sums > h->sums && remove_block(s, "minutes", blk) < 0)
		return BOB_FAILED;
	s->c->why = SHIP_BUSY;
	return err_set(s->c->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "%s: block %zu: the server has %llu rows of %llu, %llu samples of "
	    "%llu, and %llu of them in sums", s->src->name, blk,
	    (unsigned long long)t.rows, (unsigned long long)h->rows,
	    (unsigned long long)t.samples, (unsigned long long)h->samples,
	    (unsigned long long)t.sums);
}

/* Returns BOB_OK if the server counts what the segment has. */
static int
compare(struct send *s)
{
	size_t i;

	s->ret->acknowledged = s->ret->expired = 0;
	for (i = 0; i < s->n_here; i++) {
		struct tally_of_block t = there_of(s, (uint32_t)i);

		if (s->is_expired[i]) {
			s->ret->expired = count_add(s->ret->expired,
			    s->here[i].samples);
			continue;
		}
		if (memcmp(&t, &s->here[i], sizeof(t)) != 0)
			return fail_by_count(s, i);
		s->ret->acknowledged = count_add(s->ret->acknowledged,
		    t.samples);
	}
	return BOB_OK;
}

/* The second half, when everything was sent that could be: asks and compares. A
 * segment that cannot be read to its end is judged by what came before. */
static int
settle(struct send *s, int is_whole)
{
	struct bob_error why = s->c->ctx->error;
	int r = s->ret->has_sent || !is_whole ? ask(s) : BOB_OK;

	if (r == BOB_OK)
		r = compare(s);
	if (r < 0 || is_whole)
		return r;
	s->c->ctx->error = why;
	s->c->why = SHIP_LOCAL;
	return BOB_FAILED;
}

int
ch_send(struct ch *c, const struct block_source *src, struct idset *stacks,
    struct send_result *ret)
{
	struct send s = { .c = c, .src = src, .stacks = stacks, .ret = ret,
		.today = today(), .t_first = UINT64_MAX };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (src->t_first != 0) {
		s.t_first = src->t_first;
		s.t_last = src->t_last;
	}
	c->why = SHIP_FINE;
	r = ask(&s);
	if (r == BOB_OK) {
		r = send_missing(&s);
		if (r == BOB_OK || c->why == SHIP_LOCAL)
			r = settle(&s, r == BOB_OK);
	}
	ret->why = r == BOB_OK ? SHIP_FINE : c->why;
	ret->retry_after_s = c->retry_after_s;
	free(s.here);
	free(s.there);
	free(s.is_expired);
	return r;
}
