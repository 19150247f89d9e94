/*
 * Records to runs. Numbers in the window are decoded where they stand; a stack
 * is found by walking up the tree of stacks and pushing what is new.
 */
#include <string.h>

#include "core/mem.h"
#include "format/tach/number.h"
#include "format/tach/pairs.h"
#include "format/tach/read.h"

/* Bytes to ask for when a record is not whole: enough for most, doubled for
 * those that need more. */
#define NEED_MORE ((size_t)4096)

/* One record, taken apart. */
struct record {
	unsigned kind;
	uint8_t status;
	uint64_t delta;
	uint32_t kept;   /* SUFFIX: shared; POP_PUSH: popped; else 0 */
	uint32_t n_new;  /* frames at rd->new_frame, innermost first */
	const uint8_t *end;
};

static int
need_more(struct tach_reader *rd, const char *what)
{
	if (rd->is_last) {
		rd->ran_out = 1;
		return tach_why(rd, "the sample data ends inside %s", what);
	}
	rd->need = rd->in->n < NEED_MORE / 2 ? NEED_MORE : 2 * rd->in->n;
	return TACH_STOP_NEED;
}

/* A number that is cut or too long. */
static int
no_number(struct tach_reader *rd, int r, const char *what)
{
	if (r == TACH_NUMBER_CUT)
		return need_more(rd, "a record");
	return tach_why(rd, "%s is no number of the right size", what);
}

/* --- runs ---------------------------------------------------------------- */

/* Returns the newest run when samples of the thread may continue it, their
 * status allowing; else NULL. */
static inline struct bob_run *
open_run(struct tach_reader *rd, const struct tach_thread *thread)
{
	struct bob_run *run;

	if (rd->n_run == 0)
		return NULL;
	run = &rd->run[rd->n_run - 1];
	if (run->stack != thread->stack || run->track != thread->track ||
	    (rd->has_times && rd->run_who != rd->who))
		return NULL;
	return run;
}

/* Adds one sample of thread rd->who to the newest run or as a new one; there is
 * room. */
static void
add_sample(struct tach_reader *rd, struct tach_thread *thread, uint64_t delta,
    uint8_t status)
{
	struct bob_run *run = open_run(rd, thread);

	thread->time += delta;
	rd->n_samples++;
	rd->open.gap.rootless += thread->unknown != 0;
	if (run != NULL && (!rd->has_status || run->status == status) &&
	    (!rd->has_times ||
	    (delta <= UINT32_MAX && rd->n_dt < TACH_DT))) {
		run->count++;
		if (rd->has_times) {
			run->t_last = thread->time;
			rd->dt[rd->n_dt++] = (uint32_t)delta;
		}
		return;
	}
	run = &rd->run[rd->n_run++];
	memset(run, 0, sizeof(*run));
	run->count = 1;
	run->stack = thread->stack;
	run->track = thread->track;
	rd->run_who = rd->who;
	if (rd->has_status) {
		run->flags |= BOB_RUN_STATUS;
		run->status = status;
	}
	if (rd->has_times) {
		run->flags |= BOB_RUN_TIMED;
		run->t_first = run->t_last = thread->time;
		run->dt = rd->dt + rd->n_dt;
	}
}

/* --- threads whose stack a gap has swallowed ----------------------------- */

/* Puts one frame in place of the unknown part of the thread's stack. */
static int
lose_stack(struct tach_reader *rd, struct tach_thread *thread)
{
	if (!tach_is_lost(rd, thread))
		return BOB_OK;
	if (rd->lost_stack == 0 && tach_make_lost(rd) < 0)
		return BOB_FATAL;
	thread->stack = rd->lost_stack;
	thread->unknown = TACH_ANY_UNKNOWN;
	thread->epoch = rd->epoch;
	return BOB_OK;
}

/* The first record behind a gap: its beginning was inferred from the bytes.
 * Pairs are hardly ever malformed, so a REPEAT proves nothing. */
static int
is_dubious(const struct tach_reader *rd)
{
	return rd->epoch > 0 && rd->n_since_gap == 1;
}

/* The clock goes on, so the run of the thread ends: its deltas would not add
 * up. */
