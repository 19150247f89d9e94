/* Reads, sorts and searches symbols; see symbols.h. */
#include "capture/native/modules/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "capture/elf/read.h"

/* How many symbols below an address are tried: functions are hardly ever
 * nested. */
#define MAX_NESTED 8

/* Bytes of a name that count as one step of the quota. */
#define NAME_STEP 64

/* Returns the rank of a symbol: exported ones first, and those without leading
 * underscores, as people know these names. */
static uint32_t
rank_of(const Elf64_Sym *sym, const char *name)
{
	uint32_t bind = ELF64_ST_BIND(sym->st_info);
	uint32_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return rank * 4 + (uint32_t)(name[0] == '_') +
	    (uint32_t)(name[0] == '_' && name[1] == '_');
}

static int
is_function(const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	    sym->st_shndx != SHN_UNDEF && sym->st_size > 0 &&
	    sym->st_size < (uint64_t)1 << 40;
}

/* Returns the bytes of a name, at most SYMBOLS_MAX_NAME; 0 if it is not in the
 * table or has no NUL. */
static size_t
name_length(const struct elf_table *t, uint64_t at)
{
	uint64_t left = at < t->n_names ? t->n_names - at : 0;
	size_t cap = left < SYMBOLS_MAX_NAME ? (size_t)left : SYMBOLS_MAX_NAME;
	size_t n = left > 0 ? strnlen(t->names + at, cap) : 0;

	/* The table ends before a NUL. */
	return n == cap && left <= SYMBOLS_MAX_NAME ? 0 : n;
}

static int
add_symbol(struct bob_ctx *ctx, struct symbols *s, const Elf64_Sym *sym,
    const char *name, size_t n)
{
	char *copy = arena_alloc(ctx, &s->text, n + 1);

	if (copy == NULL || MEM_GROW(ctx, s, v, s->n + 1) < 0)
		return BOB_FATAL;
	memcpy(copy, name, n);
	copy[n] = '\0';
	s->v[s->n] = (struct symbol){ sym->st_value, sym->st_size, copy,
		rank_of(sym, copy), (uint32_t)s->n };
	s->n++;
	return BOB_OK;
}

static int
add_table(struct bob_ctx *ctx, struct symbols *s, struct elf *e,
    const struct elf_table *t)
{
	int r = BOB_OK;
	size_t i, n;

	for (i = 0; r == BOB_OK && i < t->n && quota_step(&e->quota, 1);
	    i++) {
		const Elf64_Sym *sym = &t->symbol[i];

		n = is_function(sym) ? name_length(t, sym->st_name) : 0;
		if (n == 0)
			continue;
		if (!quota_step(&e->quota, n / NAME_STEP) ||
		    !quota_keep(&e->quota, sizeof(*s->v) + n))
			break;
		r = add_symbol(ctx, s, sym, t->names + sym->st_name, n);
	}
	return r;
}

int
symbols_add(struct bob_ctx *ctx, struct symbols *s, struct elf *e)
{
	struct elf_table t;
	int r = BOB_OK;
	size_t i;

	for (i = 0; r == BOB_OK && i < e->n_section; i++) {
		if (e->section[i].type != SHT_SYMTAB &&
		    e->section[i].type != SHT_DYNSYM)
			continue;
		if (!elf_open_table(e, &e->section[i], &t))
			continue;
		r = add_table(ctx, s, e, &t);
		elf_close_table(&t);
	}
	return r;
}

static int
compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Sorts by address, and keeps one symbol of each. Names are compared in one
 * pass after sorting, not while sorting: they are long, and a hostile file may
 * make them all alike. */
void
symbols_sort(struct symbols *s)
{
	size_t i, n = 0;

	if (s->n == 0)
		return;
	qsort(s->v, s->n, sizeof(*s->v), compare_symbols);
	for (i = 0; i < s->n; i++)
		if (n == 0 || s->v[n - 1].at != s->v[i].at)
			s->v[n++] = s->v[i];
		else if (s->v[n - 1].rank == s->v[i].rank &&
		    strcmp(s->v[i].name, s->v[n - 1].name) < 0)
			s->v[n - 1] = s->v[i];
	s->n = n;
}

void
symbols_done(struct symbols *s)
{
	free(s->v);
	arena_free(&s->text);
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

/* Returns how many symbols begin at an address or below. */
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
