/*
 * Functions of one file by address, from its tables of symbols.
 *
 * A symbol stands for an address only when it covers it: the nearest one below
 * is often another function, as files that were stripped name few. Names are
 * copied, and long ones cut: nothing of the file is needed later.
 */
#ifndef CAPTURE_NATIVE_SYMBOLS_H
#define CAPTURE_NATIVE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/elf/elf.h"
#include "core/mem.h"

/* Of a name; longer ones are cut. */
#define SYMBOLS_MAX_NAME 512

struct symbol {
	uint64_t at, size;
	const char *name;
	uint32_t rank; /* of several at one place the lowest is taken */
	uint32_t order; /* in the tables */
};

struct symbols {
	struct symbol *v;
	size_t n, cap_v;
	struct arena text;
};

/* Adds those of a file; symbols_sort when all are there. BOB_OK or FATAL;
 * damaged tables are left out, and the quota of the file tells whether all
 * that was there was read. */
int symbols_add(struct bob_ctx *ctx, struct symbols *s, struct elf *e);
void symbols_sort(struct symbols *s);
void symbols_done(struct symbols *s);

/* The symbol of a name, or NULL. Looks at all. */
const struct symbol *symbols_named(const struct symbols *s, const char *name);

/* The symbol that covers an address of the file, or NULL. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t at);

/* Where the one below an address that none covers ends; the address itself when
 * there is none. */
uint64_t symbols_end_below(const struct symbols *s, uint64_t at);

#endif
