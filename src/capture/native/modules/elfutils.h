/*
 * The functions of elfutils (libelf and libdw), looked up at run time.
 *
 * Only native frames need them, and linking to the two libraries would cost
 * every start of a program half a millisecond. So they are loaded when native
 * frames are wanted; if they are missing, that fails with a reason, and
 * everything else works. The build needs their headers for types.
 */
#ifndef CAPTURE_NATIVE_MODULES_ELFUTILS_H
#define CAPTURE_NATIVE_MODULES_ELFUTILS_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stddef.h>

#include "core/error.h"

/* It loads libelf, too. All versions since 2005 have this name. */
#define ELFUTILS_SONAME "libdw.so.1"

#define ELFUTILS_EACH(X)                                                     \
	X(dwarf_cfi_addrframe)                                               \
	X(dwarf_cfi_end)                                                     \
	X(dwarf_frame_cfa)                                                   \
	X(dwarf_frame_info)                                                  \
	X(dwarf_frame_register)                                              \
	X(dwarf_getcfi_elf)                                                  \
	X(elf_end)                                                           \
	X(elf_memory)                                                        \
	X(elf_version)

#define ELFUTILS_MEMBER(name) __typeof__(name) *name;

struct elfutils {
	ELFUTILS_EACH(ELFUTILS_MEMBER)
	void *handle; /* NULL: not open */
};

/* True if a program with these headers is linked dynamically (n 0: not known,
 * true). A static program would load a second C library with libdw, and memory
 * that one allocates the other cannot free. */
int elfutils_can_load(const ElfW(Phdr) *v, size_t n);

/* Returns BOB_OK, and elfutils_close() must follow; FAILED with the reason: the
 * library is missing, lacks a function, or we are linked statically. */
int elfutils_open(struct bob_ctx *ctx, struct elfutils *e);
void elfutils_close(struct elfutils *e);

#endif
