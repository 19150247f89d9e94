/* Processes by their command line. */
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "core/pattern.h"

struct search {
	struct pattern *pattern;
	bob_proc_fn *fn;
	void *user;
	int failed;
};

static int
look(void *user, const struct bob_proc_info *info)
{
	struct search *s = user;
	int r;

	if (*info->command == '\0' || info->pid == (uint64_t)getpid())
		return 0;
	r = pattern_match(s->pattern, info->command, strlen(info->command));
	if (r < 0)
		s->failed = 1;
	return r <= 0 ? r : s->fn(s->user, info);
}

int
bob_proc_find(struct bob_ctx *ctx, const char *pattern, bob_proc_fn *fn,
    void *user)
{
	struct search s = { .fn = fn, .user = user };
	int r = pattern_new(ctx, "process", pattern, &s.pattern);

	if (r == BOB_OK)
		r = bob_proc_list(ctx, look, &s);
	pattern_free(s.pattern);
	return s.failed ? BOB_FAILED : r;
}
