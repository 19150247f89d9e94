/* Known files that are no traces; see the header. */
#include "format/stranger.h"

#include <stdio.h>
#include <string.h>

struct stranger {
	const char *magic;
	size_t n; /* bytes of the magic */
	const char *what;
};

#define MAGIC(s) (s), sizeof(s) - 1

static const struct stranger strangers[] = {
	{ MAGIC("PERFILE2"), "perf's own file; 'perf script -i FILE' makes the "
	    "text that bobbin reads" },
	{ MAGIC("\177ELF"), "a program or a library (ELF)" },
	{ MAGIC("<?php"), "PHP source; 'bobbin record -- php FILE' records "
	    "it" },
	{ MAGIC("#!"), "a script; 'bobbin record -- FILE' records it" },
	{ MAGIC("<?xml"), "XML or a picture (SVG)" },
	{ MAGIC("<svg"), "a picture (SVG)" },
	{ MAGIC("<!DOCTYPE"), "a page (HTML)" },
	{ MAGIC("<!doctype"), "a page (HTML)" },
	{ MAGIC("<html"), "a page (HTML)" },
	{ MAGIC("\211PNG"), "a picture (PNG)" },
	{ MAGIC("PK\003\004"), "a zip archive; unpack it first" },
	{ MAGIC("\3757zXZ"), "packed by xz; unpack it first" },
	{ MAGIC("BZh"), "packed by bzip2; unpack it first" },
	{ MAGIC("SQLite format 3"), "a database (SQLite)" },
	{ MAGIC("# callgrind format"), "callgrind's; bobbin writes that, but "
	    "does not read it" },
	{ MAGIC("version: 1\ncreator: xdebug"), "Xdebug's (cachegrind), which "
	    "bobbin does not read" },
};

int
stranger_describe(const uint8_t *p, size_t n, char *buf, size_t cap)
{
	size_t i;

	for (i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		const struct stranger *s = &strangers[i];

		if (n < s->n || memcmp(p, s->magic, s->n) != 0)
			continue;
		(void)snprintf(buf, cap, ": it is %s", s->what);
		return 1;
	}
	return 0;
}