static void
lose_sample(struct tach_reader *rd, struct tach_thread *thread, uint64_t delta)
{
	if (rd->run_who == rd->who)
		rd->run_who = TACH_NO_THREAD;
	thread->time += delta;
	rd->open.gap.lost++;
}

/* --- REPEAT -------------------------------------------------------------- */

/* As many pairs as go on with the newest run. */
static void
extend_run(struct tach_reader *rd, struct tach_thread *thread,
    struct bob_run *run)
{
	struct in *in = rd->in;
	const uint8_t *p = in->p;
	uint32_t *dt = rd->has_times ? rd->dt + rd->n_dt : NULL;
	uint64_t room = rd->has_times ? TACH_DT - rd->n_dt : UINT64_MAX;
	size_t n = rd->left < room ? (size_t)rd->left : (size_t)room, i;

	n = n < in->n ? n : in->n;
	n = pairs_take(&p, in->p + in->n, n,
	    rd->has_status ? run->status : PAIRS_ANY_STATUS, dt);
	if (dt != NULL) {
		uint64_t sum = 0;

		for (i = 0; i < n; i++)
			sum += dt[i];
		thread->time += sum;
		run->t_last = thread->time;
		rd->n_dt += n;
	}
	run->count += n;
	rd->left -= n;
	rd->n_samples += n;
	if (thread->unknown != 0)
		rd->open.gap.rootless += n;
	if (rd->has_stats)
		rd->n_bytes[TACH_REPEAT] += (uint64_t)(p - in->p);
	in_consume(in, (size_t)(p - in->p));
}

/* Takes one pair that does not continue the newest run, or is damaged. */
static int
take_pair(struct tach_reader *rd, struct tach_thread *thread)
{
	struct in *in = rd->in;
	const uint8_t *p = in->p, *end = p + in->n;
	uint64_t delta;
	int r = tach_number(&p, end, &delta);

	if (r == TACH_NUMBER_BAD)
		return tach_why(rd, "a time of a REPEAT is longer than ten "
		    "bytes");
	if (r == TACH_NUMBER_CUT || p == end)
		return need_more(rd, "a REPEAT");
	if (tach_is_lost(rd, thread))
		lose_sample(rd, thread, delta);
	else
		add_sample(rd, thread, delta, *p);
	p++;
	rd->left--;
	if (rd->has_stats)
		rd->n_bytes[TACH_REPEAT] += (uint64_t)(p - in->p);
	in_consume(in, (size_t)(p - in->p));
	return BOB_OK;
}

static int
take_pairs(struct tach_reader *rd)
{
	struct tach_thread *thread = &rd->threads.v[rd->who];
	struct bob_run *run;
	int r;

	if (!is_dubious(rd) && lose_stack(rd, thread) < 0)
		return BOB_FATAL;
	while (rd->left > 0) {
		run = tach_is_lost(rd, thread) ? NULL :
		    open_run(rd, thread);
		if (run != NULL) {
			extend_run(rd, thread, run);
			if (rd->left == 0)
				break;
		}
		if (rd->n_run == TACH_BATCH || rd->n_dt == TACH_DT)
			return TACH_STOP_GIVE;
		r = take_pair(rd, thread);
		if (r != BOB_OK)
			return r;
	}
	return BOB_OK;
}

static uint32_t
stack_depth(const struct tach_reader *rd)
{
	return rd->src->dict->node[rd->threads.v[rd->who].stack].depth;
}

