/* How far shares may be off: by samples that were late (bob_late_us,
 * bob_late_percent), and by stacks that were inferred (bob_inferred_percent);
 * see bobbin/capture.h. */
#include <bobbin/capture.h>

/* Index of the first delay that counts as late: 256 us. */
#define FIRST_LATE 9

static uint64_t
count_from(const struct bob_capture_counts *c, size_t first)
{
	uint64_t n = 0;
	size_t i;

	for (i = first; i < BOB_N_DELAYS; i++)
		n += c->delay[i];
	return n;
}

double
bob_late_us(const struct bob_capture_counts *c, double percent)
{
	double want = (double)count_from(c, 0) * percent / 100, n = 0;
	double from, to, here;
	size_t i;

	if (want <= 0)
		return 0;
	for (i = 0; i < BOB_N_DELAYS - 1; i++) {
		here = (double)c->delay[i];
		if (n + here >= want)
			break;
		n += here;
	}
	from = i == 0 ? 0 : (double)((uint64_t)1 << (i - 1));
	to = (double)((uint64_t)1 << i);
	here = (double)c->delay[i];
	return here > 0 ? from + (to - from) * (want - n) / here : to;
}

double
bob_late_percent(const struct bob_capture_counts *c)
{
	double all = (double)count_from(c, 0) + (double)c->missed;

	return all > 0 ? 100 * ((double)count_from(c, FIRST_LATE) +
	    (double)c->missed) / all : 0;
}

double
bob_inferred_percent(const struct bob_capture_counts *c)
{
	double all = (double)c->taken + (double)c->lost;

	return all > 0 ? 100 * ((double)c->inferred + (double)c->lost) / all
	               : 0;
}
