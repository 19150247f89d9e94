/* Metadata about samples that were taken but are in no file; see
 * bobbin/model.h. */
#include <string.h>

#include <bobbin/model.h>

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

uint64_t
bob_unkept(struct bob_bytes key, struct bob_bytes value)
{
	size_t n = strlen(PREFIX);
	uint64_t v;
	int i;

	if (key.n <= n || memcmp(key.p, PREFIX, n) != 0)
		return 0;
	for (i = 0; i < BOB_N_UNKEPT; i++)
		if (key.n - n == strlen(names[i]) &&
		    memcmp(key.p + n, names[i], key.n - n) == 0)
			return text_get_u64(value.p, value.n, &v) ? v : 0;
	return 0;
}
