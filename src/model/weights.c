/*
 * Weights of stacks; see the header.
 *
 * Two sums per stack are enough for any number of periods: with g the gcd of
 * the periods, the weight sum(count * period / g) equals sum(count * period)
 * / g exactly, because g divides each term.
 */
#include "model/weights.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

void
weights_init(struct weights *w, struct bob_ctx *ctx)
{
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->period = WEIGHTS_DEFAULT_PERIOD;
}

void
weights_done(struct weights *w)
{
	MEM_DROP_BIG(w->ctx, w, samples);
	MEM_DROP_BIG(w->ctx, w, time_us);
	memset(w, 0, sizeof(*w));
}

void
weights_segment(struct weights *w, uint64_t period_us)
{
	w->period = period_us == 0 ? WEIGHTS_DEFAULT_PERIOD : period_us;
}

/* Makes entries for stacks below n; new ones are 0. */
static int
weights_grow(struct weights *w, size_t n)
{
	if (MEM_GROW_BIG(w->ctx, w, samples, n) < 0)
		return BOB_FATAL;
	if (w->time_us != NULL && MEM_GROW_BIG(w->ctx, w, time_us, n) < 0)
		return BOB_FATAL;
	memset(w->samples + w->n, 0, (n - w->n) * sizeof(*w->samples));
	if (w->time_us != NULL)
		memset(w->time_us + w->n, 0, (n - w->n) * sizeof(*w->samples));
	w->n = n;
	return BOB_OK;
}

/* There is more than one period now: computes the times so far. */
static int
begin_times(struct weights *w)
{
	size_t i;

	if (w->time_us != NULL)
		return BOB_OK;
	if (MEM_GROW_BIG(w->ctx, w, time_us, w->n == 0 ? 1 : w->n) < 0)
		return BOB_FATAL;
	for (i = 0; i < w->n; i++)
		w->time_us[i] = count_mul(w->samples[i], w->min_period);
	return BOB_OK;
}

/* Prepares for samples with periods from min to max and this gcd. */
static int
use_periods(struct weights *w, uint64_t divisor, uint64_t min, uint64_t max)
{
	if (w->gcd != 0 && (min != w->min_period || max != w->max_period) &&
	    begin_times(w) < 0)
		return BOB_FATAL;
	if (w->gcd == 0 || min < w->min_period)
		w->min_period = min;
	if (max > w->max_period)
		w->max_period = max;
	w->gcd = count_gcd(w->gcd, divisor);
	return BOB_OK;
}

/* Both are at most half of the range, so the sum cannot wrap. */
static inline uint64_t
add_saturating(uint64_t a, uint64_t b)
{
	assert(a <= BOB_MAX_COUNT && b <= BOB_MAX_COUNT);
	return a + b > BOB_MAX_COUNT ? BOB_MAX_COUNT : a + b;
}

int
weights_add(struct weights *w, const struct bob_run *v, size_t n)
{
	size_t i;

	if (n == 0)
		return BOB_OK;
	if (use_periods(w, w->period, w->period, w->period) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++) {
		bob_stack s = v[i].stack;

		if (s >= w->n && weights_grow(w, (size_t)s + 1) < 0)
			return BOB_FATAL;
		w->samples[s] = add_saturating(w->samples[s], v[i].count);
	}
	if (w->time_us == NULL)
		return BOB_OK;
	for (i = 0; i < n; i++) {
		bob_stack s = v[i].stack;

		w->time_us[s] = add_saturating(w->time_us[s],
		    count_mul(v[i].count, w->period));
	}
	return BOB_OK;
}

static uint64_t
time_of(const struct weights *w, size_t i)
{
	return w->time_us != NULL ? w->time_us[i]
	                          : count_mul(w->samples[i], w->min_period);
}

int
weights_join(struct weights *w, const struct weights *from,
    const bob_stack *map)
{
	size_t i;

	if (from->gcd == 0)
		return BOB_OK;
	if (use_periods(w, from->gcd, from->min_period, from->max_period) < 0)
		return BOB_FATAL;
	if (from->time_us != NULL && begin_times(w) < 0)
		return BOB_FATAL;
	for (i = 0; i < from->n; i++) {
		bob_stack s = map[i];

		if (from->samples[i] == 0)
			continue;
		if (s >= w->n && weights_grow(w, (size_t)s + 1) < 0)
			return BOB_FATAL;
		w->samples[s] = add_saturating(w->samples[s], from->samples[i]);
		if (w->time_us != NULL)
			w->time_us[s] = add_saturating(w->time_us[s],
			    time_of(from, i));
	}
	return BOB_OK;
}

uint64_t
weights_unit_us(const struct weights *w)
{
	return w->time_us != NULL ? w->gcd : 0;
}

uint64_t
weights_of(const struct weights *w, bob_stack s)
{
	assert(s < w->n);
	if (w->time_us == NULL)
		return w->samples[s];
	/* A saturated sum stays saturated. */
	if (w->time_us[s] == BOB_MAX_COUNT)
		return BOB_MAX_COUNT;
	return w->time_us[s] / w->gcd;
}
