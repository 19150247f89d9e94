/*
 * Perfetto's traces: each sample is a packet, written as it comes; what it
 * refers to is defined in packets before it. In memory are only names, stacks
 * and tracks.
 */
#include "format/perfetto/write.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/varint.h"
#include "format/perfetto/perfetto.h"

/* Timestamps are signed nanoseconds in Perfetto: 285 years. */
#define MAX_US (((uint64_t)1 << 53) - 1)

/* Where the axis begins when unix time is not known: not at 0, since later
 * segments may turn out to be earlier. */
#define BASE_US ((uint64_t)3600 * 1000000)

/* Packets for equal samples in a row without times of their own. A file of a
 * few bytes can claim any number of them; beyond this some share a packet. */
#define MAX_RUN ((uint64_t)1 << 22)

/* A packet without its timestamp, and with it. */
#define MAX_BODY 48
#define MAX_PACKET (2 + 1 + VARINT_MAX + MAX_BODY)
_Static_assert(MAX_PACKET - 2 < 0x80, "the length is one byte");

static int
perfetto_open(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;

	proto_init(&w->proto, sink->ctx);
	viewer_init(&w->viewer, sink->ctx, sink->dict);
	return functions_init(&w->fns, sink->ctx, sink->dict);
}

static void
perfetto_close(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;

	functions_done(&w->fns);
	viewer_done(&w->viewer);
	proto_done(&w->proto);
	free(w->strings.v);
	free(w->places.v);
	free(w->stacks.v);
	free(w->path);
}

static int
perfetto_begin(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;

	if (w->has_begun)
		return BOB_OK;
	if (format_need_output(sink) < 0)
		return BOB_FATAL;
	w->has_begun = 1;
	return perfetto_put_head(sink);
}

static int
perfetto_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct perfetto_writer *w = sink->state;

	viewer_segment(&w->viewer, segment);
	return perfetto_begin(sink);
}

/* The timestamp of a time on the axis, which is at most AXIS_FAR away. */
static uint64_t
perfetto_timestamp(const struct perfetto_writer *w, int64_t at)
{
	int64_t us = (int64_t)w->base_us + at;

	return 1000 * (us < 0 ? 0 : (uint64_t)us > MAX_US ? MAX_US
	                                                  : (uint64_t)us);
}

/* Timestamps are unix times when those are known before the first sample. */
static int
fix_clock(struct sink *sink, int64_t at)
{
	struct perfetto_writer *w = sink->state;
	const struct axis *a = &w->viewer.axis;
	uint64_t now = a->epoch + (uint64_t)at;
	int is_known = a->has_epoch && a->epoch <= MAX_US && now <= MAX_US;

	if (!w->has_base) {
		w->has_base = 1;
		w->base_us = is_known ? a->epoch : BASE_US;
	}
	w->knows_clock = a->has_epoch;
	return is_known ? perfetto_put_clock(sink, perfetto_timestamp(w, at),
	    1000 * now) : BOB_OK;
}

/* What follows the timestamp in each packet of a run. */
static size_t
make_body(uint8_t *body, bob_tid track, bob_stack stack, uint64_t weight_us)
{
	uint64_t ns = weight_us > BOB_MAX_COUNT / 1000 ? BOB_MAX_COUNT
	                                               : 1000 * weight_us;
	uint8_t *p = body, *length;

	*p++ = PACKET_SEQUENCE_ID << 3;
	*p++ = PERFETTO_SEQUENCE;
	*p++ = PACKET_SEQUENCE_FLAGS << 3;
	*p++ = SEQUENCE_GOES_ON;
	p = varint_put(p, PACKET_STACK_SAMPLE << 3 | 2);
	length = p++;
	*p++ = SAMPLE_TASK_IID << 3;
	p = varint_put(p, (uint64_t)track + 1);
	if (stack != 0) {
		*p++ = SAMPLE_CALLSTACK_IID << 3;
		p = varint_put(p, stack);
	}
	*p++ = SAMPLE_WEIGHT << 3;
	p = varint_put(p, ns);
	*length = (uint8_t)(p - length - 1);
	return (size_t)(p - body);
}

static inline int
put_packet(struct out *out, uint64_t ts, const uint8_t *body, size_t n)
{
	uint8_t *packet = out_reserve(out, MAX_PACKET), *p;

	if (packet == NULL)
		return BOB_FATAL;
	packet[0] = TRACE_PACKET << 3 | 2;
	packet[2] = PACKET_TIMESTAMP << 3;
	p = varint_put(packet + 3, ts);
	memcpy(p, body, MAX_BODY);
	p += n;
	packet[1] = (uint8_t)(p - packet - 2);
	return out_commit(out, (size_t)(p - packet));
}

