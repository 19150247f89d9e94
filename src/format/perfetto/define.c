/* Packets that define what samples refer to; see write.h. */
#include <string.h>

#include "core/mem.h"
#include "format/perfetto/write.h"

enum {
	DEFAULTS_STACK_SAMPLE = 100,
	SAMPLE_DEFAULTS_SOURCE = 1,
	SAMPLE_DEFAULTS_PRIMARY = 2,
	COUNTER_NAME = 2,
	COUNTER_UNIT = 3,
	UNIT_NANOSECONDS = 1,

	INTERNED_FUNCTION_NAMES = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_SOURCE_PATHS = 18,
	INTERNED_TASKS = 48,

	IID = 1, /* of whatever is interned */
	STRING_STR = 2,
	FRAME_FUNCTION_NAME = 2,
	FRAME_SOURCE_PATH = 5,
	FRAME_LINE = 6,
	FRAME_KIND = 7,
	KIND_NATIVE = 1,
	KIND_INTERPRETED = 3,
	CALLSTACK_FRAMES = 2,
	TASK_PID = 2,
	TASK_TID = 3,

	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	PROCESS_PID = 1,
	PROCESS_PPID = 2,
	PROCESS_CMDLINE = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_PID = 3,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_REALTIME = 1,
	CLOCK_BOOTTIME = 6
};

/* Bits of perfetto_defined.v: the same string may be both. */
enum { AS_FUNCTION = 1 << 0, AS_PATH = 1 << 1 };

static size_t
begin_packet(struct proto *p, unsigned flags)
{
	size_t at = proto_begin(p, TRACE_PACKET);

	proto_u64(p, PACKET_SEQUENCE_ID, PERFETTO_SEQUENCE);
	proto_u64(p, PACKET_SEQUENCE_FLAGS, flags);
	return at;
}

static int
end_packet(struct sink *sink, size_t at)
{
	struct perfetto_writer *w = sink->state;

	proto_end(&w->proto, at);
	return proto_commit(&w->proto, sink->out);
}

static void
put_str(struct proto *p, unsigned field, const char *s)
{
	proto_bytes(p, field, s, strlen(s));
}

int
perfetto_put_head(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;
	struct proto *p = &w->proto;
	size_t at = begin_packet(p, SEQUENCE_STARTS), defaults, sample, unit;

	proto_u64(p, PACKET_IS_FIRST, 1);
	defaults = proto_begin(p, PACKET_DEFAULTS);
	sample = proto_begin(p, DEFAULTS_STACK_SAMPLE);
	put_str(p, SAMPLE_DEFAULTS_SOURCE, "bobbin");
	unit = proto_begin(p, SAMPLE_DEFAULTS_PRIMARY);
	put_str(p, COUNTER_NAME, "time");
	proto_u64(p, COUNTER_UNIT, UNIT_NANOSECONDS);
	proto_end(p, unit);
	proto_end(p, sample);
	proto_end(p, defaults);
	return end_packet(sink, at);
}

static void
put_one_clock(struct proto *p, unsigned id, uint64_t ns)
{
	size_t at = proto_begin(p, SNAPSHOT_CLOCKS);

	proto_u64(p, CLOCK_ID, id);
	proto_u64(p, CLOCK_TIMESTAMP, ns);
	proto_end(p, at);
}

/* Timestamps are on the clock that Perfetto takes for granted. */
int
perfetto_put_clock(struct sink *sink, uint64_t timestamp_ns,
    uint64_t unix_ns)
{
	struct perfetto_writer *w = sink->state;
	struct proto *p = &w->proto;
	size_t at = begin_packet(p, SEQUENCE_GOES_ON), snapshot;

	proto_u64(p, PACKET_TIMESTAMP, timestamp_ns);
	snapshot = proto_begin(p, PACKET_CLOCK_SNAPSHOT);
	put_one_clock(p, CLOCK_BOOTTIME, timestamp_ns);
	put_one_clock(p, CLOCK_REALTIME, unix_ns);
	proto_u64(p, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME);
	proto_end(p, snapshot);
	return end_packet(sink, at);
}

static int
put_names(struct sink *sink, bob_tid track, bob_stack stack)
{
	struct perfetto_writer *w = sink->state;
	const struct viewer_track *t = &w->viewer.track[track];
	struct proto *p = &w->proto;
	struct bob_bytes name;
	uint64_t parent;
	size_t tree = proto_begin(p, PACKET_PROCESS_TREE), at;

	if (t->is_first_of_process) {
		if (viewer_process_name(&w->viewer, track,
		        functions_stack_lang(&w->fns, stack, 1), &name) < 0)
			return BOB_FATAL;
		at = proto_begin(p, TREE_PROCESSES);
		proto_u64(p, PROCESS_PID, t->pid);
		if (viewer_parent(&w->viewer, track, &parent))
			proto_u64(p, PROCESS_PPID, parent);
		proto_bytes(p, PROCESS_CMDLINE, name.p, name.n);
		proto_end(p, at);
	}
	if (viewer_thread_name(&w->viewer, track, &name) < 0)
		return BOB_FATAL;
	at = proto_begin(p, TREE_THREADS);
	proto_u64(p, THREAD_TID, t->tid);
	if (name.n > 0)
		proto_bytes(p, THREAD_NAME, name.p, name.n);
	proto_u64(p, THREAD_PID, t->pid);
	proto_end(p, at);
	proto_end(p, tree);
	return BOB_OK;
}

