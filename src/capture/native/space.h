/*
 * What is where in a process: its mappings, and the modules behind those that
 * hold code.
 *
 * They are read again when an address is in none, and every second, as a
 * library may be unloaded and another one put in its place. Modules that are
 * still there stay open.
 *
 * No file is opened or read here: a module that is needed is asked for, and
 * read in a thread of its own (loading.h). Until it is there `is_loading` says
 * that what was found is not the truth yet.
 */
#ifndef CAPTURE_NATIVE_SPACE_H
#define CAPTURE_NATIVE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/loading.h"
#include "capture/native/module.h"
#include "capture/proc/mem.h"
#include "capture/ptrmap.h"
#include "core/error.h"

/* Mappings that are looked at; the kernel's own limit is 65530. */
#define SPACE_MAX_AREAS 65536
#define SPACE_MAX_MODULES 4096

struct space_area {
	uint64_t start, end, offset;
	uint64_t bias;   /* of the module, once it is open */
	int32_t module;  /* -1: none */
	uint8_t is_code;
	uint8_t has_bias;
	uint16_t zero;
};

struct space {
	struct bob_ctx *ctx;
	const struct elfutils *eu;
	struct quota *quota; /* of the files of the process */
	const char *lender;  /* see loading.h */
	unsigned *n_silent;  /* files of the process that do not answer */
	struct mem *mem;
	int pid;
	struct space_area *area; /* by address */
	size_t n_area, cap_area;
	struct module *module;
	size_t n_module, cap_module;
	struct ptrmap module_of; /* by device, inode and, without, address */
	uint64_t t_read;         /* when, in us; 0: never */
	uint32_t generation;     /* how often code was seen to change */
	struct loading *loading; /* NULL: none is read */
	size_t n_asked;          /* modules that are to be read */
	uint64_t t_refused;      /* since when no thread is had; 0: it is */
	int is_loading;          /* one that was needed is not there yet */
};

void space_init(struct space *s, struct bob_ctx *ctx,
    const struct elfutils *eu, struct mem *mem, int pid);
void space_done(struct space *s);

/* Reads mappings when it is time to: `missed` when an address was not found.
 * 0; -errno; -ENOMEM is recorded. */
int space_look(struct space *s, uint64_t now_us, int missed);

/* The mapping around an address, or NULL. */
struct space_area *space_find(struct space *s, uint64_t at);

/* The module of a mapping with code, opened; NULL when it has none, or when it
 * is not there yet (is_loading). *ret_at is the address in the module's own
 * terms. -ENOMEM is told by *ret_failed. */
struct module *space_module(struct space *s, struct space_area *a,
    uint64_t at, uint64_t *ret_at, int *ret_failed);

/* Takes over modules that are ready, gives up one that does not answer, and
 * begins to read those that were asked for. */
void space_poll(struct space *s);

/* Waits for a module that is read: 1 when there may be more now; 0: there is
 * nothing to wait for, or it is that time of the clock. Only if
 * load_may_wait(). */
int space_wait(struct space *s, uint64_t until);

#endif
