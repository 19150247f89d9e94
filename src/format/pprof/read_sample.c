/* Decodes samples: a path of locations, values and labels. */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "format/pprof/read.h"

typedef unsigned long long ull;

/* What a sample says, before it is believed. */
struct sample {
	uint64_t value; /* in the column that counts */
	size_t n_values;
	int has_bad_numbers;
};

static int
bad_sample(struct pprof_reader *rd, const struct pprof_field *f,
    const char *why)
{
	return pprof_damage(rd, f, BOB_E_CORRUPT, 1, "a sample %s", why);
}

void
pprof_sum_values(const struct pprof_field *f, uint64_t sum[PPROF_MAX_TYPES])
{
	const uint8_t *p = f->f.p, *end, *at;
	struct proto_field in;
	size_t i = 0;
	uint64_t v;

	if (f->f.wire != PROTO_BYTES)
		return;
	end = p + f->f.value;
	while (proto_next(&p, end, &in) == 1) {
		if (in.number != SAMPLE_VALUE)
			continue;
		at = NULL;
		while (i < PPROF_MAX_TYPES &&
		    proto_next_number(&in, &at, &v) == 1) {
			if (v <= BOB_MAX_COUNT)
				sum[i] = count_add(sum[i], v);
			i++;
		}
	}
}

/* --- stacks -------------------------------------------------------------- */

static int
add_path(struct pprof_reader *rd, const struct pprof_field *f,
    const struct proto_field *in, struct sample *s)
{
	const uint8_t *at = NULL;
	uint64_t v;
	int r;

	while ((r = proto_next_number(in, &at, &v)) == 1) {
		if (rd->n_path == BOB_MAX_DEPTH)
			return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
			    f->offset, "pprof: byte %llu: more than %u "
			    "locations in a sample", (ull)f->offset,
			    BOB_MAX_DEPTH);
		if (MEM_TAKE(rd->src->ctx, rd, path, rd->n_path + 1) < 0)
			return BOB_FATAL;
		rd->path[rd->n_path++] = v;
	}
	s->has_bad_numbers |= r < 0;
	return BOB_OK;
}

static void
add_values(const struct pprof_reader *rd, const struct proto_field *in,
    struct sample *s)
{
	const uint8_t *at = NULL;
	uint64_t v;
	int r;

	while ((r = proto_next_number(in, &at, &v)) == 1)
		if (s->n_values++ == rd->column)
			s->value = v;
	s->has_bad_numbers |= r < 0;
}

/* Room for as many frames as the bytes of the profile can stand for: crafted
 * locations, each of many functions and mentioned by a byte, would make many
 * more. Compilers inline less than that on the average of all samples. */
static int
has_room(const struct pprof_reader *rd)
{
	return rd->n_pushed / 8 <= spool_size(rd->spool) + 65536;
}

/* A location that is missing leaves its number. */
static bob_fid
put_missing(struct pprof_reader *rd, const struct pprof_field *f, uint64_t id)
{
	struct pprof_field whole = *f;
	char name[40];
	int n = snprintf(name, sizeof(name), "location %llu", (ull)id);

	if (pprof_damage(rd, &whole, BOB_E_CORRUPT, 0, "a sample refers to "
	    "location %llu, which does not exist", (ull)id) == BOB_FATAL)
		return BOB_NO_ID;
	return lang_put_frame(rd->src->dict, BOB_LANG_OTHER,
	    (struct bob_bytes){ name, (size_t)n }, 0, 0);
}

static int
push_frame(struct pprof_reader *rd, const struct pprof_field *f, bob_fid frame,
    bob_stack *stack)
{
	struct bob_dict *d = rd->src->dict;

	if (frame == BOB_NO_ID)
		return BOB_FATAL;
	if (d->node[*stack].depth == BOB_MAX_DEPTH || !has_room(rd))
		return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
		    f->offset, "pprof: byte %llu: too many inlined frames",
		    (ull)f->offset);
	rd->n_pushed++;
	*stack = bob_stack_push(d, *stack, frame);
	return *stack == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* Goes from the root on; within a location the caller stands last. */
