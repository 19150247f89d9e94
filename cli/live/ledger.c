/* Where samples are; see the header. */
#include "ledger.h"

#include <stdio.h>

enum ledger_cause
ledger_cause_of(const struct bob_error *e)
{
	return e->code == BOB_E_NOMEM ? LEDGER_MEMORY : LEDGER_DISK;
}

void
ledger_lose(struct ledger *l, enum ledger_cause cause, uint64_t n)
{
	l->lost[cause] += n;
	l->untold[cause] += n;
}

void
ledger_add(struct ledger *sum, const struct ledger *l)
{
	int i;

	sum->taken += l->taken;
	sum->written += l->written;
	sum->pending += l->pending;
	sum->filtered += l->filtered;
	for (i = 0; i < LEDGER_N_CAUSES; i++) {
		sum->lost[i] += l->lost[i];
		sum->untold[i] += l->untold[i];
	}
}

uint64_t
ledger_lost(const struct ledger *l)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < LEDGER_N_CAUSES; i++)
		n += l->lost[i];
	return n;
}

static size_t
put(char *buf, size_t cap, size_t at, const char *name, uint64_t n)
{
	int k;

	if (n == 0 || at >= cap)
		return at;
	k = snprintf(buf + at, cap - at, "%s%s %llu", at > 0 ? ", " : "",
	    name, (unsigned long long)n);
	return k < 0 ? at : at + (size_t)k;
}

void
ledger_describe(const struct bob_capture_counts *c, const struct ledger *l,
    char *buf, size_t cap)
{
	size_t at = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < BOB_N_LOST; i++)
		at = put(buf, cap, at, bob_lost_name(i), c->lost_by[i]);
	for (i = 0; i < LEDGER_N_CAUSES; i++)
		at = put(buf, cap, at, bob_unkept_name(i), l->lost[i]);
}
