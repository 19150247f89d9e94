/*
 * The message. Its strings are numbered as they are needed, so they come last;
 * fields may come in any order.
 *
 * system_name is never written: where it equals the name, pprof takes the name
 * for a mangled one of C++ and strips whatever stands in <> or ().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "format/pprof/write.h"

/* Bytes that are gathered before they are handed on. */
#define PIECE ((size_t)64 << 10)

/* What it takes to write one profile. */
struct page {
	struct sink *sink;
	struct pprof_writer *w;
	struct pack_stream *to;
	struct proto p;
	struct functions fns;
	struct bob_dict *strings; /* those of fns: all others go there too */
};

/* The number of a string; 0 is "". Failures are kept in page->p.r. */
static uint64_t
string_id(struct page *page, const char *s, size_t n)
{
	bob_str id = bob_str_put(page->strings, s, n);

	if (id == BOB_NO_ID)
		page->p.r = BOB_FATAL;
	return id;
}

/* The same of bytes that need not be UTF-8. */
static uint64_t
string_id_mended(struct page *page, const char *s, size_t n)
{
	uint64_t id;
	char *room;

	if (utf8_valid(s, n) == n)
		return string_id(page, s, n);
	room = malloc(3 * n);
	if (room == NULL) {
		page->p.r = err_nomem(page->sink->ctx);
		return 0;
	}
	id = string_id(page, room, utf8_replace(room, s, n));
	free(room);
	return id;
}

static uint64_t
string_id_of(struct page *page, const char *s)
{
	return string_id(page, s, strlen(s));
}

static int
page_pack(struct page *page)
{
	int r = page->p.r < 0 ? page->p.r :
	    pack_stream_put(page->to, page->p.p, page->p.n);

	page->p.n = 0;
	return r;
}

static void
hand_on(struct page *page)
{
	if (page->p.n >= PIECE && page->p.r == BOB_OK)
		page->p.r = page_pack(page);
}

static void
put_value_type(struct page *page, unsigned field, const char *type,
    const char *unit)
{
	size_t at = proto_begin(&page->p, field);

	proto_u64(&page->p, VALUE_TYPE, string_id_of(page, type));
	proto_u64(&page->p, VALUE_UNIT, string_id_of(page, unit));
	proto_end(&page->p, at);
}

static void
put_str_label(struct page *page, const char *key, struct bob_bytes value)
{
	size_t at = proto_begin(&page->p, SAMPLE_LABEL);

	proto_u64(&page->p, LABEL_KEY, string_id_of(page, key));
	proto_u64(&page->p, LABEL_STR,
	    string_id_mended(page, value.p, value.n));
	proto_end(&page->p, at);
}

static void
put_num_label(struct page *page, const char *key, uint64_t value)
{
	size_t at = proto_begin(&page->p, SAMPLE_LABEL);

	proto_u64(&page->p, LABEL_KEY, string_id_of(page, key));
	proto_u64(&page->p, LABEL_NUM, value);
	proto_end(&page->p, at);
}

/* The thread's name, else its number: people look for the word `thread`. */
static void
put_thread(struct page *page, const struct bob_track *track)
{
	char number[24];
	int n;

	if (track->name != 0) {
		put_str_label(page, "thread",
		    bob_str_get(page->sink->dict, track->name));
		return;
	}
	n = snprintf(number, sizeof(number), "%llu",
	    (unsigned long long)track->tid);
	put_str_label(page, "thread",
	    (struct bob_bytes){ number, (size_t)n });
}

/* What is known of a process. */
static void
put_process(struct page *page, const struct bob_track *track)
{
	struct labels *all = &page->w->processes;
	const struct label *label = labels_of(all, track);
	struct bob_bytes text = { "", 0 };

	if (label != NULL && labels_text(all, label, &text) < 0)
		page->p.r = BOB_FATAL;
	if (text.n > 0)
		put_str_label(page, "process", text);
}

static void
put_labels(struct page *page, const struct tally_entry *e)
{
	const struct bob_track *track = bob_track_get(page->sink->dict,
	    e->track);
	const struct bob_dict *own = page->w->labels.own;
	const struct bob_pair *pair;
	size_t n, i;

	if (track->flags & BOB_TRACK_PID)
		put_num_label(page, "pid", track->pid);
	if (track->flags & BOB_TRACK_TID)
		put_num_label(page, "tid", track->tid);
	if ((track->flags & BOB_TRACK_TID) || track->name != 0)
		put_thread(page, track);
	if (track->flags & BOB_TRACK_INTERP)
		put_num_label(page, "interpreter", track->interp);
	put_process(page, track);
	pair = bob_annot_get(own, e->annot, &n);
	for (i = 0; i < n; i++) {
		struct bob_bytes key = bob_str_get(own, pair[i].key);
		struct bob_bytes value = bob_str_get(own, pair[i].value);
		size_t at = proto_begin(&page->p, SAMPLE_LABEL);

		proto_u64(&page->p, LABEL_KEY, string_id(page, key.p, key.n));
		proto_u64(&page->p, LABEL_STR,
		    string_id(page, value.p, value.n));
		proto_end(&page->p, at);
	}
}

static void
put_sample(struct page *page, const struct tally_entry *e)
{
	const struct dict_node *node = page->sink->dict->node;
	size_t sample = proto_begin(&page->p, PROFILE_SAMPLE), at;
	bob_stack s;

	at = proto_begin(&page->p, SAMPLE_LOCATION);
	for (s = e->stack; s != 0; s = node[s].parent)
		proto_packed(&page->p, page->fns.place_of[node[s].frame]);
	proto_end(&page->p, at);
	at = proto_begin(&page->p, SAMPLE_VALUE);
	proto_packed(&page->p, e->samples);
	proto_packed(&page->p, count_mul(e->time_us, 1000));
	proto_end(&page->p, at);
	put_labels(page, e);
	proto_end(&page->p, sample);
	hand_on(page);
}

