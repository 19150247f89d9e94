/* Writing and checking samples that follow a rule; see the header. */
#include "tach_rule.h"

#include <sys/stat.h>

/* Lines of frames: enough that new ones keep coming. */
#define N_LINES 5000

static unsigned
rule_depth(uint64_t i)
{
	return 1 + (unsigned)(i / 12 % 4);
}

/* Level 0 is the outermost. */
static unsigned
rule_line(uint64_t i, unsigned level)
{
	return (unsigned)(i / 12 * (level + 1) % N_LINES);
}

static uint64_t
rule_time(uint64_t i)
{
	return RULE_START + 10 * i;
}

static unsigned
rule_status(uint64_t i)
{
	return (unsigned)(i % 7);
}

int
rule_begin(struct bob_writer *w)
{
	struct bob_segment segment = { .period_us = 10,
		.t_begin = RULE_START,
		.flags = BOB_SEGMENT_TIMED };

	return bob_write_segment(w, &segment);
}

static bob_stack
make_stack(struct bob_dict *d, uint64_t i)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON };
	bob_stack s = 0;
	unsigned k;
	char name[32];
	int n;

	f.file = bob_str_put(d, "a.py", 4);
	for (k = 0; k < rule_depth(i); k++) {
		f.where = rule_line(i, k);
		n = snprintf(name, sizeof(name), "f%u", rule_line(i, k));
		f.name = bob_str_put(d, name, (size_t)n);
		s = bob_stack_push(d, s, bob_frame_put(d, &f));
	}
	return s;
}

int
rule_write(struct bob_writer *w, uint64_t i)
{
	struct bob_dict *d = bob_writer_dict(w);
	struct bob_track track = { .tid = i % RULE_TIDS,
		.flags = BOB_TRACK_TID };
	struct bob_run run = { .count = 1,
		.stack = make_stack(d, i),
		.track = bob_track_put(d, &track),
		.status = (uint8_t)rule_status(i),
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };

	run.t_first = run.t_last = rule_time(i);
	return bob_write_runs(w, &run, 1);
}

void
rule_sample(void *user, uint64_t tid, uint64_t t, unsigned status,
    const uint32_t *frames, size_t depth)
{
	struct rule_check *c = user;
	const struct journal *j = c->names;
	uint64_t i;
	size_t k;
	char name[32];
	int n;

	assert_true(tid < RULE_TIDS);
	i = c->n[tid]++ * RULE_TIDS + tid;
	assert_int_equal(t, rule_time(i));
	assert_int_equal(status, rule_status(i));
	assert_int_equal(depth, rule_depth(i));
	for (k = 0; k < depth; k++) {
		const struct tach_frame *f = &j->frame[frames[k]];
		unsigned line = rule_line(i, (unsigned)(depth - 1 - k));

		n = snprintf(name, sizeof(name), "f%u", line);
		assert_int_equal(f->line, line);
		assert_int_equal(j->string[f->func].n, n);
		assert_memory_equal(j->string[f->func].p, name, (size_t)n);
	}
}

static void
check_frames(struct rule_check *c, const struct bob_dict *d, bob_stack stack,
    uint64_t i)
{
	struct bob_node node = bob_stack_get(d, stack);
	const struct bob_frame *f;

	assert_int_equal(node.depth, rule_depth(i));
	for (; node.depth > 0; node = bob_stack_get(d, node.parent)) {
		f = bob_frame_get(d, node.frame);
		if (f->flags & BOB_FRAME_NO_LINE)
			c->n_nameless++;
		else
			assert_int_equal(f->where,
			    rule_line(i, node.depth - 1));
	}
}

static void
check_run(struct rule_check *c, const struct bob_dict *d,
    const struct bob_run *run)
{
	const struct bob_track *track = bob_track_get(d, run->track);
	uint64_t t = run->t_first, i, k;

	assert_true(track->tid < RULE_TIDS);
	for (k = 0; k < run->count; k++) {
		i = c->n[track->tid]++ * RULE_TIDS + track->tid;
		if (k > 0 && run->dt != NULL)
			t += run->dt[k - 1];
		assert_int_equal(t, rule_time(i));
		assert_int_equal(run->status, rule_status(i));
		check_frames(c, d, run->stack, i);
	}
}

int
rule_drain(struct bob_reader *in, struct rule_check *c, uint64_t *n)
{
	struct bob_event ev;
	size_t i;
	int r;

	while ((r = bob_next(in, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++) {
			check_run(c, bob_reader_dict(in), &ev.runs[i]);
			*n += ev.runs[i].count;
		}
	return r;
}

uint64_t
rule_read(struct bob_ctx *ctx, const char *path, uint32_t flags,
    struct rule_check *c)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "tach",
		.flags = flags };
	struct bob_reader *in;
	struct stat st;
	uint64_t n = 0;

	/* Killed before its first bytes: there is nothing to tell. */
	assert_int_equal(stat(path, &st), 0);
	if (st.st_size < TACH_HEADER)
		return 0;
	assert_status(ctx, BOB_OK, bob_open(ctx, path, &o, &in));
	assert_status(ctx, BOB_EOF, rule_drain(in, c, &n));
	bob_close(in);
	return n;
}
