/*
 * Python's memory image of every version, while the n-th read of it fails, or
 * is short, or the n-th allocation does. Whatever happens: a stack that is
 * given is the right one, and what could not be read is counted with a reason.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "py_rig.h"

#define N_SAMPLES 3
#define MAX_STEPS 1000

enum how { ABSENT, SHORT, GONE, N_HOWS };

/* Reads of an image, one of which goes wrong. */
struct reads {
	struct pyimage image;
	long (*gather)(struct mem *m, const struct mem_span *v, size_t n);
	unsigned long n, wrong_at; /* 0: none */
	enum how how;
};

static struct reads reads;

static long
gather(struct mem *m, const struct mem_span *v, size_t n)
{
	long all;

	if (++reads.n != reads.wrong_at)
		return reads.gather(m, v, n);
	if (reads.how == ABSENT)
		return -EFAULT;
	if (reads.how == GONE)
		return -ESRCH;
	/* What comes behind is not written. */
	all = reads.gather(m, v, n > 1 ? n / 2 : n);
	return n > 1 || all < 0 ? all : all / 2;
}

static void
begin(struct process *p, unsigned minor, struct py_site *site)
{
	pyimage_make(&reads.image, minor, 0);
	assert_null(pyimage_find(&reads.image, site));
	py_rig_begin(p, &reads.image.mem);
	reads.gather = p->mem.gather;
	p->mem.gather = gather;
}

static void
assert_counts(const struct process *p)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < BOB_N_LOST; i++)
		sum += p->counts.lost_by[i];
	assert_int_equal(sum, p->counts.lost);
}

/* Samples, with one read that goes wrong; true when it came to that. */
static int
read_wrongly(unsigned minor, enum how how, unsigned long at)
{
	struct process p;
	struct py_site site;
	void *state;
	int i, r = BOB_OK;

	begin(&p, minor, &site);
	reads.n = 0;
	reads.wrong_at = at;
	reads.how = how;
	assert_int_equal(py_open(&p, &site, &state), BOB_OK);
	for (i = 0; i < N_SAMPLES && r == BOB_OK; i++) {
		uint64_t lost = p.counts.lost;
		int is_hurt = reads.n < at;

		p.n_run = 0;
		p.time_us += 200000;
		r = python_runtime.sample(state, &p);
		is_hurt &= reads.n >= at;
		assert_true(r == BOB_OK || (r == BOB_EOF && how == GONE));
		if (p.n_run > 0)
			py_rig_assert_stack(&p, p.run[0].stack);
		else
			assert_true(is_hurt && (r == BOB_EOF ||
			        p.counts.lost == lost + 1));
	}
	assert_counts(&p);
	python_runtime.detach(state);
	py_rig_end(&p);
	return reads.n >= at;
}

static void
reads_that_fail_are_lost_and_no_more(void **state)
{
	unsigned long at;
	unsigned minor;
	int how;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++)
		for (how = 0; how < N_HOWS; how++) {
			for (at = 1; at < MAX_STEPS &&
			     read_wrongly(minor, (enum how)how, at); at++)
				;
			assert_true(at > 3 && at < MAX_STEPS);
		}
}

/* A capture from beginning to end. */
static int
capture(void *user)
{
	struct pyimage *image = user;
	struct process p = { .pid = 4711, .max_depth = BOB_MAX_CAPTURE_DEPTH,
		.mem = image->mem };
	struct py_site site;
	void *state;
	int i, r = BOB_FAILED;

	assert_null(pyimage_find(image, &site));
	p.ctx = bob_ctx_new();
	p.dict = p.ctx != NULL ? bob_dict_new(p.ctx) : NULL;
	if (p.dict != NULL)
		r = py_open(&p, &site, &state);
	if (r == BOB_OK) {
		for (i = 0; i < N_SAMPLES && r == BOB_OK; i++) {
			p.n_run = 0;
			r = python_runtime.sample(state, &p);
			if (r == BOB_OK && p.n_run > 0)
				py_rig_assert_stack(&p, p.run[0].stack);
		}
		assert_true(r == BOB_OK || r == BOB_FATAL);
		python_runtime.detach(state);
	}
	py_rig_end(&p);
	return r;
}

static void
memory_that_is_out_is_told(void **state)
{
	static struct pyimage image;
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		pyimage_make(&image, minor, 0);
		fault_each(capture, &image);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_that_fail_are_lost_and_no_more),
		cmocka_unit_test(memory_that_is_out_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
