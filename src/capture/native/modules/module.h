/*
 * A file with machine code that a process has mapped: its unwinding tables, its
 * symbols and its build id.
 *
 * The process chooses the file, so it is hostile: it is opened by
 * proc_open_mapped, read by our own reader (elf/elf.h) within a quota, and
 * closed again. Symbols may be in a separate debug file; that is used if it has
 * the same build id, or the checksum that the file asks for. A file that needs
 * more than the quota has no symbols, and `why` says so.
 */
#ifndef CAPTURE_NATIVE_MODULES_MODULE_H
#define CAPTURE_NATIVE_MODULES_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/modules/debugfile.h"
#include "capture/native/modules/elfutils.h"
#include "capture/native/modules/frametab.h"
#include "capture/native/modules/symbols.h"
#include "capture/proc/mem.h"
#include "capture/quota.h"
#include "core/error.h"

struct module {
	const struct elfutils *eu; /* while it is open */
	char *path;         /* as the process names it */
	uint64_t dev, inode;
	uint64_t key;       /* without a file: its address */
	int is_open;        /* it was read, with success or not */
	int is_asked;       /* it is to be read; its mapping is the next line */
	uint64_t at, end, offset;
	int is_used;        /* a sample had a frame of it */
	int is_elf;
	const char *why;    /* it has no symbols; NULL: they were read */
	struct elf_load *load; /* its segments */
	size_t n_load;
	struct frametab tables; /* for unwinding */
	struct symbols symbols;
	/* Addresses where functions begin, from .eh_frame_hdr; sorted. */
	uint64_t *start;
	size_t n_start;
	const struct symbol *lender; /* see native_words; NULL: it has none */
	char build_id[DEBUGFILE_ID]; /* "" if it has none */
};

/* Reads the file of a module from a descriptor, which it closes, and symbols
 * also from a debug file below `root` ("/proc/1/root") or on this machine. What
 * is read is charged to `of`, the quota of the process. Returns BOB_OK, even if
 * it is no ELF file; or FATAL. `eu` must outlive the module. */
int module_open_file(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, int fd, const char *root, struct quota *of);

/* The same from memory of the process, for the vDSO, which has no file. */
int module_open_memory(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, struct mem *mem, uint64_t at, uint64_t n,
    struct quota *of);

/* Moves a module that was read in another context to this one. */
void module_adopt(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu);

/* Frees what it holds, not the struct. */
void module_done(struct module *m);

/* Returns what to add to addresses of the file for those in memory, of a
 * mapping with code: bytes of the file from `offset` on are at [start, end). A
 * mapping begins at a page, which may be well before the code. */
uint64_t module_bias(const struct module *m, uint64_t start, uint64_t end,
    uint64_t offset);

/* Returns 1 and sets *ret to the address where the function around an address
 * of the file begins; 0 if it is not known. */
int module_function(const struct module *m, uint64_t at, uint64_t *ret);

#endif
