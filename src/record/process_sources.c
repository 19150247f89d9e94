/* Which source files recorded processes see; see process_sources.h. */
#include "record/process_sources.h"

#include <errno.h>
#include <string.h>

struct bob_sources *
process_sources_new(const struct bob_option *v, size_t n, const char **ret_bad)
{
	struct bob_sources *s = bob_sources_new_processes();
	int sys = s == NULL ? ENOMEM : 0;
	size_t i;

	*ret_bad = "";
	for (i = 0; sys == 0 && i < n; i++)
		if (strcmp(v[i].key, "source") == 0) {
			*ret_bad = v[i].value;
			sys = bob_sources_add(s, v[i].value);
		}
	if (sys == 0)
		return s;
	bob_sources_free(s);
	errno = sys;
	return NULL;
}

/* True if a process has the directory that an option names. */
static int
is_found(const struct bob_option *o, const struct bob_sampler *sampler)
{
	const char *bad;
	struct bob_sources *s = process_sources_new(o, 1, &bad);
	const struct bob_proc *p;
	int is_found;
	size_t i;

	/* It was valid when the recorder was made. */
	if (s == NULL)
		return 1;
	for (i = 0; (p = bob_sampler_get(sampler, i)) != NULL; i++)
		(void)bob_proc_show_source(p, s);
	is_found = bob_sources_found(s);
	bob_sources_free(s);
	return is_found;
}

const char *
process_sources_missing(const struct bob_option *v, size_t n,
    const struct bob_sampler *sampler)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(v[i].key, "source") == 0 &&
		    !is_found(&v[i], sampler))
			return v[i].value;
	return NULL;
}

int
process_sources_see(struct bob_sources *s, const struct bob_proc *p)
{
	int sys;

	if (bob_sources_count(s) == 0)
		return 0;
	sys = bob_proc_show_source(p, s);
	if (sys == 0 || sys == ESRCH)
		return 0;
	bob_sources_forget(s);
	return sys;
}
