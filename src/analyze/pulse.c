/* The time of samples, from the gaps between them; see the header. */
#include "analyze/pulse.h"

#include "core/mem.h"

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t
longest_gap(const struct pace *pace)
{
	return count_mul(pace->period_us, PULSE_PAUSE);
}

/* Returns 1 if the run is in another request than the one before. */
static int
take_request(struct pulse *p, const struct pace *pace, bob_str id)
{
	int is_other = id != 0 && (id != p->id || p->n_holes != pace->n_holes);

	if (is_other) {
		p->id = id;
		p->n_request++;
	}
	p->n_holes = pace->n_holes;
	return is_other;
}

static int
is_alike(const struct pulse *p, const struct bob_run *run)
{
	return p->stack == run->stack && p->annot == run->annot;
}

/* Updates the usual gap: a shorter gap replaces it, a longer one raises it by
 * an eighth of the difference. Gaps between equal samples are not used, because
 * where runs are cut is chance. */
static void
learn_gap(struct pulse *p, const struct bob_run *run, uint64_t gap)
{
	if (is_alike(p, run))
		return;
	p->usual = gap < p->usual ? gap : p->usual + (gap - p->usual) / 8;
}

static int
is_counted(const struct pulse *p, const struct pace *pace,
    const struct bob_run *run, uint64_t gap)
{
	uint64_t period = count_add(pace->period_us, pace->slack_us);

	if (gap <= count_add(period, pace->period_us))
		return 1;
	if (gap > longest_gap(pace))
		return 0;
	return gap <= count_add(period, larger(pace->period_us, p->usual)) ||
	    is_alike(p, run);
}

uint64_t
pulse_take(struct pulse *p, const struct pace *pace,
    const struct bob_run *run, bob_str id, int is_task)
{
	int is_other = take_request(p, pace, id);
	uint64_t time = pace->period_us, gap;

	if (!(run->flags & BOB_RUN_TIMED))
		return 0;
	if (p->stamp != pace->stamp)
		p->usual = pace->period_us;
	if (pace->is_of_sums) {
		gap = p->stamp == pace->stamp ? p->t : 0;
		time = run->t_first >= gap ? run->t_first - gap : 0;
	} else if (is_task && p->stamp == pace->stamp &&
	    run->t_first == p->t) {
		time = p->length;
	} else if (p->stamp == pace->stamp && run->t_first >= p->t) {
		gap = run->t_first - p->t;
		if (!is_other && !pace->is_picked &&
		    (id != 0 || is_counted(p, pace, run, gap)))
			time = gap;
		learn_gap(p, run, gap);
	}
	p->t = run->t_last;
	p->length = time;
	p->stamp = pace->stamp;
	p->stack = run->stack;
	p->annot = run->annot;
	return time;
}

uint64_t
pulse_inside(const struct pace *pace, bob_str id, uint64_t gap)
{
	if (pace->is_picked)
		return pace->period_us;
	return id != 0 || pace->is_of_sums || gap <= longest_gap(pace)
	    ? gap : pace->period_us;
}

uint64_t
pulse_run(const struct pace *pace, const struct bob_run *run, bob_str id,
    uint64_t first)
{
	uint64_t time = first, inside, i;

	inside = run->t_last < run->t_first ? 0 : run->t_last - run->t_first;
	if (pace->is_picked)
		return count_add(time, count_mul(run->count - 1,
		    pace->period_us));
	if (id != 0 || inside <= longest_gap(pace) || run->dt == NULL)
		return count_add(time, inside);
	for (i = 0; i < run->count - 1; i++)
		time = count_add(time, pulse_inside(pace, id, run->dt[i]));
	return time;
}