static int
make_stack(struct pprof_reader *rd, const struct pprof_field *f,
    bob_stack *ret)
{
	size_t i;
	uint32_t k;
	int r = BOB_OK;

	*ret = 0;
	for (i = rd->n_path; r == BOB_OK && i > 0; i--) {
		const struct pprof_spot *at = pprof_find_location(rd,
		    rd->path[i - 1]);

		if (at == NULL)
			r = push_frame(rd, f, put_missing(rd, f,
			    rd->path[i - 1]), ret);
		for (k = at == NULL ? 0 : at->n; r == BOB_OK && k > 0; k--)
			r = push_frame(rd, f, rd->frame[at->first + k - 1],
			    ret);
	}
	return r;
}

/* --- labels -------------------------------------------------------------- */

enum role { ROLE_NONE, ROLE_PID, ROLE_TID, ROLE_THREAD, ROLE_INTERPRETER };

struct label {
	struct bob_bytes key, str, unit;
	bob_str key_id, str_id;
	uint64_t num;
	int has_str;
};

/* What a label says about who was sampled. */
static enum role
role_of(struct bob_bytes key)
{
	static const struct {
		const char *key;
		enum role role;
	} known[] = {
		{ "pid", ROLE_PID },
		{ "process_id", ROLE_PID },
		{ "tid", ROLE_TID },
		{ "thread id", ROLE_TID },
		{ "thread_id", ROLE_TID },
		{ "thread", ROLE_THREAD },
		{ "thread name", ROLE_THREAD },
		{ "thread_name", ROLE_THREAD },
		{ "interpreter", ROLE_INTERPRETER },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (key.n == strlen(known[i].key) &&
		    memcmp(key.p, known[i].key, key.n) == 0)
			return known[i].role;
	return ROLE_NONE;
}

/* The number of a label, also of one in words; 0: it has none. */
static int
label_number(const struct label *l, uint64_t *ret)
{
	if (l->has_str)
		return text_get_u64(l->str.p, l->str.n, ret);
	*ret = l->num;
	return 1;
}

/* 1 when the label is part of the track, 0 when it is not. */
static int
take_role(const struct label *l, struct bob_track *t)
{
	enum role role = role_of(l->key);
	uint64_t v;

	if (role == ROLE_THREAD && l->has_str && l->str.n > 0) {
		t->name = l->str_id;
		return 1;
	}
	if (role == ROLE_NONE || !label_number(l, &v) ||
	    (role == ROLE_INTERPRETER && v > UINT32_MAX))
		return 0;
	if (role == ROLE_PID)
		t->pid = v;
	else if (role == ROLE_INTERPRETER)
		t->interp = (uint32_t)v;
	else
		t->tid = v;
	t->flags |= role == ROLE_PID ? BOB_TRACK_PID :
	    role == ROLE_INTERPRETER ? BOB_TRACK_INTERP : BOB_TRACK_TID;
	return 1;
}

/* A thread's name that is a number is its number. */
static void
settle_thread(const struct bob_dict *d, struct bob_track *t)
{
	struct bob_bytes name = bob_str_get(d, t->name);
	uint64_t v;

	if (t->name == 0 || !text_get_u64(name.p, name.n, &v))
		return;
	if ((t->flags & BOB_TRACK_TID) && t->tid != v)
		return;
	t->tid = v;
	t->flags |= BOB_TRACK_TID;
	t->name = 0;
}

static int
add_annotation(struct pprof_reader *rd, const struct label *l)
{
	struct bob_dict *d = rd->src->dict;
	struct bob_pair pair;
	char number[128];
	int n;

	if (rd->n_pair == BOB_MAX_PAIRS)
		return BOB_OK;
	pair.key = l->key_id;
	if (l->has_str) {
		pair.value = l->str_id;
	} else {
		n = snprintf(number, sizeof(number), "%lld%s%.*s",
		    (long long)l->num, l->unit.n > 0 ? " " : "",
		    (int)(l->unit.n < 64 ? l->unit.n : 64), l->unit.p);
		pair.value = bob_str_put(d, number, (size_t)n);
	}
	if (pair.value == BOB_NO_ID)
		return BOB_FATAL;
	rd->pair[rd->n_pair++] = pair;
	return BOB_OK;
}

static bob_str
string_id(const struct pprof_reader *rd, uint64_t number)
{
	return number < rd->n_str ? rd->str[number].id : 0;
}

/* BOB_OK, or as pprof_damage. */
static int
get_label(struct pprof_reader *rd, const struct pprof_field *f,
    const struct proto_field *in, struct label *ret)
{
	uint64_t v[LABEL_UNIT + 1] = { 0 };
	const uint8_t *p = in->p, *end;
	struct proto_field part;
	int r;

	if (in->wire != PROTO_BYTES)
		return bad_sample(rd, f, "has a damaged label");
	end = p + in->value;
	while ((r = proto_next(&p, end, &part)) == 1)
		if (part.number <= LABEL_UNIT && part.wire == PROTO_VARINT)
			v[part.number] = part.value;
	if (r < 0)
		return bad_sample(rd, f, "has a damaged label");
	if (v[LABEL_KEY] >= rd->n_str || v[LABEL_STR] >= rd->n_str ||
	    v[LABEL_UNIT] >= rd->n_str) {
		r = pprof_damage(rd, f, BOB_E_CORRUPT, 0, "a label refers to "
		    "a string that does not exist");
		if (r == BOB_FATAL)
			return r;
	}
	*ret = (struct label){ .key = pprof_string(rd, v[LABEL_KEY]),
		.str = pprof_string(rd, v[LABEL_STR]),
		.key_id = string_id(rd, v[LABEL_KEY]),
		.str_id = string_id(rd, v[LABEL_STR]),
		.unit = pprof_string(rd, v[LABEL_UNIT]),
		.num = v[LABEL_NUM], .has_str = v[LABEL_STR] != 0 };
	return BOB_OK;
}

static int
read_label(struct pprof_reader *rd, const struct pprof_field *f,
    const struct proto_field *in, struct bob_track *track)
{
	struct label label = { 0 };
	int r = get_label(rd, f, in, &label);

	if (r < 0)
		return r;
	if (take_role(&label, track))
		return BOB_OK;
	return rd->src->want & BOB_WANT_ANNOTATIONS ?
	    add_annotation(rd, &label) : BOB_OK;
}

/* --- all of it ----------------------------------------------------------- */

static int
read_parts(struct pprof_reader *rd, const struct pprof_field *f,
    struct sample *s, struct bob_track *track)
{
	const uint8_t *p = f->f.p, *end;
	struct proto_field in;
	int r, k = BOB_OK;

	if (f->f.wire != PROTO_BYTES)
		return bad_sample(rd, f, "is no message");
	end = p + f->f.value;
	while (k == BOB_OK && (r = proto_next(&p, end, &in)) != 0) {
		if (r < 0)
			return bad_sample(rd, f, "is damaged inside");
		if (in.number == SAMPLE_LOCATION)
			k = add_path(rd, f, &in, s);
		else if (in.number == SAMPLE_VALUE)
			add_values(rd, &in, s);
		else if (in.number == SAMPLE_LABEL && rd->has_labels)
			k = read_label(rd, f, &in, track);
	}
	if (k == BOB_OK && s->has_bad_numbers)
		return bad_sample(rd, f, "has damaged numbers");
	return k;
}

/* Ids of track and annotations, as far as anybody looks at them. */
static int
put_labels(struct pprof_reader *rd, struct bob_track *track,
    struct bob_run *run)
{
	struct bob_dict *d = rd->src->dict;

	settle_thread(d, track);
	if ((rd->src->want & BOB_WANT_TRACKS) &&
	    (track->flags != 0 || track->name != 0))
		run->track = bob_track_put(d, track);
	if (rd->n_pair > 0)
		run->annot = bob_annot_put(d, rd->pair, rd->n_pair);
	return run->track == BOB_NO_ID || run->annot == BOB_NO_ID ?
	    BOB_FATAL : BOB_OK;
}

int
pprof_read_sample(struct pprof_reader *rd, const struct pprof_field *f)
{
	struct sample s = { 0 };
	struct bob_track track = { 0 };
	struct bob_run run = { 0 };
	int r;

	rd->n_path = rd->n_pair = 0;
	r = read_parts(rd, f, &s, &track);
	if (r < 0)
		return r;
	if (s.n_values != rd->n_types)
		return pprof_damage(rd, f, BOB_E_CORRUPT, 1, "a sample has "
		    "%zu values instead of %zu", s.n_values, rd->n_types);
	if (s.value > BOB_MAX_COUNT) {
		rd->n_negative++;
		return BOB_OK;
	}
	run.count = pprof_count(rd, s.value);
	if (run.count == 0)
		return BOB_OK;
	r = make_stack(rd, f, &run.stack);
	if (r == BOB_OK)
		r = put_labels(rd, &track, &run);
	if (r == BOB_OK)
		rd->run[rd->n_run++] = run;
	return r;
}
