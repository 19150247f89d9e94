/* The recorder of a daemon (bobbin/recorder.h): names for its files, and
 * messages about them. */
#include "daemon.h"
#include "print/plain.h"
#include "print/msg.h"

static char *
on_name(void *user, const struct bob_proc *p, int is_again)
{
	struct daemon *d = user;
	const struct bob_proc_facts *f = p != NULL ? bob_proc_facts(p) : NULL;

	(void)is_again; /* no name is given twice */
	return f != NULL ? files_new_name(d, f->runtime, f->pid)
	                 : files_new_name(d, "bundle", 0);
}

static void
on_note(void *user, const struct bob_recorder_note *n)
{
	struct daemon *d = user;
	char time[NUMBER_TEXT], count[NUMBER_TEXT];

	if (n->kind == BOB_NOTE_BLOCKED) {
		msg_error("%s", n->text);
		msg_hint("what was written stays; samples are lost, and "
		    "counted, until a file can be written again");
	} else if (n->kind == BOB_NOTE_RESUMED) {
		msg_note("%s: files can be written again after %s; %s lost",
		    d->dir, number_time(time, n->us),
		    number_nouns(count, n->lost, "sample"));
	} else if (n->kind == BOB_NOTE_REMOVED) {
		msg_error("%s: removed or truncated while it was written; its "
		    "samples are lost, and a new file begins", n->path);
	} else if (n->kind == BOB_NOTE_ENDED) {
		sealing_add(d, n->path);
	} else if (n->kind != BOB_NOTE_MISSING) {
		notes_tell(&d->notes, n);
	}
}

int
recording_begin(struct daemon *d)
{
	struct bob_recorder_events ev = { on_name, on_note, d };
	struct bob_recorder_opts o = { .size = sizeof(o),
		.sampler = d->sampler, .format = d->output.format->name,
		.options = d->output.options,
		.n_options = d->output.n_options,
		.period_ns = d->governor.period_ns, .mode = d->attach.mode,
		.flags = BOB_RECORDER_PERSIST | BOB_RECORDER_FILES,
		.rotate_us = d->rotate_us, .rotate_bytes = d->rotate_bytes,
		.events = &ev,
		.service = args_value(d->args, OPT_SERVICE) };

	if (!d->is_bundled)
		o.flags |= BOB_RECORDER_EACH;
	return bob_recorder_new(d->ctx, &o, &d->recorder);
}
