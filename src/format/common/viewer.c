/* Tracks as viewers want them; see the header. */
#include "format/common/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"

/* Used as tid in struct viewer_number, where no thread has such a number: the
 * entry is for a process, or for the unknown process. */
#define PROCESS_ITSELF UINT64_MAX
#define NO_PROCESS (UINT64_MAX - 1)

/* Bytes around a name: three numbers and a few words. */
#define NAME_ROOM 128

void
viewer_init(struct viewer *s, struct bob_ctx *ctx, const struct bob_dict *dict)
{
	struct bob_segment none = { 0 };

	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->dict = dict;
	s->n_number = 1;
	s->next_id = VIEWER_MADE_UP + 1; /* itself: no process is known */
	axis_segment(&s->axis, &none);
	labels_init(&s->labels, ctx, dict->seed);
}

void
viewer_done(struct viewer *s)
{
	free(s->track);
	free(s->number);
	free(s->name);
	labels_done(&s->labels);
	intern_free(&s->by_number);
}

void
viewer_segment(struct viewer *s, const struct bob_segment *segment)
{
	axis_segment(&s->axis, segment);
}

int
viewer_mark(struct viewer *s, const struct bob_mark *mark)
{
	return labels_mark(&s->labels, s->dict, mark) < 0 ? BOB_FATAL : BOB_OK;
}

/* Returns the entry of a number. A new one has id 0 and sets *ret_is_new. NULL
 * when memory is out. */
static struct viewer_number *
number_put(struct viewer *s, uint64_t pid, uint64_t tid, int *ret_is_new)
{
	struct viewer_number key = { .pid = pid, .tid = tid };
	uint64_t hash;
	uint32_t at, id;

	*ret_is_new = 0;
	if (intern_reserve(s->ctx, &s->by_number) < 0)
		return NULL;
	hash = XXH3_64bits_withSeed(&key, sizeof(key), s->dict->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&s->by_number, hash, &at)) != 0)
		if (s->number[id].pid == pid && s->number[id].tid == tid)
			return &s->number[id];
	if (MEM_GROW(s->ctx, s, number, (size_t)s->n_number + 1) < 0)
		return NULL;
	s->number[s->n_number] = key;
	intern_add(&s->by_number, hash, at, s->n_number);
	*ret_is_new = 1;
	return &s->number[s->n_number++];
}

static int
is_usable(uint64_t id)
{
	return id > 0 && id < VIEWER_MADE_UP;
}

/* Returns the number that viewers get for the process of a track; 0: no
 * memory. */
static uint32_t
process_id(struct viewer *s, const struct bob_track *track, int *ret_is_new)
{
	int is_known = (track->flags & BOB_TRACK_PID) != 0;
	struct viewer_number *n = number_put(s, track->pid,
	    is_known ? PROCESS_ITSELF : NO_PROCESS, ret_is_new);

	if (n == NULL)
		return 0;
	if (*ret_is_new)
		n->id = !is_known ? VIEWER_MADE_UP :
		    is_usable(n->pid) ? (uint32_t)n->pid : s->next_id++;
	return n->id;
}

/* The same for its thread, within that process. */
static uint32_t
thread_id(struct viewer *s, const struct bob_track *track, uint32_t pid)
{
	uint64_t tid = track->flags & BOB_TRACK_TID ? track->tid : pid;
	int is_new;

	if (!(track->flags & BOB_TRACK_TID) || is_usable(tid)) {
		if (number_put(s, pid, tid, &is_new) == NULL)
			return 0;
		if (is_new)
			return (uint32_t)tid;
	}
	return s->next_id++;
}

