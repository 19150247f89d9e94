/* bob_proc_list() and bob_proc_find(): list processes with a scout, so that one
 * that does not answer is not waited for. */
#include <string.h>
#include <time.h>

#include <bobbin/capture.h>

#include "capture/watch/scout.h"
#include "core/pattern.h"

/* Between two polls of the list. */
#define NAP_NS 200000

struct giving {
	bob_proc_fn *fn;
	void *user;
	int r; /* what fn returned last; if not 0, it is not called again */
};

static void
give_found(void *user, const struct found *f)
{
	struct giving *g = user;
	const struct bob_proc_info info = { .pid = f->pid, .ppid = f->ppid,
		.uid = f->uid, .start = f->start, .name = f->name,
		.command = f->command, .is_silent = f->is_silent };

	if (g->r == 0)
		g->r = g->fn(g->user, &info);
}

int
bob_proc_list(struct bob_ctx *ctx, bob_proc_fn *fn, void *user)
{
	const struct timespec nap = { 0, NAP_NS };
	struct giving g = { fn, user, 0 };
	struct scout *s;
	int r = scout_new(ctx, NULL, SCOUT_ALL | SCOUT_COMMANDS, &s);

	if (r < 0)
		return r;
	r = scout_ask(s);
	if (r == BOB_OK)
		while ((r = scout_poll(s, give_found, &g)) == BOB_AGAIN)
			(void)nanosleep(&nap, NULL);
	scout_free(s);
	return r;
}

struct search {
	struct pattern *pattern;
	struct scout_own own;
	bob_proc_fn *fn;
	void *user;
	int failed;
};

static int
match_process(void *user, const struct bob_proc_info *info)
{
	struct search *s = user;
	int r = info->is_silent;

	if (scout_is_own(&s->own, info->pid))
		return 0;
	if (*info->command != '\0')
		r = pattern_match(s->pattern, info->command,
		    strlen(info->command));
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

	scout_find_own(&s.own);
	if (r == BOB_OK)
		r = bob_proc_list(ctx, match_process, &s);
	pattern_free(s.pattern);
	return s.failed ? BOB_FAILED : r;
}
