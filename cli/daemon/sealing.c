/* Sealing the files of a daemon in a thread that does nothing else; see
 * bobbin/store.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "print/msg.h"

#define END_US 2000000

/* In the thread of the sealer. */
static void
on_failed(void *user, const char *path, const struct bob_error *why)
{
	(void)user;
	msg_warn("%s: cannot be sealed: %s", path, why->text);
}

/* True for a file of this directory that a daemon has written. */
static int
is_of_daemon(void *user, const char *name)
{
	(void)user;
	return strncmp(name, FILES_PREFIX, strlen(FILES_PREFIX)) == 0;
}

static void
add_left(struct daemon *d, const struct bob_segment_info *g)
{
	size_t room = strlen(d->dir) + strlen(g->name) + 2;
	char *path = malloc(room);

	if (path == NULL)
		return;
	(void)snprintf(path, room, "%s/%s", d->dir, g->name);
	sealing_add(d, path);
	free(path);
}

void
sealing_begin(struct daemon *d)
{
	const struct bob_store_opts o = { .size = sizeof(o),
		.only = is_of_daemon };
	const struct bob_segment_info *g;
	struct bob_store *s;
	size_t i;

	if (bob_sealer_new(d->ctx, on_failed, d, &d->sealer) < 0 ||
	    bob_store_open(d->ctx, d->dir, &o, &s) < 0) {
		msg_warn("%s", bob_ctx_error(d->ctx)->text);
		return;
	}
	for (i = 0; (g = bob_store_get(s, i)) != NULL; i++)
		if (g->state == BOB_SEGMENT_LEFT)
			add_left(d, g);
	bob_store_close(s);
}

void
sealing_add(struct daemon *d, const char *path)
{
	if (d->sealer != NULL && bob_sealer_add(d->sealer, path) < 0)
		msg_warn("%s: cannot be sealed now", path);
}

void
sealing_end(struct daemon *d)
{
	bob_sealer_free(d->sealer, END_US);
	d->sealer = NULL;
}
