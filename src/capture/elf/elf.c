/* Reads headers, sections, symbols and bytes of ELF files; see elf.h. */
#include "capture/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/elf/read.h"
#include "capture/hand.h"

/* Limit of bytes of one read: a thread that waits long in one system call is
 * taken for one that never gets an answer (hand.h). */
#define PART ((size_t)1 << 20)

static int
copy_bytes(const struct elf *e, uint64_t at, void *to, size_t n)
{
	if (at > e->n_bytes || n > e->n_bytes - at)
		return -EIO;
	memcpy(to, e->bytes + at, n);
	return 0;
}

/* True if n bytes at an offset are in the file. Checked before memory is
 * allocated or the quota charged. */
static int
is_inside(const struct elf *e, uint64_t at, uint64_t n)
{
	return n <= e->size && at <= e->size - n;
}

/* Charges one read to the quota. Returns 1, or 0 if it is used up. Parts are
 * charged one by one, as the size of an image is not known. */
static int
charge_read(struct elf *e, size_t n)
{
	return quota_read(&e->quota, n) && quota_step(&e->quota, QUOTA_CALL);
}

int
elf_read(struct elf *e, uint64_t at, void *to, size_t n)
{
	char *p = to;

	if (!is_inside(e, at, n))
		return -EIO;
	at += e->base;
	if (at < e->base || at > INT64_MAX - n)
		return -EIO;
	if (e->bytes != NULL)
		return charge_read(e, n) ? copy_bytes(e, at, to, n) : -EFBIG;
	while (n > 0) {
		size_t part = n < PART ? n : PART;
		ssize_t k;

		if (!charge_read(e, part))
			return -EFBIG;
		hand_away();
		k = pread(e->fd, p, part, (off_t)at);
		hand_back();
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k < 0 ? -errno : -EIO;
		p += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 0;
}

void *
elf_read_table(struct elf *e, uint64_t at, uint64_t n, const char *what)
{
	void *p;
	int r;

	if (n == 0 || n > ELF_MAX_TABLE || n > e->quota.bytes) {
		(void)err_set(e->ctx, BOB_FAILED, BOB_E_LIMIT, at,
		    "elf: %s of %llu bytes", what, (unsigned long long)n);
		return NULL;
	}
	if (!is_inside(e, at, n)) {
		(void)err_set(e->ctx, BOB_FAILED, BOB_E_TRUNCATED, at,
		    "elf: %s of %llu bytes: the file ends before", what,
		    (unsigned long long)n);
		return NULL;
	}
	p = malloc((size_t)n);
	if (p == NULL) {
		(void)err_nomem(e->ctx);
		return NULL;
	}
	r = elf_read(e, at, p, (size_t)n);
	if (r < 0) {
		(void)err_sys(e->ctx, BOB_FAILED, -r, "elf: byte %llu: %s",
		    (unsigned long long)at, what);
		free(p);
		return NULL;
	}
	return p;
}

static int
not_elf(const struct elf *e, const char *why)
{
	return err_set(e->ctx, BOB_FAILED, BOB_E_CORRUPT, 0, "elf: %s", why);
}

static int
check_header(const struct elf *e, const Elf64_Ehdr *h)
{
	const uint16_t one = 1;
	const uint8_t is_little = *(const uint8_t *)&one;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return not_elf(e, "not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] !=
	    (is_little ? ELFDATA2LSB : ELFDATA2MSB))
		return not_elf(e, "for another kind of machine");
	if (h->e_phnum > 0 && h->e_phentsize != sizeof(Elf64_Phdr))
		return not_elf(e, "program headers of an odd size");
	if (h->e_shnum > 0 && h->e_shentsize != sizeof(Elf64_Shdr))
		return not_elf(e, "section headers of an odd size");
	if (h->e_phnum > ELF_MAX_HEADERS || h->e_shnum > ELF_MAX_HEADERS)
		return not_elf(e, "too many headers");
	return BOB_OK;
}

static void
add_segment(struct elf *e, const Elf64_Phdr *h)
{
	if (h->p_type == PT_LOAD)
		e->load[e->n_load++] = (struct elf_load){ h->p_vaddr,
			h->p_offset, h->p_filesz, h->p_memsz, h->p_flags };
	if (h->p_type == PT_TLS) {
		e->tls_size = h->p_memsz;
		e->tls_align = h->p_align;
	}
	if (h->p_type == PT_DYNAMIC) {
		e->dynamic = h->p_vaddr;
		e->dynamic_size = h->p_memsz;
	}
	if (h->p_type == PT_GNU_EH_FRAME && e->index.size == 0)
		e->index = (struct elf_part){ h->p_vaddr, h->p_offset,
			h->p_filesz };
	if (h->p_type == PT_NOTE && e->n_note < ELF_MAX_NOTES)
		e->note[e->n_note++] = (struct elf_part){ h->p_vaddr,
			h->p_offset, h->p_filesz };
}

static int
read_segments(struct elf *e, const Elf64_Ehdr *h)
{
	Elf64_Phdr *table;
	size_t i;

	if (h->e_phnum == 0)
		return BOB_OK;
	table = elf_read_table(e, h->e_phoff, h->e_phnum * sizeof(*table),
	    "program headers");
	if (table == NULL)
		return BOB_FAILED;
	e->load = calloc(h->e_phnum, sizeof(*e->load));
	for (i = 0; e->load != NULL && i < h->e_phnum; i++)
		add_segment(e, &table[i]);
	free(table);
	return e->load != NULL ? BOB_OK : err_nomem(e->ctx);
}

/* Returns the names of sections; NULL after recording the error. */
static char *
read_names(struct elf *e, const Elf64_Shdr *h)
{
	char *names;

	if (h->sh_size > ELF_MAX_NAMES) {
		(void)not_elf(e, "names of sections of an odd size");
		return NULL;
	}
	names = elf_read_table(e, h->sh_offset, h->sh_size,
	    "names of sections");
	/* So that every name ends with NUL. */
	if (names != NULL)
		names[h->sh_size - 1] = '\0';
	return names;
}

static int
set_sections(struct elf *e, const Elf64_Shdr *table, size_t n, size_t strings)
{
	uint64_t n_names = 0;
	size_t i;

	if (strings < n && table[strings].sh_type == SHT_STRTAB &&
	    table[strings].sh_size > 0) {
		n_names = table[strings].sh_size;
		e->names = read_names(e, &table[strings]);
		if (e->names == NULL)
			return BOB_FAILED;
	}
	e->section = calloc(n, sizeof(*e->section));
	if (e->section == NULL)
		return err_nomem(e->ctx);
	for (i = 0; i < n; i++)
		e->section[i] = (struct elf_section){
			table[i].sh_name < n_names
			    ? e->names + table[i].sh_name : "",
			table[i].sh_type, table[i].sh_addr,
			table[i].sh_offset, table[i].sh_size,
			table[i].sh_link };
	e->n_section = n;
	return BOB_OK;
}

static int
read_sections(struct elf *e, const Elf64_Ehdr *h)
{
	Elf64_Shdr *table;
	int r;

	if (h->e_shnum == 0)
		return BOB_OK;
	table = elf_read_table(e, h->e_shoff, h->e_shnum * sizeof(*table),
	    "section headers");
	if (table == NULL)
		return BOB_FAILED;
	r = set_sections(e, table, h->e_shnum, h->e_shstrndx);
	free(table);
	return r;
}

int
elf_read_head(struct elf *e, Elf64_Ehdr *h)
{
	int r = elf_read(e, 0, h, sizeof(*h));

	if (r < 0)
		return err_sys(e->ctx, BOB_FAILED, -r, "elf: header");
	e->machine = h->e_machine;
	r = check_header(e, h);
	return r == BOB_OK ? read_segments(e, h) : r;
}

static int
open_any(struct elf *e)
{
	Elf64_Ehdr h;
	int r = elf_read_head(e, &h);

	return r == BOB_OK ? read_sections(e, &h) : r;
}

/* Returns the size of a file; UINT64_MAX for the memory of a process. */
static uint64_t
size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0
	    ? (uint64_t)st.st_size : UINT64_MAX;
}

