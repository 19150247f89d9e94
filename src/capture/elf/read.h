/* What the readers of files and of images share. */
#ifndef CAPTURE_ELF_READ_H
#define CAPTURE_ELF_READ_H

#include <elf.h>

#include "capture/elf/elf.h"

/* n bytes at an offset: 0, or -errno; the end of a file is EIO. */
int elf_read(const struct elf *e, uint64_t at, void *to, size_t n);

/* A table, on the heap; NULL after recording the error. */
void *elf_read_table(const struct elf *e, uint64_t at, uint64_t n,
    const char *what);

/* The header and what is loaded where. BOB_OK or FAILED. */
int elf_read_head(struct elf *e, Elf64_Ehdr *h);

#endif
