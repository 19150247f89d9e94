/* The files of the folder web/, made into arrays by scripts/embed-files.py. */
#ifndef CLI_VIEW_ASSETS_H
#define CLI_VIEW_ASSETS_H

#include <stddef.h>

struct asset {
	const char *name; /* as "main.js" */
	const char *type; /* a content type */
	const char *bytes;
	size_t n;
};

/* Ends with a NULL name. The first one is the page itself. */
extern const struct asset view_assets[];

#endif
