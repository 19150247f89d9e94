/*
 * A file with machine code that a process has mapped: how to get out of its
 * functions, what they are called, and which build it is.
 *
 * The file is the process's own, so it is hostile: it is opened by
 * proc_open_mapped, read by our own reader (elf/elf.h) within a quota, and
 * closed again. Names may be in another file that distributions keep apart; it
 * is believed when it has the same build id, or the checksum that the file asks
 * for. A file that is too much for the quota has no names, and says why.
 */
#ifndef CAPTURE_NATIVE_MODULE_H
#define CAPTURE_NATIVE_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "capture/native/debugfile.h"
#include "capture/native/elfutils.h"
#include "capture/native/symbols.h"
#include "capture/native/frametab.h"
#include "capture/proc/mem.h"
#include "core/error.h"

struct module {
	const struct elfutils *eu; /* while it is open */
	char *path;         /* as the process names it */
	uint64_t dev, inode;
	uint64_t key;       /* without a file: where it is in memory */
	int is_open;        /* was looked at, with success or not */
	int is_asked;       /* is to be looked at, and is mapped here: */
	uint64_t at, end, offset;
	int is_used;        /* a frame of it was given */
	int is_elf;
	const char *why;    /* it has no names; NULL: it has those there are */
	struct elf_load *load; /* what of it is where in memory */
	size_t n_load;
	struct frametab tables; /* for unwinding */
	struct symbols symbols;
	/* Where functions begin, from the index of the tables. */
	uint64_t *start;
	size_t n_start;
	const struct symbol *lender; /* see native_words; NULL: it has none */
	char build_id[DEBUGFILE_ID]; /* "" when it has none */
};

/* Opens the file of a module from a descriptor, which it takes over, and its
 * names also from files below `root` ("/proc/1/root") and on this machine.
 * What is read counts to `of`, the quota of the process. BOB_OK, also when it
 * is not one; FATAL. The functions must outlive it. */
int module_open_file(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, int fd, const char *root, struct quota *of);

/* The same from memory of the process, which has no file for it. */
int module_open_memory(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, struct mem *mem, uint64_t at, uint64_t n,
    struct quota *of);

/* What was read for another context, with the same functions, is this one's
 * from here on. */
void module_adopt(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu);

/* Frees what it holds, not the struct. */
void module_done(struct module *m);

/* What to add to addresses of the file when its bytes from `offset` on are at
 * `start` up to `end`, for code. A mapping begins where a page does, and that
 * may be well before the code. */
uint64_t module_bias(const struct module *m, uint64_t start, uint64_t end,
    uint64_t offset);

/* Where the function around an address of the file begins. 1, or 0: not
 * known. */
int module_function(const struct module *m, uint64_t at, uint64_t *ret);

#endif
