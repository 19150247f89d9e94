/* See the header. */
#include "capture/hand.h"

_Thread_local struct hand *hand_current;

void
hand_leave(void)
{
	longjmp(hand_current->out, 1);
}
