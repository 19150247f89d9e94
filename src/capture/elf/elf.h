/*
 * A reader of ELF files, for symbols, sections and where a file's bytes are in
 * memory. 64 bits, byte order of this machine. Where the file is out of reach
 * its image in a process does as well, with fewer symbols.
 *
 * The file belongs to the process that is looked at, so it is hostile and may
 * change while it is read: it is read, not mapped (a mapping of a file that
 * gets shorter kills), every table has a limit, every offset is checked against
 * what was read, and all of it has a quota (quota.h).
 */
#ifndef CAPTURE_ELF_ELF_H
#define CAPTURE_ELF_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "capture/proc/maps.h"
#include "core/error.h"

/* Bytes of one table of a file: the largest symbol table that was met is that
 * of a browser, with 60 MiB. */
#define ELF_MAX_TABLE ((uint64_t)128 << 20)
#define ELF_MAX_HEADERS 4096u

/* Bytes of the names of sections: programs have some hundred. */
#define ELF_MAX_NAMES ((uint64_t)1 << 20)

struct elf_section {
	const char *name; /* "" when the file has no names */
	uint32_t type;
	uint64_t addr, offset, size;
	uint32_t link;
};

struct elf_load {
	uint64_t vaddr, offset, file_size, mem_size;
	uint32_t flags;
};

/* Parts with notes that are looked at; programs have two. */
#define ELF_MAX_NOTES 8

struct elf_part {
	uint64_t vaddr, offset, size;
};

struct elf {
	struct bob_ctx *ctx;
	int fd;
	int owns_fd;    /* closed by elf_done */
	int is_image;   /* fd is a process's memory, offsets are addresses */
	const uint8_t *bytes; /* in place of fd; NULL: fd it is */
	size_t n_bytes;
	uint64_t size; /* of the file; UINT64_MAX: nobody knows */
	uint64_t base;  /* added to offsets */
	uint64_t bias;  /* of an image */
	uint16_t machine;
	struct elf_section *section;
	size_t n_section;
	char *names;
	struct elf_load *load;
	size_t n_load;
	uint64_t tls_size, tls_align; /* of PT_TLS; 0: none */
	uint64_t dynamic, dynamic_size; /* of PT_DYNAMIC */
	struct elf_part index; /* of PT_GNU_EH_FRAME; size 0: none */
	struct elf_part note[ELF_MAX_NOTES]; /* of PT_NOTE */
	size_t n_note;
	struct quota quota;
};

struct elf_symbol {
	const char *name; /* what was asked for */
	uint64_t value, size;
	int is_found;
	int is_tls; /* value counts from the thread's block */
};

/* A file; fd stays the caller's. What is read counts to `of`, too; NULL: there
 * is no such. BOB_OK or FAILED; elf_done in either case. */
int elf_open(struct bob_ctx *ctx, struct elf *e, int fd, struct quota *of);

/* A file that is in our memory, and stays the caller's. The same. */
int elf_open_bytes(struct bob_ctx *ctx, struct elf *e, const void *p, size_t n,
    struct quota *of);

/*
 * The image of a file whose first page is at `start`, read from a descriptor of
 * a process's memory, which stays the caller's. Its sections are .dynsym and
 * .dynstr, as the dynamic linker sees them, and for each part that cannot be
 * written one called .rodata. As elf_open.
 */
int elf_open_image(struct bob_ctx *ctx, struct elf *e, int fd,
    uint64_t start, struct quota *of);

/* A file that a process has mapped; its image when the file itself cannot be
 * opened, as after an upgrade. As elf_open. */
int elf_open_mapped(struct bob_ctx *ctx, struct elf *e, int pid,
    const struct map_file *f, struct quota *of);

void elf_done(struct elf *e);

const struct elf_section *elf_section(const struct elf *e, const char *name);

/*
 * Looks up symbols by name, all of them in one pass over .dynsym and, for
 * those not found there, .symtab. The number found; a damaged table ends the
 * search in it, and so does the quota.
 */
int elf_symbols(struct elf *e, struct elf_symbol *v, size_t n);

/* What to add to the file's addresses for those in memory, when the file's
 * first mapping (at file offset `offset`) begins at `start`. */
uint64_t elf_bias(const struct elf *e, uint64_t start, uint64_t offset);

/* Reads n bytes of the file's image at one of its own addresses: 0, or
 * -errno. Bytes that are not in the file (.bss) are an error. */
int elf_read_at(struct elf *e, uint64_t addr, void *to, size_t n);

/*
 * Searches all sections of a name for bytes that begin with `what`: copies what
 * follows it up to cap - 1 bytes, NUL-terminated. 1, or 0 when it is not there.
 */
int elf_search(struct elf *e, const char *section, const char *what,
    char *buf, size_t cap);

#endif