/* Behind the 13 bytes: how many pairs follow. */
static int
begin_repeat(struct tach_reader *rd, const uint8_t *p)
{
	struct in *in = rd->in;
	uint32_t count;
	uint64_t behind;
	int r = tach_number32(&p, in->p + in->n, &count);

	if (r != TACH_NUMBER_OK)
		return no_number(rd, r, "the count of a REPEAT");
	behind = in->pos + (uint64_t)(p - in->p);
	if (count > (rd->end - behind) / 2)
		return tach_why(rd, "a REPEAT of %lu samples is more than the "
		    "sample data holds", (unsigned long)count);
	if (count == 0 && !(rd->told & TACH_ONCE_NO_REPEATS)) {
		rd->told |= TACH_ONCE_NO_REPEATS;
		tach_warn(rd, tach_place(rd), "a REPEAT of no samples");
	}
	rd->left = count;
	if (rd->has_stats) {
		rd->n_records[TACH_REPEAT]++;
		rd->n_bytes[TACH_REPEAT] += (uint64_t)(p - in->p);
		rd->n_of_kind[TACH_REPEAT] += count;
		rd->n_frames_saved = count_add(rd->n_frames_saved,
		    count_mul(count, stack_depth(rd)));
	}
	in_consume(in, (size_t)(p - in->p));
	return BOB_OK;
}

/* --- records with frames ------------------------------------------------- */

/* The new frames of a record, into rd->new_frame. */
static int
get_frames(struct tach_reader *rd, const uint8_t *p, struct record *rec)
{
	const uint8_t *end = rd->in->p + rd->in->n;
	const struct tach_tables *t = &rd->tables;
	bob_fid *to;
	uint32_t i, index;
	int r;

	/* Each frame takes at least a byte: no more are decoded than bytes are
	 * left. */
	if ((uint64_t)rec->n_new > rd->end - rd->in->pos)
		return tach_why(rd, "%lu frames are more than the sample data "
		    "holds", (unsigned long)rec->n_new);
	if ((size_t)(end - p) < rec->n_new)
		return need_more(rd, "a stack");
	if (MEM_TAKE(rd->src->ctx, rd, new_frame, (size_t)rec->n_new) < 0)
		return BOB_FATAL;
	to = rd->new_frame;
	for (i = 0; i < rec->n_new; i++) {
		r = tach_number32(&p, end, &index);
		if (r != TACH_NUMBER_OK)
			return no_number(rd, r, "the index of a frame");
		to[i] = index < t->n_fid ? t->fid[index] : 0;
		if (to[i] == 0) {
			r = tach_missing_frame(rd, index, &to[i]);
			if (r != BOB_OK)
				return r;
		}
	}
	rec->end = p;
	return BOB_OK;
}

static int
get_record(struct tach_reader *rd, const uint8_t *p, struct record *rec)
{
	const uint8_t *end = rd->in->p + rd->in->n;
	int r = tach_number(&p, end, &rec->delta);

	if (r != TACH_NUMBER_OK)
		return no_number(rd, r, "the time of a sample");
	if (p == end)
		return need_more(rd, "a record");
	rec->status = *p++;
	rec->kept = 0;
	if (rec->kind != TACH_FULL) {
		r = tach_number32(&p, end, &rec->kept);
		if (r != TACH_NUMBER_OK)
			return no_number(rd, r, "the number of frames that "
			    "stay or go");
	}
	r = tach_number32(&p, end, &rec->n_new);
	if (r != TACH_NUMBER_OK)
		return no_number(rd, r, "the number of frames");
	if (rec->n_new > BOB_MAX_DEPTH)
		return tach_why(rd, "a stack of %lu frames (limit %lu)",
		    (unsigned long)rec->n_new, (unsigned long)BOB_MAX_DEPTH);
	return get_frames(rd, p, rec);
}

/* The outermost `depth` frames of a stack. */
static bob_stack
outermost(const struct bob_dict *d, bob_stack stack, uint32_t depth)
{
	const struct dict_node *node = d->node;

	if (depth == 0)
		return 0;
	while (node[stack].depth > depth)
		stack = node[stack].parent;
	return stack;
}

static void
warn_of_pops(struct tach_reader *rd, const struct record *rec, uint32_t depth)
{
	if (rd->told & TACH_ONCE_POPS)
		return;
	rd->told |= TACH_ONCE_POPS;
	tach_warn(rd, tach_place(rd), "pops %lu frames of a stack of %lu",
	    (unsigned long)rec->kept, (unsigned long)depth);
}

static int
shares_too_many(struct tach_reader *rd, const struct record *rec,
    unsigned long depth)
{
	return tach_why(rd, "shares %lu frames of a stack of %lu",
	    (unsigned long)rec->kept, depth);
}

