/* The public reader (bobbin/read.h): opens the input, finds its format, and
 * takes events from the source through the order by time and the filter. */
#include "pipeline/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/write.h>

#include "core/regular.h"
#include "pipeline/sidefile.h"
#include "format/stranger.h"

/* Bytes that formats may look at to recognise their own. */
#define HEAD ((size_t)4096)

static const struct bob_read_opts default_opts = {
	.size = sizeof(default_opts),
};

/* Copies as many fields as the caller's version of the struct has. */
static struct bob_read_opts
take_opts(const struct bob_read_opts *opts)
{
	struct bob_read_opts o = default_opts;

	if (opts != NULL)
		memcpy(&o, opts, opts->size < sizeof(o) ? opts->size :
		    sizeof(o));
	if (o.want == 0)
		o.want = BOB_WANT_ALL;
	return o;
}

static int
start_source(struct bob_reader *rd)
{
	struct source *src = &rd->source;
	int r;

	src->ops = rd->format->source;
	if (src->ops == NULL)
		return err_set(rd->ctx, BOB_FATAL, BOB_E_FORMAT, BOB_NO_OFFSET,
		    "%s: bobbin writes %s but does not read it", rd->name,
		    rd->format->info.name);
	src->in = rd->in;
	src->state = calloc(1, src->ops->state_size);
	if (src->state == NULL)
		return err_nomem(rd->ctx);
	r = src->ops->open(src);
	src->options = NULL;
	src->n_options = 0;
	return r;
}

/* Returns the format with the highest bid, or NULL. */
static const struct format *
best_bid(const uint8_t *p, size_t n, int *ret_bid)
{
	const struct format *best = NULL;
	size_t i;

	*ret_bid = BID_NO;
	if (n == 0)
		return NULL;
	for (i = 0; formats[i] != NULL; i++) {
		int bid = formats[i]->bid == NULL ? BID_NO :
		    formats[i]->bid(p, n);

		if (bid > *ret_bid) {
			*ret_bid = bid;
			best = formats[i];
		}
	}
	return best;
}

/* Returns the format that the suffix of a name says; that of a part file is
 * the suffix of its final name. NULL: none. */
static const struct bob_format_info *
format_of_name(const char *name)
{
	size_t stem = bob_part_stem(name);
	char final[4096];

	if (stem == 0 || stem >= sizeof(final))
		return bob_format_of_path(name);
	memcpy(final, name, stem);
	final[stem] = '\0';
	return bob_format_of_path(final);
}

/* True when the format of the content is that of the name. */
static int
is_as_named(const struct bob_reader *rd)
{
	return rd->format != NULL && rd->fallback != NULL &&
	    format_named(rd->fallback->name) == rd->format;
}

/* In some formats of text an input without a byte is a trace of no samples. But
 * mostly its writer has failed, so that the format must be given. */
static int
nothing_there(struct bob_reader *rd)
{
	int is_packed = in_stored(rd->in) > 0;

	return err_set(rd->ctx, BOB_FATAL, BOB_E_FORMAT, BOB_NO_OFFSET,
	    "%s: %s, so there is no trace in it", rd->name, is_packed
	        ? "unpacks to nothing" : "is empty (0 bytes)");
}

/* Finds the format. Returns BOB_OK; AGAIN if there are too few bytes yet; FATAL
 * if there is none. */
static int
reader_find_format(struct bob_reader *rd)
{
	char what[STRANGER_TEXT] = "";
	const uint8_t *p;
	size_t n;
	int r, bid;

	if (rd->source.state != NULL)
		return BOB_OK;
	if (rd->format != NULL)
		return start_source(rd);
	r = in_peek(rd->in, HEAD, &p, &n);
	if (r == BOB_FATAL)
		return r;
	rd->format = best_bid(p, n < HEAD ? n : HEAD, &bid);
	/* More bytes may change the decision, unless these are enough. */
	if (r == BOB_AGAIN && (n < 4 ||
	    (bid < BID_TEXT && !is_as_named(rd)))) {
		rd->format = NULL;
		return r;
	}
	if (n == 0)
		return nothing_there(rd);
	if (bid <= BID_DAMAGED && rd->fallback != NULL)
		rd->format = format_named(rd->fallback->name);
	if (bid == BID_NO && n > 0 && rd->format != NULL &&
	    rd->format->has_magic && !(rd->source.flags & BOB_READ_RECOVER))
		return err_set(rd->ctx, BOB_FATAL, BOB_E_FORMAT, 0,
		    "%s: not a trace in any format that bobbin knows; if it "
		    "is %s, as its name may mean, it is damaged at byte 0, "
		    "and `bobbin recover` may read it", rd->name,
		    rd->format->info.name);
	if (rd->format == NULL) {
		(void)stranger_describe(p, n, what, sizeof(what));
		return err_set(rd->ctx, BOB_FATAL, BOB_E_FORMAT, 0,
		    "%s: not a trace in any format that bobbin knows%s",
		    rd->name, what);
	}
	return start_source(rd);
}

