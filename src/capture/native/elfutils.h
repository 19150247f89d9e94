/*
 * The functions of elfutils, libelf's and libdw's, looked up at run time.
 *
 * They are needed for native frames alone, and linking to the two libraries
 * costs each start of a program half a millisecond, whatever it does. So
 * nothing is linked: the library is loaded by whoever wants native frames, and
 * when it is not there, that fails with a reason and all else works. Types are
 * those of its headers, which building needs.
 */
#ifndef CAPTURE_NATIVE_ELFUTILS_H
#define CAPTURE_NATIVE_ELFUTILS_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stddef.h>

#include "core/error.h"

/* It brings libelf with it. The name is that of all versions since 2005. */
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

/* Whether a program with these headers (n 0: not known) is linked so that it
 * shares its memory with libraries: a static one that loads a library gets a
 * second C library with it, and what one allocates the other cannot free. */
int elfutils_can_load(const ElfW(Phdr) *v, size_t n);

/* BOB_OK, and the handle is closed by elfutils_close; FAILED with the reason:
 * it is not there, or one that lacks something, or we are linked statically. */
int elfutils_open(struct bob_ctx *ctx, struct elfutils *e);
void elfutils_close(struct elfutils *e);

#endif
