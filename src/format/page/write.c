/* The sink: passes everything on to a temporary trace, and puts that into the
 * template at the end; see page.h. */
#include <stdio.h>
#include <string.h>

#include <bobbin/times.h>
#include <bobbin/units.h>

#include "core/json.h"
#include "format/page/page.h"

/* Room for the names of inputs. */
#define TITLE 512

/* Traces of a page: one, or two that are compared. */
#define SIDES 2

/* What a page may have if nobody says another limit: mail takes it. */
#define MAX_SIZE ((uint64_t)16 << 20)

/* Bins of time that are tried one after the other: from a tenth of a second,
 * four times wider each time, or 16 times while the page is more than twice too
 * large, to one that has all samples. */
#define FIRST_BIN UINT64_C(100000)
#define WIDER 4

struct page_writer {
	struct carry side[SIDES];
	int n_sides;
	char title[TITLE], last[TITLE]; /* names of the inputs, unless it was
	                                 * given; the last of them */
	int has_title;
	uint64_t n_gaps, n_lost;
	uint64_t t_last; /* the last time of any sample */
	uint64_t max_size;
	uint64_t bin_us; /* 0: not thinned; or PAGE_NO_TIMES */
	int by_line;
};

static const struct bob_option_info page_options[] = {
	{ "title", "TEXT", "heading of the picture or page" },
	{ "lines", NULL, "one entry per line instead of per function" },
	{ "max-size", "SIZE", "of the page: 16M; above it, equal samples that "
	    "are near each other are joined" },
	{ NULL, NULL, NULL },
};

/* The input that is read now. */
static void
note_name(struct page_writer *w, const struct bob_ctx *ctx)
{
	const char *name = ctx->input.name;
	size_t n = strlen(w->title);

	if (w->has_title || name == NULL || *name == '\0' ||
	    strncmp(name, w->last, TITLE - 1) == 0)
		return;
	(void)snprintf(w->last, TITLE, "%s", name);
	(void)snprintf(w->title + n, TITLE - n, "%s%s", n == 0 ? "" :
	    w->n_sides > 1 ? " -> " : ", ", name);
}

static int
begin_side(struct sink *sink)
{
	struct page_writer *w = sink->state;

	return carry_open(&w->side[w->n_sides++], sink->ctx, sink->dict);
}

static int
page_open(struct sink *sink)
{
	struct page_writer *w = sink->state;
	const char *title, *size;

	if (page_asset[0].hole == NULL)
		return err_set(sink->ctx, BOB_FATAL, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "html: this build has no engine for pages; "
		    "install what `scripts/install-deps.sh page` does (clang, "
		    "lld, wasi-libc, libclang-rt-N-dev-wasm32) and build "
		    "again");
	title = format_sink_option(sink, "title");
	w->has_title = title != NULL;
	(void)snprintf(w->title, TITLE, "%s", title != NULL ? title : "");
	w->by_line = format_sink_option(sink, "lines") != NULL;
	w->max_size = MAX_SIZE;
	size = format_sink_option(sink, "max-size");
	if (size != NULL && !bob_parse_size(size, strlen(size), &w->max_size))
		return err_set(sink->ctx, BOB_FATAL, BOB_E_USAGE,
		    BOB_NO_OFFSET, "html: option max-size: '%s' is not a size "
		    "such as 4M", size);
	return begin_side(sink);
}

static struct sink *
inner(struct sink *sink)
{
	struct page_writer *w = sink->state;

	return &w->side[w->n_sides - 1].sink;
}

static int
page_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct sink *in = inner(sink);

	note_name(sink->state, sink->ctx);
	return in->ops->segment(in, segment);
}

static int
page_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct page_writer *w = sink->state;
	struct sink *in = inner(sink);
	size_t i;

	for (i = 0; i < n; i++)
		if ((v[i].flags & BOB_RUN_TIMED) && v[i].t_last > w->t_last)
			w->t_last = v[i].t_last;
	/* The limit counts what is packed later. */
	return in->ops->runs(in, v, n) < 0 || (sink->out != NULL &&
	    out_expect(sink->out, out_total(in->out)) < 0) ? BOB_FATAL
	    : BOB_OK;
}

