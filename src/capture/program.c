/* Tries the mapped files of a process; see program.h. */
#include "capture/program.h"

#include <assert.h>

static int
try_file(struct process *p, const struct map_file *f,
    const struct program_kind *kind, void *site)
{
	struct program m = { .p = p, .file = f };
	size_t i;
	int r;

	assert(kind->n_symbol <= PROGRAM_MAX_SYMBOLS);
	for (i = 0; i < kind->n_symbol; i++)
		m.sym[i].name = kind->symbol[i];
	r = elf_open_mapped(p->ctx, &m.elf, p->pid, f, &p->quota);
	if (r == BOB_OK && elf_symbols(&m.elf, m.sym, kind->n_symbol) >= 0) {
		m.bias = elf_bias(&m.elf, f->start, f->first_offset);
		r = kind->take(&m, site);
	} else {
		r = BOB_EOF; /* not an ELF file */
	}
	elf_done(&m.elf);
	return r;
}

int
program_find(struct process *p, const struct program_kind *kind, void *site)
{
	int r = BOB_EOF;
	size_t i;

	for (i = 0; r == BOB_EOF && i < p->maps.n_file; i++) {
		const struct map_file *f = &p->maps.file[i];

		if (p->looks_everywhere ? f->is_exec : kind->is_module(f))
			r = try_file(p, f, kind, site);
	}
	return r;
}
