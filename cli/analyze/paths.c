/*
 * The folder that most of the paths in the tables are in, so that it is shown
 * once. It is the one that saves the most characters; at least two rows must
 * have it.
 */
#include <string.h>

#include "analyze.h"

/* Rows that are looked at, and folders of each. */
#define MAX_ROWS 64
#define MAX_LEVELS 16

/* Shorter folders are not worth a line. */
#define MIN_PREFIX 6

static size_t
take_files(const struct analyze *a, struct bob_bytes *file)
{
	size_t n = 0, i;
	int id;

	for (id = 0; id <= SECTION_TREE; id++) {
		const struct section *s = &a->r.section[id];
		struct bob_view *v = id <= SECTION_TOTAL ? a->r.view
		                                         : a->r.frames;

		for (i = 0; s->is_shown && i < s->n && n < MAX_ROWS; i++) {
			if (s->row[i].key == 0)
				continue;
			file[n] = bob_view_key(v, s->row[i].key).file;
			n += file[n].n > 1 && file[n].p[0] == '/';
		}
	}
	return n;
}

static size_t
rows_below(const struct bob_bytes *file, size_t n, const char *p, size_t len)
{
	size_t found = 0, i;

	for (i = 0; i < n; i++)
		found += file[i].n > len && memcmp(file[i].p, p, len) == 0;
	return found;
}

void
find_prefix(struct analyze *a)
{
	struct bob_bytes file[MAX_ROWS];
	size_t n = take_files(a, file), best = 0, i;

	a->r.prefix_len = 0;
	for (i = 0; i < n; i++) {
		size_t len = file[i].n, level;

		for (level = 0; level < MAX_LEVELS && len > MIN_PREFIX;
		     level++) {
			size_t rows, saved;

			len--;
			while (len > 0 && file[i].p[len - 1] != '/')
				len--;
			if (len < MIN_PREFIX)
				break;
			rows = rows_below(file, n, file[i].p, len);
			saved = rows * len;
			if (rows < 2 || saved <= best)
				continue;
			best = saved;
			a->r.prefix = file[i].p;
			a->r.prefix_len = len;
		}
	}
}
