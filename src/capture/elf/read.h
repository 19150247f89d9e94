/* Functions that the readers of files (elf.c), of images (image.c) and of
 * modules (native/modules) share. */
#ifndef CAPTURE_ELF_READ_H
#define CAPTURE_ELF_READ_H

#include <elf.h>

#include "capture/elf/elf.h"

/* Reads n bytes at an offset. Returns 0, or -errno: -EIO behind the end of the
 * file, -EFBIG if the quota is used up. */
int elf_read(struct elf *e, uint64_t at, void *to, size_t n);

/* Reads n bytes at an offset into memory that the caller frees. Returns NULL
 * after recording the error; `what` is for its message. */
void *elf_read_table(struct elf *e, uint64_t at, uint64_t n, const char *what);

/* A symbol table and the table of its names. */
struct elf_table {
	Elf64_Sym *symbol;
	size_t n;
	char *names;
	uint64_t n_names; /* bytes */
};

/* Reads both tables. Returns 1, and elf_close_table() must follow; or 0. */
int elf_open_table(struct elf *e, const struct elf_section *s,
    struct elf_table *ret);
void elf_close_table(struct elf_table *t);

/* Reads the header and the segments. Returns BOB_OK or FAILED. */
int elf_read_head(struct elf *e, Elf64_Ehdr *h);

#endif