/* Bytes of samples that the order by time may keep in memory: a part of the
 * memory limit. */
static size_t
order_memory(const struct bob_ctx *ctx)
{
	uint64_t part = ctx->budget->limits.max_memory / 4;

	return part < BOB_MAX_ORDER_MEMORY ? (size_t)part :
	    BOB_MAX_ORDER_MEMORY;
}

static int
make_reader(struct bob_ctx *ctx, struct in *in, const char *name,
    const struct bob_read_opts *opts, int is_path, struct bob_reader **ret)
{
	struct bob_read_opts o = take_opts(opts);
	struct bob_reader *rd = calloc(1, sizeof(*rd));
	int r;

	if (rd == NULL) {
		in_close(in);
		return err_nomem(ctx), BOB_FAILED;
	}
	rd->ctx = ctx;
	rd->is_path = is_path;
	rd->fallback = format_of_name(name);
	r = in_open_unpack(in, format_begins_segment,
	    (o.flags & BOB_READ_RECOVER) != 0, &rd->in);
	if (r < 0)
		goto fail;
	rd->name = strdup(name);
	rd->owns_dict = o.dict == NULL;
	rd->dict = o.dict != NULL ? o.dict : bob_dict_new(ctx);
	if (rd->name == NULL || rd->dict == NULL) {
		(void)err_nomem(ctx);
		goto fail;
	}
	rd->n_frame = rd->dict->n.n_frame;
	in->name = rd->in->name = rd->name;
	if (o.format != NULL) {
		rd->format = format_named(o.format);
		if (rd->format == NULL) {
			(void)err_set(ctx, BOB_FAILED, BOB_E_USAGE,
			    BOB_NO_OFFSET, "no format is called '%s'",
			    o.format);
			goto fail;
		}
	}
	if (o.filter != NULL &&
	    filter_new(ctx, o.filter, rd->dict, &rd->filter) < 0)
		goto fail;
	if (rd->filter != NULL)
		o.want |= filter_wants(rd->filter);
	/* Without BOB_WANT_ORDER nobody sees the order. */
	if ((o.flags & BOB_READ_BY_TIME) && (o.want & BOB_WANT_ORDER)) {
		rd->order = order_new(ctx, order_memory(ctx));
		if (rd->order == NULL)
			goto fail;
		o.want |= BOB_WANT_TIMES | BOB_WANT_TRACKS;
	}
	rd->source = (struct source){ .ctx = ctx, .dict = rd->dict,
		.want = o.want, .flags = o.flags,
		.options = o.options, .n_options = o.n_options,
		.path = is_path ? rd->name : NULL,
		.next_segment = o.first_segment };
	if (reader_find_format(rd) < 0)
		goto fail;
	*ret = rd;
	return BOB_OK;
fail:
	bob_close(rd);
	return err_set_status(ctx, BOB_FAILED);
}

int
reader_new(struct bob_ctx *ctx, struct in *in, const char *name,
    const struct bob_read_opts *opts, int is_path, struct bob_reader **ret)
{
	struct ctx_input before = ctx_read(ctx,
	    (struct ctx_input){ name, is_path });
	int r = make_reader(ctx, in, name, opts, is_path, ret);

	(void)ctx_read(ctx, before);
	return r;
}

