/* The facts about PHP in a memory image; see the header. */
#include "image_php.h"

#include <stdio.h>

static const char *
thread_name(char *buf, size_t cap, size_t i)
{
	(void)snprintf(buf, cap, "tp%zu", i);
	return buf;
}

void
image_php_set(struct image *image, const struct php_site *site)
{
	image_set(image, "version", site->o->version);
	if (!site->is_zts) {
		image_set(image, "eg", site->globals.eg);
		image_set(image, "sg", site->globals.sg);
		image_set(image, "cg", site->globals.cg);
		return;
	}
	image_set(image, "eg_id", site->zts.eg_id);
	image_set(image, "sg_id", site->zts.sg_id);
	image_set(image, "cg_id", site->zts.cg_id);
	image_set(image, "cache_offset", (uint64_t)site->zts.cache_offset);
}

void
image_php_set_thread(struct image *image, uint64_t tp)
{
	char name[32];
	size_t i = 0;

	while (image_get(image, thread_name(name, sizeof(name), i)) != 0)
		i++;
	image_set(image, name, tp);
}

size_t
image_php_sites(struct image *image,
    struct php_site ret[static IMAGE_MAX_THREADS])
{
	const struct php_offsets *o =
	    php_offsets_of((unsigned)image_get(image, "version"));
	struct php_globals globals = { .eg = image_get(image, "eg"),
		.sg = image_get(image, "sg"), .cg = image_get(image, "cg") };
	struct zts zts = { .eg_id = image_get(image, "eg_id"),
		.sg_id = image_get(image, "sg_id"),
		.cg_id = image_get(image, "cg_id"),
		.cache_offset = (int64_t)image_get(image, "cache_offset") };
	size_t i, n = 0;
	char name[32];
	uint64_t tp;

	if (o == NULL)
		return 0;
	if (globals.eg != 0) {
		ret[0] = (struct php_site){ .o = o, .globals = globals };
		return 1;
	}
	for (i = 0; n < IMAGE_MAX_THREADS && (tp = image_get(image,
	         thread_name(name, sizeof(name), i))) != 0; i++)
		if (zts_find(&image->mem, &zts, tp, &globals) == 0)
			ret[n++] = (struct php_site){ .o = o,
				.globals = globals };
	return n;
}
