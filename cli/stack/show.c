/* A process with the stacks of its threads, as text and as JSON. */
#include "stack.h"

#include <pwd.h>
#include <string.h>
#include <time.h>

#include "capture/notes.h"
#include "print/plain.h"
#include "print/block.h"
#include "print/msg.h"

/* The widest column of function names. */
#define MAX_COLUMN 60

/* The i-th word of a status; NULL behind the last. */
static const char *
status_word(uint8_t status, size_t i)
{
	static const struct {
		uint8_t bit;
		const char *word;
	} words[] = {
		{ BOB_STATUS_MAIN_THREAD, "main" },
		{ BOB_STATUS_HAS_GIL, "gil" },
		{ BOB_STATUS_WANTS_GIL, "wants-gil" },
		{ BOB_STATUS_EXCEPTION, "exception" },
		{ BOB_STATUS_ON_CPU, "cpu" },
	};
	size_t k;

	for (k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if ((status & words[k].bit) != 0 && i-- == 0)
			return words[k].word;
	if (i == 0 && (status & (BOB_STATUS_ON_CPU | BOB_STATUS_UNKNOWN)) == 0)
		return "idle";
	return NULL;
}

/* Adds the name of a function, whatever its length. */
static void
put_name(struct span *l, const struct bob_dict *d, bob_fid frame)
{
	char buf[512];
	size_t n = bob_frame_name(d, frame, buf, sizeof(buf));

	span_safe(l, buf, n < sizeof(buf) ? n : sizeof(buf));
	if (n > sizeof(buf))
		span_put(l, "...");
}

static void
put_place(struct span *l, const struct bob_dict *d,
    const struct bob_frame *f)
{
	struct bob_bytes file = bob_str_get(d, f->file);

	span_safe(l, file.p, file.n);
	if ((f->flags & BOB_FRAME_NO_LINE) == 0 && f->where > 0 &&
	    f->lang != BOB_LANG_NATIVE)
		span_printf(l, ":%lld", (long long)f->where);
}

static size_t
column_of(const struct bob_dict *d, bob_stack s)
{
	size_t most = 0;

	while (s != 0) {
		struct bob_node node = bob_stack_get(d, s);
		struct span name = { 0 };

		put_name(&name, d, node.frame);
		if (name.width > most && name.width <= MAX_COLUMN)
			most = name.width;
		span_done(&name);
		s = node.parent;
	}
	return most;
}

/* The variables of a frame, one per line. */
static void
put_locals(struct block *b, const struct stack_report *r, size_t run,
    bob_stack s)
{
	size_t i;

	for (i = 0; i < r->n_locals; i++) {
		const struct bob_local *x = &r->locals[i];
		struct bob_bytes name = bob_str_get(r->dict, x->name);
		struct bob_bytes value = bob_str_get(r->dict, x->value);
		struct span *l;

		if (x->run != run || x->stack != s)
			continue;
		l = block_line(b);
		span_put(l, (x->flags & BOB_LOCAL_ARGUMENT) != 0
		    ? "        arg " : "        var ");
		span_safe(l, name.p, name.n);
		span_put(l, " = ");
		if (x->value != 0)
			span_safe(l, value.p, value.n);
		else
			span_put(l, "(could not be read)");
	}
}

static void
put_frames(struct block *b, const struct stack_report *r, size_t run)
{
	const struct bob_dict *d = r->dict;
	bob_stack s = r->runs[run].stack;
	size_t column = column_of(d, s);

	while (s != 0) {
		struct bob_node node = bob_stack_get(d, s);
		const struct bob_frame *f = bob_frame_get(d, node.frame);
		struct bob_bytes op = bob_str_get(d, f->opname);
		struct span *l = block_line(b);

		span_put(l, "    ");
		put_name(l, d, node.frame);
		if (f->file != 0) {
			span_pad(l, 4 + column);
			span_put(l, "  ");
			put_place(l, d, f);
		}
		if (op.n > 0) {
			span_put(l, "  ");
			span_safe(l, op.p, op.n);
		}
		put_locals(b, r, run, s);
		s = node.parent;
	}
}

static void
put_annotations(struct block *b, const struct bob_dict *d, bob_annot id)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(d, id, &n);

	for (i = 0; id != 0 && i < n; i++) {
		struct bob_bytes key = bob_str_get(d, v[i].key);
		struct bob_bytes value = bob_str_get(d, v[i].value);
		struct span *l = block_line(b);

		span_put(l, "  ");
		span_safe(l, key.p, key.n);
		span_put(l, " = ");
		span_safe(l, value.p, value.n);
	}
}

