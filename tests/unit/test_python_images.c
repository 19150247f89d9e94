/* Python of versions that are not at hand: recorded memory of real ones. */
#include "support.h"

#include <stdlib.h>

#include "capture/python/python.h"
#include "../../fuzz/pyimage.h"
#include "images.h"

/* No process has this number. */
#define NOBODY INT32_MAX

static const char *folder;

/* The last of some samples, as text; the caller frees it. */
static char *
sample(struct mem *mem, const struct py_site *site, int pid)
{
	struct play play;
	void *state;

	play_begin(&play, mem, pid);
	assert_status(play.p.ctx, BOB_OK, py_open(&play.p, site, &state));
	play_sample(&play, &python_runtime, state);
	return play_end(&play);
}

static void
what_was_recorded_is_read_again(void **state)
{
	static struct pyimage source;
	const char *path = "recorded.img";
	struct image a, b;
	struct py_site site;
	char *first, *second;
	uint8_t byte;

	(void)state;
	pyimage_make(&source, 12, 0);
	assert_null(pyimage_find(&source, &site));
	image_record(&a, &source.mem);
	image_set(&a, "minor", 12);
	first = sample(&a.mem, &site, NOBODY);
	assert_true(a.n_block > 0 &&
	    a.n_block < PYIMAGE_SIZE / IMAGE_BLOCK);
	assert_int_equal(image_write(&a, path), 0);
	assert_int_equal(image_read(&b, path), 0);
	assert_int_equal(image_get(&b, "minor"), 12);
	assert_int_equal(b.n_block, a.n_block);
	second = sample(&b.mem, &site, NOBODY);
	assert_string_equal(first, second);
	assert_true(strlen(first) > 20);
	/* What was not read is not there. */
	assert_true(mem_read(&b.mem, PYIMAGE_AT + PYIMAGE_SIZE - 1, &byte, 1) <
	    0);
	free(first);
	free(second);
	image_done(&a);
	image_done(&b);
	(void)remove(path);
}

/* Where things are, as attaching would have found it. */
static void
find_site(struct image *image, struct py_site *ret)
{
	uint8_t table[PY_MAX_DEBUG];
	struct py_fault why;
	unsigned minor = (unsigned)image_get(image, "minor");
	const struct py_offsets *o = py_offsets_of(minor);
	size_t n = py_debug_size(minor);

	*ret = (struct py_site){ .runtime = image_get(image, "runtime"),
		.none = image_get(image, "none"),
		.code_type = image_get(image, "code_type"),
		.task_table = image_get(image, "task_table") };
	if (o != NULL) {
		ret->o = *o;
		return;
	}
	assert_true(n > 0);
	assert_int_equal(mem_read(&image->mem, ret->runtime, table, n), 0);
	assert_int_equal(py_debug_read(table, n, minor, &ret->o, &why), 0);
}

/* 3.7 does not know its main thread; there it is told by the kernel, which an
 * image does not have. */
static void
tell_main(char *text)
{
	char *p = strstr(text, "MainThread 0");

	if (p != NULL)
		p[sizeof("MainThread")] = '2';
}

static char *
text_of(struct image *image)
{
	struct py_site site;
	char *text;

	find_site(image, &site);
	text = sample(&image->mem, &site, site.o.minor >= 11
	    ? (int)image_get(image, "pid") : NOBODY);
	if (site.o.minor == 7)
		tell_main(text);
	return text;
}

static void
images_have_the_stacks_that_their_script_had(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip(); /* locks have other sizes elsewhere */
#endif
	assert_true(images_compare(folder, text_of) >=
	    PY_NEWEST - PY_OLDEST + 1);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_recorded_is_read_again),
		cmocka_unit_test(images_have_the_stacks_that_their_script_had),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
