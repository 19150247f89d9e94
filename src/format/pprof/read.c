/* Reading pprof: tables, then metadata, then samples; see read.h. */
#include "format/pprof/read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/common/meta.h"

static int
pprof_open(struct source *src)
{
	struct pprof_reader *rd = src->state;

	rd->src = src;
	rd->is_tolerant = (src->flags & BOB_READ_RECOVER) != 0;
	rd->has_labels = (src->want &
	    (BOB_WANT_TRACKS | BOB_WANT_ANNOTATIONS)) != 0;
	src->counts_bytes = 1;
	return BOB_OK;
}

static void
pprof_close(struct source *src)
{
	struct pprof_reader *rd = src->state;

	in_close(rd->in);
	spool_close(rd->spool);
	MEM_DROP(src->ctx, rd, str);
	MEM_DROP(src->ctx, rd, function);
	MEM_DROP(src->ctx, rd, location);
	MEM_DROP(src->ctx, rd, place);
	MEM_DROP(src->ctx, rd, map);
	MEM_DROP(src->ctx, rd, frame);
	MEM_DROP(src->ctx, rd, comment);
	MEM_DROP(src->ctx, rd, path);
}

static void
count_bytes(struct pprof_reader *rd)
{
	struct source *src = rd->src;

	src->bytes_unpacked = rd->in->pos;
	src->bytes_in = spool_bytes_in(rd->spool, rd->in->pos);
}

/* All that comes before the first sample. */
static int
pprof_start(struct pprof_reader *rd)
{
	struct source *src = rd->src;
	int r = spool_take(src->in, &rd->spool);

	if (r == BOB_OK)
		r = pprof_rewind(rd);
	if (r == BOB_OK)
		r = pprof_read_tables(rd);
	if (r == BOB_OK)
		r = pprof_rewind(rd);
	if (r == BOB_OK)
		r = pprof_choose_type(rd);
	if (r != BOB_OK)
		return r;
	rd->segment.index = src->next_segment++;
	if (rd->time_ns <= BOB_MAX_COUNT)
		rd->segment.start_us = rd->time_ns / 1000;
	return BOB_OK;
}

/* --- metadata ------------------------------------------------------------ */

static int
give_meta(struct pprof_reader *rd, bob_str key, bob_str value,
    struct bob_event *ret)
{
	if (key == BOB_NO_ID || value == BOB_NO_ID)
		return BOB_FATAL;
	if (meta_is(rd->src->dict, key, META_MODE))
		rd->has_mode = 1;
	rd->mark = (struct bob_mark){ .kind = BOB_MARK_META, .key = key,
		.value = value };
	*ret = (struct bob_event){ .kind = BOB_EVENT_MARK,
		.mark = &rd->mark };
	return BOB_OK;
}

/* `key: value`; any other comment is the value of `comment`. */
static int
give_comment(struct pprof_reader *rd, struct bob_bytes s,
    struct bob_event *ret)
{
	struct bob_dict *d = rd->src->dict;
	const char *colon = memchr(s.p, ':', s.n);
	size_t n = colon == NULL ? 0 : (size_t)(colon - s.p);

	if (n == 0 || s.n - n < 2 || colon[1] != ' ')
		return give_meta(rd, bob_str_put(d, "comment", 7),
		    bob_str_put(d, s.p, s.n), ret);
	return give_meta(rd, bob_str_put(d, s.p, n),
	    bob_str_put(d, colon + 2, s.n - n - 2), ret);
}

/* BOB_EOF when there is nothing more to say. */
static int
give_facts(struct pprof_reader *rd, struct bob_event *ret)
{
	static const char made_by[] = "made by bobbin ";
	struct bob_dict *d = rd->src->dict;
	struct bob_bytes s;

	while (rd->n_comment_given < rd->n_comment) {
		uint64_t number = rd->comment[rd->n_comment_given++];

		/* Twice the same is one fact. */
		if (number >= rd->n_str || rd->str[number].is_given)
			continue;
		rd->str[number].is_given = 1;
		s = pprof_string(rd, number);
		/* The program that wrote the file is no fact about the
		 * trace. */
		if (s.n > 0 && (s.n < sizeof(made_by) ||
		    memcmp(s.p, made_by, sizeof(made_by) - 1) != 0))
			return give_comment(rd, s, ret);
	}
	s = pprof_string(rd, rd->period_type.type);
	if (!rd->has_mode && s.n == 3 && memcmp(s.p, "cpu", 3) == 0)
		return give_meta(rd, bob_str_put(d, META_MODE,
		    strlen(META_MODE)), bob_str_put(d, "cpu", 3), ret);
	return BOB_EOF;
}

/* --- samples ------------------------------------------------------------- */

static void
note_negative(struct pprof_reader *rd)
{
	if (rd->n_negative > 0)
		err_diag(rd->src->ctx, BOB_WARN, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "pprof: %llu samples with negative values "
		    "(what differs from another profile) are left out",
		    (unsigned long long)rd->n_negative);
	rd->n_negative = 0;
}

/* Fills the batch; stops early at a gap, which is given behind it. */
static int
fill_batch(struct pprof_reader *rd)
{
	struct pprof_field f;
	int r = BOB_OK;

	while (r != BOB_FATAL && rd->n_run < PPROF_BATCH &&
	    !gaps_has(&rd->gaps)) {
		r = pprof_next_field(rd, 1u << PROFILE_SAMPLE, &f);
		if (r != BOB_OK)
			return r;
		if (f.f.number == PROFILE_SAMPLE)
			r = pprof_read_sample(rd, &f);
	}
	return r == BOB_FATAL ? r : BOB_OK;
}

static int
give_runs(struct pprof_reader *rd, struct bob_event *ret)
{
	int r = BOB_OK;

	for (;;) {
		if (gaps_has(&rd->gaps))
			return gaps_give(&rd->gaps, &rd->mark, ret);
		if (rd->phase == PPROF_AT_END) {
			note_negative(rd);
			return rd->is_dead ? BOB_FATAL : BOB_EOF;
		}
		rd->n_run = 0;
		r = fill_batch(rd);
		rd->is_dead = r < 0;
		if (r != BOB_OK)
			rd->phase = PPROF_AT_END;
		count_bytes(rd);
		if (rd->n_run > 0)
			break;
	}
	assert(rd->n_run <= PPROF_BATCH);
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = rd->run,
		.n_runs = rd->n_run };
	return BOB_OK;
}

static int
pprof_next(struct source *src, struct bob_event *ret)
{
	struct pprof_reader *rd = src->state;
	int r;

	switch (rd->phase) {
	case PPROF_AT_START:
		r = rd->is_dead ? BOB_FATAL : pprof_start(rd);
		rd->is_dead = r < 0;
		if (r != BOB_OK)
			return r;
		rd->phase = PPROF_AT_MARKS;
		*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
			.segment = &rd->segment };
		return BOB_OK;
	case PPROF_AT_MARKS:
		r = src->want & BOB_WANT_MARKS ? give_facts(rd, ret) : BOB_EOF;
		if (r != BOB_EOF)
			return r;
		rd->phase = PPROF_AT_SAMPLES;
		return give_runs(rd, ret);
	default:
		return give_runs(rd, ret);
	}
}

const struct source_ops pprof_source = {
	.state_size = sizeof(struct pprof_reader),
	.open = pprof_open,
	.next = pprof_next,
	.close = pprof_close,
};