/*
 * Keeps the outer part of a stack of which `known` inner frames are known and
 * `*unknown` outer ones are not. *ret is the number of frames that stay,
 * including the one that stands for the unknown ones; *unknown becomes the
 * number that it stands for.
 */
static int
get_kept_of_lost(struct tach_reader *rd, const struct record *rec,
    uint32_t known, uint32_t *unknown, uint32_t *ret)
{
	uint32_t n = *unknown;

	*ret = 1;
	if (rec->kind == TACH_SUFFIX) {
		if (rec->kept > BOB_MAX_DEPTH)
			return shares_too_many(rd, rec, BOB_MAX_DEPTH);
		/* None of the shared frames is known. */
		if (rec->kept < n) {
			*unknown = rec->kept;
			return BOB_OK;
		}
		if (rec->kept - n > known)
			return shares_too_many(rd, rec,
			    (unsigned long)n + known);
		*ret += rec->kept - n;
	} else if (rec->kept <= known) {
		*ret += known - rec->kept;
	} else if (n != TACH_ANY_UNKNOWN) {
		if (rec->kept - known > n)
			warn_of_pops(rd, rec, n + known);
		n = rec->kept - known < n ? n - (rec->kept - known) : 0;
		*unknown = n;
		*ret = n > 0;
	}
	return BOB_OK;
}

/* A record that needs nothing from before. */
static int
is_complete(const struct record *rec)
{
	return rec->kind == TACH_FULL ||
	    (rec->kind == TACH_SUFFIX && rec->kept == 0);
}

/* What stays of the thread's stack, as a number of frames, and of how many of
 * them nothing is known. */
static int
get_kept(struct tach_reader *rd, const struct tach_thread *thread,
    const struct record *rec, uint32_t *ret, uint32_t *unknown)
{
	uint32_t depth = rd->src->dict->node[thread->stack].depth;
	int r = BOB_OK;

	*unknown = 0;
	*ret = 0;
	if (is_complete(rec)) {
		/* Nothing does. */
	} else if (thread->unknown != 0) {
		*unknown = thread->unknown;
		r = get_kept_of_lost(rd, rec, depth - 1, unknown, ret);
	} else if (rec->kind == TACH_SUFFIX) {
		if (rec->kept > depth)
			r = shares_too_many(rd, rec, depth);
		*ret = rec->kept;
	} else {
		if (rec->kept > depth)
			warn_of_pops(rd, rec, depth);
		*ret = rec->kept > depth ? 0 : depth - rec->kept;
	}
	if (r == BOB_OK && (uint64_t)*ret + rec->n_new > BOB_MAX_DEPTH)
		return tach_why(rd, "a stack of %llu frames (limit %lu)",
		    (unsigned long long)*ret + rec->n_new,
		    (unsigned long)BOB_MAX_DEPTH);
	return r;
}

static int
take_record(struct tach_reader *rd, struct tach_thread *thread, unsigned kind,
    const uint8_t *p)
{
	struct bob_dict *d = rd->src->dict;
	struct in *in = rd->in;
	struct record rec = { .kind = kind };
	bob_stack stack;
	uint32_t kept, unknown;
	int r = get_record(rd, p, &rec);

	if (r != BOB_OK)
		return r;
	if (!is_complete(&rec) && lose_stack(rd, thread) < 0)
		return BOB_FATAL;
	r = get_kept(rd, thread, &rec, &kept, &unknown);
	if (r != BOB_OK)
		return r;
	stack = outermost(d, thread->stack, kept);
	stack = dict_push_path(d, stack, rd->new_frame, rec.n_new);
	if (stack == BOB_NO_ID)
		return BOB_FATAL;
	thread->stack = stack;
	thread->unknown = unknown;
	thread->epoch = rd->epoch;
	add_sample(rd, thread, rec.delta, rec.status);
	if (rd->has_stats) {
		rd->n_records[kind]++;
		rd->n_bytes[kind] += (uint64_t)(rec.end - in->p);
		rd->n_of_kind[kind]++;
		rd->n_frames_written += rec.n_new;
		rd->n_frames_saved += kept;
	}
	in_consume(in, (size_t)(rec.end - in->p));
	return BOB_OK;
}

