/* Opening, reading and following inputs; see the header. */
#include "analyze/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bobbin/convert.h>

#include "core/clock.h"

/* Between two calls of progress. */
#define PROGRESS_NS 100000000

static void
close_input(struct bob_profile *p, struct input *in)
{
	struct side *side = &p->side[in->side];

	if (in->rd != NULL)
		side->is_incomplete |= bob_reader_is_incomplete(in->rd);
	bob_close(in->rd);
	in->rd = NULL;
	filter_free(in->filter);
	in->filter = NULL;
	gather_input_done(in);
	memset(in->requests, 0, sizeof(in->requests));
	in->pulse = NULL;
	in->with_pid = NULL;
	in->cap_pulse = in->cap_with_pid = 0;
}

void
inputs_free(struct bob_profile *p)
{
	while (p->inputs != NULL) {
		struct input *next = p->inputs->next;

		close_input(p, p->inputs);
		free(p->inputs->path);
		free(p->inputs);
		p->inputs = next;
	}
	while (p->folders != NULL) {
		struct folder *next = p->folders->next;

		free(p->folders->path);
		free(p->folders);
		p->folders = next;
	}
}

static struct input *
new_input(struct bob_profile *p, const char *path, int side)
{
	struct input *in = calloc(1, sizeof(*in)), **last;

	if (in != NULL)
		in->path = strdup(path);
	if (in == NULL || in->path == NULL) {
		free(in);
		(void)err_nomem(p->ctx);
		return NULL;
	}
	in->side = side;
	for (last = &p->inputs; *last != NULL; last = &(*last)->next)
		;
	*last = in;
	return in;
}

static int
open_input(struct bob_profile *p, struct input *in, uint32_t flags)
{
	struct bob_read_opts o = { .size = sizeof(o), .flags = flags };
	int r;

	o.format = p->format;
	if (p->flags & BOB_PROFILE_RECOVER)
		o.flags |= BOB_READ_RECOVER;
	if (p->flags & BOB_PROFILE_FOLLOW)
		o.flags |= BOB_READ_FOLLOW;
	/* Counting records would keep readers from their fast loops. */
	o.want = BOB_WANT_ALL & ~BOB_WANT_STATS;
	o.dict = p->dict;
	o.options = p->options;
	o.n_options = p->n_options;
	in->clock = p->side[in->side].clock;
	in->clock.has_segment = 0;
	r = filter_new(p->ctx, &p->filter[in->side], p->dict, &in->filter);
	if (r == BOB_OK)
		r = in->bytes != NULL ? bob_open_memory(p->ctx, in->bytes,
		    in->n_bytes, in->path, &o, &in->rd)
		    : bob_open(p->ctx, in->path, &o, &in->rd);
	if (r < 0) {
		filter_free(in->filter);
		in->filter = NULL;
	}
	return r;
}

/* The next input of the side continues the clock of this one. */
static void
pass_on_clock(struct bob_profile *p, const struct input *in)
{
	struct filter_clock *c = &p->side[in->side].clock;

	if (!in->clock.has_origin)
		return;
	if (!c->has_origin || (int64_t)(in->clock.end - c->end) > 0)
		c->end = in->clock.end;
	c->origin = in->clock.origin;
	c->has_origin = 1;
}

/* True when the caller wants to stop. */
static int
is_stopped(const struct bob_profile *p, const struct input *in,
    uint64_t *next_ns)
{
	uint64_t now;

	if (p->progress == NULL)
		return 0;
	now = clock_ns();
	if (now < *next_ns)
		return 0;
	*next_ns = now + PROGRESS_NS;
	return p->progress(p->user, bob_reader_bytes_in(in->rd));
}

/* Reads all events that there are, and adds their number to *n. Returns
 * BOB_EOF, AGAIN or FATAL. */
static int
read_events(struct bob_profile *p, struct input *in, uint64_t *n)
{
	uint64_t next_ns = p->progress != NULL ? clock_ns() + PROGRESS_NS : 0;
	const struct bob_format_info *format;
	struct bob_event ev;
	int r;

	while ((r = bob_next(in->rd, &ev)) == BOB_OK) {
		++*n;
		r = gather_event(p, in, &ev);
		if (r < 0)
			break;
		if (is_stopped(p, in, &next_ns)) {
			r = BOB_EOF;
			break;
		}
	}
	if (bob_reader_format(in->rd) != NULL) {
		format = bob_format_named(bob_reader_format(in->rd));
		p->side[in->side].caps |= format->caps;
	}
	if (gather_held(p, in) < 0)
		r = BOB_FATAL;
	pass_on_clock(p, in);
	if (r == BOB_AGAIN)
		return r;
	/* The input has ended, and with it its open requests. */
	if (requests_end(&p->requests[BY_CLOCK], &in->requests[BY_CLOCK]) < 0 ||
	    requests_end(&p->requests[BY_PERIOD],
	        &in->requests[BY_PERIOD]) < 0)
		r = BOB_FATAL;
	close_input(p, in);
	return r;
}

static int
read_input(struct bob_profile *p, struct input *in, uint64_t *n)
{
	int is_stdin = strcmp(in->path, "-") == 0;
	struct ctx_input before = ctx_read(p->ctx,
	    (struct ctx_input){ is_stdin ? "stdin" : in->path, !is_stdin });
	int r = read_events(p, in, n);

	(void)ctx_read(p->ctx, before);
	return r;
}