struct viewer_track *
viewer_get_slow(struct viewer *s, bob_tid id)
{
	struct viewer_track *t;
	size_t n = s->dict->n.n_track;
	int is_new;

	if (MEM_GROW(s->ctx, s, track, n) < 0)
		return NULL;
	if (n > s->n_track) {
		memset(s->track + s->n_track, 0,
		    (n - s->n_track) * sizeof(*s->track));
		s->n_track = n;
	}
	t = &s->track[id];
	t->pid = process_id(s, &s->dict->track[id], &is_new);
	if (t->pid == 0)
		return NULL;
	t->tid = thread_id(s, &s->dict->track[id], t->pid);
	if (t->tid == 0) {
		t->pid = 0;
		return NULL;
	}
	t->is_first = 1;
	t->is_first_of_process = is_new;
	return t;
}

/* Appends a number between two words; NAME_ROOM is enough for it. */
static size_t
put_id(struct viewer *s, size_t n, const char *before, uint64_t id,
    const char *behind)
{
	int k = snprintf(s->name + n, NAME_ROOM / 2, "%s%llu%s", before,
	    (unsigned long long)id, behind);

	return k > 0 ? n + (size_t)k : n;
}

int
viewer_thread_name(struct viewer *s, bob_tid id, struct bob_bytes *ret)
{
	const struct bob_track *track = &s->dict->track[id];
	struct bob_bytes name = bob_str_get(s->dict, track->name);
	int is_other = s->track[id].tid >= VIEWER_MADE_UP &&
	    s->track[id].tid != s->track[id].pid;
	size_t n;

	if (MEM_GROW(s->ctx, s, name, 3 * name.n + NAME_ROOM) < 0)
		return BOB_FATAL;
	n = utf8_replace(s->name, name.p, name.n);
	if (is_other && (track->flags & BOB_TRACK_TID))
		n = put_id(s, n, n > 0 ? " (thread " : "thread ", track->tid,
		    n > 0 ? ")" : "");
	if ((track->flags & BOB_TRACK_INTERP) && track->interp > 0)
		n = put_id(s, n, n > 0 ? " (interpreter " : "interpreter ",
		    track->interp, n > 0 ? ")" : "");
	*ret = (struct bob_bytes){ s->name, n };
	return BOB_OK;
}

int
viewer_process_name(struct viewer *s, bob_tid id, enum bob_lang lang,
    struct bob_bytes *ret)
{
	const char *word = lang == BOB_LANG_PHP ? "php" :
	    lang == BOB_LANG_PYTHON ? "python" : "process";
	const struct bob_track *track = &s->dict->track[id];
	const struct label *label = labels_of(&s->labels, track);
	struct bob_bytes name = { word, strlen(word) }, text = { "", 0 };
	size_t n;

	if (label != NULL && labels_text(&s->labels, label, &text) < 0)
		return BOB_FATAL;
	if (text.n > 0)
		name = text;
	if (MEM_GROW(s->ctx, s, name, 3 * name.n + NAME_ROOM) < 0)
		return BOB_FATAL;
	n = utf8_replace(s->name, name.p, name.n);
	if ((track->flags & BOB_TRACK_PID) &&
	    s->track[id].pid >= VIEWER_MADE_UP)
		n = put_id(s, n, "-", track->pid, "");
	*ret = (struct bob_bytes){ s->name, n };
	return BOB_OK;
}

int
viewer_parent(const struct viewer *s, bob_tid id, uint64_t *ret)
{
	const struct label *label = labels_of(&s->labels,
	    &s->dict->track[id]);
	struct bob_bytes parent;

	if (label == NULL)
		return 0;
	parent = label_get(label, LABEL_PARENT);
	return text_get_u64(parent.p, parent.n, ret) &&
	    *ret < VIEWER_MADE_UP;
}

int64_t
viewer_first(struct viewer *s, const struct viewer_track *t,
    const struct bob_run *run)
{
	int64_t at;

	if (run->flags & BOB_RUN_TIMED)
		return axis_at(&s->axis, run->t_first);
	at = axis_begin(&s->axis);
	return t->has_samples && at < t->next ? t->next : at;
}

void
viewer_tell(const struct viewer *s, const char *format)
{
	if (s->n_moved == 0)
		return;
	err_diag(s->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
	    "%s: %llu samples are shown later than they say, since time went "
	    "back in their threads", format, (unsigned long long)s->n_moved);
}