/* `count` packets, dt or step apart. */
static int
put_packets(struct sink *sink, struct viewer_track *t, const uint32_t *dt,
    uint64_t step, uint64_t count, int64_t at, const uint8_t *body, size_t n)
{
	struct perfetto_writer *w = sink->state;
	uint64_t i;

	for (i = 0; i < count; i++) {
		if (i > 0)
			at = axis_later(at, dt != NULL ? dt[i - 1] : step);
		if (put_packet(sink->out, perfetto_timestamp(w,
		        viewer_take(&w->viewer, t, at)), body, n) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* More samples than packets: each but the last stands for `share`. */
static int
put_lumps(struct sink *sink, struct viewer_track *t, const struct bob_run *run,
    bob_stack stack, uint64_t step, int64_t at)
{
	struct perfetto_writer *w = sink->state;
	uint64_t share = run->count / MAX_RUN + 1, count = run->count / share;
	uint64_t rest = run->count % share, period = w->viewer.axis.period;
	uint8_t body[MAX_BODY] = { 0 };
	size_t n = make_body(body, run->track, stack,
	    count_mul(share, period));

	w->n_lumped = count_add(w->n_lumped, run->count - count - (rest > 0));
	step = count_mul(step, share);
	if (put_packets(sink, t, NULL, step, count, at, body, n) < 0)
		return BOB_FATAL;
	if (rest == 0)
		return BOB_OK;
	n = make_body(body, run->track, stack, count_mul(rest, period));
	return put_packets(sink, t, NULL, 0, 1,
	    axis_later(at, count_mul(step, count)), body, n);
}

static int
put_run(struct sink *sink, const struct bob_run *run)
{
	struct perfetto_writer *w = sink->state;
	bob_stack stack = w->fns.of_stack[run->stack];
	struct viewer_track *t = viewer_get(&w->viewer, run->track);
	uint64_t period = w->viewer.axis.period, step;
	uint8_t body[MAX_BODY] = { 0 };
	int64_t at;
	size_t n;
	int r;

	if (t == NULL)
		return BOB_FATAL;
	at = viewer_first(&w->viewer, t, run);
	if (w->knows_clock != w->viewer.axis.has_epoch || !w->has_base)
		if (fix_clock(sink, at) < 0)
			return BOB_FATAL;
	if (t->is_first && perfetto_put_track(sink, run->track, stack,
	        perfetto_timestamp(w, at)) < 0)
		return BOB_FATAL;
	if (perfetto_define_stack(sink, stack) < 0)
		return BOB_FATAL;
	step = run->flags & BOB_RUN_TIMED ? 0 : period;
	if (run->count > MAX_RUN && run->dt == NULL) {
		r = put_lumps(sink, t, run, stack, step, at);
	} else {
		n = make_body(body, run->track, stack, period);
		r = put_packets(sink, t, run->flags & BOB_RUN_TIMED ? run->dt
		    : NULL, step, run->count, at, body, n);
	}
	viewer_end_run(&w->viewer, t);
	return r;
}

static int
perfetto_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct perfetto_writer *w = sink->state;

	return viewer_mark(&w->viewer, mark);
}

static int
perfetto_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct perfetto_writer *w = sink->state;
	size_t i;

	if (perfetto_begin(sink) < 0 || functions_update(&w->fns) < 0 ||
	    functions_stacks(&w->fns, 1) < 0 || perfetto_grow(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (put_run(sink, &v[i]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

static int
perfetto_finish(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;

	if (perfetto_begin(sink) < 0)
		return BOB_FATAL;
	viewer_tell(&w->viewer, "perfetto");
	if (w->n_lumped > 0)
		err_diag(sink->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
		    "perfetto: %llu samples share a packet with equal ones; "
		    "times are exact, counts of samples are not",
		    (unsigned long long)w->n_lumped);
	return BOB_OK;
}

const struct sink_ops perfetto_sink = {
	.state_size = sizeof(struct perfetto_writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_MARKS,
	.open = perfetto_open,
	.segment = perfetto_segment,
	.runs = perfetto_runs,
	.mark = perfetto_mark,
	.finish = perfetto_finish,
	.close = perfetto_close,
};

const struct format perfetto_format = {
	.info = {
		.name = "perfetto",
		.suffixes = ".perfetto-trace .pftrace",
		.summary = "ui.perfetto.dev: every sample on a timeline",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_PERIOD,
		.can_write = 1,
	},
	.sink = &perfetto_sink,
};
