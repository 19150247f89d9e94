/* The threads of the file: each with a table of samples and one of markers,
 * both in columns, so that each is read once per column. */
#include "format/gecko/write.h"

#include <string.h>

#include "core/json.h"

/* Larger numbers are not exact in JavaScript. */
#define MAX_EXACT ((uint64_t)1 << 53)

/* The longest cell of a sample: a sign, digits and a fraction. */
#define CELL_ROOM (1 + TEXT_MAX_U64 + JSON_FRACTION)

static void
put_time(struct gecko_page *page, int64_t at)
{
	json_thousandths(&page->text, at - page->origin);
}

/* Neighbours mostly have the same stack, and the same milliseconds before the
 * point, so the digits of the last number are reused. */
static inline char *
put_again(struct gecko_digits *last, char *to, uint64_t v)
{
	if (last->n == 0 || last->v != v) {
		last->v = v;
		last->n = text_format_u64(last->p, v);
	}
	memcpy(to, last->p, TEXT_MAX_U64);
	return to + last->n;
}

static char *
put_milliseconds(struct gecko_page *page, char *to, uint64_t us)
{
	to = put_again(&page->last, to, us / 1000);
	return to + json_fraction(to, (unsigned)(us % 1000));
}

static char *
stack_cell(struct gecko_page *page, char *to, const struct row *row)
{
	if (row->stack != 0)
		return put_again(&page->last, to, row->stack - 1);
	memcpy(to, "null", 4);
	return to + 4;
}

/* No sample is before the origin. */
static char *
time_cell(struct gecko_page *page, char *to, const struct row *row)
{
	return put_milliseconds(page, to, (uint64_t)(row->at - page->origin));
}

/* In samples, or in milliseconds when not all samples stand for the same
 * time. */
static char *
weight_cell(struct gecko_page *page, char *to, const struct row *row)
{
	return page->w->periods_differ
	    ? put_milliseconds(page, to, count_mul(row->weight, row->period))
	    : put_again(&page->last, to, row->weight);
}

static inline int
put_rows(struct gecko_page *page, const struct rows *rows, const char *key,
    char *(*cell)(struct gecko_page *page, char *to, const struct row *row))
{
	struct text *t = &page->text;
	int r = rows_begin(&page->rows, &page->w->lanes, rows);
	char *p = NULL;

	text_str(t, ",\n\"");
	text_str(t, key);
	text_str(t, "\":[");
	page->last.n = 0;
	while (r == BOB_OK && (r = rows_next(&page->rows)) > 0) {
		if (p != NULL)
			text_byte(t, ',');
		p = text_room(t, CELL_ROOM);
		if (p == NULL)
			return t->r;
		t->n += (size_t)(cell(page, p, &page->rows.row) - p);
		r = BOB_OK;
	}
	text_byte(t, ']');
	return r;
}

static int
put_samples(struct gecko_page *page, const struct rows *rows)
{
	struct text *t = &page->text;
	int r;

	text_str(t, "\"samples\":{\"length\":");
	text_u64(t, rows->n);
	text_str(t, ",\"weightType\":\"");
	text_str(t, page->w->periods_differ ? "tracing-ms" : "samples");
	text_byte(t, '"');
	r = put_rows(page, rows, "stack", stack_cell);
	if (r == BOB_OK)
		r = put_rows(page, rows, "time", time_cell);
	if (r == BOB_OK && (rows->has_weights || page->w->periods_differ))
		r = put_rows(page, rows, "weight", weight_cell);
	else
		text_str(t, ",\n\"weight\":null");
	text_byte(t, '}');
	return r;
}

static void
put_data(struct gecko_page *page, const struct mark *mark)
{
	struct text *t = &page->text;

	if (mark->kind != MARKS_ANNOTATION) {
		text_str(t, "{\"type\":\"Status\"}");
		return;
	}
	text_str(t, "{\"type\":\"Annotation\",\"value\":");
	text_u64(t, mark->value);
	text_byte(t, '}');
}

static void
put_name(struct gecko_page *page, const struct mark *mark)
{
	text_u64(&page->text, mark->kind == MARKS_ANNOTATION
	    ? mark->key : page->w->state_name[mark->kind]);
}

static void
put_begin(struct gecko_page *page, const struct mark *mark)
{
	put_time(page, mark->begin);
}

static void
put_end(struct gecko_page *page, const struct mark *mark)
{
	put_time(page, mark->end);
}

/* All are intervals. */
static void
put_phase(struct gecko_page *page, const struct mark *mark)
{
	(void)mark;
	text_byte(&page->text, '1');
}

static void
put_category(struct gecko_page *page, const struct mark *mark)
{
	/* By kind of mark. */
	static const uint8_t category[] = { GECKO_GIL, GECKO_GIL, GECKO_CPU,
		GECKO_EXCEPTION, GECKO_GC, GECKO_ANNOTATION };

	text_u64(&page->text, category[mark->kind]);
}

