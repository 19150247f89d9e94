/* What the readers of files and of images share. */
#ifndef CAPTURE_ELF_READ_H
#define CAPTURE_ELF_READ_H

#include <elf.h>

#include "capture/elf/elf.h"

/* n bytes at an offset: 0, or -errno; the end of a file is EIO, and that of
 * the quota EFBIG. */
int elf_read(struct elf *e, uint64_t at, void *to, size_t n);

/* A table, on the heap; NULL after recording the error. */
void *elf_read_table(struct elf *e, uint64_t at, uint64_t n, const char *what);

/* A table of symbols and that of their names. */
struct elf_table {
	Elf64_Sym *symbol;
	size_t n;
	char *names;
	uint64_t n_names; /* bytes */
};

/* Reads both: 1, and elf_close_table must follow; or 0. */
int elf_open_table(struct elf *e, const struct elf_section *s,
    struct elf_table *ret);
void elf_close_table(struct elf_table *t);

/* The header and what is loaded where. BOB_OK or FAILED. */
int elf_read_head(struct elf *e, Elf64_Ehdr *h);

#endif