static void
put_thread(struct block *b, const struct stack_report *r, size_t at)
{
	const struct bob_dict *d = r->dict;
	const struct bob_run *run = &r->runs[at];
	const struct bob_track *t = bob_track_get(d, run->track);
	struct bob_bytes name = bob_str_get(d, t->name);
	struct span *l;
	const char *word;
	size_t i;

	(void)block_line(b);
	if ((t->flags & BOB_TRACK_TID) != 0) {
		l = block_line(b);
		span_printf(l, "Thread %llu", (unsigned long long)t->tid);
		if (name.n > 0) {
			span_put(l, " ");
			span_safe(l, name.p, name.n);
		}
		for (i = 0; (run->flags & BOB_RUN_STATUS) != 0 &&
		    (word = status_word(run->status, i)) != NULL; i++)
			span_printf(l, "%s%s", i > 0 ? ", " : ": ", word);
		if ((t->flags & BOB_TRACK_INTERP) != 0 && t->interp != 0)
			span_printf(l, " (interpreter %u)", t->interp);
	}
	put_annotations(b, d, run->annot);
	put_frames(b, r, at);
}

static uint64_t
age_us(const struct bob_proc_facts *f)
{
	struct timespec now;
	uint64_t t;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	t = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	return f->start_us != 0 && f->start_us < t ? t - f->start_us : 0;
}

static void
put_facts(struct block *b, const struct bob_proc_facts *f)
{
	const struct passwd *user = getpwuid((uid_t)f->uid);
	struct span *l = block_line(b);
	char buf[NUMBER_TEXT];

	span_printf(l, "Process %llu: ", (unsigned long long)f->pid);
	span_safe(l, f->command, strlen(f->command));
	l = block_line(b);
	span_put(l, f->runtime);
	span_put(l, " ");
	span_safe(l, f->version, strlen(f->version));
	if (*f->flavour != '\0')
		span_printf(l, " %s", f->flavour);
	span_put(l, " in ");
	span_safe(l, f->module, strlen(f->module));
	if (user != NULL)
		span_printf(l, ", user %s", user->pw_name);
	else
		span_printf(l, ", user %llu", (unsigned long long)f->uid);
	span_printf(l, ", parent %llu, started %s ago",
	    (unsigned long long)f->ppid, number_time(buf, age_us(f)));
}

static void
put_verdict(struct block *b, const struct stack_report *r)
{
	char why[128];

	notes_describe_losses(&r->counts, NULL, why, sizeof(why));
	if (r->n == 0)
		(void)block_line(b);
	if (r->has_ended)
		span_put(block_line(b), "It has ended.");
	else if (r->n == 0 && r->lost == 0)
		span_put(block_line(b), "Nothing runs in it: it is idle.");
	else if (r->lost > 0)
		span_printf(block_line(b),
		    "%s could not be read in %llu tries (%s); %s.",
		    r->n == 0 ? "The stack" : "A thread",
		    (unsigned long long)r->n_tries, why,
		    r->counts.lost_by[BOB_LOST_PAUSE] > 0
		        ? "'bobbin doctor' tells why it cannot be stopped"
		        : "--pause stops it for a moment");
	else if (r->n_tries > 1)
		span_printf(block_line(b), "(after %llu tries: it changed "
		    "while it was read)", (unsigned long long)r->n_tries);
}

void
stack_text(const struct stack_report *r)
{
	struct block b = { 0 };
	size_t i;

	put_facts(&b, r->facts);
	for (i = 0; i < r->n; i++)
		put_thread(&b, r, i);
	if (r->has_more)
		span_printf(block_line(&b), "(variables of outer frames are "
		    "left out: there are more than %u)",
		    BOB_MAX_CAPTURE_LOCALS);
	put_verdict(&b, r);
	if (block_is_whole(&b))
		block_print(&b, stdout, "\n");
	else
		msg_error("out of memory");
	block_done(&b);
}

/* --- JSON ------------------------------------------------------------- */

static void
json_text(struct json *j, const char *key, struct bob_bytes s)
{
	json_bytes(j, key, s.p, s.n);
}

