/* Notes about a capture; see the header. */
#include "notes.h"

#include <stdio.h>
#include <string.h>

#include "print/msg.h"

/* Several processes may have the same module. */
static void
tell_no_symbols(struct notes *s, const struct bob_recorder_note *n)
{
	size_t i;

	for (i = 0; i < s->n_modules; i++)
		if (strncmp(s->module[i], n->path, NOTES_PATH - 1) == 0)
			return;
	if (s->n_modules == NOTES_MODULES)
		return;
	(void)snprintf(s->module[s->n_modules++], NOTES_PATH, "%s", n->path);
	msg_warn("%s: no symbols, because %s", n->path, n->text);
}

void
notes_tell(struct notes *s, const struct bob_recorder_note *n)
{
	if (n->kind == BOB_NOTE_SYMBOLS)
		tell_no_symbols(s, n);
	else if (n->kind == BOB_NOTE_SOURCE)
		msg_warn("no source shown: process %llu: %s",
		    (unsigned long long)n->pid, n->text);
	else if (n->kind == BOB_NOTE_MISSING)
		msg_warn("%s was removed or renamed while it was written",
		    n->path);
}

static size_t
append_cause(char *buf, size_t cap, size_t at, const char *name, uint64_t n)
{
	int k;

	if (n == 0 || at >= cap)
		return at;
	k = snprintf(buf + at, cap - at, "%s%s %llu", at > 0 ? ", " : "",
	    name, (unsigned long long)n);
	return k < 0 ? at : at + (size_t)k;
}

void
notes_describe_losses(const struct bob_capture_counts *c,
    const struct bob_recorded *sum, char *buf, size_t cap)
{
	size_t at = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < BOB_N_LOST; i++)
		at = append_cause(buf, cap, at, bob_lost_name(i),
		    c->lost_by[i]);
	for (i = 0; sum != NULL && i < BOB_N_UNKEPT; i++)
		at = append_cause(buf, cap, at, bob_unkept_name(i),
		    sum->lost[i]);
}

uint64_t
notes_count_losses(const struct bob_recorded *sum)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < BOB_N_UNKEPT; i++)
		n += sum->lost[i];
	return n;
}

/* What a format must be able to carry for these options. */
static uint32_t
wanted_caps(const struct bob_attach_opts *a, int names_pids)
{
	static const uint32_t annotates = BOB_ATTACH_REQUEST |
	    BOB_ATTACH_QUERY | BOB_ATTACH_COOKIE | BOB_ATTACH_MEMORY;
	uint32_t caps = names_pids ? BOB_CAP_PIDS : 0;

	if ((a->flags & annotates) != 0 || a->n_vars > 0)
		caps |= BOB_CAP_ANNOTATIONS;
	if ((a->flags & BOB_ATTACH_OPCODES) != 0)
		caps |= BOB_CAP_OPCODES;
	return caps;
}

/* Counts of lost samples are metadata. Nobody asks for them, but a file without
 * them looks as if no sample was lost. */
void
notes_tell_plan(struct output *o, const struct bob_attach_opts *attach,
    int names_pids, uint32_t caps)
{
	char lost[BOB_MAX_TEXT];
	size_t n;

	(void)bob_plan(wanted_caps(attach, names_pids), caps, lost,
	    sizeof(lost));
	n = strlen(lost);
	if ((caps & BOB_CAP_META) == 0)
		(void)snprintf(lost + n, sizeof(lost) - n, "%scounts of lost "
		    "samples", n > 0 ? ", " : "");
	o->tells_plan = 1;
	output_tell_plan(o, lost);
}

const char *
notes_describe_stops(const struct bob_capture_counts *c, char *buf, size_t cap)
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
