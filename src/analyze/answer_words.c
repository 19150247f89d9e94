/* The answer of a view in words; see the header. */
#include <bobbin/answer.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include <bobbin/units.h>

/* From here on idle threads are the first thing to know. */
#define MOSTLY_IDLE 0.5

/* Bytes of a name that are shown. */
#define MAX_NAME 400

#define NUMBER_TEXT 40

struct words {
	const struct bob_view *v;
	const struct bob_answer *a;
	const char *plus_minus;
	char *buf;
	size_t used, n; /* bytes of buf; parts */
	struct bob_answer_part *part;
	uint32_t sentence;
};

static void
put_part(struct words *w, const char *p, size_t n, uint32_t key)
{
	assert(w->n < BOB_ANSWER_PARTS);
	w->part[w->n++] = (struct bob_answer_part){ { p, n }, key,
		w->sentence };
}

/* Appends our own words. */
static void BOB_PRINTF(2, 3)
put_words(struct words *w, const char *fmt, ...)
{
	char *p = w->buf + w->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(p, BOB_ANSWER_TEXT - w->used, fmt, ap);
	va_end(ap);
	assert(n >= 0 && (size_t)n < BOB_ANSWER_TEXT - w->used);
	w->used += (size_t)n;
	put_part(w, p, (size_t)n, 0);
}

static void
put_name(struct words *w, uint32_t key)
{
	struct bob_key k = bob_view_key(w->v, key);
	struct bob_bytes s = k.name.n > 0 ? k.name : k.text;

	if (s.n > MAX_NAME) {
		s.n = MAX_NAME;
		/* Not in the middle of a character. */
		while (s.n > 0 && ((unsigned char)s.p[s.n] & 0xc0) == 0x80)
			s.n--;
	}
	put_part(w, s.p, s.n, key);
}

static const char *
share_text(const struct words *w, char buf[NUMBER_TEXT],
    const struct bob_share *s)
{
	(void)snprintf(buf, NUMBER_TEXT, "%.1f %% %s %.1f", 100 * s->share,
	    w->plus_minus, 100 * (s->high - s->low) / 2);
	return buf;
}

static void
say_idle(struct words *w)
{
	if (w->a->first.key == 0 && w->a->idle_share >= 1)
		put_words(w, "All threads only waited for work.");
	else
		put_words(w, "Threads waited for work in %.1f %% of all "
		    "samples.", 100 * w->a->idle_share);
	w->sentence++;
}

static void
say_first(struct words *w, int is_rest)
{
	const struct bob_answer_row *first = &w->a->first;
	char share[NUMBER_TEXT], time[NUMBER_TEXT];

	put_name(w, first->key);
	put_words(w, " takes %s of the %s%s, %s.",
	    share_text(w, share, &first->share), is_rest ? "other " : "",
	    w->a->by_time ? "time" : "samples",
	    bob_time_text(time, sizeof(time), first->sum.time_us));
	w->sentence++;
}

static void
say_cause(struct words *w)
{
	if (w->a->waits_for != NULL) {
		put_words(w, "There it waits for %s.", w->a->waits_for);
		w->sentence++;
	}
	if (w->a->caller != 0) {
		put_name(w, w->a->caller);
		put_words(w, " is the caller in %.0f %% of them.",
		    100 * w->a->caller_share);
		w->sentence++;
	}
}

/* Whether the first function is really before the second. */
static void
say_certainty(struct words *w)
{
	char share[NUMBER_TEXT];

	if (w->a->next.key == 0) {
		put_words(w, "No other function takes any.");
		return;
	}
	put_name(w, w->a->next.key);
	put_words(w, " is next with %s%s.",
	    share_text(w, share, &w->a->next.share), w->a->is_clear ? ""
	        : ": too close to say which takes more");
}

size_t
bob_answer_parts(const struct bob_view *v, const struct bob_answer *a,
    int is_ascii, char buf[BOB_ANSWER_TEXT],
    struct bob_answer_part ret[BOB_ANSWER_PARTS])
{
	struct words w = { .v = v, .a = a, .buf = buf, .part = ret,
		.plus_minus = is_ascii ? "+-" : "\xc2\xb1" };
	int is_idle = a->idle_share >= MOSTLY_IDLE;

	if (is_idle)
		say_idle(&w);
	if (a->first.key != 0) {
		say_first(&w, is_idle);
		say_cause(&w);
		say_certainty(&w);
	}
	return w.n;
}
