/*
 * The address space of a process: its mappings, and the modules of those with
 * code.
 *
 * Mappings are read again every second, as a library may be unloaded and
 * another mapped in its place, and after an address that was in none. Modules
 * that are still mapped are kept.
 *
 * No file is opened or read here. A module that is needed is read in a thread
 * (loading.h). If it is not ready yet, is_loading is set, and results are not
 * valid.
 */
#ifndef CAPTURE_NATIVE_MODULES_SPACE_H
#define CAPTURE_NATIVE_MODULES_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/modules/loading.h"
#include "capture/native/modules/module.h"
#include "capture/proc/mem.h"
#include "capture/ptrmap.h"
#include "core/error.h"

/* Limit of mappings; the kernel's default is 65530. */
#define SPACE_MAX_AREAS 65536
#define SPACE_MAX_MODULES 4096

struct space_area {
	uint64_t start, end, offset;
	uint64_t bias;   /* of the module, if has_bias */
	int32_t module;  /* -1: none */
	uint8_t is_code;
	uint8_t has_bias;
	uint16_t zero;
};

struct space {
	struct bob_ctx *ctx;
	const struct elfutils *eu;
	struct quota *quota; /* of the files of the process */
	const char *lender;  /* of native_words */
	unsigned *n_silent;  /* files of the process that do not answer */
	struct mem *mem;
	int pid;
	struct space_area *area; /* by address */
	size_t n_area, cap_area;
	struct module *module;
	size_t n_module, cap_module;
	struct ptrmap module_of; /* by device and inode, or by address */
	uint64_t t_read;         /* when mappings were read, us; 0: never */
	uint32_t generation;     /* changes when mappings of code do */
	struct loading *loading; /* the thread that reads; NULL: none */
	size_t n_asked;          /* modules that are to be read */
	uint64_t t_refused;      /* since when no thread can be started; 0: it
	                          * can */
	int is_loading;          /* a module that was needed is not ready */
};

void space_init(struct space *s, struct bob_ctx *ctx,
    const struct elfutils *eu, struct mem *mem, int pid);
void space_done(struct space *s);

/* Reads the mappings if it is time to; earlier if an address was `missed`.
 * Returns 0, or -errno; -ENOMEM is recorded. */
int space_look(struct space *s, uint64_t now_us, int missed);

/* Returns the mapping around an address, or NULL. */
struct space_area *space_find(struct space *s, uint64_t at);

/* Returns the module of a mapping with code and sets *ret_at to the address in
 * its file. NULL if there is none, if it is not ready yet (is_loading), or if
 * memory is out (*ret_failed is -ENOMEM). */
struct module *space_module(struct space *s, struct space_area *a,
    uint64_t at, uint64_t *ret_at, int *ret_failed);

/* Takes over modules that are ready, gives up a file that does not answer, and
 * starts a thread for modules that are to be read. */
void space_poll(struct space *s);

/* Waits for the next module until a time of the clock. Returns 1 if one may be
 * ready now; 0 if there is nothing to wait for, or the time has come. Only if
 * load_may_wait(). */
int space_wait(struct space *s, uint64_t until);

#endif
