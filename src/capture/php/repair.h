/*
 * What is known of a process's calls, and what it is good for.
 *
 * The process runs on while its stack is copied. What is current is known for
 * one moment, the frames are those of half a microsecond later: callers may
 * have gone on, the frame on top may have returned, another may be in its
 * place. To drop such samples would be to tell less of what calls often. So
 * they are put right by what was seen before:
 *
 *  - a caller that has gone on stood where it is known to call its callee;
 *  - a frame on top that has not the size which the current one had was one
 *    that has it, of those that its caller is known to call (slots.h);
 *  - where frames below have changed too, the stack was one that was proven
 *    before, with its top in the same place and of the same size, and grown
 *    from the same frames.
 *
 * A stopped process needs nothing of it.
 */
#ifndef CAPTURE_PHP_REPAIR_H
#define CAPTURE_PHP_REPAIR_H

#include "capture/php/walk.h"

/* Opcodes that call. */
static inline int
php_is_call(uint8_t opcode)
{
	return opcode == OP_DO_FCALL || opcode == OP_DO_ICALL ||
	    opcode == OP_DO_UCALL || opcode == OP_DO_FCALL_BY_NAME;
}

/* Whether nothing is known that speaks for a call which any opcode can have
 * made: then only a sample during which nothing changed is believed. */
int repair_doubts(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee);

/* A caller and its callee that belong together: where the one calls the other
 * is learned, or put right. WALK_OK or WALK_FATAL. */
int repair_note(struct walk *w, const struct php_place *caller,
    const struct php_place *callee);

/* The innermost frame so far has gone on since its callee was current, or was
 * copied before it made the call: it stands where it is known to make it. 1; 0
 * when it is not known to; WALK_FATAL. */
int repair_call(struct walk *w, const struct php_place *callee);

/* The frame on top, w->place, is another one if it does not fit; if it does,
 * but is not linked to its caller, that stood where it made the call. 1 when
 * it is put right, 0, or WALK_FATAL. */
int repair_top(struct walk *w, int is_linked);

/* Remembers the stack of the sample if it needed no repair. WALK_OK or
 * WALK_FATAL. */
int repair_note_stack(struct walk *w);

/* The stack that was seen before when the same was current, if the frames of
 * the sample may have been its; 0 when there is none. */
bob_stack repair_seen(const struct walk *w);

/* Learns from a look at the page which calls make which frames. WALK_OK or
 * WALK_FATAL. */
int repair_learn(struct walk *w);

void repair_forget(struct walk *w);
void repair_free(struct walk *w);

#endif
