/*
 * The unwinding tables of a file, for libdw: an ELF file in our memory with
 * nothing in it but these tables, which were read within the quota and checked
 * (ehframe.h). libelf never sees a file of the target.
 */
#ifndef CAPTURE_NATIVE_MODULES_FRAMETAB_H
#define CAPTURE_NATIVE_MODULES_FRAMETAB_H

#include "capture/elf/elf.h"
#include "capture/native/modules/elfutils.h"

struct frametab {
	uint8_t *bytes; /* the ELF file that was made */
	size_t n;
	Elf *elf;
	Dwarf_CFI *cfi; /* NULL: there are no tables */
	/* .eh_frame_hdr as it was read, and its address in the file. */
	const uint8_t *index;
	size_t n_index;
	uint64_t index_at;
};

/* Reads the tables of a file. Returns BOB_OK, even if there are none; FATAL. */
int frametab_read(struct bob_ctx *ctx, struct frametab *t,
    const struct elfutils *eu, struct elf *e);
void frametab_done(struct frametab *t, const struct elfutils *eu);

#endif
