/* Reads what is kept of a file: tables, symbols, starts of functions; see
 * module.h. */
#include "capture/native/modules/module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A vDSO has two or four pages. */
#define MAX_IMAGE ((uint64_t)1 << 20)

/* The header of .eh_frame_hdr, as all linkers write it: a version, three
 * encodings, the address of .eh_frame, the number of entries. Each entry has
 * the address of a function and that of its table, relative to the header. */
#define HDR_SIZE 12
#define ENC_COUNT 0x03  /* udata4 */
#define ENC_TABLE 0x3b  /* datarel, sdata4 */
#define MAX_STARTS ((size_t)8 << 20)

static int
read_starts(struct bob_ctx *ctx, struct module *m, struct quota *b)
{
	const uint8_t *p = m->tables.index;
	size_t n, i;

	if (p == NULL || m->tables.n_index < HDR_SIZE || p[0] != 1 ||
	    p[2] != ENC_COUNT || p[3] != ENC_TABLE)
		return BOB_OK;
	n = mem_u32(p, 8);
	if (n > (m->tables.n_index - HDR_SIZE) / 8 || n > MAX_STARTS ||
	    !quota_step(b, n) || !quota_keep(b, n * sizeof(*m->start)))
		return BOB_OK;
	m->start = malloc((n + 1) * sizeof(*m->start));
	if (m->start == NULL)
		return err_nomem(ctx);
	for (i = 0; i < n; i++) {
		int32_t at = (int32_t)mem_u32(p, HDR_SIZE + 8 * i);

		m->start[i] = m->tables.index_at + (uint64_t)(int64_t)at;
		/* Entries that are not sorted cannot be searched. */
		if (i > 0 && m->start[i] < m->start[i - 1])
			break;
	}
	m->n_start = i;
	return BOB_OK;
}

/* Takes everything but the symbols of a debug file. Returns BOB_OK or FATAL. */
static int
read_elf(struct bob_ctx *ctx, struct module *m, struct elf *e)
{
	int r;

	m->is_elf = 1;
	m->load = e->load;
	m->n_load = e->n_load;
	e->load = NULL;
	e->n_load = 0;
	debugfile_build_id(e, m->build_id);
	r = frametab_read(ctx, &m->tables, m->eu, e);
	if (r == BOB_OK)
		r = read_starts(ctx, m, &e->quota);
	if (r == BOB_OK)
		r = symbols_add(ctx, &m->symbols, e);
	if (e->quota.over != NULL)
		m->symbols.n = 0;
	m->why = e->quota.over;
	return r;
}

static int
add_debug(struct bob_ctx *ctx, struct module *m, struct elf *e,
    const char *root)
{
	size_t n = m->symbols.n;
	struct elf debug;
	int r = BOB_OK;

	if (e->quota.over == NULL && debugfile_find(e, m->build_id, m->path,
	        root, &debug)) {
		r = symbols_add(ctx, &m->symbols, &debug);
		m->why = debug.quota.over;
		elf_done(&debug);
	}
	if (e->quota.over != NULL && m->why == NULL)
		m->why = e->quota.over;
	if (m->why != NULL)
		m->symbols.n = n;
	return r;
}

int
module_open_file(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, int fd, const char *root, struct quota *of)
{
	struct elf e;
	int r = BOB_OK;

	m->is_open = 1;
	m->eu = eu;
	if (elf_open(ctx, &e, fd, of) == BOB_OK)
		r = read_elf(ctx, m, &e);
	if (r == BOB_OK && m->is_elf)
		r = add_debug(ctx, m, &e, root);
	elf_done(&e);
	(void)close(fd);
	symbols_sort(&m->symbols);
	return r;
}

int
module_open_memory(struct bob_ctx *ctx, struct module *m,
    const struct elfutils *eu, struct mem *mem, uint64_t at, uint64_t n,
    struct quota *of)
{
	struct elf e;
	void *image;
	int r = BOB_OK;

	m->is_open = 1;
	m->eu = eu;
	if (n == 0 || n > MAX_IMAGE)
		return BOB_OK;
	image = malloc((size_t)n);
	if (image == NULL)
		return err_nomem(ctx);
	if (mem_read(mem, at, image, (size_t)n) == 0) {
		if (elf_open_bytes(ctx, &e, image, (size_t)n, of) == BOB_OK)
			r = read_elf(ctx, m, &e);
		elf_done(&e);
	}
	free(image);
	symbols_sort(&m->symbols);
	return r;
}

void
module_adopt(struct bob_ctx *ctx, struct module *m, const struct elfutils *eu)
{
	struct arena text = { NULL, 0 };

	arena_join(ctx, &text, &m->symbols.text);
	m->symbols.text = text;
	if (m->eu != NULL)
		m->eu = eu;
}

void
module_done(struct module *m)
{
	symbols_done(&m->symbols);
	frametab_done(&m->tables, m->eu);
	free(m->load);
	free(m->start);
	free(m->path);
	memset(m, 0, sizeof(*m));
}

uint64_t
module_bias(const struct module *m, uint64_t start, uint64_t end,
    uint64_t offset)
{
	size_t i;

	for (i = 0; i < m->n_load; i++) {
		const struct elf_load *l = &m->load[i];

		if ((l->flags & PF_X) != 0 &&
		    offset + (end - start) > l->offset &&
		    offset < l->offset + l->file_size)
			return start - offset - l->vaddr + l->offset;
	}
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
