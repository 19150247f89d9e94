/*
 * Functions of one file by address, from its tables of symbols.
 *
 * A symbol stands for an address only when it covers it: the nearest one below
 * is often another function, as files that were stripped name few. Names are
 * bytes of the ELF file, which must outlive the table.
 */
#ifndef CAPTURE_NATIVE_SYMBOLS_H
#define CAPTURE_NATIVE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/elfutils.h"
#include "core/error.h"

/* Of one file; the largest that was met has some million. */
#define SYMBOLS_MAX ((size_t)4 << 20)

/* Of a name that is shown; longer ones are cut. */
#define SYMBOLS_MAX_NAME 512

struct symbol {
	uint64_t at, size;
	const char *name;
	uint32_t rank; /* of several at one place the lowest is taken */
	uint32_t zero;
};

struct symbols {
	struct symbol *v;
	size_t n, cap_v;
};

/* Adds those of a file; symbols_sort when all are there. BOB_OK or FATAL;
 * damaged tables are left out. */
int symbols_add(struct bob_ctx *ctx, struct symbols *s,
    const struct elfutils *eu, Elf *elf);
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
