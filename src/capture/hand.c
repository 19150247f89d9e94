/* The hand of each thread, and its end; see hand.h. */
#include "capture/hand.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local struct hand *hand_current;

void
hand_leave(void)
{
	assert(atomic_load(&hand_current->state) == HAND_LEFT);
	longjmp(hand_current->out, 1);
}

void
hand_free(struct hand *h)
{
	if (h != NULL && h->told_fd >= 0)
		(void)close(h->told_fd);
	free(h);
}
