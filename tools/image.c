/* The blocks of a memory image, sorted by address, and its file format; see the
 * header. */
#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* Returns the index of a block, or where to insert it. */
static size_t
find(const struct image *image, uint64_t at)
{
	size_t low = 0, high = image->n_block;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (image->block[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct image_block *
block_at(const struct image *image, uint64_t at)
{
	size_t i = find(image, at);

	return i < image->n_block && image->block[i].at == at
	    ? &image->block[i] : NULL;
}

static struct image_block *
add(struct image *image, uint64_t at)
{
	size_t i = find(image, at);

	if (image->n_block == image->cap_block) {
		image->cap_block = 2 * image->cap_block + 64;
		image->block = realloc(image->block,
		    image->cap_block * sizeof(*image->block));
		if (image->block == NULL)
			abort();
	}
	memmove(&image->block[i + 1], &image->block[i],
	    (image->n_block - i) * sizeof(*image->block));
	image->n_block++;
	image->block[i].at = at;
	return &image->block[i];
}

/* The block of an address, from the process when it is new; NULL when it
 * cannot be read. */
static struct image_block *
get(struct image *image, uint64_t at)
{
	struct image_block *b = block_at(image, at);
	uint8_t bytes[IMAGE_BLOCK];

	if (b != NULL || image->of == NULL ||
	    mem_read(image->of, at, bytes, sizeof(bytes)) < 0)
		return b;
	b = add(image, at);
	memcpy(b->bytes, bytes, sizeof(bytes));
	return b;
}

static long
gather(struct mem *m, const struct mem_span *v, size_t n)
{
	struct image *image = m->user;
	long total = 0;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < v[i].n;) {
			uint64_t at = v[i].at + k;
			size_t skip = (size_t)(at % IMAGE_BLOCK);
			size_t part = IMAGE_BLOCK - skip;
			struct image_block *b = get(image, at - skip);

			if (b == NULL)
				return total > 0 ? total : -EFAULT;
			if (part > v[i].n - k)
				part = v[i].n - k;
			memcpy((char *)v[i].to + k, b->bytes + skip, part);
			k += part;
			total += (long)part;
		}
	return total;
}

void
image_record(struct image *image, struct mem *of)
{
	memset(image, 0, sizeof(*image));
	image->of = of;
	image->mem.gather = gather;
	image->mem.user = image;
	image->mem.pid = of != NULL ? of->pid : 0;
}

void
image_done(struct image *image)
{
	free(image->block);
}

void
image_set(struct image *image, const char *name, uint64_t value)
{
	size_t i = image->n_fact++;

	if (i >= IMAGE_MAX_FACTS)
		abort();
	(void)snprintf(image->fact[i].name, sizeof(image->fact[i].name), "%s",
	    name);
	image->fact[i].value = value;
}

uint64_t
image_get(const struct image *image, const char *name)
{
	size_t i;

	for (i = 0; i < image->n_fact; i++)
		if (strcmp(image->fact[i].name, name) == 0)
			return image->fact[i].value;
	return 0;
}

/* --- the file ------------------------------------------------------------ */

static int
bad(const char *path, const char *what)
{
	(void)fprintf(stderr, "%s: %s\n", path, what);
	return -1;
}

static int
write_blocks(const struct image *image, gzFile f)
{
	size_t i, n, k;

	for (i = 0; i < image->n_block; i += n) {
		uint64_t head[2] = { image->block[i].at, 0 };

		for (n = 1; i + n < image->n_block &&
		    image->block[i + n].at == head[0] + n * IMAGE_BLOCK; n++)
			;
		head[1] = n * IMAGE_BLOCK;
		if (gzwrite(f, head, sizeof(head)) != (int)sizeof(head))
			return -1;
		for (k = 0; k < n; k++)
			if (gzwrite(f, image->block[i + k].bytes,
			        IMAGE_BLOCK) != (int)IMAGE_BLOCK)
				return -1;
	}
	return 0;
}

int
image_write(const struct image *image, const char *path)
{
	gzFile f = gzopen(path, "wb9");
	int r = 0;
	size_t i;

	if (f == NULL)
		return bad(path, "cannot be written");
	for (i = 0; i < image->n_fact; i++)
		if (gzprintf(f, "%s %llx\n", image->fact[i].name,
		        (unsigned long long)image->fact[i].value) <= 0)
			r = -1;
	if (gzputs(f, "memory\n") < 0 || write_blocks(image, f) < 0)
		r = -1;
	if (gzclose(f) != Z_OK || r < 0)
		return bad(path, "cannot be written");
	return 0;
}

static int
read_facts(struct image *image, gzFile f)
{
	char line[128], name[32];
	unsigned long long v;

	while (gzgets(f, line, sizeof(line)) != NULL) {
		if (strcmp(line, "memory\n") == 0)
			return 0;
		if (sscanf(line, "%31s %llx", name, &v) != 2)
			return -1;
		image_set(image, name, v);
	}
	return -1;
}

int
image_read(struct image *image, const char *path)
{
	gzFile f = gzopen(path, "rb");
	uint64_t head[2], at;
	int r, n;

	image_record(image, NULL);
	if (f == NULL)
		return bad(path, "cannot be read");
	r = read_facts(image, f);
	while (r == 0 && (n = gzread(f, head, sizeof(head))) != 0) {
		if (n != (int)sizeof(head))
			r = -1;
		for (at = 0; r == 0 && at < head[1]; at += IMAGE_BLOCK)
			if (gzread(f, add(image, head[0] + at)->bytes,
			        IMAGE_BLOCK) != (int)IMAGE_BLOCK)
				r = -1;
	}
	(void)gzclose(f);
	return r == 0 ? 0 : bad(path, "is not an image");
}
