/* Source of processes that are captured; see the header. */
#include "source.h"

#include <errno.h>
#include <string.h>

#include "msg.h"

struct bob_sources *
live_sources_new(const struct bob_option *v, size_t n, const char **ret_bad)
{
	struct bob_sources *s = bob_sources_new_live();
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

void
live_sources_see(struct bob_sources *s, const struct bob_proc *p)
{
	unsigned long long pid = bob_proc_facts(p)->pid;
	int sys;

	if (bob_sources_count(s) == 0)
		return;
	sys = bob_proc_show_source(p, s);
	if (sys == 0 || sys == ESRCH)
		return;
	if (sys == E2BIG)
		msg_warn("no source shown: there are processes of too many "
		    "users or containers");
	else
		msg_warn("no source shown: process %llu: %s", pid,
		    strerror(sys));
	bob_sources_forget(s);
}
