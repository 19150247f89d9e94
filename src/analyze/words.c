/* Times of a recording in words; see the header. */
#include <bobbin/times.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bobbin/units.h>

#define NUMBER_TEXT 40

/* Percent of all moments from which on empty ones are named. */
#define OFTEN 5

/* "1 sample", "2 samples": the count and a noun that takes an s. */
static const char *
number_nouns(char buf[NUMBER_TEXT], uint64_t n, const char *noun)
{
	size_t len = strlen(bob_count_text(buf, NUMBER_TEXT, n));

	(void)snprintf(buf + len, NUMBER_TEXT - len, " %s%s", noun,
	    n == 1 ? "" : "s");
	return buf;
}

/* Appends to buf, which has room for BOB_TIMES_TEXT bytes. */
static void BOB_PRINTF(2, 3)
append(char *buf, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf + n, BOB_TIMES_TEXT - n, fmt, ap);
	va_end(ap);
}

static struct bob_times_figure *
add_figure(struct bob_times_figure *v, size_t *n, const char *label,
    const char *key, uint64_t us)
{
	struct bob_times_figure *f = &v[(*n)++];

	f->label = label;
	f->key = key;
	f->us = us;
	(void)bob_time_text(f->text, NUMBER_TEXT, us);
	return f;
}

/* "38 s" becomes "38 s of 19 threads". */
static void
add_threads(struct bob_times_figure *f, uint64_t n)
{
	size_t used = strlen(f->text);
	char text[NUMBER_TEXT];

	(void)snprintf(f->text + used, sizeof(f->text) - used, " of %s",
	    number_nouns(text, n, "thread"));
}

size_t
bob_times_figures(const struct bob_times *t,
    struct bob_times_figure v[BOB_TIMES_FIGURES])
{
	struct bob_times_figure *f;
	size_t n = 0;

	if (t->wall_basis != BOB_WALL_NONE) {
		f = add_figure(v, &n, "wall time", "wall_us", t->wall_us);
		if (t->wall_basis == BOB_WALL_THREAD)
			(void)snprintf(f->text + strlen(f->text), NUMBER_TEXT,
			    " or more");
	}
	f = add_figure(v, &n, "thread time", "thread_us", t->thread_us);
	if (t->n_tracks > 1)
		add_threads(f, t->n_tracks);
	if (t->has_cpu)
		(void)add_figure(v, &n, "CPU time", "cpu_us", t->cpu_us);
	if (t->idle_samples > 0) {
		f = add_figure(v, &n, "idle", "idle_us", t->idle_us);
		add_threads(f, t->n_idle_tracks);
	}
	if (t->waited_us > 0)
		(void)add_figure(v, &n, "waited", "waited_us", t->waited_us);
	return n;
}

static int
is_in_line(const struct bob_times_figure *f)
{
	return strcmp(f->key, "idle_us") != 0 &&
	    strcmp(f->key, "waited_us") != 0;
}

const char *
bob_times_line(char buf[BOB_TIMES_TEXT], const struct bob_times *t,
    size_t width)
{
	struct bob_times_figure v[BOB_TIMES_FIGURES];
	size_t n = bob_times_figures(t, v), used, i;

	buf[0] = '\0';
	for (i = 0; i < n; i++) {
		if (!is_in_line(&v[i]))
			continue;
		used = strlen(buf);
		append(buf, "%s%s %s", used > 0 ? ", " : "", v[i].label,
		    v[i].text);
		if (width > 0 && strlen(buf) > width)
			buf[used] = '\0';
	}
	return buf;
}

const char *
bob_times_idle_rule(const struct bob_times *t)
{
	switch (t->idle_rule) {
	case BOB_IDLE_BY_STATUS: return "by status and known functions";
	case BOB_IDLE_BY_FUNCTIONS: return "by known functions";
	default: return "none found";
	}
}

/* Each capture has a few empty moments, when a process begins. */
static int
is_often_empty(const struct bob_times *t)
{
	double all = (double)t->samples + (double)t->n_empty;

	return t->n_empty > 0 && (double)t->n_empty >= OFTEN * all / 100;
}

const char *
bob_times_idle(char buf[BOB_TIMES_TEXT], const struct bob_times *t)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	buf[0] = '\0';
	if (t->idle_samples > 0)
		append(buf, "idle: %s of %s %s (%s)%s",
		    bob_time_text(a, NUMBER_TEXT, t->idle_us),
		    number_nouns(b, t->n_idle_tracks, "thread"),
		    t->is_idle_hidden ? "set aside" : "shown",
		    bob_times_idle_rule(t),
		    !t->is_idle_hidden ? "" : t->n_idle_tracks == 1
		    ? "; --idle shows it" : "; --idle shows them");
	if (is_often_empty(t))
		append(buf, "%snothing ran at %s, which have no sample",
		    t->idle_samples > 0 ? "; " : "idle: ",
		    number_nouns(a, t->n_empty, "moment"));
	return buf;
}

const char *
bob_times_of_shares(const struct bob_times *t)
{
	return t->is_idle_hidden && t->idle_samples > 0
	    ? "thread time without idle" : "thread time";
}

/* Begins the next part of a list. */
static void
next_part(char *buf)
{
	if (*buf != '\0')
		append(buf, ", ");
}

const char *
bob_times_loss(char buf[BOB_TIMES_TEXT], const struct bob_times *t)
{
	char n[NUMBER_TEXT];
	uint64_t lost = t->n_lost + t->n_gap_lost;

	buf[0] = '\0';
	if (t->n_gaps > 0)
		append(buf, "%s", number_nouns(n, t->n_gaps, "gap"));
	if (lost > 0 || t->lost_percent > 0) {
		next_part(buf);
		if (lost > 0)
			append(buf, "%s ", number_nouns(n, lost, "sample"));
		append(buf, "lost");
		if (t->lost_percent > 0)
			append(buf, lost > 0 ? " (%.2g %%)" : " %.2g %%",
			    t->lost_percent);
	}
	if (t->n_missed > 0 || t->missed_percent > 0) {
		next_part(buf);
		if (t->n_missed > 0)
			append(buf, "%s missed", bob_count_text(n,
			    NUMBER_TEXT, t->n_missed));
		else
			append(buf, "missed");
		if (t->missed_percent > 0)
			append(buf, t->n_missed > 0 ? " (%.2g %%)"
			    : " %.2g %%", t->missed_percent);
	}
	if (t->n_unkept > 0) {
		next_part(buf);
		append(buf, "%s not kept", bob_count_text(n,
			    NUMBER_TEXT, t->n_unkept));
	}
	return buf;
}
