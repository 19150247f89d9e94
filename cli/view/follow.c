/* Reads what was appended and looks at the files' names; see the header. */
#include "follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "print/msg.h"

static void
look_at(struct followed *f, const struct stat *st)
{
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->is_gone = 0;
}

int
follow_init(struct follow *f, struct view *view, const struct job *job)
{
	struct stat st;
	size_t i;

	*f = (struct follow){ .view = view, .job = job };
	f->input = calloc(job->n_inputs + 1, sizeof(*f->input));
	if (f->input == NULL)
		return -1;
	for (i = 0; i < job->n_inputs; i++) {
		if (strcmp(job->inputs[i], "-") == 0 ||
		    stat(job->inputs[i], &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		f->input[i].is_file = 1;
		look_at(&f->input[i], &st);
	}
	return 0;
}

void
follow_done(struct follow *f)
{
	free(f->input);
	f->input = NULL;
}

/* ---- What has happened ------------------------------------------------- */

/* Says it here and on the page, once. */
static void
note(struct follow *f, const char *name, const char *what)
{
	char text[VIEW_NOTE];

	(void)snprintf(text, sizeof(text), "%s %s", name, what);
	if (strcmp(text, f->view->note) == 0)
		return;
	(void)snprintf(f->view->note, sizeof(f->view->note), "%s", text);
	msg_warn("%s", text);
}

static void
note_error(struct follow *f)
{
	const struct bob_error *e = bob_ctx_error(f->job->ctx);
	char what[VIEW_NOTE / 2];

	(void)snprintf(what, sizeof(what), "cannot be read on: %s; what was "
	    "read before stays", e->text);
	note(f, *e->input != '\0' ? e->input : "an input", what);
}

/* Reads a file from its beginning that has the name of one that was read. */
static int
read_again(struct follow *f, size_t i)
{
	if (bob_profile_add(f->view->profile, f->job->inputs[i],
	    f->view->is_diff && i == 1) >= BOB_WARN)
		return 1;
	note_error(f);
	return 0;
}

/* Returns 1 if something has happened to the file. */
static int
check_file(struct follow *f, size_t i)
{
	const char *path = f->job->inputs[i];
	struct followed *in = &f->input[i];
	struct followed old = *in;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (!in->is_gone)
			note(f, path, "was removed; what was read before "
			    "stays");
		in->is_gone = 1;
		return !old.is_gone;
	}
	look_at(in, &st);
	if (st.st_dev == old.dev && st.st_ino == old.ino &&
	    st.st_size >= old.size)
		return 0;
	note(f, path, st.st_dev == old.dev && st.st_ino == old.ino
	    ? "was truncated; what was read before stays, and what is written "
	      "now is added"
	    : "was replaced by another file; both are shown");
	(void)read_again(f, i);
	return 1;
}

static int
has_files(const struct follow *f)
{
	size_t i;

	for (i = 0; i < f->job->n_inputs; i++)
		if (f->input[i].is_file)
			return 1;
	return 0;
}

/* The old file is read first: one that became shorter is closed by that. */
void
follow_read(struct follow *f)
{
	int r = bob_profile_refresh(f->view->profile), happened = 0;
	size_t i;

	progress_wipe();
	for (i = 0; i < f->job->n_inputs; i++)
		if (f->input[i].is_file)
			happened |= check_file(f, i);
	/* Why a file cannot be read on is known better if it has changed. */
	if (r < BOB_WARN && !happened)
		note_error(f);
	if (r == BOB_EOF && !has_files(f))
		f->view->follows = 0;
	if (r == BOB_OK || r < BOB_WARN || happened) {
		cache_clear(&f->view->cache);
		f->view->version++;
	}
}
