/*
 * Functions of one file by address, from its symbol tables.
 *
 * A symbol names an address only if it covers it. The nearest symbol below is
 * often another function, as stripped files have few symbols. Names are copied
 * and long ones cut, so the file is not needed later.
 */
#ifndef CAPTURE_NATIVE_MODULES_SYMBOLS_H
#define CAPTURE_NATIVE_MODULES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/elf/elf.h"
#include "core/mem.h"

/* Limit of bytes of a name; a longer one is cut. */
#define SYMBOLS_MAX_NAME 512

struct symbol {
	uint64_t at, size;
	const char *name;
	uint32_t rank; /* of several at one address the lowest is used */
	uint32_t order; /* position in the tables */
};

struct symbols {
	struct symbol *v;
	size_t n, cap_v;
	struct arena text;
};

/* Adds the functions of a file; call symbols_sort() after the last. Damaged
 * tables are left out; e->quota.over says whether some were left out for the
 * quota. Returns BOB_OK or FATAL. */
int symbols_add(struct bob_ctx *ctx, struct symbols *s, struct elf *e);
void symbols_sort(struct symbols *s);
void symbols_done(struct symbols *s);

/* Returns the symbol with a name, or NULL. Linear. */
const struct symbol *symbols_named(const struct symbols *s, const char *name);

/* Returns the symbol that covers an address of the file, or NULL. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t at);

/* For an address that no symbol covers: returns the end of the symbol below it;
 * the address itself if there is none. */
uint64_t symbols_end_below(const struct symbols *s, uint64_t at);

#endif
