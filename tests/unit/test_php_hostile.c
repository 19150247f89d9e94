/*
 * PHP of every version, with and without threads, whose memory says anything:
 * recorded memory of real ones (test_php_images.c). Each word that is read has
 * some hostile values, before a sample or in the middle of it.
 * Memory that was not recorded can be read too: it has copies of what was.
 * Sanitizers see what is read or written out of bounds.
 */
#include "support.h"

#include <stdlib.h>

#include "../../tools/image_php.h"

/* No process has this number. */
#define NOBODY INT32_MAX

/* One sample may read so much. Little, as all of it can be read. */
#define READS 1500
#define BYTES (4u << 20)
_Static_assert(READS <= BOB_MAX_CAPTURE_READS && BYTES <= BOB_MAX_CAPTURE_BYTES,
    "a sample may read that much");

/* Changes in the middle of a sample, of each image. */
#define ROUNDS 400

/* Of its values a word has one in so many; that of another image has others. */
#define STRIDE 6

struct memory {
	struct image image;
	uint64_t *word; /* addresses of the words that samples read */
	size_t n_word, cap_word;
	int is_noted;   /* they are complete */
	/* A change before the read number `when`, counted down. */
	unsigned when;
	uint64_t at, value;
};

static const char *folder;
static struct memory m;

static int
by_address(const void *key, const void *block)
{
	uint64_t at = *(const uint64_t *)key;
	uint64_t b = ((const struct image_block *)block)->at;

	return at < b ? -1 : at > b;
}

static struct image_block *
recorded(uint64_t at)
{
	return bsearch(&at, m.image.block, m.image.n_block,
	    sizeof(*m.image.block), by_address);
}

static void
put(uint64_t at, uint64_t v)
{
	struct image_block *b = recorded(at - at % IMAGE_BLOCK);

	assert_non_null(b);
	memcpy(b->bytes + at % IMAGE_BLOCK, &v, sizeof(v));
}

static uint64_t
get(uint64_t at)
{
	uint64_t v;

	memcpy(&v, recorded(at - at % IMAGE_BLOCK)->bytes + at % IMAGE_BLOCK,
	    sizeof(v));
	return v;
}

/* Notes the words of a part of a block. */
static void
note(uint64_t at, size_t n)
{
	uint64_t word;
	size_t i;

	for (word = at - at % 8; word < at + n; word += 8) {
		for (i = 0; i < m.n_word && m.word[i] != word; i++)
			;
		if (i < m.n_word)
			continue;
		if (m.n_word == m.cap_word) {
			m.cap_word = 2 * m.cap_word + 64;
			m.word = realloc(m.word,
			    m.cap_word * sizeof(*m.word));
			assert_non_null(m.word);
		}
		m.word[m.n_word++] = word;
	}
}

static long
gather(struct mem *mem, const struct mem_span *v, size_t n)
{
	struct image_block *b;
	size_t i, k, part;
	uint64_t at;

	(void)mem;
	if (m.when > 0 && --m.when == 0)
		put(m.at, m.value);
	for (i = 0; i < n; i++)
		for (k = 0; k < v[i].n; k += part) {
			at = v[i].at + k;
			part = IMAGE_BLOCK - (size_t)(at % IMAGE_BLOCK);
			if (part > v[i].n - k)
				part = v[i].n - k;
			b = recorded(at - at % IMAGE_BLOCK);
			if (b == NULL)
				b = &m.image.block[at / IMAGE_BLOCK %
				    m.image.n_block];
			else if (!m.is_noted)
				note(at, part);
			memcpy((char *)v[i].to + k,
			    b->bytes + at % IMAGE_BLOCK, part);
		}
	return (long)mem_total(v, n);
}

/* --- samples ------------------------------------------------------------- */

static void
check_runs(const struct process *p)
{
	struct bob_node node;
	bob_stack s;
	size_t i, depth;

	for (i = 0; i < p->n_run; i++) {
		depth = 0;
		for (s = p->run[i].stack; s != 0; s = node.parent) {
			node = bob_stack_get(p->dict, s);
			assert_true(node.parent < s);
			depth++;
		}
		assert_in_range(depth, 1, BOB_MAX_CAPTURE_DEPTH);
	}
	assert_true(p->n_local <= BOB_MAX_CAPTURE_LOCALS);
}

/* Some samples of what is found, which may give nothing. Returns how many
 * stacks they gave. */
