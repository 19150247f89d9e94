/* Adds up what became of samples; see ledger.h. */
#include "record/ledger.h"

int
ledger_cause_of(const struct bob_error *e)
{
	return e->code == BOB_E_NOMEM ? BOB_UNKEPT_MEMORY : BOB_UNKEPT_DISK;
}

void
ledger_lose(struct ledger *l, int cause, uint64_t n)
{
	l->sum.lost[cause] += n;
	l->untold[cause] += n;
}

void
ledger_add(struct ledger *sum, const struct ledger *l)
{
	int i;

	sum->sum.taken += l->sum.taken;
	sum->sum.written += l->sum.written;
	sum->sum.pending += l->sum.pending;
	sum->sum.filtered += l->sum.filtered;
	sum->sum.n_files += l->sum.n_files;
	sum->sum.n_bytes += l->sum.n_bytes;
	for (i = 0; i < BOB_N_UNKEPT; i++) {
		sum->sum.lost[i] += l->sum.lost[i];
		sum->untold[i] += l->untold[i];
	}
}

uint64_t
ledger_lost(const struct ledger *l)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < BOB_N_UNKEPT; i++)
		n += l->sum.lost[i];
	return n;
}
