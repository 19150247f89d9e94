/*
 * kill -9 on a live writer, at random moments. A child writes samples that
 * follow a rule, with a barrier after every few, and reports through a pipe how
 * many are before a barrier. Then it is killed. The files must be readable,
 * follow the rule, and hold at least the reported samples.
 *
 * The kernel may cut the last write(2) of a killed process at a page, so the
 * file may end inside an event; it never holds anything else that is wrong.
 */
#include "salvage.h"

#include <stdlib.h>
#include <unistd.h>

#include "killed.h"

#define ROUNDS 200

/* What sample i is: runs of three over seven stacks, every fourth run with a
 * pid, every fifth with an annotation. */
static unsigned
rule_stack(uint64_t i)
{
	return (unsigned)(i / 3 % 7);
}

static uint64_t
rule_pid(uint64_t i)
{
	return i / 3 % 4 == 0 ? 1000 + i / 3 % 8 : 0;
}

static int
rule_note(uint64_t i, char *buf, size_t cap)
{
	return i / 3 % 5 == 0 ? snprintf(buf, cap, "note %u",
	    (unsigned)(i / 3 % 20)) : 0;
}

struct place {
	char dir[64], path[96], side[128];
	int compress;
	uint32_t random;
};

static bob_stack
make_stack(struct bob_dict *d, unsigned k)
{
	struct bob_frame f = { .where = 1, .lang = BOB_LANG_PHP };
	char name[16];
	int n = snprintf(name, sizeof(name), "f%u", k);

	f.name = bob_str_put(d, name, (size_t)n);
	f.file = bob_str_put(d, "/app/index.php", 14);
	return bob_stack_push(d, 0, bob_frame_put(d, &f));
}

static int
write_one(struct bob_writer *w, const bob_stack *stack, uint64_t i)
{
	struct bob_dict *d = bob_writer_dict(w);
	struct bob_run run = { .count = 1, .stack = stack[rule_stack(i)] };
	struct bob_track track = { .pid = rule_pid(i),
		.flags = BOB_TRACK_PID };
	char note[32];
	struct bob_pair pair = { bob_str_put(d, "note", 4), 0 };
	int n = rule_note(i, note, sizeof(note));

	if (track.pid != 0)
		run.track = bob_track_put(d, &track);
	if (n > 0) {
		pair.value = bob_str_put(d, note, (size_t)n);
		run.annot = bob_annot_put(d, &pair, 1);
	}
	return bob_write_runs(w, &run, 1);
}

/* The child: writes until it is killed. */
static void
write_forever(const void *user, int report)
{
	const struct place *at = user;
	struct bob_target to = { .path = at->path, .flags = BOB_TARGET_LIVE };
	struct bob_option options[] = { { "rotate-size", "2k" },
		{ "compress", NULL } };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = options,
		.n_options = at->compress ? 2 : 1 };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_writer *w;
	bob_stack stack[7];
	uint64_t i;
	unsigned k;

	if (ctx == NULL || bob_create(ctx, &to, &o, &w) < 0)
		_exit(2);
	for (k = 0; k < 7; k++)
		stack[k] = make_stack(bob_writer_dict(w), k);
	for (i = 0;; i++) {
		if (write_one(w, stack, i) < 0)
			_exit(3);
		if (i % 11 != 10)
			continue;
		if (bob_barrier(w, 0) < 0)
			_exit(4);
		report_safe(report, i + 1);
	}
}

static void
assert_text(const struct bob_dict *d, bob_str id, const char *want, int n)
{
	struct bob_bytes s = bob_str_get(d, id);

	assert_int_equal(s.n, n);
	assert_memory_equal(s.p, want, s.n);
}

static void
assert_follows_rule(const struct bob_dict *d, const struct bob_run *run,
    uint64_t i, int is_last)
{
	const struct bob_frame *f;
	const struct bob_pair *pair;
	char text[32];
	size_t n_pairs;
	int n;

	f = bob_frame_get(d, bob_stack_get(d, run->stack).frame);
	n = snprintf(text, sizeof(text), "f%u", rule_stack(i));
	assert_text(d, f->name, text, n);
	assert_int_equal(bob_track_get(d, run->track)->pid, rule_pid(i));
	n = rule_note(i, text, sizeof(text));
	/* The annotation of a last sample may be what the kernel cut. */
	if (n > 0 && run->annot == 0 && is_last)
		return;
	pair = bob_annot_get(d, run->annot, &n_pairs);
	assert_int_equal(n_pairs, n > 0);
	if (n > 0)
		assert_text(d, pair->value, text, n);
}

/* Reads all there is and returns how many samples there are. */
static uint64_t
check_samples(struct bob_ctx *ctx, const struct buf *trace)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_reader *in;
	struct bob_event ev;
	uint64_t n = 0, k;
	size_t i;
	int r;

	assert_status(ctx, BOB_OK,
	    bob_open_memory(ctx, trace->p, trace->n, "trace", &o, &in));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			for (k = 0; k < ev.runs[i].count; k++, n++)
				assert_follows_rule(bob_reader_dict(in),
				    &ev.runs[i], n, i + 1 == ev.n_runs);
	assert_status(ctx, BOB_EOF, r);
	bob_close(in);
	return n;
}

static int
append(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

/* The same by the library's own recovery, which finds the side file itself.
 * A last write that the kernel cut may count as a loss (BOB_WARN). */
static uint64_t
check_recovery(struct bob_ctx *ctx, const struct place *at)
{
	struct buf trace = { 0 };
	struct bob_target to = { .write = append, .user = &trace };
	const char *in[] = { at->path };
	struct bob_convert c = { .size = sizeof(c),
		.inputs = in,
		.n_inputs = 1,
		.output = &to,
		.from = "rbt",
		.to = "rbt",
		.threads = 1,
		.flags = BOB_CONVERT_RECOVER };
	uint64_t n = 0;

	if (access(at->path, F_OK) == 0) {
		if (bob_convert(ctx, &c, NULL) < BOB_WARN)
			fail_msg("%s", bob_ctx_error(ctx)->text);
		n = check_samples(ctx, &trace);
	}
	buf_free(&trace);
	return n;
}

void
kill_many(struct bob_ctx *ctx, int compress)
{
	struct place at = { .compress = compress, .random = 12345 };
	struct buf trace = { 0 };
	uint64_t safe, n, recovered;
	int i;

	(void)snprintf(at.dir, sizeof(at.dir), "/tmp/test-kill-XXXXXX");
	assert_non_null(mkdtemp(at.dir));
	(void)snprintf(at.path, sizeof(at.path), "%s/t.rbt", at.dir);
	(void)snprintf(at.side, sizeof(at.side), "%s.live", at.path);
	for (i = 0; i < ROUNDS; i++) {
		safe = run_and_kill(&at.random, UINT64_MAX, write_forever,
		    &at);
		trace.n = 0;
		salvage(at.path, &trace);
		n = check_samples(ctx, &trace);
		recovered = check_recovery(ctx, &at);
		if (n < safe || recovered < safe)
			fail_msg("round %d: %llu samples, %llu recovered, but "
			    "%llu were safe", i, (unsigned long long)n,
			    (unsigned long long)recovered,
			    (unsigned long long)safe);
		(void)unlink(at.path);
		(void)unlink(at.side);
	}
	assert_int_equal(rmdir(at.dir), 0);
	buf_free(&trace);
}
