/* Python of versions that are not at hand: recorded memory of real ones. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/python.h"
#include "../../fuzz/pyimage.h"
#include "../../tools/image.h"
#include "../../tools/image_print.h"

#define SAMPLES 3

/* The last of some samples, as text; the caller frees it. */
static char *
sample(struct mem *mem, const struct py_site *site)
{
	struct process p = { .pid = 4711, .max_depth = BOB_MAX_LIVE_DEPTH,
		.mem = *mem };
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	void *state;
	int i;

	assert_non_null(f);
	p.ctx = bob_ctx_new();
	p.dict = bob_dict_new(p.ctx);
	assert_int_equal(py_open(&p, site, &state), BOB_OK);
	for (i = 0; i < SAMPLES; i++) {
		p.n_run = 0;
		assert_int_equal(python_runtime.sample(state, &p), BOB_OK);
	}
	image_print_runs(f, &p);
	python_runtime.detach(state);
	free(p.run);
	bob_dict_free(p.dict);
	bob_ctx_free(p.ctx);
	(void)fclose(f);
	return text;
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
	first = sample(&a.mem, &site);
	assert_true(a.n_block > 0 &&
	    a.n_block < PYIMAGE_SIZE / IMAGE_BLOCK);
	assert_int_equal(image_write(&a, path), 0);
	assert_int_equal(image_read(&b, path), 0);
	assert_int_equal(image_get(&b, "minor"), 12);
	assert_int_equal(b.n_block, a.n_block);
	second = sample(&b.mem, &site);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_recorded_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
