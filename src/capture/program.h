/*
 * Finds the file that holds a runtime, among those that a process has mapped:
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
	/* True if a file may hold the runtime by its name. If no file has such
	 * a name (process.looks_everywhere), all executable files are tried. */
	int (*is_module)(const struct map_file *f);
	const char *const *symbol;
	size_t n_symbol;
	/* Sets *site from the file. Returns BOB_OK; BOB_EOF if the file does
	 * not hold the runtime; FAILED. */
	int (*take)(struct program *m, void *site);
};

/* Tries the files of a process. Returns BOB_OK; BOB_EOF if none holds the
 * runtime; FAILED. */
int program_find(struct process *p, const struct program_kind *kind,
    void *site);

/* Returns the address of a symbol in the process; 0 if it was not found. */
static inline uint64_t
program_address(const struct program *m, int sym)
{
	return m->sym[sym].is_found ? m->bias + m->sym[sym].value : 0;
}

#endif