int
reader_open_path(struct bob_ctx *ctx, const char *path, int *ret_fd)
{
	struct stat st;
	int fd;

	if (strcmp(path, "-") == 0) {
		*ret_fd = STDIN_FILENO;
		return BOB_OK;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(ctx, BOB_FAILED, errno, "%s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		(void)close(fd);
		return err_sys(ctx, BOB_FAILED, EISDIR, "%s", path);
	}
	*ret_fd = fd;
	return BOB_OK;
}

static int
open_regular(struct bob_ctx *ctx, const char *path, int *ret_fd)
{
	*ret_fd = regular_open(path);
	return *ret_fd >= 0 ? BOB_OK
	                    : err_sys(ctx, BOB_FAILED, errno, "%s", path);
}

/* Opens a path as an input. In recovery, the side file of a dead writer is
 * read behind it. */
static int
open_input(struct bob_ctx *ctx, const char *path, uint32_t flags,
    struct in **ret)
{
	uint64_t end;
	int fd, side_fd, owned, r;

	r = flags & BOB_READ_REGULAR ? open_regular(ctx, path, &fd)
	                             : reader_open_path(ctx, path, &fd);
	if (r < 0)
		return r;
	owned = fd != STDIN_FILENO;
	if (owned && (flags & BOB_READ_RECOVER) != 0) {
		r = sidefile_open(ctx, path, &side_fd, &end);
		if (r == BOB_OK)
			return in_open_chain(ctx, fd, end, side_fd, path, ret);
	}
	if (r >= 0)
		r = in_open_fd(ctx, fd, owned, (flags & BOB_READ_FOLLOW) != 0,
		    path, ret);
	if (r < 0 && owned)
		(void)close(fd);
	return r;
}

int
bob_open(struct bob_ctx *ctx, const char *path,
    const struct bob_read_opts *opts, struct bob_reader **ret)
{
	int is_path = strcmp(path, "-") != 0;
	const char *name = is_path ? path : "stdin";
	struct ctx_input before = ctx_read(ctx,
	    (struct ctx_input){ name, is_path });
	struct in *in;
	int r = open_input(ctx, path, take_opts(opts).flags, &in);

	(void)ctx_read(ctx, before);
	return r < 0 ? r : reader_new(ctx, in, name, opts, is_path, ret);
}

int
bob_open_fd(struct bob_ctx *ctx, int fd, const char *name,
    const struct bob_read_opts *opts, struct bob_reader **ret)
{
	struct in *in;
	int follow = opts != NULL && (opts->flags & BOB_READ_FOLLOW) != 0;
	int r = in_open_fd(ctx, fd, 0, follow, name, &in);

	return r < 0 ? r : reader_new(ctx, in, name, opts, 0, ret);
}

int
bob_open_memory(struct bob_ctx *ctx, const void *p, size_t n,
    const char *name, const struct bob_read_opts *opts,
    struct bob_reader **ret)
{
	struct in *in;
	int r = in_open_memory(ctx, p, n, name, &in);

	return r < 0 ? r : reader_new(ctx, in, name, opts, 0, ret);
}

int
bob_open_fn(struct bob_ctx *ctx, bob_read_fn *fn, void *user,
    const char *name, const struct bob_read_opts *opts,
    struct bob_reader **ret)
{
	struct in *in;
	int r = in_open_fn(ctx, fn, user, name, &in);

	return r < 0 ? r : reader_new(ctx, in, name, opts, 0, ret);
}

/* Filters the runs of an event; 0 runs may be left. */
static int
filter_event(struct bob_reader *rd, struct bob_event *ev)
{
	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		filter_segment(rd->filter, ev->segment);
		return BOB_OK;
	case BOB_EVENT_MARK:
		filter_mark(rd->filter, ev->mark);
		return BOB_OK;
	default:
		if (MEM_GROW(rd->ctx, rd, run, ev->n_runs) < 0)
			return BOB_FATAL;
		memcpy(rd->run, ev->runs, ev->n_runs * sizeof(*rd->run));
		ev->runs = rd->run;
		return filter_runs(rd->filter, rd->run, &ev->n_runs);
	}
}