static int
page_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct page_writer *w = sink->state;
	struct sink *in = inner(sink);

	if (mark->kind == BOB_MARK_GAP) {
		w->n_gaps++;
		w->n_lost = count_add(w->n_lost, mark->gap->lost);
	}
	return in->ops->mark(in, mark);
}

static void
put_string(struct text *t, const char *s)
{
	json_string(t, s, strlen(s));
}

/* The times of what was read, because the page does not carry all of it:
 * neither gaps nor the status of threads. */
static void
put_times(struct text *t, const struct bob_times *times)
{
	struct bob_times_figure v[BOB_TIMES_FIGURES];
	size_t n = bob_times_figures(times, v), i;
	char missing[BOB_TIMES_TEXT];

	text_str(t, "\"times\":[");
	for (i = 0; i < n; i++) {
		text_str(t, i == 0 ? "{\"label\":" : ",{\"label\":");
		put_string(t, v[i].label);
		text_str(t, ",\"text\":");
		put_string(t, v[i].text);
		text_str(t, ",\"us\":");
		text_u64(t, v[i].us);
		text_byte(t, '}');
	}
	text_str(t, "],\"missing\":");
	put_string(t, bob_times_loss(missing, times));
}

static void
put_facts(struct text *t, const struct sink *sink)
{
	const struct page_writer *w = sink->state;
	const char *title = w->title[0] != '\0' ? w->title : "trace";

	text_str(t, "{\"title\":");
	put_string(t, title);
	text_str(t, ",\"hidesIdle\":true");
	if (sink->digest.times.size != 0) {
		text_byte(t, ',');
		put_times(t, &sink->digest.times);
	}
	if (sink->times_before.size != 0) {
		text_str(t, ",\"before\":{");
		put_times(t, &sink->times_before);
		text_byte(t, '}');
	}
	text_str(t, ",\"gaps\":");
	text_u64(t, w->n_gaps);
	text_str(t, ",\"lost\":");
	text_u64(t, w->n_lost);
	text_str(t, ",\"bin_us\":");
	text_u64(t, w->bin_us == PAGE_NO_TIMES ? 0 : w->bin_us);
	text_str(t, ",\"has_times\":");
	text_str(t, w->bin_us == PAGE_NO_TIMES ? "false" : "true");
	text_str(t, ",\"state\":{");
	if (w->by_line)
		text_str(t, "\"by\":\"line\"");
	text_str(t, "}}");
}

static int
put_traces(struct text *t, struct out *const *packed, int n)
{
	int i, r = BOB_OK;

	for (i = 0; r == BOB_OK && i < n; i++) {
		text_str(t, "<script type=\"text/plain\" class=\"trace\">");
		r = page_put_base64(t, packed[i]);
		text_str(t, "</script>\n");
	}
	return r;
}

static int
put_page(struct sink *sink, struct out *const *packed)
{
	struct page_writer *w = sink->state;
	const struct asset_part *part = page_asset;
	struct text t = { 0 };
	int r = BOB_OK;

	text_begin(&t, sink->out);
	for (; r == BOB_OK; part++) {
		text_bytes(&t, part->p, part->n);
		if (part->hole == NULL)
			break;
		if (strcmp(part->hole, "facts") == 0)
			put_facts(&t, sink);
		else
			r = put_traces(&t, packed, w->n_sides);
	}
	if (r == BOB_OK)
		r = text_commit(&t);
	text_done(&t);
	return r;
}

/* ---- size ---------------------------------------------------------------- */

static uint64_t
page_size(struct out *const *packed)
{
	const struct asset_part *part = page_asset;
	uint64_t n = part->n;
	int i;

	while (part->hole != NULL)
		n += (++part)->n;
	for (i = 0; i < SIDES && packed[i] != NULL; i++)
		n += out_total(packed[i]) / 3 * 4;
	return n;
}

