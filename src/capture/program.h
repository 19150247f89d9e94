/*
 * The file that holds a runtime: one of those that a process has mapped, found
 * by its name and then by its symbols. Works on stripped builds as long as the
 * symbols are exported.
 */
#ifndef CAPTURE_PROGRAM_H
#define CAPTURE_PROGRAM_H

#include "capture/elf/elf.h"
#include "capture/runtime.h"

#define PROGRAM_MAX_SYMBOLS 12

struct program {
	struct process *p;
	const struct map_file *file;
	struct elf elf;
	uint64_t bias; /* from addresses in the file to those in memory */
	struct elf_symbol sym[PROGRAM_MAX_SYMBOLS]; /* as listed by the kind */
};

struct program_kind {
	/* True when a file may be one by its name. Where nothing has a telling
	 * name (process.looks_everywhere), all that can run are tried. */
	int (*is_module)(const struct map_file *f);
	const char *const *symbol;
	size_t n_symbol;
	/* Takes what it holds into *site: BOB_OK, BOB_EOF when it is another
	 * kind of file after all, or FAILED. */
	int (*take)(struct program *m, void *site);
};

/* Tries the files of a process: BOB_OK, BOB_EOF when there is none of the
 * kind, or FAILED. */
int program_find(struct process *p, const struct program_kind *kind,
    void *site);

/* Where a symbol is in memory; 0: it is not there. */
static inline uint64_t
program_address(const struct program *m, int sym)
{
	return m->sym[sym].is_found ? m->bias + m->sym[sym].value : 0;
}

#endif