int
elf_open(struct bob_ctx *ctx, struct elf *e, int fd, struct quota *of)
{
	memset(e, 0, sizeof(*e));
	quota_file(&e->quota, of);
	e->ctx = ctx;
	e->fd = fd;
	e->size = size_of(fd);
	return open_any(e);
}

int
elf_open_bytes(struct bob_ctx *ctx, struct elf *e, const void *p, size_t n,
    struct quota *of)
{
	memset(e, 0, sizeof(*e));
	quota_file(&e->quota, of);
	e->ctx = ctx;
	e->fd = -1;
	e->bytes = p;
	e->n_bytes = n;
	e->size = n;
	return open_any(e);
}

void
elf_done(struct elf *e)
{
	free(e->section);
	free(e->names);
	free(e->load);
	if (e->owns_fd)
		(void)close(e->fd);
	memset(e, 0, sizeof(*e));
}

const struct elf_section *
elf_section(const struct elf *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->n_section; i++)
		if (strcmp(e->section[i].name, name) == 0)
			return &e->section[i];
	return NULL;
}

uint64_t
elf_bias(const struct elf *e, uint64_t start, uint64_t offset)
{
	size_t i;

	if (e->is_image)
		return e->bias;
	for (i = 0; i < e->n_load; i++) {
		const struct elf_load *l = &e->load[i];

		/* The mapping begins at a page, maybe before the segment. */
		if (offset < l->offset + l->file_size)
			return start - offset - (l->vaddr - l->offset);
	}
	return start - offset;
}

int
elf_read_at(struct elf *e, uint64_t addr, void *to, size_t n)
{
	size_t i;

	for (i = 0; i < e->n_load; i++) {
		const struct elf_load *l = &e->load[i];

		if (addr >= l->vaddr && addr - l->vaddr < l->file_size &&
		    n <= l->file_size - (addr - l->vaddr))
			return elf_read(e, l->offset + (addr - l->vaddr),
			    to, n);
	}
	return -EFAULT;
}

