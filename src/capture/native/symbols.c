/* Reading, sorting, searching; see the header. */
#include "capture/native/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* How many symbols below an address may begin before one that covers it:
 * functions hardly ever lie in each other. */
#define MAX_NESTED 8

/* People know the exported name; a name with underscores in front is mostly
 * another one of the same function. */
static uint32_t
rank_of(const GElf_Sym *sym, const char *name)
{
	uint32_t bind = GELF_ST_BIND(sym->st_info);
	uint32_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return rank * 4 + (uint32_t)(name[0] == '_') +
	    (uint32_t)(name[0] == '_' && name[1] == '_');
}

static int
is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	    sym->st_shndx != SHN_UNDEF && sym->st_size > 0 &&
	    sym->st_size < (uint64_t)1 << 40;
}

static int
add_table(struct bob_ctx *ctx, struct symbols *s, const struct elfutils *eu,
    Elf *elf, Elf_Scn *scn, size_t link)
{
	Elf_Data *data = eu->elf_getdata(scn, NULL);
	size_t n = data != NULL ? data->d_size / sizeof(Elf64_Sym) : 0;
	size_t i;

	for (i = 0; i < n && i < SYMBOLS_MAX && s->n < SYMBOLS_MAX; i++) {
		GElf_Sym sym;
		const char *name;

		if (eu->gelf_getsym(data, (int)i, &sym) == NULL)
			break;
		name = is_function(&sym)
		    ? eu->elf_strptr(elf, link, sym.st_name) : NULL;
		if (name == NULL || *name == '\0')
			continue;
		if (MEM_GROW(ctx, s, v, s->n + 1) < 0)
			return BOB_FATAL;
		s->v[s->n++] = (struct symbol){ sym.st_value, sym.st_size,
			name, rank_of(&sym, name), 0 };
	}
	return BOB_OK;
}

int
symbols_add(struct bob_ctx *ctx, struct symbols *s,
    const struct elfutils *eu, Elf *elf)
{
	Elf_Scn *scn = NULL;
	int r = BOB_OK;

	while (r == BOB_OK && (scn = eu->elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr h;

		if (eu->gelf_getshdr(scn, &h) != NULL &&
		    (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
			r = add_table(ctx, s, eu, elf, scn, h.sh_link);
	}
	return r;
}

static int
compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

void
symbols_sort(struct symbols *s)
{
	size_t i, n = 0;

	if (s->n == 0)
		return;
	qsort(s->v, s->n, sizeof(*s->v), compare);
	for (i = 0; i < s->n; i++)
		if (n == 0 || s->v[n - 1].at != s->v[i].at)
			s->v[n++] = s->v[i];
	s->n = n;
}

void
symbols_done(struct symbols *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

const struct symbol *
symbols_named(const struct symbols *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	return NULL;
}

/* How many begin at an address or below. */
static size_t
count_up_to(const struct symbols *s, uint64_t at)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct symbol *
symbols_find(const struct symbols *s, uint64_t at)
{
	size_t n = count_up_to(s, at), i;

	for (i = 0; i < MAX_NESTED && n > 0; i++, n--)
		if (at - s->v[n - 1].at < s->v[n - 1].size)
			return &s->v[n - 1];
	return NULL;
}

uint64_t
symbols_end_below(const struct symbols *s, uint64_t at)
{
	size_t n = count_up_to(s, at);

	return n > 0 ? s->v[n - 1].at + s->v[n - 1].size : at;
}
