/* PHP of versions that are not at hand: recorded memory of real ones. */
#include "support.h"

#include "../../tools/image_php.h"
#include "images.h"

/* No process has this number. */
#define NOBODY INT32_MAX

static const char *folder;

static char *
text_of(struct image *image)
{
	struct php_site site[IMAGE_MAX_THREADS];
	size_t i, n = image_php_sites(image, site);
	struct play play;
	void *state;

#ifndef __x86_64__
	/* Descriptors of threads lie elsewhere. */
	if (image_get(image, "tp0") != 0)
		return NULL;
#endif
	assert_true(n > 0);
	play_begin(&play, &image->mem, NOBODY);
	for (i = 0; i < n; i++) {
		assert_status(play.p.ctx, BOB_OK,
		    php_open(&play.p, &site[i], &state));
		play_sample(&play, &php_runtime, state);
	}
	return play_end(&play);
}

static void
images_have_the_stacks_that_their_script_had(void **state)
{
	(void)state;
	/* 7.0 to 8.5, six shapes each; and threads. */
	assert_true(images_compare(folder, text_of) >= 11 * 6);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images_have_the_stacks_that_their_script_had),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
