/*
 * The stacks of a trace as lines of text show them: by name, file and line of
 * their frames. Frames that differ only in the rest (language, opcode, offset
 * in native code) are one here, and stacks that differ only in such frames are
 * one stack with the sum of their weights.
 *
 * Mostly no two frames look alike; then the stacks are those of the trace and
 * nothing is copied. Else they are built again in a dictionary of their own.
 */
#ifndef FORMAT_COMMON_SHOWN_H
#define FORMAT_COMMON_SHOWN_H

#include "format/common/weightsink.h"
#include "model/dict.h"

struct shown {
	const struct bob_dict *dict; /* its stacks are those to be written */
	const struct weight_sink *from;
	struct bob_dict *reduced; /* NULL: dict is that of the trace */
	bob_fid *shown;   /* by frame of the trace: in reduced */
	bob_fid *origin;  /* by frame in reduced: one of the trace */
	bob_stack *stack; /* by stack of the trace: in reduced */
	uint64_t *weight; /* by stack in reduced */
};

/* What a sink has gathered. BOB_OK or FATAL; shown_done in either case. */
int shown_init(struct shown *s, const struct sink *sink,
    const struct weight_sink *from);
void shown_done(struct shown *s);

/* The weight of a stack of s->dict; 0: it has none. */
static inline uint64_t
shown_weight(const struct shown *s, bob_stack id)
{
	return s->weight == NULL ? weight_sink_of(s->from, id) : s->weight[id];
}

/* A frame of the trace that looks like that on top of a stack of s->dict. */
static inline bob_fid
shown_frame(const struct shown *s, bob_stack id)
{
	bob_fid frame = s->dict->node[id].frame;

	return s->origin == NULL ? frame : s->origin[frame];
}

#endif