static void
json_locals(struct json *j, const struct stack_report *r, size_t run,
    bob_stack s)
{
	size_t i;

	json_open(j, "locals", '[');
	for (i = 0; i < r->n_locals; i++) {
		const struct bob_local *x = &r->locals[i];

		if (x->run != run || x->stack != s)
			continue;
		json_open(j, NULL, '{');
		json_text(j, "name", bob_str_get(r->dict, x->name));
		if (x->value != 0)
			json_text(j, "value", bob_str_get(r->dict, x->value));
		json_bool(j, "argument",
		    (x->flags & BOB_LOCAL_ARGUMENT) != 0);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
json_frame(struct json *j, const struct stack_report *r, size_t run,
    bob_stack s)
{
	const struct bob_dict *d = r->dict;
	bob_fid id = bob_stack_get(d, s).frame;
	const struct bob_frame *f = bob_frame_get(d, id);
	char name[4096];
	size_t n = bob_frame_name(d, id, name, sizeof(name));

	json_open(j, NULL, '{');
	json_bytes(j, "function", name, n < sizeof(name) ? n : sizeof(name));
	if (f->file != 0)
		json_text(j, "file", bob_str_get(d, f->file));
	if ((f->flags & BOB_FRAME_NO_LINE) == 0 && f->where > 0 &&
	    f->lang != BOB_LANG_NATIVE)
		json_i64(j, "line", f->where);
	if (f->opname != 0)
		json_text(j, "opcode", bob_str_get(d, f->opname));
	if (r->with_locals)
		json_locals(j, r, run, s);
	json_close(j, '{');
}

static void
json_annotations(struct json *j, const struct bob_dict *d, bob_annot id)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(d, id, &n);
	char key[256];

	json_open(j, "annotations", '{');
	for (i = 0; id != 0 && i < n; i++) {
		struct bob_bytes k = bob_str_get(d, v[i].key);

		(void)snprintf(key, sizeof(key), "%.*s", (int)k.n, k.p);
		json_text(j, key, bob_str_get(d, v[i].value));
	}
	json_close(j, '{');
}

static void
json_thread(struct json *j, const struct stack_report *r, size_t at)
{
	const struct bob_dict *d = r->dict;
	const struct bob_run *run = &r->runs[at];
	const struct bob_track *t = bob_track_get(d, run->track);
	const char *word;
	bob_stack s;
	size_t i;

	json_open(j, NULL, '{');
	if ((t->flags & BOB_TRACK_TID) != 0)
		json_u64(j, "tid", t->tid);
	if ((t->flags & BOB_TRACK_INTERP) != 0)
		json_u64(j, "interpreter", t->interp);
	if (t->name != 0)
		json_text(j, "name", bob_str_get(d, t->name));
	if ((run->flags & BOB_RUN_STATUS) != 0) {
		json_open(j, "status", '[');
		for (i = 0; (word = status_word(run->status, i)) != NULL;
		    i++)
			json_str(j, NULL, word);
		json_close(j, '[');
	}
	json_annotations(j, d, run->annot);
	json_open(j, "frames", '[');
	for (s = run->stack; s != 0; s = bob_stack_get(d, s).parent)
		json_frame(j, r, at, s);
	json_close(j, '[');
	json_close(j, '{');
}

static const char *
state_of(const struct stack_report *r)
{
	if (r->has_ended)
		return "ended";
	if (r->lost > 0)
		return r->n > 0 ? "partial" : "lost";
	return r->n > 0 ? "read" : "idle";
}

static void
json_facts(struct json *j, const struct bob_proc_facts *f)
{
	json_u64(j, "ppid", f->ppid);
	json_u64(j, "uid", f->uid);
	json_u64(j, "start_us", f->start_us);
	json_str(j, "runtime", f->runtime);
	json_str(j, "version", f->version);
	json_str(j, "flavour", f->flavour);
	json_str(j, "module", f->module);
	json_str(j, "command", f->command);
}

void
stack_json(struct json *j, const struct stack_report *r)
{
	size_t i;
	int why;

	json_open(j, NULL, '{');
	json_u64(j, "pid", r->pid);
	if (r->error != NULL) {
		json_str(j, "error", r->error);
		json_close(j, '{');
		return;
	}
	json_facts(j, r->facts);
	json_str(j, "state", state_of(r));
	json_u64(j, "tries", r->n_tries);
	json_open(j, "lost", '{');
	for (why = 0; why < BOB_N_LOST; why++)
		if (r->counts.lost_by[why] > 0)
			json_u64(j, bob_lost_name(why), r->counts.lost_by[why]);
	json_close(j, '{');
	json_open(j, "threads", '[');
	for (i = 0; i < r->n; i++)
		json_thread(j, r, i);
	json_close(j, '[');
	json_close(j, '{');
}
