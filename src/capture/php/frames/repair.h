/*
 * Repairs stacks that changed while they were copied, by what was learned from
 * earlier samples of the process.
 *
 * Which frame is current is read at one moment; the frames are copied half a
 * microsecond later. By then a caller may have gone on to another opline, and
 * the innermost frame may have returned, with another one in its place. If such
 * samples were dropped, code that calls often would be seen too rarely. So:
 *
 *  - A caller that has gone on gets the place from which it is known to call
 *    its callee (capture/calls.h).
 *  - If the top has not the size of the frame that was current, it is replaced
 *    by a function with that size that its caller is known to call (slots.h).
 *  - If frames below have changed too, a stack is taken that was proven before
 *    with its top at the same address and of the same size, provided that it
 *    agrees with one of the innermost frames that are left.
 *
 * A stopped thread needs no repair.
 */
#ifndef CAPTURE_PHP_FRAMES_REPAIR_H
#define CAPTURE_PHP_FRAMES_REPAIR_H

#include "capture/php/frames/walk.h"

/* Opcodes that call. */
static inline int
php_is_call(uint8_t opcode)
{
	return opcode == OP_DO_FCALL || opcode == OP_DO_ICALL ||
	    opcode == OP_DO_UCALL || opcode == OP_DO_FCALL_BY_NAME;
}

/* For a callee that was entered from C, which any opcode can cause: true if
 * nothing confirms the call. Such a call is believed only if nothing changed
 * during the sample, if it is known, or if the callee lies right behind an
 * internal caller. */
int repair_doubts(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee);

/* For a caller and a callee that are linked: learns the place of the call. If
 * the process ran on and the call is known from one place only, moves the
 * caller there. Returns WALK_OK or WALK_FATAL. */
int repair_note(struct walk *w, const struct php_place *caller,
    const struct php_place *callee);

/* For a caller (the innermost named frame) that is not at a call: it has gone
 * on, or was copied before it made the call. Moves it to the place from which
 * it is known to call the callee. Returns 1; 0 if no such call is known;
 * WALK_FATAL. */
int repair_call(struct walk *w, const struct php_place *callee);

/* Repairs the top, w->place. If it has another size than the frame that was
 * current, replaces it by a known callee of that size. If the size is right but
 * the top is not linked to its caller, moves the caller to the place of the
 * call. Returns 1 if something was changed, 0, or WALK_FATAL. */
int repair_top(struct walk *w, int is_linked);

/* Remembers the stack of the sample if it needed no repair. Returns WALK_OK or
 * WALK_FATAL. */
int repair_note_stack(struct walk *w);

/* Returns the stack that was proven before with the same current frame and end,
 * if it agrees with one of the innermost frames of this sample; 0 if there is
 * none. */
bob_stack repair_seen(const struct walk *w);

/* Learns slots from the page that copy_peek() has read. Returns WALK_OK or
 * WALK_FATAL. */
int repair_learn(struct walk *w);

/* Forgets all that was learned; also frees it. */
void repair_forget(struct walk *w);
void repair_free(struct walk *w);

#endif