static size_t
sample_all(void)
{
	static const char *const vars[] = { "global::$_SERVER[REQUEST_URI]",
		"local::Shape\\rest()$n", "static::Shape\\Magic::$p",
		"func_static::Shape\\rest()$n",
		"memory::memory_get_peak_usage" };
	struct php_site site[IMAGE_MAX_THREADS];
	size_t i, k, n, n_stack = 0;
	struct process p;
	void *state;

	n = image_php_sites(&m.image, site);
	for (i = 0; i < n; i++) {
		memset(&p, 0, sizeof(p));
		p.ctx = bob_ctx_new();
		p.dict = bob_dict_new(p.ctx);
		assert_non_null(p.dict);
		p.pid = NOBODY;
		p.max_depth = BOB_MAX_CAPTURE_DEPTH;
		p.flags = BOB_ATTACH_REQUEST | BOB_ATTACH_QUERY |
		    BOB_ATTACH_COOKIE | BOB_ATTACH_MEMORY |
		    BOB_ATTACH_LOCALS | BOB_ATTACH_OPCODES;
		p.vars = vars;
		p.n_vars = COUNT_OF(vars);
		p.mem = m.image.mem;
		assert_status(p.ctx, BOB_OK,
		    php_open(&p, &site[i], &state));
		for (k = 0; k < 2; k++) {
			p.n_run = p.n_local = 0;
			p.time_us = k * 30000;
			mem_allow(&p.mem, READS, BYTES);
			assert_int_equal(php_runtime.sample(state, &p),
			    BOB_OK);
			check_runs(&p);
			n_stack += p.n_run;
		}
		php_runtime.detach(state);
		free(p.run);
		free(p.local);
		bob_dict_free(p.dict);
		bob_ctx_free(p.ctx);
	}
	return n_stack;
}

/* --- values -------------------------------------------------------------- */

#define N_VALUES 12

static uint64_t
hostile(size_t i, uint64_t at, uint64_t was)
{
	const uint64_t values[N_VALUES] = { 0, 1, UINT64_MAX, INT32_MAX,
		1 << 20, at, at - at % IMAGE_BLOCK, was + 8, was - 8, was + 1,
		was | UINT32_MAX, was | (uint64_t)UINT32_MAX << 32 };

	return values[i];
}

static void
each_word(size_t first)
{
	uint64_t was;
	size_t i, k;

	for (i = 0; i < m.n_word; i++) {
		was = get(m.word[i]);
		for (k = (first + i) % STRIDE; k < N_VALUES; k += STRIDE) {
			put(m.word[i], hostile(k, m.word[i], was));
			(void)sample_all();
		}
		put(m.word[i], was);
	}
}

static void
in_the_middle(size_t first)
{
	uint32_t seed = (uint32_t)first;
	uint64_t was;
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		seed = seed * 1664525u + 1013904223u;
		m.at = m.word[(seed >> 8) % m.n_word];
		was = get(m.at);
		m.value = hostile(i % N_VALUES, m.at, was);
		m.when = 1 + (seed >> 24) % 40;
		(void)sample_all();
		m.when = 0;
		put(m.at, was);
	}
}

/* --- images -------------------------------------------------------------- */

static const char *const images[] = { "7.0-delegation", "7.1-include",
	"7.2-get", "7.3-delegation", "7.3-zts-threads", "7.4-closure",
	"7.4-zts-autoload", "8.0-constructor", "8.1-delegation",
	"8.2-zts-closure", "8.3-include", "8.4-delegation", "8.4-zts-threads",
	"8.5-delegation", "8.5-get" };

static void
change_image(size_t i, void (*change)(size_t first))
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s.img", folder, images[i]);
	memset(&m, 0, sizeof(m));
	assert_int_equal(image_read(&m.image, path), 0);
#ifndef __x86_64__
	/* Descriptors of threads lie elsewhere. */
	if (image_get(&m.image, "tp0") != 0) {
		image_done(&m.image);
		return;
	}
#endif
	m.image.mem.gather = gather;
	assert_true(sample_all() > 0);
	m.is_noted = 1;
	assert_true(m.n_word > 100);
	change(i);
	/* As it was, it gives its stacks again. */
	assert_true(sample_all() > 0);
	free(m.word);
	image_done(&m.image);
}

static void
every_word_may_be_hostile(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(images); i++)
		change_image(i, each_word);
}

static void
words_may_change_during_a_sample(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(images); i++)
		change_image(i, in_the_middle);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_may_be_hostile),
		cmocka_unit_test(words_may_change_during_a_sample),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
