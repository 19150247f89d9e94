/*
 * Assets: files of the source tree that the build turns into arrays
 * (scripts/embed.py). A template is an array of parts. After each part but the
 * last comes a hole with a name, which the program fills:
 *
 *     for (part = page; ; part++) {
 *             text_bytes(t, part->p, part->n);
 *             if (part->hole == NULL)
 *                     break;
 *             fill(t, part->hole);
 *     }
 */
#ifndef CORE_ASSET_H
#define CORE_ASSET_H

#include <stddef.h>
#include <stdint.h>

struct asset_part {
	const uint8_t *p;
	size_t n;
	const char *hole; /* NULL: this is the last part */
};

#endif
