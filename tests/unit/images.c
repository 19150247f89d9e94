/* Sampling memory images, and comparing the text; see the header. */
#include "support.h"

#include <dirent.h>
#include <stdlib.h>

#include "images.h"

void
play_begin(struct play *play, const struct mem *mem, int pid)
{
	memset(play, 0, sizeof(*play));
	play->f = open_memstream(&play->text, &play->n_text);
	assert_non_null(play->f);
	play->p.pid = pid;
	play->p.max_depth = BOB_MAX_CAPTURE_DEPTH;
	play->p.mem = *mem;
	play->p.flags = BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS;
	play->p.ctx = bob_ctx_new();
	play->p.dict = bob_dict_new(play->p.ctx);
}

void
play_sample(struct play *play, const struct runtime *runtime, void *state)
{
	assert_status(play->p.ctx, BOB_OK,
	    image_sample(play->f, &play->p, runtime, state));
	assert_int_equal(play->p.counts.lost, 0);
}

char *
play_end(struct play *play)
{
	free(play->p.run);
	bob_dict_free(play->p.dict);
	bob_ctx_free(play->p.ctx);
	(void)fclose(play->f);
	return play->text;
}

/* 0 when it is none for this machine. */
static size_t
compare(const char *folder, const char *name, char *(*text_of)(struct image *))
{
	char path[512], want[65536];
	struct image image;
	char *got;
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(image_read(&image, path), 0);
	got = text_of(&image);
	image_done(&image);
	if (got == NULL)
		return 0;
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
	return 1;
}

size_t
images_compare(const char *folder, char *(*text_of)(struct image *image))
{
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t n = 0, len;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		len = strlen(e->d_name);
		if (len < 5 || strcmp(e->d_name + len - 4, ".img") != 0)
			continue;
		n += compare(folder, e->d_name, text_of);
	}
	(void)closedir(d);
	return n;
}
