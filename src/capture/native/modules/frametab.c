/* Reads .eh_frame and .eh_frame_hdr, and makes an ELF file of them; see
 * frametab.h. Below, .eh_frame_hdr is called the index. */
#include "capture/native/modules/frametab.h"

#include <stdlib.h>
#include <string.h>

#include "capture/elf/read.h"
#include "capture/native/modules/ehframe.h"
#include "capture/proc/mem.h"

/* Encoding of the address of .eh_frame in the index: relative, sdata4. */
#define INDEX_HEAD 12
#define ENC_PCREL_SDATA4 0x1b

/* Limit of tables without an index. For an address that is not in them libdw
 * reads all of them: a tenth of a second for so many bytes. */
#define MAX_UNINDEXED ((uint64_t)4 << 20)

enum { NONE, INDEX, FRAMES, NAMES, N_SECTIONS };

static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";

struct layout {
	Elf64_Ehdr head;
	Elf64_Shdr section[N_SECTIONS];
	char names[(sizeof(names) + 15) / 16 * 16];
};

/* Where the tables are in the file. */
struct found {
	struct elf_part index, frames;
};

static void
find_by_section(const struct elf *e, struct found *ret)
{
	const struct elf_section *s = elf_section(e, ".eh_frame_hdr");

	if (s != NULL && s->type != SHT_NOBITS)
		ret->index = (struct elf_part){ s->addr, s->offset, s->size };
	s = elf_section(e, ".eh_frame");
	if (s != NULL && s->type != SHT_NOBITS)
		ret->frames = (struct elf_part){ s->addr, s->offset, s->size };
}

/* For a file without sections: the index says where the tables begin; their end
 * is taken to be that of the segment. */
static void
find_by_index(struct elf *e, struct found *ret)
{
	uint8_t head[INDEX_HEAD];
	uint64_t at;
	size_t i;

	if (e->index.size < sizeof(head) ||
	    elf_read(e, e->index.offset, head, sizeof(head)) < 0 ||
	    head[0] != 1 || head[1] != ENC_PCREL_SDATA4)
		return;
	at = e->index.vaddr + 4 + (uint64_t)(int64_t)(int32_t)mem_u32(head, 4);
	ret->index = e->index;
	for (i = 0; i < e->n_load; i++) {
		const struct elf_load *l = &e->load[i];

		if (at < l->vaddr || at - l->vaddr >= l->file_size)
			continue;
		ret->frames = (struct elf_part){ at,
			l->offset + (at - l->vaddr),
			l->file_size - (at - l->vaddr) };
		if (ret->frames.size > EHFRAME_MAX_BYTES)
			ret->frames.size = EHFRAME_MAX_BYTES;
		return;
	}
}

static int
is_usable(const struct found *f)
{
	return f->frames.size > 0 && f->frames.size <= EHFRAME_MAX_BYTES &&
	    f->index.size <= EHFRAME_MAX_BYTES &&
	    (f->index.size > 0 || f->frames.size <= MAX_UNINDEXED);
}

static uint64_t
round_to_16(uint64_t n)
{
	return (n + 15) / 16 * 16;
}

static void
make_headers(struct layout *l, const struct elf *e, const struct found *f)
{
	static const uint16_t one = 1;

	memset(l, 0, sizeof(*l));
	memcpy(l->head.e_ident, ELFMAG, SELFMAG);
	l->head.e_ident[EI_CLASS] = ELFCLASS64;
	l->head.e_ident[EI_DATA] = *(const uint8_t *)&one ? ELFDATA2LSB
	                                                  : ELFDATA2MSB;
	l->head.e_ident[EI_VERSION] = EV_CURRENT;
	l->head.e_type = ET_DYN;
	l->head.e_machine = e->machine;
	l->head.e_version = EV_CURRENT;
	l->head.e_ehsize = sizeof(l->head);
	l->head.e_shoff = offsetof(struct layout, section);
	l->head.e_shentsize = sizeof(l->section[0]);
	l->head.e_shnum = N_SECTIONS;
	l->head.e_shstrndx = NAMES;
	memcpy(l->names, names, sizeof(names));
	l->section[INDEX] = (Elf64_Shdr){ .sh_name = f->index.size > 0 ? 1 : 0,
		.sh_type = SHT_PROGBITS, .sh_addr = f->index.vaddr,
		.sh_offset = sizeof(*l), .sh_size = f->index.size,
		.sh_addralign = 1 };
	l->section[FRAMES] = (Elf64_Shdr){ .sh_name = 15,
		.sh_type = SHT_PROGBITS, .sh_addr = f->frames.vaddr,
		.sh_offset = sizeof(*l) + round_to_16(f->index.size),
		.sh_size = f->frames.size, .sh_addralign = 1 };
	l->section[NAMES] = (Elf64_Shdr){ .sh_name = 25,
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct layout,
		    names), .sh_size = sizeof(names), .sh_addralign = 1 };
}

/* Fills t->bytes: headers, index, tables. Returns 1; 0 if they cannot be
 * read. */
static int
fill_image(struct frametab *t, struct elf *e, struct found *f)
{
	struct layout l;
	uint8_t *index = t->bytes + sizeof(l);
	uint8_t *frames = index + round_to_16(f->index.size);

	if (elf_read(e, f->frames.offset, frames, (size_t)f->frames.size) < 0)
		return 0;
	if (f->index.size > 0 &&
	    elf_read(e, f->index.offset, index, (size_t)f->index.size) < 0)
		return 0;
	f->frames.size = ehframe_check(frames, (size_t)f->frames.size,
	    &e->quota);
	if (f->frames.size == 0)
		return 0;
	make_headers(&l, e, f);
	memcpy(t->bytes, &l, sizeof(l));
	t->n = (size_t)(frames - t->bytes) + (size_t)f->frames.size;
	t->index = index;
	t->n_index = (size_t)f->index.size;
	t->index_at = f->index.vaddr;
	return 1;
}

int
frametab_read(struct bob_ctx *ctx, struct frametab *t,
    const struct elfutils *eu, struct elf *e)
{
	struct found f = { { 0, 0, 0 }, { 0, 0, 0 } };
	uint64_t n;

	memset(t, 0, sizeof(*t));
	find_by_section(e, &f);
	if (f.frames.size == 0)
		find_by_index(e, &f);
	n = sizeof(struct layout) + round_to_16(f.index.size) + f.frames.size;
	if (!is_usable(&f) || n > e->quota.bytes ||
	    !quota_keep(&e->quota, n))
		return BOB_OK;
	t->bytes = calloc(1, (size_t)n);
	if (t->bytes == NULL)
		return err_nomem(ctx);
	if (fill_image(t, e, &f))
		t->elf = eu->elf_memory((char *)t->bytes, t->n);
	if (t->elf != NULL)
		t->cfi = eu->dwarf_getcfi_elf(t->elf);
	return BOB_OK;
}

void
frametab_done(struct frametab *t, const struct elfutils *eu)
{
	if (t->cfi != NULL)
		(void)eu->dwarf_cfi_end(t->cfi);
	if (t->elf != NULL)
		(void)eu->elf_end(t->elf);
	free(t->bytes);
	memset(t, 0, sizeof(*t));
}
