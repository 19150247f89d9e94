/*
 * Finds PHP by its exported symbols; see find.h. Two addresses have no symbol:
 * they are decoded from small functions that return them (smallcode.h).
 */
#include "capture/php/layout/find.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "capture/php/layout/smallcode.h"
#include "capture/program.h"

#define POWERED_BY "X-Powered-By: PHP/"

enum {
	SYM_EG,
	SYM_SG,
	SYM_CG,
	SYM_EG_ID,
	SYM_SG_ID,
	SYM_CG_ID,
	SYM_CACHE_OFFSET,
	SYM_CACHE,
	SYM_GET_HEAP,
	SYM_SAPI,
	N_SYMS
};

static const char *const symbol_names[N_SYMS] = {
	"executor_globals", "sapi_globals", "compiler_globals",
	"executor_globals_id", "sapi_globals_id", "compiler_globals_id",
	"tsrm_get_ls_cache_tcb_offset", "_tsrm_ls_cache", "zend_mm_get_heap",
	"sapi_module",
};

int
php_is_module(const struct map_file *f)
{
	return f->is_exec && strstr(maps_base_name(f->path), "php") != NULL;
}

/* "8.2" of "8.2.35-1": 82, or 0. */
static unsigned
parse_version(const char *s)
{
	if (s[0] < '0' || s[0] > '9' || s[1] != '.' || s[2] < '0' ||
	    s[2] > '9' || (s[3] >= '0' && s[3] <= '9'))
		return 0;
	return (unsigned)(s[0] - '0') * 10 + (unsigned)(s[2] - '0');
}

static int
bad_version(struct process *p, const char *text)
{
	unsigned last = php_offsets_last()->version;

	return err_set(p->ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "process %d: PHP '%.16s' is not one of 7.0 to %u.%u; naming the "
	    "version (--php-version %u.%u) tries the layout of that one",
	    p->pid, text, last / 10, last % 10, last / 10, last % 10);
}

/* Sets the version: the one that the caller named, or that of the text of the
 * header X-Powered-By in the file. */
static int
find_version(struct program *m, struct php_site *ret)
{
	struct process *p = m->p;
	size_t n;

	if (p->want_version != NULL) {
		n = strlen(p->want_version);
		if (n >= sizeof(p->version))
			n = sizeof(p->version) - 1;
		memcpy(p->version, p->want_version, n);
		p->version[n] = '\0';
	} else if (!elf_search(&m->elf, ".rodata", POWERED_BY, p->version,
	               sizeof(p->version))) {
		return err_set(p->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "process %d: %s does not tell its version; "
		    "--php-version names it", p->pid, m->file->path);
	}
	p->version[strspn(p->version, "0123456789.")] = '\0';
	ret->o = php_offsets_of(parse_version(p->version));
	return ret->o != NULL ? BOB_OK : bad_version(p, p->version);
}

/* Returns what a small function returns, if it is of this kind; else 0. */
static uint64_t
returned_by(struct program *m, const struct elf_symbol *f,
    enum smallcode kind)
{
	uint8_t code[SMALLCODE_MAX];
	uint64_t v;

	return f->is_found &&
	        elf_read_at(&m->elf, f->value, code, sizeof(code)) >= 0 &&
	        smallcode_returns(m->elf.machine, code, f->value, &v) == kind
	    ? v : 0;
}

/* Returns the offset of _tsrm_ls_cache from the thread pointer; 0 if it is not
 * known. The symbol helps only if PHP is the program itself, as the offset of a
 * library's thread-locals is chosen when it is loaded. */
static int64_t
find_cache(struct program *m)
{
	const struct elf_symbol *s = &m->sym[SYM_CACHE];
	uint64_t align = m->elf.tls_align != 0 ? m->elf.tls_align : 1;
	int64_t v = (int64_t)returned_by(m, &m->sym[SYM_CACHE_OFFSET],
	    SMALLCODE_NUMBER);

	if (v != 0 || !s->is_found || !s->is_tls ||
	    m->elf.tls_size > (uint64_t)1 << 30 || align > 1 << 20)
		return v;
	if (m->elf.machine == EM_AARCH64)
		return (int64_t)(s->value + (16 + align - 1) / align * align);
	return (int64_t)s->value -
	    (int64_t)((m->elf.tls_size + align - 1) / align * align);
}

/* Returns the address of the variable whose value zend_mm_get_heap() returns;
 * 0 if it is not known. */
static uint64_t
find_heap(struct program *m)
{
	uint64_t at = returned_by(m, &m->sym[SYM_GET_HEAP], SMALLCODE_LOAD);

	return at != 0 ? m->bias + at : 0;
}

static void
find_zts(struct program *m, struct php_site *ret)
{
	ret->is_zts = 1;
	ret->zts = (struct zts){ .eg_id = program_address(m, SYM_EG_ID),
		.sg_id = program_address(m, SYM_SG_ID),
		.cg_id = program_address(m, SYM_CG_ID),
		.cache_offset = find_cache(m) };
}

static int
set_site(struct program *m, void *site)
{
	struct php_site *ret = site;
	int r;

	if (!m->sym[SYM_EG].is_found && !m->sym[SYM_EG_ID].is_found)
		return BOB_EOF;
	r = find_version(m, ret);
	if (r < 0)
		return r;
	m->p->module = m->file->path;
	m->p->flavour = m->sym[SYM_EG].is_found ? "nts" : "zts";
	ret->sapi = program_address(m, SYM_SAPI);
	if (!m->sym[SYM_EG].is_found) {
		find_zts(m, ret);
		return BOB_OK;
	}
	ret->globals = (struct php_globals){
		.eg = program_address(m, SYM_EG),
		.sg = program_address(m, SYM_SG),
		.cg = program_address(m, SYM_CG), .heap = find_heap(m) };
	return BOB_OK;
}

int
php_find(struct process *p, struct php_site *ret)
{
	static const struct program_kind kind = { php_is_module, symbol_names,
		N_SYMS, set_site };

	memset(ret, 0, sizeof(*ret));
	return program_find(p, &kind, ret);
}