/* One mapping for all: without any, pprof warns that it has no binary. */
static void
put_mapping(struct page *page)
{
	size_t at = proto_begin(&page->p, PROFILE_MAPPING);
	const struct bob_dict *d = page->sink->dict;
	const char *name = "trace";
	uint32_t i;

	for (i = 1; i < d->n.n_frame; i++) {
		if (d->frame[i].lang == BOB_LANG_PHP)
			name = "php";
		if (d->frame[i].lang == BOB_LANG_PYTHON)
			name = "python";
	}
	proto_u64(&page->p, MAPPING_ID, 1);
	proto_u64(&page->p, MAPPING_FILE, string_id_of(page, name));
	proto_u64(&page->p, MAPPING_HAS_FUNCTIONS, 1);
	proto_u64(&page->p, MAPPING_HAS_FILES, 1);
	proto_u64(&page->p, MAPPING_HAS_LINES, 1);
	proto_end(&page->p, at);
}

static void
put_location(struct page *page, uint32_t id)
{
	const struct place *place = &page->fns.place[id];
	size_t at = proto_begin(&page->p, PROFILE_LOCATION), line;

	proto_u64(&page->p, LOCATION_ID, id);
	proto_u64(&page->p, LOCATION_MAPPING, 1);
	line = proto_begin(&page->p, LOCATION_LINE);
	proto_u64(&page->p, LINE_FUNCTION, place->function);
	proto_u64_if(&page->p, LINE_LINE, (uint64_t)place->line);
	proto_end(&page->p, line);
	proto_end(&page->p, at);
	hand_on(page);
}

static void
put_function(struct page *page, uint32_t id)
{
	const struct bob_frame *f = &page->fns.own->frame[id];
	size_t at = proto_begin(&page->p, PROFILE_FUNCTION);

	proto_u64(&page->p, FUNCTION_ID, id);
	proto_u64_if(&page->p, FUNCTION_NAME, f->name);
	proto_u64_if(&page->p, FUNCTION_FILE, f->file);
	proto_end(&page->p, at);
	hand_on(page);
}

static void
put_strings(struct page *page)
{
	uint32_t i;

	for (i = 0; i < page->strings->n.n_str; i++) {
		struct bob_bytes s = page->strings->str[i];

		proto_bytes(&page->p, PROFILE_STRING, s.p, s.n);
		hand_on(page);
	}
}

/* `key: value`, mended. */
static void
put_comment(struct page *page, struct bob_bytes key, struct bob_bytes value)
{
	size_t n = key.n + 2 + value.n;
	char *line = malloc(n);

	if (line == NULL) {
		page->p.r = err_nomem(page->sink->ctx);
		return;
	}
	memcpy(line, key.p, key.n);
	memcpy(line + key.n, ": ", 2);
	memcpy(line + key.n + 2, value.p, value.n);
	proto_u64(&page->p, PROFILE_COMMENT, string_id_mended(page, line, n));
	free(line);
}

static void
put_comments(struct page *page)
{
	const struct bob_dict *d = page->sink->dict;
	static const char made_by[] = "made by bobbin ";
	char line[64];
	size_t i;

	(void)snprintf(line, sizeof(line), "%s%s", made_by, bob_version());
	proto_u64(&page->p, PROFILE_COMMENT, string_id_of(page, line));
	for (i = 0; i < page->w->n_comment; i++)
		put_comment(page, bob_str_get(d, page->w->comment[i].key),
		    bob_str_get(d, page->w->comment[i].value));
}

static void
put_times(struct page *page)
{
	struct pprof_writer *w = page->w;
	const char *type = w->is_cpu ? "cpu" : "wall";
	uint64_t duration = count_add(w->clock_us, w->longest_untimed_us);

	proto_u64_if(&page->p, PROFILE_TIME, count_mul(w->start_us, 1000));
	proto_u64(&page->p, PROFILE_DURATION, count_mul(duration, 1000));
	put_value_type(page, PROFILE_PERIOD_TYPE, type, "nanoseconds");
	proto_u64(&page->p, PROFILE_PERIOD, count_mul(
	    w->period_us != 0 ? w->period_us : w->tally.period, 1000));
	proto_u64(&page->p, PROFILE_DEFAULT_TYPE, string_id_of(page, type));
}

int
pprof_write_profile(struct sink *sink, struct pack_stream *to)
{
	struct page page = { .sink = sink, .w = sink->state, .to = to };
	uint32_t i;
	int r;

	proto_init(&page.p, sink->ctx);
	r = functions_init(&page.fns, sink->ctx, sink->dict);
	page.fns.merges_langs = 1; /* there is no field for them */
	if (r == BOB_OK)
		r = functions_update(&page.fns);
	if (r < 0)
		goto out;
	page.strings = page.fns.own;
	put_value_type(&page, PROFILE_SAMPLE_TYPE, "samples", "count");
	put_value_type(&page, PROFILE_SAMPLE_TYPE,
	    page.w->is_cpu ? "cpu" : "wall", "nanoseconds");
	for (i = 1; page.p.r == BOB_OK && i < page.w->tally.n; i++)
		put_sample(&page, &page.w->tally.entry[i]);
	put_mapping(&page);
	for (i = 1; i < page.fns.n_place; i++)
		put_location(&page, i);
	for (i = 1; i < page.fns.n_function; i++)
		put_function(&page, i);
	put_times(&page);
	put_comments(&page);
	put_strings(&page);
	r = page_pack(&page);
out:
	functions_done(&page.fns);
	proto_done(&page.p);
	return r;
}
