/* PHP of versions that are not at hand: recorded memory of real ones. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/php/php.h"
#include "../../tools/image.h"
#include "../../tools/image_print.h"

#define SAMPLES 3

static const char *folder;

/* The last of some samples, as text; the caller frees it. */
static char *
sample(struct image *image)
{
	struct process p = { .pid = 4711, .max_depth = BOB_MAX_LIVE_DEPTH,
		.mem = image->mem };
	struct php_site site = { .globals = { .eg = image_get(image, "eg"),
		.sg = image_get(image, "sg"), .cg = image_get(image, "cg") } };
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	void *state;
	int i;

	assert_non_null(f);
	site.o = php_offsets_of((unsigned)image_get(image, "version"));
	assert_non_null(site.o);
	p.ctx = bob_ctx_new();
	p.dict = bob_dict_new(p.ctx);
	assert_int_equal(php_open(&p, &site, &state), BOB_OK);
	for (i = 0; i < SAMPLES; i++) {
		p.n_run = 0;
		assert_int_equal(php_runtime.sample(state, &p), BOB_OK);
	}
	assert_int_equal(p.counts.lost, 0);
	image_print_runs(f, &p);
	php_runtime.detach(state);
	free(p.run);
	bob_dict_free(p.dict);
	bob_ctx_free(p.ctx);
	(void)fclose(f);
	return text;
}

static void
compare(const char *name)
{
	char path[512], want[65536];
	struct image image;
	char *got;
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(image_read(&image, path), 0);
	got = sample(&image);
	image_done(&image);
	(void)snprintf(path, sizeof(path), "%s/%.*s.txt", folder,
	    (int)(strlen(name) - 4), name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(want, 1, sizeof(want) - 1, f);
	want[n] = '\0';
	(void)fclose(f);
	assert_true(n > 20);
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s instead of %s", name, got, want);
	free(got);
}

static void
every_image_has_the_stack_that_its_script_had(void **state)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t n = 0, len;

	(void)state;
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		len = strlen(e->d_name);
		if (len < 5 || strcmp(e->d_name + len - 4, ".img") != 0)
			continue;
		compare(e->d_name);
		n++;
	}
	(void)closedir(d);
	assert_true(n > 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_image_has_the_stack_that_its_script_had),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