/* Returns where `what` begins in n bytes, or NULL. */
static const char *
find_bytes(struct elf *e, const char *p, size_t n, const char *what,
    size_t n_what)
{
	const char *end = p + n;

	while ((size_t)(end - p) >= n_what && quota_step(&e->quota, 1)) {
		p = memchr(p, what[0], (size_t)(end - p) - n_what + 1);
		if (p == NULL)
			return NULL;
		if (memcmp(p, what, n_what) == 0)
			return p;
		p++;
	}
	return NULL;
}

static int
search_section(struct elf *e, const struct elf_section *s,
    const char *what, char *buf, size_t cap)
{
	char chunk[65536];
	size_t n_what = strlen(what), kept = 0, n;
	uint64_t at = 0;
	const char *hit;

	while (at < s->size) {
		n = sizeof(chunk) - kept;
		if (n > s->size - at)
			n = (size_t)(s->size - at);
		if (elf_read(e, s->offset + at, chunk + kept, n) < 0)
			return 0;
		at += n;
		n += kept;
		hit = find_bytes(e, chunk, n, what, n_what);
		if (hit != NULL) {
			uint64_t from = at - n + (size_t)(hit - chunk) + n_what;

			n = cap - 1;
			if (n > s->size - from)
				n = (size_t)(s->size - from);
			buf[n] = '\0';
			return elf_read(e, s->offset + from, buf, n) == 0;
		}
		/* It may lie across the border of two chunks. */
		kept = n < n_what + cap ? n : n_what + cap;
		memmove(chunk, chunk + n - kept, kept);
	}
	return 0;
}

int
elf_search(struct elf *e, const char *section, const char *what,
    char *buf, size_t cap)
{
	size_t i;

	for (i = 0; i < e->n_section; i++)
		if (strcmp(e->section[i].name, section) == 0 &&
		    search_section(e, &e->section[i], what, buf, cap))
			return 1;
	return 0;
}

/* True if the name at an offset of a table of n bytes is `want`. */
static int
is_name(const char *names, uint64_t n, uint64_t at, const char *want)
{
	size_t n_want = strlen(want) + 1;

	return at < n && names[at] == want[0] && n_want <= n - at &&
	    memcmp(names + at, want, n_want) == 0;
}

/* Looks up those of v in a table that were not found yet. */
static void
match_symbols(struct elf *e, const Elf64_Sym *table, size_t n,
    const char *names, uint64_t n_names, struct elf_symbol *v, size_t n_v)
{
	size_t i, k;

	for (i = 0; i < n && quota_step(&e->quota, 1); i++) {
		if (table[i].st_shndx == SHN_UNDEF)
			continue;
		for (k = 0; k < n_v; k++) {
			if (v[k].is_found || !is_name(names, n_names,
			        table[i].st_name, v[k].name))
				continue;
			v[k].value = table[i].st_value;
			v[k].size = table[i].st_size;
			v[k].is_tls = ELF64_ST_TYPE(table[i].st_info) ==
			    STT_TLS;
			v[k].is_found = 1;
			break;
		}
	}
}

int
elf_open_table(struct elf *e, const struct elf_section *s,
    struct elf_table *ret)
{
	const struct elf_section *strings;

	memset(ret, 0, sizeof(*ret));
	if (s->link >= e->n_section || s->size < sizeof(Elf64_Sym))
		return 0;
	strings = &e->section[s->link];
	ret->n_names = strings->size;
	ret->n = (size_t)(s->size / sizeof(Elf64_Sym));
	ret->symbol = elf_read_table(e, s->offset, s->size, "symbols");
	if (ret->symbol != NULL)
		ret->names = elf_read_table(e, strings->offset, strings->size,
		    "names of symbols");
	if (ret->names != NULL)
		return 1;
	elf_close_table(ret);
	return 0;
}

void
elf_close_table(struct elf_table *t)
{
	free(t->symbol);
	free(t->names);
	memset(t, 0, sizeof(*t));
}

static void
search_table(struct elf *e, const struct elf_section *s, struct elf_symbol *v,
    size_t n)
{
	struct elf_table t;

	if (!elf_open_table(e, s, &t))
		return;
	match_symbols(e, t.symbol, t.n, t.names, t.n_names, v, n);
	elf_close_table(&t);
}

int
elf_symbols(struct elf *e, struct elf_symbol *v, size_t n)
{
	static const uint32_t types[] = { SHT_DYNSYM, SHT_SYMTAB };
	size_t i, k, found = 0;

	for (i = 0; i < n; i++)
		v[i].is_found = 0;
	for (k = 0; k < 2 && found < n; k++) {
		for (i = 0; i < e->n_section; i++)
			if (e->section[i].type == types[k])
				search_table(e, &e->section[i], v, n);
		for (i = found = 0; i < n; i++)
			found += (size_t)v[i].is_found;
	}
	return (int)found;
}
