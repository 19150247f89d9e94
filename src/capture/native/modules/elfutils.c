/* Loads elfutils with dlopen(3); see elfutils.h. */
#include "capture/native/modules/elfutils.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define ENTRY(name) { #name, offsetof(struct elfutils, name) },

static const struct {
	const char *name;
	size_t at;
} entry[] = { ELFUTILS_EACH(ENTRY) };

static int
fail_by_dlerror(struct bob_ctx *ctx)
{
	const char *why = dlerror();
	int r = err_set(ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "native frames need %s of elfutils: %.200s; install it (libdw1 on "
	    "Debian and Ubuntu, elfutils-libs on Fedora, libelf on Alpine), or "
	    "leave out --native", ELFUTILS_SONAME, why != NULL ? why : "?");

	/* The text belongs to this thread. The second call frees it; otherwise
	 * a thread that is still ending when the program exits leaks it. */
	(void)dlerror();
	return r;
}

int
elfutils_can_load(const ElfW(Phdr) *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].p_type == PT_INTERP)
			return 1;
	return n == 0;
}

int
elfutils_open(struct bob_ctx *ctx, struct elfutils *e)
{
	size_t i;
	void *p;
	int r;

	memset(e, 0, sizeof(*e));
	if (!elfutils_can_load(
	        (const ElfW(Phdr) *)(uintptr_t)getauxval(AT_PHDR),
	        (size_t)getauxval(AT_PHNUM)))
		return err_set(ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "native frames need %s of elfutils, which "
		    "a program that is linked statically cannot load",
		    ELFUTILS_SONAME);
	e->handle = dlopen(ELFUTILS_SONAME, RTLD_LAZY | RTLD_LOCAL);
	if (e->handle == NULL)
		return fail_by_dlerror(ctx);
	for (i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		/* Finds functions of libelf, too, as libdw depends on it. */
		p = dlsym(e->handle, entry[i].name);
		if (p == NULL) {
			r = fail_by_dlerror(ctx);
			elfutils_close(e);
			return r;
		}
		memcpy((char *)e + entry[i].at, &p, sizeof(p));
	}
	(void)e->elf_version(EV_CURRENT);
	return BOB_OK;
}

void
elfutils_close(struct elfutils *e)
{
	if (e->handle != NULL)
		(void)dlclose(e->handle);
	memset(e, 0, sizeof(*e));
}