int
perfetto_put_track(struct sink *sink, bob_tid track, bob_stack stack,
    uint64_t timestamp_ns)
{
	struct perfetto_writer *w = sink->state;
	struct viewer_track *t = &w->viewer.track[track];
	struct proto *p = &w->proto;
	size_t at = begin_packet(p, SEQUENCE_GOES_ON), data, task;

	proto_u64(p, PACKET_TIMESTAMP, timestamp_ns);
	if (put_names(sink, track, stack) < 0)
		return BOB_FATAL;
	data = proto_begin(p, PACKET_INTERNED_DATA);
	task = proto_begin(p, INTERNED_TASKS);
	proto_u64(p, IID, (uint64_t)track + 1);
	proto_u64(p, TASK_PID, t->pid);
	proto_u64(p, TASK_TID, t->tid);
	proto_end(p, task);
	proto_end(p, data);
	t->is_first = 0;
	return end_packet(sink, at);
}

static int
defined_grow(struct bob_ctx *ctx, struct perfetto_defined *d, size_t n)
{
	if (MEM_GROW(ctx, d, v, n) < 0)
		return BOB_FATAL;
	if (n > d->n) {
		memset(d->v + d->n, 0, n - d->n);
		d->n = n;
	}
	return BOB_OK;
}

int
perfetto_grow(struct sink *sink)
{
	struct perfetto_writer *w = sink->state;

	return defined_grow(sink->ctx, &w->strings, w->fns.own->n.n_str) < 0 ||
	        defined_grow(sink->ctx, &w->places, w->fns.n_place) < 0 ||
	        defined_grow(sink->ctx, &w->stacks, w->fns.own->n.n_stack) < 0
	    ? BOB_FATAL : BOB_OK;
}

/* A string by its id in fns.own, which is not 0. */
static void
define_string(struct perfetto_writer *w, unsigned field, unsigned use,
    bob_str id)
{
	struct bob_bytes s = w->fns.own->str[id];
	size_t at;

	if (w->strings.v[id] & use)
		return;
	w->strings.v[id] |= (uint8_t)use;
	at = proto_begin(&w->proto, field);
	proto_u64(&w->proto, IID, id);
	proto_bytes(&w->proto, STRING_STR, s.p, s.n);
	proto_end(&w->proto, at);
}

static void
define_place(struct perfetto_writer *w, uint32_t id)
{
	const struct place *place = &w->fns.place[id];
	const struct bob_frame *f = &w->fns.own->frame[place->function];
	enum bob_lang lang = functions_lang(&w->fns, place->function);
	struct proto *p = &w->proto;
	size_t at;

	if (f->name != 0)
		define_string(w, INTERNED_FUNCTION_NAMES, AS_FUNCTION, f->name);
	if (f->file != 0)
		define_string(w, INTERNED_SOURCE_PATHS, AS_PATH, f->file);
	at = proto_begin(p, INTERNED_FRAMES);
	proto_u64(p, IID, id);
	proto_u64_if(p, FRAME_FUNCTION_NAME, f->name);
	proto_u64_if(p, FRAME_SOURCE_PATH, f->file);
	if (place->line > 0 && place->line <= UINT32_MAX)
		proto_u64(p, FRAME_LINE, (uint64_t)place->line);
	if (lang != BOB_LANG_OTHER)
		proto_u64(p, FRAME_KIND, lang == BOB_LANG_NATIVE
		    ? KIND_NATIVE : KIND_INTERPRETED);
	proto_end(p, at);
}

int
perfetto_define_stack(struct sink *sink, bob_stack s)
{
	struct perfetto_writer *w = sink->state;
	const struct dict_node *node = w->fns.own->node;
	struct proto *p = &w->proto;
	size_t n = node[s].depth, i, packet, data, at;
	bob_stack top = s;

	if (s == 0 || w->stacks.v[s])
		return BOB_OK;
	if (MEM_GROW(sink->ctx, w, path, n) < 0)
		return BOB_FATAL;
	for (i = n; i > 0; i--, s = node[s].parent)
		w->path[i - 1] = node[s].frame;
	packet = begin_packet(p, SEQUENCE_GOES_ON);
	data = proto_begin(p, PACKET_INTERNED_DATA);
	for (i = 0; i < n; i++)
		if (!w->places.v[w->path[i]]) {
			w->places.v[w->path[i]] = 1;
			define_place(w, w->path[i]);
		}
	at = proto_begin(p, INTERNED_CALLSTACKS);
	proto_u64(p, IID, top);
	for (i = 0; i < n; i++)
		proto_u64(p, CALLSTACK_FRAMES, w->path[i]);
	proto_end(p, at);
	proto_end(p, data);
	w->stacks.v[top] = 1;
	return end_packet(sink, packet);
}
