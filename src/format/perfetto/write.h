/*
 * What the parts of the writer share.
 *
 *     define.c  packets that define: the head, names, stacks, processes
 *     write.c   packets that are samples
 *
 * Field numbers are those of google/perfetto, protos/perfetto/trace, of
 * version 58, the first with StackSample.
 */
#ifndef FORMAT_PERFETTO_WRITE_H
#define FORMAT_PERFETTO_WRITE_H

#include "core/proto.h"
#include "format/common/functions.h"
#include "format/common/viewer.h"
#include "format/format.h"

/* All packets are of one sequence: what they define holds for the others. */
#define PERFETTO_SEQUENCE 1

enum {
	TRACE_PACKET = 1,

	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_IS_FIRST = 87,
	PACKET_STACK_SAMPLE = 135,

	/* Values of PACKET_SEQUENCE_FLAGS. */
	SEQUENCE_STARTS = 1,
	SEQUENCE_GOES_ON = 2,

	SAMPLE_TASK_IID = 2,
	SAMPLE_CALLSTACK_IID = 6,
	SAMPLE_WEIGHT = 11
};

/* Which ids were defined, a bit for each use. */
struct perfetto_defined {
	uint8_t *v;
	size_t cap_v, n;
};

struct perfetto_writer {
	struct functions fns;
	struct viewer viewer;
	struct proto proto;
	struct perfetto_defined strings, places, stacks;
	uint32_t *path; /* places of a stack, root first */
	size_t cap_path;
	int has_begun;
	int has_base;     /* base_us is set: there was a sample */
	int knows_clock;  /* unix time was told */
	uint64_t base_us; /* timestamp of 0 on the axis */
	uint64_t n_lumped; /* samples that share a packet with others */
};

/* The first packets. BOB_OK or FATAL. */
int perfetto_put_head(struct sink *sink);

/* Relates timestamps to unix time. */
int perfetto_put_clock(struct sink *sink, uint64_t timestamp_ns,
    uint64_t unix_ns);

/* A track of which nothing was told yet, first seen then in this stack. */
int perfetto_put_track(struct sink *sink, bob_tid track, bob_stack stack,
    uint64_t timestamp_ns);

/* A stack of fns.own, with all that it refers to, unless it is defined. */
int perfetto_define_stack(struct sink *sink, bob_stack stack);

/* Makes room in the tables for what is in fns now. */
int perfetto_grow(struct sink *sink);

#endif
