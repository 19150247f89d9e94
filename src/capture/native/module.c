/* Opening by libelf, and the index of functions; see the header. */
#include "capture/native/module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/native/debugfile.h"

/* A vDSO has two or four pages. */
#define MAX_IMAGE ((uint64_t)1 << 20)

/* The header of .eh_frame_hdr that all linkers write: a version, three ways of
 * encoding, the tables' address, the number of entries. Each entry is where a
 * function begins and where its table is, from the header on. */
#define HDR_SIZE 12
#define ENC_COUNT 0x03  /* udata4 */
#define ENC_TABLE 0x3b  /* datarel, sdata4 */
#define MAX_STARTS ((size_t)8 << 20)

static int
take_starts(struct bob_ctx *ctx, struct module *m, const GElf_Phdr *h)
{
	Elf_Data *d = m->eu->elf_getdata_rawchunk(m->elf, (int64_t)h->p_offset,
	    h->p_filesz, ELF_T_BYTE);
	const uint8_t *p = d != NULL ? d->d_buf : NULL;
	size_t n, i;

	if (p == NULL || d->d_size < HDR_SIZE || p[0] != 1 ||
	    p[2] != ENC_COUNT || p[3] != ENC_TABLE)
		return BOB_OK;
	n = mem_u32(p, 8);
	if (n > (d->d_size - HDR_SIZE) / 8 || n > MAX_STARTS)
		return BOB_OK;
	m->start = malloc((n + 1) * sizeof(*m->start));
	if (m->start == NULL)
		return err_nomem(ctx);
	for (i = 0; i < n; i++) {
		int32_t at = (int32_t)mem_u32(p, HDR_SIZE + 8 * i);

		m->start[i] = h->p_vaddr + (uint64_t)(int64_t)at;
		/* Not sorted: not an index. */
		if (i > 0 && m->start[i] < m->start[i - 1])
			break;
	}
	m->n_start = i;
	return BOB_OK;
}

static int
find_starts(struct bob_ctx *ctx, struct module *m)
{
	size_t n = 0, i;
	GElf_Phdr h;

	(void)m->eu->elf_getphdrnum(m->elf, &n);
	for (i = 0; i < n && m->eu->gelf_getphdr(m->elf, (int)i, &h) != NULL;
	    i++)
		if (h.p_type == PT_GNU_EH_FRAME)
			return take_starts(ctx, m, &h);
	return BOB_OK;
}

/* All that will be needed of m->elf. */
static int
look_into(struct bob_ctx *ctx, struct module *m)
{
	int r;

	if (m->eu->elf_kind(m->elf) != ELF_K_ELF ||
	    m->eu->gelf_getclass(m->elf) != ELFCLASS64) {
		(void)m->eu->elf_end(m->elf);
		m->elf = NULL;
		return BOB_OK;
	}
	m->cfi = m->eu->dwarf_getcfi_elf(m->elf);
	debugfile_build_id(m->eu, m->elf, m->build_id, sizeof(m->build_id));
	r = find_starts(ctx, m);
	return r == BOB_OK ? symbols_add(ctx, &m->symbols, m->eu, m->elf) : r;
}

static int
add_debug(struct bob_ctx *ctx, struct module *m, const char *root)
{
	int fd = -1, r;

	m->debug = debugfile_find(m->eu, m->elf, m->build_id, m->path, root,
	    &fd);
	if (m->debug == NULL)
		return BOB_OK;
	r = symbols_add(ctx, &m->symbols, m->eu, m->debug);
	(void)m->eu->elf_cntl(m->debug, ELF_C_FDDONE);
	(void)close(fd);
	return r;
}

int
module_open_file(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, int fd, const char *root)
{
	struct stat st;
	int r = BOB_OK;

	m->is_open = 1;
	m->eu = eu;
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size <= MODULE_MAX_BYTES)
		m->elf = m->eu->elf_begin(fd, ELF_C_READ, NULL);
	if (m->elf != NULL)
		r = look_into(ctx, m);
	if (r == BOB_OK && m->elf != NULL)
		r = add_debug(ctx, m, root);
	if (m->elf != NULL)
		(void)m->eu->elf_cntl(m->elf, ELF_C_FDDONE);
	(void)close(fd);
	symbols_sort(&m->symbols);
	return r;
}

int
module_open_memory(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, struct mem *mem, uint64_t at, uint64_t n)
{
	int r = BOB_OK;

	m->is_open = 1;
	m->eu = eu;
	if (n > MAX_IMAGE)
		return BOB_OK;
	m->image = malloc((size_t)n);
	if (m->image == NULL)
		return err_nomem(ctx);
	if (mem_read(mem, at, m->image, (size_t)n) == 0)
		m->elf = m->eu->elf_memory(m->image, (size_t)n);
	if (m->elf != NULL)
		r = look_into(ctx, m);
	symbols_sort(&m->symbols);
	return r;
}

void
module_done(struct module *m)
{
	symbols_done(&m->symbols);
	if (m->cfi != NULL)
		(void)m->eu->dwarf_cfi_end(m->cfi);
	if (m->debug != NULL)
		(void)m->eu->elf_end(m->debug);
	if (m->elf != NULL)
		(void)m->eu->elf_end(m->elf);
	free(m->image);
	free(m->start);
	free(m->path);
	memset(m, 0, sizeof(*m));
}

uint64_t
module_bias(const struct module *m, uint64_t start, uint64_t end,
    uint64_t offset)
{
	size_t n = 0, i;
	GElf_Phdr h;

	if (m->elf != NULL)
		(void)m->eu->elf_getphdrnum(m->elf, &n);
	for (i = 0; i < n && m->eu->gelf_getphdr(m->elf, (int)i, &h) != NULL;
	    i++)
		if (h.p_type == PT_LOAD && (h.p_flags & PF_X) != 0 &&
		    offset + (end - start) > h.p_offset &&
		    offset < h.p_offset + h.p_filesz)
			return start - offset - h.p_vaddr + h.p_offset;
	return start - offset;
}

int
module_function(const struct module *m, uint64_t at, uint64_t *ret)
{
	size_t lo = 0, hi = m->n_start;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->start[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return 0;
	*ret = m->start[lo - 1];
	return 1;
}
