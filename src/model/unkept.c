/* Samples that a capture could not keep, as metadata tell it; see
 * bobbin/model.h. */
#include <string.h>

#include <bobbin/model.h>

#include "core/mem.h"
#include "core/text.h"

#define PREFIX "profiler.lost_"

static const char *const names[BOB_N_UNKEPT] = {
	[BOB_UNKEPT_DISK] = "disk",
	[BOB_UNKEPT_REMOVED] = "removed",
	[BOB_UNKEPT_MEMORY] = "memory",
};

const char *
bob_unkept_name(int cause)
{
	return cause >= 0 && cause < BOB_N_UNKEPT ? names[cause] : NULL;
}

void
bob_unkept_segment(struct bob_unkept *u)
{
	memset(u->segment, 0, sizeof(u->segment));
}

/* The cause that a key is about, or BOB_N_UNKEPT. */
static int
cause_of(struct bob_bytes key)
{
	size_t n = strlen(PREFIX);
	int i;

	if (key.n <= n || memcmp(key.p, PREFIX, n) != 0)
		return BOB_N_UNKEPT;
	for (i = 0; i < BOB_N_UNKEPT; i++)
		if (key.n - n == strlen(names[i]) &&
		    memcmp(key.p + n, names[i], key.n - n) == 0)
			break;
	return i;
}

void
bob_unkept_take(struct bob_unkept *u, struct bob_bytes key,
    struct bob_bytes value)
{
	int i = cause_of(key);
	uint64_t v;

	if (i == BOB_N_UNKEPT || !text_get_u64(value.p, value.n, &v) ||
	    v <= u->segment[i])
		return;
	u->sum = count_add(u->sum, v - u->segment[i]);
	u->segment[i] = v;
}