static void
drop_packed(struct out **packed)
{
	int i;

	for (i = 0; i < SIDES; i++) {
		out_discard(packed[i]);
		packed[i] = NULL;
	}
}

/* Packs both traces with samples joined in bins of bin_us. */
static int
pack_thin(struct sink *sink, uint64_t bin_us, struct out **packed)
{
	struct page_writer *w = sink->state;
	struct bob_dict *dict = bob_dict_new(sink->ctx);
	struct carry thin = { 0 };
	int i, r = dict == NULL ? BOB_FATAL : BOB_OK;

	for (i = 0; r == BOB_OK && i < w->n_sides; i++) {
		r = carry_open(&thin, sink->ctx, dict);
		if (r == BOB_OK)
			r = page_thin(w->side[i].sink.out, dict, bin_us, &thin);
		if (r == BOB_OK)
			r = carry_end(&thin);
		if (r == BOB_OK)
			r = page_pack(thin.sink.out, &packed[i]);
		carry_done(&thin);
	}
	bob_dict_free(dict);
	return r;
}

static int
too_large(struct sink *sink, uint64_t size)
{
	const struct page_writer *w = sink->state;

	return err_set(sink->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "html: it would have %llu bytes without any time; the limit is "
	    "%llu (--max-size)", (unsigned long long)size,
	    (unsigned long long)w->max_size);
}

/* Widens the bins until the page is small enough; at last drops times. */
static int
make_fit(struct sink *sink, struct out **packed)
{
	struct page_writer *w = sink->state;
	uint64_t size;
	int r = BOB_OK;

	while (r == BOB_OK && (size = page_size(packed)) > w->max_size) {
		if (w->bin_us == PAGE_NO_TIMES)
			return too_large(sink, size);
		if (w->bin_us > w->t_last || w->bin_us > UINT64_MAX / 32)
			w->bin_us = PAGE_NO_TIMES;
		else if (w->bin_us == 0)
			w->bin_us = FIRST_BIN;
		else
			w->bin_us *= size / 2 > w->max_size ? WIDER * WIDER
			    : WIDER;
		drop_packed(packed);
		r = pack_thin(sink, w->bin_us, packed);
	}
	return r;
}

static int
page_finish(struct sink *sink)
{
	struct page_writer *w = sink->state;
	struct out *packed[SIDES] = { NULL, NULL };
	int i, r = format_need_output(sink);

	for (i = 0; r == BOB_OK && i < w->n_sides; i++) {
		r = carry_end(&w->side[i]);
		if (r == BOB_OK)
			r = page_pack(w->side[i].sink.out, &packed[i]);
	}
	if (r == BOB_OK)
		r = make_fit(sink, packed);
	if (r == BOB_OK)
		r = put_page(sink, packed);
	drop_packed(packed);
	return r < 0 ? BOB_FATAL : BOB_OK;
}

static void
page_close(struct sink *sink)
{
	struct page_writer *w = sink->state;
	int i;

	for (i = 0; i < SIDES; i++)
		carry_done(&w->side[i]);
}

static const struct sink_ops page_sink = {
	.state_size = sizeof(struct page_writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_ANNOTATIONS | BOB_WANT_MARKS,
	.takes_digest = 1,
	.open = page_open,
	.segment = page_segment,
	.runs = page_runs,
	.mark = page_mark,
	.side = begin_side,
	.finish = page_finish,
	.close = page_close,
};

const struct format html_format = {
	.info = {
		.name = "html",
		.suffixes = ".html .htm",
		.summary = "the pages of `bobbin view` in one file, for any "
		           "browser",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_ANNOTATIONS | BOB_CAP_META |
		    BOB_CAP_SEGMENTS | BOB_CAP_PERIOD | BOB_CAP_OPCODES |
		    BOB_CAP_NATIVE | BOB_CAP_UNKNOWN,
		.can_write = 1,
		.is_text = 1,
		.takes_before = 1,
		.options = page_options,
	},
	.sink = &page_sink,
};
