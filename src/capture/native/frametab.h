/*
 * The tables for unwinding of a file, as libdw gets them: an ELF file in our
 * memory with nothing in it but these tables, which were read within the quota
 * and looked through. libelf never sees a file of the target's.
 */
#ifndef CAPTURE_NATIVE_FRAMETAB_H
#define CAPTURE_NATIVE_FRAMETAB_H

#include "capture/elf/elf.h"
#include "capture/native/elfutils.h"

struct frametab {
	uint8_t *bytes; /* of the file that was made */
	size_t n;
	Elf *elf;
	Dwarf_CFI *cfi; /* NULL: there are none */
	/* The index, as it was read: where it is in memory, and its bytes. */
	const uint8_t *index;
	size_t n_index;
	uint64_t index_at;
};

/* BOB_OK, also when there are none; FATAL. */
int frametab_read(struct bob_ctx *ctx, struct frametab *t,
    const struct elfutils *eu, struct elf *e);
void frametab_done(struct frametab *t, const struct elfutils *eu);

#endif
