/*
 * A reader of ELF files: symbols, sections and segments. Only 64-bit files with
 * the byte order of this machine. If the file cannot be opened, its image in
 * the memory of a process can be read instead, which has fewer symbols.
 *
 * The process chooses the file, so it is hostile and may change while it is
 * read. It is read, not mapped: access to a mapped file that was truncated
 * kills. Every table has a limit, every offset is checked against what was
 * read, and everything is charged to a quota (capture/quota.h).
 */
#ifndef CAPTURE_ELF_ELF_H
#define CAPTURE_ELF_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/maps.h"
#include "capture/quota.h"
#include "core/error.h"

/* Limit of bytes of one table. The largest symbol table that was met, of a
 * browser, has 60 MiB. */
#define ELF_MAX_TABLE ((uint64_t)128 << 20)
#define ELF_MAX_HEADERS 4096u

/* Limit of bytes of section names; usual files have some hundred. */
#define ELF_MAX_NAMES ((uint64_t)1 << 20)

struct elf_section {
	const char *name; /* "" if the file has no names */
	uint32_t type;
	uint64_t addr, offset, size;
	uint32_t link;
};

struct elf_load {
	uint64_t vaddr, offset, file_size, mem_size;
	uint32_t flags;
};

/* Limit of parts with notes; usual files have two. */
#define ELF_MAX_NOTES 8

struct elf_part {
	uint64_t vaddr, offset, size;
};

struct elf {
	struct bob_ctx *ctx;
	int fd;
	int owns_fd;    /* closed by elf_done */
	int is_image;   /* fd is a process's memory, offsets are addresses */
	const uint8_t *bytes; /* used instead of fd, if not NULL */
	size_t n_bytes;
	uint64_t size; /* of the file; UINT64_MAX: not known */
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
	const char *name; /* to look up */
	uint64_t value, size;
	int is_found;
	int is_tls; /* value is an offset into the thread-local block */
};

/* Opens a file; fd stays the caller's. What is read is also charged to `of`,
 * unless that is NULL. Returns BOB_OK or FAILED; call elf_done() in either
 * case. */
int elf_open(struct bob_ctx *ctx, struct elf *e, int fd, struct quota *of);

/* Opens a file in our memory, which stays the caller's. As elf_open(). */
int elf_open_bytes(struct bob_ctx *ctx, struct elf *e, const void *p, size_t n,
    struct quota *of);

/*
 * Opens the image of a file whose first page is at `start` in a process; fd is
 * its memory, and stays the caller's. The sections are .dynsym and .dynstr, as
 * the dynamic linker sees them, and one called .rodata for each segment that is
 * not writable. As elf_open().
 */
int elf_open_image(struct bob_ctx *ctx, struct elf *e, int fd,
    uint64_t start, struct quota *of);

/* Opens a file that a process has mapped; its image if the file cannot be
 * opened, as after an upgrade. As elf_open(). */
int elf_open_mapped(struct bob_ctx *ctx, struct elf *e, int pid,
    const struct map_file *f, struct quota *of);

void elf_done(struct elf *e);

const struct elf_section *elf_section(const struct elf *e, const char *name);

/*
 * Looks up symbols by name, all of them in one pass over .dynsym and, for
 * those not found there, one over .symtab. Returns how many were found. A
 * damaged table is skipped; the search also ends when the quota is used up.
 */
int elf_symbols(struct elf *e, struct elf_symbol *v, size_t n);

/* Returns what to add to addresses of the file for those in memory, if its
 * first mapping (of file offset `offset`) begins at `start`. */
uint64_t elf_bias(const struct elf *e, uint64_t start, uint64_t offset);

/* Reads n bytes at an address of the file. Returns 0, or -errno; also for bytes
 * that are not in the file (.bss). */
int elf_read_at(struct elf *e, uint64_t addr, void *to, size_t n);

/*
 * Searches all sections of a name for `what`, and copies at most cap - 1 bytes
 * that follow it, NUL-terminated. Returns 1; 0 if it is not there.
 */
int elf_search(struct elf *e, const char *section, const char *what,
    char *buf, size_t cap);

#endif
