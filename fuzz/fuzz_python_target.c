/*
 * Sampling a Python process whose memory the fuzzer controls.
 *
 * The first byte of the input is a version; the rest is a list of changes of
 * bytes and of whole words, as words.h has them. So memory changes between the
 * reads of a sample, as that of a live process does.
 *
 * Nothing may crash, hang or read out of bounds. A stack that is given must be
 * valid. A sample may take no more steps than the bytes that it reads allow.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "capture/python/python.h"
#include "capture/python/values/locals.h"
#include "core/error.h"
#include "core/utf8.h"
#include "samplework.h"
#include "pyimage.h"
#include "words.h"

#define SAMPLES 6

/* A sample of two threads takes some ten reads; names, lists and tasks that
 * lead in circles take more, but not for ever. */
#define MAX_READS 4000000u

struct changes {
	const uint8_t *p;
	size_t n;
	size_t n_reads;
};

static void
change(struct pyimage *m)
{
	const struct words_image image = { m->bytes, PYIMAGE_SIZE,
		PYIMAGE_AT };
	struct changes *c = m->user;
	size_t i;

	FUZZ_CHECK(c->n_reads < MAX_READS);
	for (i = 0; i + 4 <= c->n; i += 4) {
		size_t at = (size_t)c->p[i + 1] << 8 | c->p[i + 2];

		/* Words that change before the first read are of tables. */
		if (c->p[i] == WORDS_IS_WORD)
			at = pyimage_table_word(m, at);
		if (words_is_due(c->p[i], c->n_reads))
			words_change(&image, c->p[i], at, c->p[i + 3]);
	}
	c->n_reads++;
}

static void
check_runs(const struct process *p)
{
	struct bob_counts n = bob_dict_counts(p->dict);
	size_t i;

	for (i = 0; i < p->n_run; i++) {
		FUZZ_CHECK(p->run[i].stack > 0 && p->run[i].stack < n.n_stack);
		FUZZ_CHECK(p->run[i].track < n.n_track);
		FUZZ_CHECK(bob_stack_get(p->dict, p->run[i].stack).depth <=
		    BOB_MAX_CAPTURE_DEPTH);
	}
}

static void
sample(struct process *p, const struct py_site *site)
{
	void *state;
	int i;

	FUZZ_CHECK(py_open(p, site, &state) == BOB_OK);
	for (i = 0; i < SAMPLES; i++) {
		p->n_run = 0;
		p->time_us = (uint64_t)i * 15000;
		samplework_begin(&p->mem);
		if (python_runtime.sample(state, p) != BOB_OK)
			break;
		samplework_check(&p->mem);
		check_runs(p);
	}
	python_runtime.detach(state);
}

/* And what the fuzzer makes of variables: a line of text each. */
static void
read_locals(struct process *p, const struct py_site *site)
{
	struct py_locals *l = py_locals_new(p, &site->o);
	uint64_t frame, code;
	size_t at, i;

	FUZZ_CHECK(l != NULL);
	pyimage_vars(&frame, &code, &at);
	for (i = 0; i < SAMPLES; i++) {
		samplework_begin(&p->mem);
		FUZZ_CHECK(py_locals_of_frame(l, frame, code, 0) == BOB_OK);
		samplework_check(&p->mem);
	}
	FUZZ_CHECK(p->n_local <= BOB_MAX_CAPTURE_LOCALS);
	for (i = 0; i < p->n_local; i++) {
		struct bob_bytes b = bob_str_get(p->dict, p->local[i].value);

		FUZZ_CHECK(b.n <= REPR_ROOM);
		FUZZ_CHECK(memchr(b.p, '\n', b.n) == NULL);
		FUZZ_CHECK(utf8_valid(b.p, b.n) == b.n);
	}
	py_locals_free(l);
}

/* A process whose structures are as large as they may be, with one word of a
 * table changed, or one word of anything: what chance would seldom find. */
size_t
LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max, unsigned seed)
{
	if (seed % 4 != 0 || max < 5)
		return LLVMFuzzerMutate(p, n, max);
	p[0] = (uint8_t)(64 + (seed >> 2) % 192);
	p[1] = (uint8_t)(WORDS_IS_WORD | (seed % 8 == 0 ? 0 : seed >> 10));
	p[2] = (uint8_t)(seed >> 18);
	p[3] = (uint8_t)(seed >> 10);
	p[4] = (uint8_t)(seed >> 24);
	return n < 5 || seed % 16 == 0 ? 5 : n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static struct pyimage m;
	struct changes c = { p + 1, n > 0 ? n - 1 : 0, 0 };
	struct process proc;
	struct py_site site;
	unsigned minor;

	if (n == 0)
		return 0;
	minor = PY_OLDEST + p[0] % (PY_NEWEST - PY_OLDEST + 1);
	if ((p[0] & 64) != 0)
		pyimage_make_wide(&m, minor, minor >= PY_FIRST_DEBUG &&
		    p[0] >= 128);
	else
		pyimage_make(&m, minor, minor >= PY_FIRST_DEBUG &&
		    p[0] >= 128);
	m.user = &c;
	m.before_read = change;
	change(&m); /* the table of offsets, too, is the process's */
	if (pyimage_find(&m, &site) != NULL)
		return 0;
	memset(&proc, 0, sizeof(proc));
	proc.ctx = bob_ctx_new();
	proc.dict = bob_dict_new(proc.ctx);
	FUZZ_CHECK(proc.dict != NULL);
	proc.pid = 4711;
	proc.max_depth = BOB_MAX_CAPTURE_DEPTH;
	proc.flags = BOB_ATTACH_OPCODES | BOB_ATTACH_TASKS |
	    BOB_ATTACH_ALL_TASKS;
	proc.mem = m.mem;
	sample(&proc, &site);
	read_locals(&proc, &site);
	free(proc.run);
	free(proc.local);
	bob_dict_free(proc.dict);
	bob_ctx_free(proc.ctx);
	return 0;
}
