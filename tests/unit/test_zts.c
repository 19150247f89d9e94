/* Threads of PHP: where their state is found, and where not. */
#include "support.h"

#include <errno.h>

#include "capture/php/layout/zts.h"
#include "../../fuzz/fakemem.h"

#define AT ((uint64_t)0x7f0000000000)
#define IMAGE 32768u

/* Where things are: descriptors of two threads, their entries and lists of
 * resources, a list of keys, numbers of resources, a heap. */
enum {
	FIRST = 4096,
	SECOND = 8192,
	ENTRY = 12288,
	RESOURCES = 13312,
	KEYS = 14336,
	IDS = 16384,
	GLOBALS = 20480,
	KEY = 784 + 3 * 16 + 8, /* glibc's third, its value */
	TSD = 136               /* musl's pointer to its list */
};

/* Threads point at their descriptors' begin or end. */
#if defined(__x86_64__)
#define POINTER(descriptor) (AT + (descriptor))
#else
#define POINTER(descriptor) (AT + (descriptor) + ZTS_AREA)
#endif

struct image {
	struct fakemem m;
	uint8_t b[IMAGE];
};

static void
put(struct image *t, size_t at, uint64_t v, size_t n)
{
	fakemem_put(&t->m, at, v, n);
}

/* The entry of a thread, with three resources. */
static uint64_t
put_entry(struct image *t, int i, uint64_t tp)
{
	size_t e = ENTRY + (size_t)i * 64, r = RESOURCES + (size_t)i * 64;
	size_t k;

	put(t, e, AT + r, 8);
	put(t, e + 8, 3, 4);
	put(t, e + 16, tp, 8);
	for (k = 0; k < 3; k++)
		put(t, r + 8 * k, AT + GLOBALS + (size_t)i * 4096 + k * 1024,
		    8);
	return AT + e;
}

/* A process without PHP in its threads so far. */
static void
build(struct image *t, struct zts *z)
{
	memset(t, 0, sizeof(*t));
	fakemem_init(&t->m, AT, t->b, IMAGE);
	/* glibc's descriptors begin with pointers to themselves. */
	put(t, FIRST, POINTER(FIRST), 8);
	put(t, FIRST + 16, POINTER(FIRST), 8);
	put(t, SECOND, POINTER(SECOND), 8);
	put(t, SECOND + 16, POINTER(SECOND), 8);
	put(t, IDS, 1, 4);
	put(t, IDS + 4, 2, 4);
	put(t, IDS + 8, 9, 4); /* a resource that no thread has */
	memset(z, 0, sizeof(*z));
	z->eg_id = AT + IDS;
	z->sg_id = AT + IDS + 4;
	z->cg_id = AT + IDS + 8;
}

static int
find(struct image *t, struct zts *z, size_t descriptor, uint64_t *ret_eg)
{
	struct php_globals g;
	int r = zts_find(&t->m.mem, z, POINTER(descriptor), &g);

	*ret_eg = r == 0 ? g.eg : 0;
	if (r == 0) {
		assert_int_equal(g.sg, g.eg + 1024);
		assert_int_equal(g.cg, 0);
		assert_int_equal(g.heap, 0);
	}
	return r;
}

