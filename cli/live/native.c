/* Native frames in commands; see the header. */
#include "native.h"

#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "msg.h"

int
native_set(const struct args *args, struct bob_attach_opts *ret)
{
	int only = args_has(args, OPT_NATIVE_ONLY);

	if (args_has(args, OPT_NATIVE))
		ret->flags |= BOB_ATTACH_NATIVE;
	if (!only)
		return EXIT_OK;
	if (ret->runtime != NULL || args_has(args, OPT_NATIVE)) {
		(void)msg_usage("--native-only is instead of %s",
		    ret->runtime != NULL ? "--runtime" : "--native");
		msg_hint("give one of them");
		return EXIT_USAGE;
	}
	ret->runtime = "native";
	return EXIT_OK;
}

const char *
native_cost(const struct bob_capture_counts *c, char *buf, size_t cap)
{
	int n;

	buf[0] = '\0';
	if (c->stops == 0)
		return buf;
	n = snprintf(buf, cap, "stopped %.0f us a sample",
	    (double)c->stopped_ns / 1000 / (double)c->stops);
	if (n > 0 && (size_t)n < cap && c->unmerged > 0)
		n += snprintf(buf + n, cap - (size_t)n, ", %llu unmerged",
		    (unsigned long long)c->unmerged);
	if (n > 0 && (size_t)n < cap && c->broken > 0)
		(void)snprintf(buf + n, cap - (size_t)n, ", %llu broken",
		    (unsigned long long)c->broken);
	return buf;
}

int
native_put_cost(struct bob_writer *out, const struct bob_capture_counts *c)
{
	int r;

	if (c->stops == 0)
		return BOB_OK;
	r = facts_put_number(out, "profiler.stopped_us",
	    (double)c->stopped_ns / 1000 / (double)c->stops);
	if (r == BOB_OK)
		r = facts_put_number(out, "profiler.unmerged",
		    (double)c->unmerged);
	if (r == BOB_OK)
		r = facts_put_number(out, "profiler.broken",
		    (double)c->broken);
	return r;
}

/* Of several processes with one file each module is told once. */
static void
tell_unnamed(const struct bob_module *m)
{
	static char told[64][256];
	static size_t n;
	size_t i;

	for (i = 0; i < n; i++)
		if (strncmp(told[i], m->path, sizeof(told[i]) - 1) == 0)
			return;
	if (n < sizeof(told) / sizeof(told[0]))
		(void)snprintf(told[n++], sizeof(told[0]), "%s", m->path);
	else
		return;
	msg_warn("%s: no symbols, because %s", m->path, m->unnamed);
}

int
native_put_modules(struct bob_writer *out, struct bob_proc *p)
{
	char key[4096 + 64];
	struct bob_module m;
	size_t i;
	int r = BOB_OK, n;

	for (i = 0; r == BOB_OK && bob_proc_module(p, i, &m); i++) {
		if (*m.unnamed != '\0')
			tell_unnamed(&m);
		n = snprintf(key, sizeof(key), "native.buildid.%s", m.path);
		if (*m.build_id != '\0' && n > 0 && (size_t)n < sizeof(key))
			r = facts_put(out, key, m.build_id);
	}
	return r;
}
