/*
 * `stack before after`, a line for each: what difffolded.pl writes and
 * flamegraph.pl draws. Counts are samples as they are; with --normalize those
 * before are scaled to the sum of those after, as difffolded.pl -n does, and
 * with --normalize time they are microseconds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "diff.h"
#include "input/budget.h"
#include "print/plain.h"
#include "print/msg.h"

/* A frame: no separator, no end of a line, and nothing that steers. */
static void
put_frame(const struct diff *x, FILE *f, uint32_t key)
{
	struct bob_bytes s = bob_diff_key(x->d, key).text;
	size_t i, from = 0;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] != ';')
			continue;
		(void)plain_safe(f, s.p + from, i - from);
		(void)fputc(':', f);
		from = i + 1;
	}
	(void)plain_safe(f, s.p + from, s.n - from);
}

static uint64_t
weight(const struct diff *x, struct bob_sum sum)
{
	return x->o.normalize == BOB_NORMALIZE_TIME ? sum.time_us
	                                            : sum.samples;
}

static uint64_t
before(const struct diff *x, struct bob_sum sum)
{
	double a = (double)weight(x, x->info.total[0]);
	double b = (double)weight(x, x->info.total[1]);

	if (!x->o.is_scaled || a <= 0)
		return weight(x, sum);
	return (uint64_t)((double)weight(x, sum) * (b / a) + 0.5);
}

static void
put_stack(const struct diff *x, FILE *f, const struct bob_diff_path *path,
    uint32_t i)
{
	uint32_t n = 0;

	for (; i != 0; i = path[i].parent)
		x->way[n++] = path[i].key;
	while (n > 0) {
		put_frame(x, f, x->way[--n]);
		if (n > 0)
			(void)fputc(';', f);
	}
}

/* A line has a whole stack, so that lines can be far larger than the traces:
 * their lengths are added up before anything is written. */
int
diff_folded_fits(const struct diff *x)
{
	uint64_t max = budget_max_output(x->job.args), sum = 0, *len;
	size_t n, i;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);

	len = calloc(n + 1, sizeof(*len));
	if (len == NULL)
		return msg_no_memory();
	for (i = 1; i < n; i++) {
		len[i] = len[path[i].parent] + 1 +
		    bob_diff_key(x->d, path[i].key).text.n;
		if (path[i].self_before.samples > 0 ||
		    path[i].self_after.samples > 0)
			sum = plain_add(sum, len[i] + 4);
	}
	free(len);
	if (sum <= max)
		return EXIT_OK;
	msg_error("%s would have more than %" PRIu64 " bytes, the limit",
	    x->o.path != NULL ? x->o.path : "the output", max);
	msg_hint("--max-output SIZE allows more");
	return EXIT_FAILED;
}

void
diff_folded(const struct diff *x, FILE *f)
{
	size_t n, i;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);

	for (i = 1; i < n; i++) {
		if (path[i].self_before.samples == 0 &&
		    path[i].self_after.samples == 0)
			continue;
		put_stack(x, f, path, (uint32_t)i);
		(void)fprintf(f, " %" PRIu64 " %" PRIu64 "\n",
		    before(x, path[i].self_before),
		    weight(x, path[i].self_after));
	}
}