static void
an_entry_is_found_under_a_key_of_glibc(void **state)
{
	static struct image t;
	struct zts z;
	uint64_t eg;

	(void)state;
	build(&t, &z);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	assert_int_equal(z.way, ZTS_NONE);
	put(&t, FIRST + KEY, put_entry(&t, 0, POINTER(FIRST)), 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	assert_int_equal(eg, AT + GLOBALS);
	assert_int_equal(z.way, ZTS_KEY);
	/* Others have theirs there, or none. */
	assert_int_equal(find(&t, &z, SECOND, &eg), -ENOENT);
	put(&t, SECOND + KEY, put_entry(&t, 1, POINTER(SECOND)), 8);
	assert_int_equal(find(&t, &z, SECOND, &eg), 0);
	assert_int_equal(eg, AT + GLOBALS + 4096);
	/* One that ended is none. */
	put(&t, FIRST + KEY, 0, 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
}

static void
an_entry_is_found_in_a_list_of_keys(void **state)
{
	static struct image t;
	struct zts z;
	uint64_t eg;
#if defined(__x86_64__)
	size_t tsd = FIRST + TSD;
#else
	size_t tsd = FIRST + ZTS_AREA - 256 + TSD;
#endif

	(void)state;
	build(&t, &z);
	put(&t, tsd, AT + KEYS, 8);
	put(&t, KEYS + 5 * 8, put_entry(&t, 0, POINTER(FIRST)), 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	assert_int_equal(eg, AT + GLOBALS);
	assert_int_equal(z.way, ZTS_LISTED_KEY);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	assert_int_equal(find(&t, &z, SECOND, &eg), -ENOENT);
}

static void
an_entry_is_found_in_a_variable_of_the_thread(void **state)
{
	static struct image t;
	struct zts z;
	uint64_t eg;

	(void)state;
	build(&t, &z);
	z.cache_offset = -24;
	put(&t, POINTER(FIRST) - AT - 24, put_entry(&t, 0, POINTER(FIRST)),
	    8);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	assert_int_equal(z.way, ZTS_CACHE);
	assert_int_equal(find(&t, &z, SECOND, &eg), -ENOENT);
}

static void
an_entry_of_another_thread_is_not_taken(void **state)
{
	static struct image t;
	struct zts z;
	uint64_t eg;

	(void)state;
	build(&t, &z);
	put(&t, FIRST + KEY, put_entry(&t, 0, POINTER(SECOND)), 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
}

static void
crafted_entries_are_none(void **state)
{
	static struct image t;
	struct zts z;
	uint64_t eg;

	(void)state;
	build(&t, &z);
	put(&t, FIRST + KEY, put_entry(&t, 0, POINTER(FIRST)), 8);
	put(&t, ENTRY + 8, UINT32_MAX, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, ENTRY + 8, 0, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, ENTRY + 8, 3, 4);
	put(&t, ENTRY, 8, 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, ENTRY, AT + RESOURCES, 8);
	put(&t, RESOURCES, 0, 8);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	/* Not started so far: its resources have no numbers. */
	put(&t, RESOURCES, AT + GLOBALS, 8);
	put(&t, IDS, 0, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, IDS, 4, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, IDS, UINT32_MAX, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, IDS, ZTS_MAX_RESOURCES + 1, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, IDS, 1, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	/* More resources than there is room for, all of which can be read. */
	put(&t, ENTRY + 8, ZTS_MAX_RESOURCES, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), 0);
	put(&t, ENTRY + 8, ZTS_MAX_RESOURCES + 1, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
	put(&t, ENTRY + 8, 2 * ZTS_MAX_RESOURCES, 4);
	assert_int_equal(find(&t, &z, FIRST, &eg), -ENOENT);
}

/* --- lists that are cut --------------------------------------------------- */

/* Of the list that is cut so many bytes are there. When it is read, an entry
 * becomes one of this thread. */
static struct {
	struct image t;
	long (*gather)(struct mem *m, const struct mem_span *v, size_t n);
	uint64_t cut;
	long n_there;
} short_list;

static long
gather_less(struct mem *m, const struct mem_span *v, size_t n)
{
	uint8_t all[ZTS_LIST];
	struct mem_span one = { v[0].at, all, sizeof(all) };

	if (v[0].at != short_list.cut || v[0].n != sizeof(all))
		return short_list.gather(m, v, n);
	put(&short_list.t, ENTRY + 16, POINTER(FIRST), 8);
	assert_int_equal(short_list.gather(m, &one, 1), sizeof(all));
	memcpy(v[0].to, all, (size_t)short_list.n_there);
	return short_list.n_there;
}

/* A list of keys that leads nowhere, and one that is cut behind it: what is
 * left of the first is no part of the second. */
static int
find_behind(uint64_t left, uint64_t last, long n_there)
{
	struct image *t = &short_list.t;
	struct zts z;
	uint64_t eg;
#if defined(__x86_64__)
	size_t head = FIRST + TSD;
#else
	size_t head = FIRST + ZTS_AREA - 256 + TSD;
#endif

	build(t, &z);
	short_list.gather = t->m.mem.gather;
	t->m.mem.gather = gather_less;
	short_list.cut = AT + KEYS + ZTS_LIST;
	short_list.n_there = n_there;
	(void)put_entry(t, 0, POINTER(SECOND));
	put(t, head, AT + KEYS, 8);
	put(t, head + 8, short_list.cut, 8);
	put(t, KEYS + 8, left, 8);
	put(t, KEYS + ZTS_LIST + 8, last, 8);
	return find(t, &z, FIRST, &eg);
}

static void
what_was_not_read_of_a_list_is_no_part_of_it(void **state)
{
	uint64_t entry = AT + ENTRY, high = entry & ~(uint64_t)UINT32_MAX;

	(void)state;
	assert_int_equal(find_behind(0, entry, 16), 0);
	assert_int_equal(find_behind(0, entry, 8), -ENOENT);
	assert_int_equal(find_behind(entry, 0, 8), -ENOENT);
	/* Half of a word. */
	assert_int_equal(find_behind(high, entry, 12), -ENOENT);
}

static void
a_heap_is_known_by_its_chunk(void **state)
{
	static struct image t;
	struct php_globals g;
	struct zts z;
	/* A chunk of 2 MiB begins within the image, whose address is one. */
	uint64_t heap = AT + 64;

	(void)state;
	build(&t, &z);
	put(&t, FIRST + KEY, put_entry(&t, 0, POINTER(FIRST)), 8);
	put(&t, GLOBALS + 2048, heap, 8);
	assert_int_equal(zts_find(&t.m.mem, &z, POINTER(FIRST), &g), 0);
	assert_int_equal(g.heap, 0);
	put(&t, 0, heap, 8);
	assert_int_equal(zts_find(&t.m.mem, &z, POINTER(FIRST), &g), 0);
	assert_int_equal(g.heap, AT + GLOBALS + 2048);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_found_under_a_key_of_glibc),
		cmocka_unit_test(an_entry_is_found_in_a_list_of_keys),
		cmocka_unit_test(
		    an_entry_is_found_in_a_variable_of_the_thread),
		cmocka_unit_test(an_entry_of_another_thread_is_not_taken),
		cmocka_unit_test(crafted_entries_are_none),
		cmocka_unit_test(a_heap_is_known_by_its_chunk),
		cmocka_unit_test(what_was_not_read_of_a_list_is_no_part_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