/* flags: of enum bob_read_flags. */
static int
add_input(struct bob_profile *p, struct input *in, uint32_t flags)
{
	const int side = in->side;
	uint64_t gaps = p->side[side].n_gaps, n = 0;
	int r;

	r = open_input(p, in, flags);
	if (r < 0)
		return r;
	r = read_input(p, in, &n);
	if (r < 0)
		return err_set_status(p->ctx, BOB_FAILED);
	return p->side[side].n_gaps > gaps ? BOB_WARN : BOB_OK;
}

static int
add_file(struct bob_profile *p, const char *path, int side, uint32_t flags)
{
	struct input *in = new_input(p, path, side);

	return in == NULL ? BOB_FAILED : add_input(p, in, flags);
}

int
bob_profile_add_memory(struct bob_profile *p, const void *bytes, size_t n,
    const char *name, int side)
{
	struct input *in = new_input(p, name, side != 0);

	if (in == NULL)
		return BOB_FAILED;
	in->bytes = bytes;
	in->n_bytes = n;
	return add_input(p, in, 0);
}

struct input *
inputs_fed(struct bob_profile *p, int side)
{
	struct input *in = p->fed[side != 0];

	if (in != NULL)
		return in;
	in = new_input(p, "", side != 0);
	if (in == NULL)
		return NULL;
	in->clock = p->side[in->side].clock;
	in->clock.has_segment = 0;
	if (filter_new(p->ctx, &p->filter[in->side], p->dict, &in->filter) < 0)
		return NULL;
	return p->fed[side != 0] = in;
}

int
inputs_end_fed(struct bob_profile *p, int side)
{
	struct input *in = p->fed[side != 0];

	if (in == NULL)
		return BOB_OK;
	if (gather_held(p, in) < 0)
		return BOB_FATAL;
	pass_on_clock(p, in);
	close_input(p, in);
	p->fed[side != 0] = NULL;
	return BOB_OK;
}

int
bob_profile_feed(struct bob_profile *p, int side, const struct bob_event *ev)
{
	struct input *in = inputs_fed(p, side);

	if (in == NULL)
		return BOB_FATAL;
	if (gather_event(p, in, ev) < 0)
		return BOB_FATAL;
	if (!(p->flags & BOB_PROFILE_TIMES) && gather_held(p, in) < 0)
		return BOB_FATAL;
	pass_on_clock(p, in);
	return BOB_OK;
}

static int
has_input(const struct bob_profile *p, const char *path, int side)
{
	const struct input *in;

	for (in = p->inputs; in != NULL; in = in->next)
		if (in->side == side && strcmp(in->path, path) == 0)
			return 1;
	return 0;
}

static int
is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* By name: rotated files sort by their time. */
static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/*
 * Adds the new files of a directory. Files without the name of a trace are
 * ignored. A file that cannot be read is reported to the diag callback, and the
 * others are read.
 */
static int
scan_folder(struct bob_profile *p, const struct folder *f, uint64_t *n_new)
{
	struct dirent **list;
	int n = scandir(f->path, &list, is_visible, by_name), i, r = BOB_OK;

	if (n < 0)
		return err_sys(p->ctx, BOB_FAILED, errno, "%s", f->path);
	for (i = 0; i < n; i++) {
		size_t room = strlen(f->path) + strlen(list[i]->d_name) + 2;
		char *path = malloc(room);

		if (path == NULL) {
			r = err_nomem(p->ctx);
		} else {
			(void)snprintf(path, room, "%s/%s", f->path,
			    list[i]->d_name);
			if (r >= 0 && is_regular(path) &&
			    bob_format_of_path(path) != NULL &&
			    !has_input(p, path, f->side)) {
				++*n_new;
				if (add_file(p, path, f->side,
				        BOB_READ_REGULAR) == BOB_FAILED)
					err_diag_error(p->ctx);
			}
		}
		free(path);
		free(list[i]);
	}
	free(list);
	return r;
}

static int
add_folder(struct bob_profile *p, const char *path, int side)
{
	struct folder *f = calloc(1, sizeof(*f));
	uint64_t n = 0;
	int r;

	if (f != NULL)
		f->path = strdup(path);
	if (f == NULL || f->path == NULL) {
		free(f);
		return err_nomem(p->ctx), BOB_FAILED;
	}
	f->side = side;
	f->next = p->folders;
	p->folders = f;
	r = scan_folder(p, f, &n);
	if (r >= 0 && n == 0 && !(p->flags & BOB_PROFILE_FOLLOW))
		return err_set(p->ctx, BOB_FAILED, BOB_E_FORMAT,
		    BOB_NO_OFFSET, "%s: no file in it has the name of a trace",
		    path);
	return r;
}

int
bob_profile_add(struct bob_profile *p, const char *path, int side)
{
	struct stat st;

	side = side != 0;
	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		return add_folder(p, path, side);
	return add_file(p, path, side, 0);
}

int
bob_profile_refresh(struct bob_profile *p)
{
	struct input *in;
	struct folder *f;
	uint64_t n = 0;
	int is_open = p->folders != NULL, r;

	for (in = p->inputs; in != NULL; in = in->next) {
		if (in->rd == NULL)
			continue;
		r = read_input(p, in, &n);
		is_open |= r == BOB_AGAIN;
		if (r < 0)
			return err_set_status(p->ctx, BOB_FAILED);
	}
	for (f = p->folders; f != NULL; f = f->next) {
		r = scan_folder(p, f, &n);
		if (r < 0)
			return r;
	}
	if (n > 0)
		return BOB_OK;
	return is_open ? BOB_AGAIN : BOB_EOF;
}