static int
put_marks(struct gecko_page *page, const struct marks *marks, const char *key,
    void (*cell)(struct gecko_page *page, const struct mark *mark))
{
	struct text *t = &page->text;
	int is_first = 1, r = marks_begin(&page->marks, &page->w->lanes,
	    marks);

	text_str(t, ",\n\"");
	text_str(t, key);
	text_str(t, "\":[");
	while (r == BOB_OK && (r = marks_next(&page->marks)) > 0) {
		if (!is_first)
			text_byte(t, ',');
		is_first = 0;
		cell(page, &page->marks.mark);
		r = t->r;
	}
	text_byte(t, ']');
	return r;
}

static int
put_markers(struct gecko_page *page, const struct marks *marks)
{
	static const struct {
		const char *key;
		void (*cell)(struct gecko_page *page,
		    const struct mark *mark);
	} column[] = {
		{ "data", put_data },   { "name", put_name },
		{ "startTime", put_begin }, { "endTime", put_end },
		{ "phase", put_phase }, { "category", put_category },
	};
	struct text *t = &page->text;
	int r = BOB_OK;
	size_t i;

	text_str(t, ",\n\"markers\":{\"length\":");
	text_u64(t, marks->n);
	for (i = 0; r == BOB_OK && i < sizeof(column) / sizeof(column[0]);
	    i++)
		r = put_marks(page, marks, column[i].key, column[i].cell);
	text_byte(t, '}');
	return r;
}

static void
put_thread_name(struct text *t, const struct bob_dict *d,
    const struct bob_track *track)
{
	struct bob_bytes name = bob_str_get(d, track->name);

	if (name.n > 0) {
		json_string(t, name.p, name.n);
		return;
	}
	text_byte(t, '"');
	if (track->flags & BOB_TRACK_TID) {
		text_str(t, "Thread ");
		text_u64(t, track->tid);
	} else if (track->flags & BOB_TRACK_PID) {
		text_str(t, "Process ");
		text_u64(t, track->pid);
	} else {
		text_str(t, "All samples");
	}
	if ((track->flags & BOB_TRACK_INTERP) && track->interp > 0) {
		text_str(t, ", interpreter ");
		text_u64(t, track->interp);
	}
	text_byte(t, '"');
}

static int
put_process_name(struct gecko_page *page, const struct bob_track *track,
    unsigned has)
{
	struct labels *labels = &page->w->labels;
	const struct label *label = labels_of(labels, track);
	const char *word = has & GECKO_HAS_PHP ? "php" :
	    has & GECKO_HAS_PYTHON ? "python" : "process";
	struct bob_bytes name = { "", 0 };

	if (label != NULL && labels_text(labels, label, &name) < 0)
		return BOB_FATAL;
	if (name.n == 0)
		name = (struct bob_bytes){ word, strlen(word) };
	json_string(&page->text, name.p, name.n);
	return BOB_OK;
}

static void
put_tid(struct text *t, const struct bob_track *track)
{
	uint64_t tid = track->flags & BOB_TRACK_TID ? track->tid : track->pid;
	int is_exact = tid <= MAX_EXACT;

	if (!is_exact)
		text_byte(t, '"');
	text_u64(t, tid);
	if (!is_exact)
		text_byte(t, '"');
}

/* Without threads, what was sampled is the process; its main thread has its
 * number. */
static int
is_main(const struct bob_track *track, const struct gecko_track *gathered)
{
	return gathered->is_main || !(track->flags & BOB_TRACK_TID) ||
	    ((track->flags & BOB_TRACK_PID) && track->tid == track->pid);
}

int
gecko_put_thread(struct gecko_page *page, bob_tid id)
{
	const struct bob_track *track = &page->sink->dict->track[id];
	const struct gecko_track *gathered = &page->w->track[id];
	struct text *t = &page->text;
	int r;

	text_str(t, "{\"name\":");
	put_thread_name(t, page->sink->dict, track);
	text_str(t, ",\"processName\":");
	if (put_process_name(page, track, gathered->has) < 0)
		return BOB_FATAL;
	text_str(t, ",\"processType\":\"default\",\"pid\":\"");
	text_u64(t, track->pid);
	text_str(t, "\",\"tid\":");
	put_tid(t, track);
	text_str(t, ",\"isMainThread\":");
	text_str(t, is_main(track, gathered) ? "true" : "false");
	text_str(t, ",\"showMarkersInTimeline\":true,\n\"registerTime\":");
	put_time(page, gathered->rows.begin);
	text_str(t, ",\"unregisterTime\":null,\"processStartupTime\":0,"
	            "\"processShutdownTime\":null,\"pausedRanges\":[],\n");
	r = put_samples(page, &gathered->rows);
	if (r == BOB_OK)
		r = put_markers(page, &gathered->marks);
	text_byte(t, '}');
	return r;
}