/* --- threads ------------------------------------------------------------- */

/* One more thread than the header says. */
static int
extra_thread(struct tach_reader *rd)
{
	unsigned long n = rd->file.head.n_threads;

	if (!rd->is_tolerant)
		return tach_why(rd, "a sample of one more thread than the %lu "
		    "of the header", n);
	if (rd->has_header && !(rd->told & TACH_ONCE_THREADS))
		tach_warn(rd, tach_place(rd), "a sample of one more thread "
		    "than the %lu of the header", n);
	rd->told |= TACH_ONCE_THREADS;
	return BOB_OK;
}

/* In tolerant reading, a thread that was not seen before may be damage. */
static int
is_doubtful(struct tach_reader *rd)
{
	const struct in *in = rd->in;
	int is_extra = rd->has_header &&
	    rd->threads.n >= rd->file.head.n_threads;

	return rd->is_tolerant && (is_extra || rd->epoch > 0) &&
	    !tach_is_chain(rd, in->p, in->p + in->n, rd->is_last);
}

static int
add_thread(struct tach_reader *rd, uint64_t tid, uint32_t interp)
{
	struct bob_track track = { .tid = tid, .interp = interp,
		.flags = BOB_TRACK_TID | BOB_TRACK_INTERP };
	struct tach_thread thread = { .tid = tid, .interp = interp,
		.time = rd->file.head.start_us, .epoch = 0 };
	int r;

	if (is_doubtful(rd))
		return tach_why(rd, "a record of a thread that was not seen "
		    "before, and does not look like one");
	r = rd->threads.n < rd->file.head.n_threads ? BOB_OK :
	    extra_thread(rd);
	if (r != BOB_OK)
		return r;
	if (rd->has_tracks) {
		thread.track = bob_track_put(rd->src->dict, &track);
		if (thread.track == BOB_NO_ID)
			return BOB_FATAL;
	}
	return threads_add(&rd->threads, &thread);
}

/* Makes rd->who the thread with these 12 bytes. */
static int
find_thread(struct tach_reader *rd, const uint8_t *key)
{
	uint64_t tid;
	uint32_t interp;
	int r;

	if (rd->has_who && memcmp(rd->who_key, key, sizeof(rd->who_key)) == 0)
		return BOB_OK;
	tid = tach_u64(key, rd->file.is_swapped);
	interp = tach_u32(key + 8, rd->file.is_swapped);
	rd->who = threads_find(&rd->threads, tid, interp);
	rd->has_who = 0;
	if (rd->who == rd->threads.n) {
		r = add_thread(rd, tid, interp);
		if (r != BOB_OK)
			return r;
	}
	memcpy(rd->who_key, key, sizeof(rd->who_key));
	rd->has_who = 1;
	return BOB_OK;
}

/* --- all of them --------------------------------------------------------- */

static int
take_any(struct tach_reader *rd)
{
	struct in *in = rd->in;
	const uint8_t *p = in->p;
	unsigned kind;
	int r;

	if (in->n < TACH_RECORD)
		return need_more(rd, "the head of a record");
	kind = p[TACH_RECORD - 1];
	if (kind >= TACH_N_KINDS)
		return tach_why(rd, "a record of unknown kind %u", kind);
	r = find_thread(rd, p);
	if (r != BOB_OK)
		return r;
	p += TACH_RECORD;
	r = kind == TACH_REPEAT ? begin_repeat(rd, p) :
	    take_record(rd, &rd->threads.v[rd->who], kind, p);
	rd->n_since_gap += r == BOB_OK;
	return r;
}

int
tach_records(struct tach_reader *rd)
{
	int r = BOB_OK;

	while (r == BOB_OK) {
		if (rd->left > 0)
			r = take_pairs(rd);
		else if (rd->n_run == TACH_BATCH || rd->n_dt == TACH_DT)
			r = TACH_STOP_GIVE;
		else if (rd->in->n == 0)
			r = rd->is_last ? BOB_EOF : need_more(rd, "");
		else
			r = take_any(rd);
	}
	return r;
}
