/* Finds the symbols, then the version, then the layout of that version. */
#include "capture/python/layout/find_python.h"

#include <stdio.h>
#include <string.h>

#include "capture/program.h"
#include "capture/python/layout/bounds.h"

#define SECTION ".PyRuntime"

enum { SYM_RUNTIME, SYM_VERSION, SYM_NONE, SYM_CODE, N_SYMS };

static const char *const symbol_names[N_SYMS] = {
	"_PyRuntime", "Py_Version", "_Py_NoneStruct", "PyCode_Type",
};

int
py_is_module(const struct map_file *f)
{
	const char *name = maps_base_name(f->path);

	return f->is_exec && (strncmp(name, "python", 6) == 0 ||
	    strncmp(name, "libpython", 9) == 0);
}

/* --- versions ------------------------------------------------------------ */

/* The minor version at the beginning of a text such as "3.11.2". -1 if there is
 * none. */
static int
parse_version(const char *s)
{
	int minor = 0, n = 0;

	if (strncmp(s, "3.", 2) != 0)
		return -1;
	for (s += 2; *s >= '0' && *s <= '9' && n < 3; s++, n++)
		minor = minor * 10 + (*s - '0');
	return n > 0 ? minor : -1;
}

static void
set_version(struct process *p, unsigned minor, int micro)
{
	if (micro >= 0)
		(void)snprintf(p->version, sizeof(p->version), "3.%u.%d",
		    minor, micro);
	else
		(void)snprintf(p->version, sizeof(p->version), "3.%u", minor);
}

/* PY_VERSION_HEX: 0x030b07f0 is 3.11.7. Returns the minor version, or -1. */
static int
set_hex_version(struct process *p, uint32_t hex)
{
	if (hex >> 24 != 3)
		return -1;
	set_version(p, hex >> 16 & 255, (int)(hex >> 8 & 255));
	return (int)(hex >> 16 & 255);
}

/* Parses "39" of "cpython-39-x86_64-linux-gnu". Returns 9, or -1. */
static int
parse_tag(const char *s)
{
	int minor = 0, n = 0;

	if (*s++ != '3')
		return -1;
	for (; *s >= '0' && *s <= '9' && n < 3; s++, n++)
		minor = minor * 10 + (*s - '0');
	return n > 0 ? minor : -1;
}

/* For versions that have no number in memory: the suffix of extension modules,
 * which the interpreter has as a string; else the name of its file. Returns the
 * minor version, or -1. */
static int
guess_version(struct program *m)
{
	const char *name = maps_base_name(m->file->path);
	char buf[32], prefix[16];
	int minor = -1, micro = -1, v = 0;
	size_t i;

	if (elf_search(&m->elf, ".rodata", ".cpython-", buf, sizeof(buf)))
		minor = parse_tag(buf);
	if (minor < 0 && (name = strstr(name, "python")) != NULL)
		minor = parse_version(name + 6);
	if (minor < 0)
		return -1;
	(void)snprintf(prefix, sizeof(prefix), "3.%d.", minor);
	if (elf_search(&m->elf, ".rodata", prefix, buf, sizeof(buf))) {
		for (i = 0; i < 2 && buf[i] >= '0' && buf[i] <= '9'; i++)
			v = v * 10 + (buf[i] - '0');
		if (i > 0 && buf[i] == '\0')
			micro = v;
	}
	set_version(m->p, (unsigned)minor, micro);
	return minor;
}

static int
find_version(struct program *m, const uint8_t *head)
{
	struct process *p = m->p;
	uint64_t at = m->bias + m->sym[SYM_VERSION].value;
	uint32_t hex = py_debug_version(head);
	int minor;

	if (p->want_version != NULL) {
		minor = parse_version(p->want_version);
		if (minor >= 0)
			(void)snprintf(p->version, sizeof(p->version), "%.31s",
			    p->want_version);
		return minor;
	}
	if (hex != 0)
		return set_hex_version(p, hex);
	if (m->sym[SYM_VERSION].is_found &&
	    mem_read(&p->mem, at, &hex, sizeof(hex)) == 0)
		return set_hex_version(p, hex);
	return guess_version(m);
}

/* --- layout -------------------------------------------------------------- */

static int
unsupported(struct process *p, const char *why)
{
	return err_set(p->ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "process %d: Python %s: %s", p->pid,
	    p->version[0] != '\0' ? p->version : "of an unknown version", why);
}

static int
find_layout(struct program *m, unsigned minor, const uint8_t *head,
    struct py_site *ret)
{
	struct process *p = m->p;
	const struct py_offsets *o = py_offsets_of(minor);
	uint8_t table[PY_MAX_DEBUG];
	size_t n = py_debug_size(minor);
	struct py_fault why;

	if (o != NULL) {
		ret->o = *o;
		return py_bounds_check(o, &why) < 0 ? unsupported(p, why.text)
		                                    : BOB_OK;
	}
	if (n == 0)
		return unsupported(p, "not one of 3.7 to 3.16; "
		    "--runtime-version 3.N tries the layout of that one");
	if (py_debug_version(head) == 0)
		return unsupported(p, "its table of offsets is not there");
	if (mem_read(&p->mem, ret->runtime, table, n) < 0)
		return unsupported(p, "its table of offsets cannot be read");
	return py_debug_read(table, n, minor, &ret->o, &why) < 0
	    ? unsupported(p, why.text) : BOB_OK;
}

/* Returns 1 if an interpreter was created already. */
static int
has_begun(struct process *p, const struct py_site *s)
{
	uint64_t head;

	return mem_read_u64(&p->mem, s->runtime + s->o.rt_interpreters,
	    &head) == 0 && head != 0;
}

static uint64_t
find_runtime(const struct program *m)
{
	const struct elf_section *s = elf_section(&m->elf, SECTION);

	if (m->sym[SYM_RUNTIME].is_found)
		return program_address(m, SYM_RUNTIME);
	return s != NULL ? m->bias + s->addr : 0;
}

static int
find_in_program(struct program *m, void *site)
{
	struct py_site *ret = site;
	struct process *p = m->p;
	uint8_t head[24];
	int minor, r;

	memset(ret, 0, sizeof(*ret));
	ret->runtime = find_runtime(m);
	if (ret->runtime == 0 ||
	    mem_read(&p->mem, ret->runtime, head, sizeof(head)) < 0)
		return BOB_EOF;
	minor = find_version(m, head);
	if (minor < 0)
		return unsupported(p, "it does not tell its version; "
		    "--runtime-version names it");
	r = find_layout(m, (unsigned)minor, head, ret);
	if (r < 0)
		return r;
	if (!has_begun(p, ret))
		return BOB_EOF;
	ret->none = program_address(m, SYM_NONE);
	ret->code_type = program_address(m, SYM_CODE);
	p->module = m->file->path;
	p->flavour = ret->o.is_free_threaded ? "free-threaded" : "";
	return BOB_OK;
}

int
py_find(struct process *p, struct py_site *ret)
{
	static const struct program_kind kind = { py_is_module, symbol_names,
		N_SYMS, find_in_program };

	return program_find(p, &kind, ret);
}