/* Adds up the names of new frames; see BOB_MAX_NAMES. */
static int
count_names(struct bob_reader *rd)
{
	const struct bob_dict *d = rd->dict;
	uint64_t max;

	for (; rd->n_frame < d->n.n_frame; rd->n_frame++) {
		const struct bob_frame *f = &d->frame[rd->n_frame];

		rd->n_counted++;
		/* A shared dictionary may have frames of the caller's, whose
		 * strings were never given out. */
		rd->name_bytes += bob_str_get(d, f->ns).n +
		    bob_str_get(d, f->scope).n + bob_str_get(d, f->name).n +
		    bob_str_get(d, f->file).n;
	}
	max = BOB_MAX_NAMES + rd->n_counted * BOB_MAX_NAMES_EACH;
	if (rd->name_bytes <= max)
		return BOB_OK;
	return err_set(rd->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "%s: functions and files of %llu frames have names of %llu bytes "
	    "in all (limit %llu)", rd->format->info.name,
	    (unsigned long long)rd->n_counted,
	    (unsigned long long)rd->name_bytes, (unsigned long long)max);
}

static int
next_event(struct bob_reader *rd, struct bob_event *ret)
{
	int r = reader_find_format(rd);

	while (r == BOB_OK) {
		r = rd->order == NULL ?
		    rd->source.ops->next(&rd->source, ret) :
		    order_next(rd->order, &rd->source, ret);
		if (rd->n_frame < rd->dict->n.n_frame && count_names(rd) < 0)
			return BOB_FATAL;
		if (r != BOB_OK || rd->filter == NULL)
			return r;
		r = filter_event(rd, ret);
		if (r < 0 || ret->kind != BOB_EVENT_RUNS || ret->n_runs > 0)
			return r;
	}
	return r;
}

static void
tell_gap(const struct bob_reader *rd, const struct bob_event *ev)
{
	const struct bob_ctx *ctx = rd->ctx;

	if (ctx->gap != NULL && ev->kind == BOB_EVENT_MARK &&
	    ev->mark->kind == BOB_MARK_GAP)
		ctx->gap(ctx->gap_user, rd->name, ev->mark->gap);
}

int
bob_next(struct bob_reader *rd, struct bob_event *ret)
{
	struct ctx_input before = ctx_read(rd->ctx, reader_input(rd));
	int r = next_event(rd, ret);

	(void)ctx_read(rd->ctx, before);
	if (r == BOB_OK)
		tell_gap(rd, ret);
	return r;
}

struct bob_dict *
bob_reader_dict(struct bob_reader *rd)
{
	return rd->dict;
}

const char *
bob_reader_format(const struct bob_reader *rd)
{
	return rd->source.state == NULL ? NULL : rd->format->info.name;
}

size_t
bob_reader_stats(const struct bob_reader *rd, struct bob_stat *v, size_t cap)
{
	const struct source *src = &rd->source;

	if (src->state == NULL || src->ops->stats == NULL)
		return 0;
	return src->ops->stats(src, v, cap);
}

size_t
bob_reader_facts(const struct bob_reader *rd, struct bob_fact *v, size_t cap)
{
	const struct source *src = &rd->source;

	if (src->state == NULL || src->ops->facts == NULL)
		return 0;
	return src->ops->facts(src, v, cap);
}

const char *
bob_reader_dialect(const struct bob_reader *rd)
{
	return rd->source.dialect;
}

uint64_t
bob_reader_bytes_in(const struct bob_reader *rd)
{
	return rd->source.counts_bytes ? rd->source.bytes_in :
	    in_stored(rd->in);
}

uint64_t
bob_reader_bytes_unpacked(const struct bob_reader *rd)
{
	return rd->source.counts_bytes ? rd->source.bytes_unpacked :
	    rd->in->pos;
}

int
bob_reader_is_incomplete(const struct bob_reader *rd)
{
	return rd->source.is_incomplete;
}

void
bob_close(struct bob_reader *rd)
{
	if (rd == NULL)
		return;
	if (rd->source.state != NULL) {
		if (rd->source.ops->close != NULL)
			rd->source.ops->close(&rd->source);
		free(rd->source.state);
	}
	order_free(rd->order);
	filter_free(rd->filter);
	if (rd->in != NULL)
		in_close(rd->in);
	if (rd->owns_dict)
		bob_dict_free(rd->dict);
	free(rd->run);
	free(rd->name);
	free(rd);
}
