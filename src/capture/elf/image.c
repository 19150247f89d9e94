/*
 * Reads ELF images in the memory of a process, for files that cannot be opened.
 *
 * After an upgrade the old file has no name any more, and the kernel's links to
 * it (/proc/PID/map_files) need a capability. But its headers, dynamic symbols
 * and constants are in the memory of the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/elf/read.h"
#include "capture/proc/proc.h"

#define MAX_DYNAMIC 65536u
#define MAX_BUCKETS (1u << 24)
#define MAX_CHAIN 65536u
#define MAX_SYMBOLS (ELF_MAX_TABLE / sizeof(Elf64_Sym))

struct dynamic {
	uint64_t symbols, strings, strings_size;
	uint64_t hash, gnu_hash;
};

static void
set_dynamic(const struct elf *e, const Elf64_Dyn *d, struct dynamic *ret)
{
	/* Some dynamic linkers have added the bias already, in place. */
	uint64_t at = d->d_un.d_ptr >= e->bias ? d->d_un.d_ptr
	                                       : d->d_un.d_ptr + e->bias;

	if (d->d_tag == DT_SYMTAB)
		ret->symbols = at;
	else if (d->d_tag == DT_STRTAB)
		ret->strings = at;
	else if (d->d_tag == DT_STRSZ)
		ret->strings_size = d->d_un.d_val;
	else if (d->d_tag == DT_HASH)
		ret->hash = at;
	else if (d->d_tag == DT_GNU_HASH)
		ret->gnu_hash = at;
}

static int
read_dynamic(struct elf *e, struct dynamic *ret)
{
	size_t n = (size_t)(e->dynamic_size / sizeof(Elf64_Dyn)), i;
	Elf64_Dyn *table;

	memset(ret, 0, sizeof(*ret));
	if (e->dynamic_size > MAX_DYNAMIC)
		n = MAX_DYNAMIC / sizeof(Elf64_Dyn);
	table = elf_read_table(e, e->bias + e->dynamic, n * sizeof(*table),
	    "dynamic section");
	if (table == NULL)
		return BOB_FAILED;
	for (i = 0; i < n && table[i].d_tag != DT_NULL; i++)
		set_dynamic(e, &table[i], ret);
	free(table);
	return BOB_OK;
}

/* Returns the largest of n numbers. */
static uint32_t
largest(const uint32_t *v, size_t n)
{
	uint32_t max = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] > max)
			max = v[i];
	return max;
}

/* Returns the number of symbols by DT_GNU_HASH: the index behind the end of its
 * last chain, which is marked by the lowest bit. 0 if it cannot be read. */
static uint64_t
count_gnu(struct elf *e, uint64_t at)
{
	uint32_t head[4], word = 0, *bucket;
	uint64_t buckets, last, n;

	if (elf_read(e, at, head, sizeof(head)) < 0 || head[0] == 0 ||
	    head[0] > MAX_BUCKETS || head[2] > MAX_BUCKETS)
		return 0;
	buckets = at + sizeof(head) + (uint64_t)head[2] * 8;
	bucket = elf_read_table(e, buckets, (uint64_t)head[0] * 4, "buckets");
	if (bucket == NULL)
		return 0;
	last = largest(bucket, head[0]);
	free(bucket);
	if (last < head[1])
		return head[1];
	at = buckets + ((uint64_t)head[0] + last - head[1]) * 4;
	for (n = 0; (word & 1) == 0; n++)
		if (n == MAX_CHAIN ||
		    elf_read(e, at + n * 4, &word, sizeof(word)) < 0)
			return 0;
	return last + n;
}

static uint64_t
count_symbols(struct elf *e, const struct dynamic *d)
{
	uint32_t head[2];

	if (d->gnu_hash != 0)
		return count_gnu(e, d->gnu_hash);
	if (d->hash != 0 && elf_read(e, d->hash, head, sizeof(head)) == 0)
		return head[1];
	return 0;
}

/* Makes sections as elf_open_image() describes them. */
static int
make_sections(struct elf *e)
{
	struct dynamic d = { 0 };
	uint64_t n;
	size_t i;

	e->section = calloc(e->n_load + 2, sizeof(*e->section));
	if (e->section == NULL)
		return err_nomem(e->ctx);
	if (e->dynamic_size >= sizeof(Elf64_Dyn) && read_dynamic(e, &d) < 0)
		return BOB_FAILED;
	n = count_symbols(e, &d);
	if (d.symbols != 0 && d.strings != 0 && n <= MAX_SYMBOLS) {
		e->section[0] = (struct elf_section){ ".dynsym", SHT_DYNSYM,
			d.symbols - e->bias, d.symbols, n * sizeof(Elf64_Sym),
			1 };
		e->section[1] = (struct elf_section){ ".dynstr", SHT_STRTAB,
			d.strings - e->bias, d.strings, d.strings_size, 0 };
		e->n_section = 2;
	}
	for (i = 0; i < e->n_load; i++)
		if ((e->load[i].flags & PF_W) == 0)
			e->section[e->n_section++] = (struct elf_section){
				".rodata", SHT_PROGBITS, e->load[i].vaddr,
				e->load[i].offset, e->load[i].file_size, 0 };
	return BOB_OK;
}

int
elf_open_image(struct bob_ctx *ctx, struct elf *e, int fd, uint64_t start,
    struct quota *of)
{
	Elf64_Ehdr h;
	size_t i;
	int r;

	memset(e, 0, sizeof(*e));
	quota_file(&e->quota, of);
	e->ctx = ctx;
	e->fd = fd;
	e->base = start;
	e->size = UINT64_MAX;
	r = elf_read_head(e, &h);
	if (r != BOB_OK)
		return r;
	e->bias = elf_bias(e, start, 0);
	e->is_image = 1;
	e->base = 0;
	for (i = 0; i < e->n_load; i++)
		e->load[i].offset = e->bias + e->load[i].vaddr;
	return make_sections(e);
}

int
elf_open_mapped(struct bob_ctx *ctx, struct elf *e, int pid,
    const struct map_file *f, struct quota *of)
{
	int fd = proc_open_mapped(pid, f), r;
	char path[64];

	if (fd >= 0) {
		r = elf_open(ctx, e, fd, of);
		e->owns_fd = 1;
		return r;
	}
	memset(e, 0, sizeof(*e));
	if (f->first_offset != 0)
		return err_sys(ctx, BOB_FAILED, -fd, "%.200s", f->path);
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(ctx, BOB_FAILED, errno, "%s", path);
	r = elf_open_image(ctx, e, fd, f->start, of);
	e->owns_fd = 1;
	return r;
}
