/* Times of a recording in words; see the header. */
#include "times.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends to buf, which has room for TIMES_TEXT bytes. */
static void BOB_PRINTF(2, 3)
append(char *buf, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf + n, TIMES_TEXT - n, fmt, ap);
	va_end(ap);
}

static struct times_figure *
add(struct times_figure *v, size_t *n, const char *label, const char *key,
    uint64_t us)
{
	struct times_figure *f = &v[(*n)++];

	f->label = label;
	f->key = key;
	f->us = us;
	(void)number_time(f->text, us);
	return f;
}

/* "38 s" becomes "38 s of 19 threads". */
static void
add_threads(struct times_figure *f, uint64_t n)
{
	size_t used = strlen(f->text);
	char text[NUMBER_TEXT];

	(void)snprintf(f->text + used, sizeof(f->text) - used, " of %s",
	    number_nouns(text, n, "thread"));
}

size_t
times_figures(const struct bob_times *t, struct times_figure v[TIMES_FIGURES])
{
	struct times_figure *f;
	size_t n = 0;

	if (t->wall_basis != BOB_WALL_NONE) {
		f = add(v, &n, "wall time", "wall_us", t->wall_us);
		if (t->wall_basis == BOB_WALL_THREAD)
			(void)snprintf(f->text + strlen(f->text), NUMBER_TEXT,
			    " or more");
	}
	f = add(v, &n, "thread time", "thread_us", t->thread_us);
	if (t->n_tracks > 1)
		add_threads(f, t->n_tracks);
	if (t->has_cpu)
		(void)add(v, &n, "CPU time", "cpu_us", t->cpu_us);
	if (t->idle_samples > 0) {
		f = add(v, &n, "idle", "idle_us", t->idle_us);
		add_threads(f, t->n_idle_tracks);
	}
	if (t->waited_us > 0)
		(void)add(v, &n, "waited", "waited_us", t->waited_us);
	return n;
}

static int
is_in_line(const struct times_figure *f)
{
	return strcmp(f->key, "idle_us") != 0 &&
	    strcmp(f->key, "waited_us") != 0;
}

const char *
times_line(char buf[TIMES_TEXT], const struct bob_times *t, size_t width)
{
	struct times_figure v[TIMES_FIGURES];
	size_t n = times_figures(t, v), used, i;

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
times_idle_rule(const struct bob_times *t)
{
	switch (t->idle_rule) {
	case BOB_IDLE_BY_STATUS: return "by status and known functions";
	case BOB_IDLE_BY_FUNCTIONS: return "by known functions";
	default: return "none found";
	}
}

const char *
times_idle_line(char buf[TIMES_TEXT], const struct bob_times *t)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	buf[0] = '\0';
	if (t->idle_samples == 0)
		return buf;
	append(buf, "idle: %s of %s %s (%s)%s", number_time(a, t->idle_us),
	    number_nouns(b, t->n_idle_tracks, "thread"),
	    t->is_idle_hidden ? "set aside" : "shown", times_idle_rule(t),
	    t->is_idle_hidden ? t->n_idle_tracks == 1 ? "; --idle shows it"
	    : "; --idle shows them" : "");
	return buf;
}

const char *
times_of_shares(const struct bob_times *t)
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
times_loss_line(char buf[TIMES_TEXT], const struct bob_times *t)
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
			append(buf, "%s missed", number_count(n,
			    t->n_missed));
		else
			append(buf, "missed");
		if (t->missed_percent > 0)
			append(buf, t->n_missed > 0 ? " (%.2g %%)"
			    : " %.2g %%", t->missed_percent);
	}
	if (t->n_unkept > 0) {
		next_part(buf);
		append(buf, "%s not kept", number_count(n, t->n_unkept));
	}
	return buf;
}
