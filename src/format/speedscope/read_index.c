/* The first pass: reads the frames, and finds the arrays of each profile. */
#include <stdlib.h>
#include <string.h>

#include "format/speedscope/read.h"

/* What is being read; a member that has not the kind of value it should have
 * is left out, as viewers do. */
struct index {
	struct speedscope_reader *rd;
	struct json_reader json;
	uint64_t from; /* where what is not finished begins */
};

static int
get_string(struct index *x, bob_str *ret)
{
	struct json_reader *j = &x->json;
	bob_str id;
	int r = json_next(j);

	if (r != BOB_OK || j->kind != JSON_STRING)
		return r != BOB_OK ? r : json_skip(j);
	id = bob_str_put(x->rd->src->dict, j->n_text > 0 ? j->text : "",
	    j->n_text);
	if (id == BOB_NO_ID)
		return BOB_FATAL;
	*ret = id;
	return BOB_OK;
}

static int
get_number(struct index *x, struct json_number *ret, int *has)
{
	int r = json_next(&x->json);

	if (r != BOB_OK || x->json.kind != JSON_NUMBER)
		return r != BOB_OK ? r : json_skip(&x->json);
	*ret = x->json.number;
	*has = 1;
	return BOB_OK;
}

/* The offset of an array, which is passed over. */
static int
get_array(struct index *x, uint64_t *ret)
{
	int r = json_next(&x->json);

	if (r == BOB_OK && x->json.kind == JSON_ARRAY)
		*ret = x->json.offset;
	return r != BOB_OK ? r : json_skip(&x->json);
}

/* --- frames -------------------------------------------------------------- */

static int
get_line(struct index *x, int64_t *ret)
{
	struct json_number v;
	int has = 0, r = get_number(x, &v, &has);

	if (r == BOB_OK && has && !v.is_negative)
		*ret = (int64_t)json_scaled(&v, 0);
	return r;
}

static int
read_frame(struct index *x)
{
	struct speedscope_reader *rd = x->rd;
	struct speedscope_frame f = { 0 };
	int r;

	if (x->json.kind != JSON_OBJECT)
		return json_skip(&x->json);
	while ((r = json_member(&x->json)) == BOB_OK) {
		if (json_is(&x->json, "name"))
			r = get_string(x, &f.name);
		else if (json_is(&x->json, "file"))
			r = get_string(x, &f.file);
		else if (json_is(&x->json, "line"))
			r = get_line(x, &f.line);
		else
			r = json_skip(&x->json);
		if (r != BOB_OK)
			return r;
	}
	if (r != BOB_EOF)
		return r;
	if (MEM_TAKE(rd->src->ctx, rd, frame, rd->n_frame + 1) < 0)
		return BOB_FATAL;
	rd->frame[rd->n_frame++] = f;
	return BOB_OK;
}

/* Each element of an array; anything else is passed over. */
static int
read_array(struct index *x, int (*read)(struct index *x))
{
	int r = json_next(&x->json);

	if (r != BOB_OK || x->json.kind != JSON_ARRAY)
		return r != BOB_OK ? r : json_skip(&x->json);
	while ((r = json_element(&x->json)) == BOB_OK) {
		r = read(x);
		if (r != BOB_OK)
			return r;
	}
	return r == BOB_EOF ? BOB_OK : r;
}

static int
read_shared(struct index *x)
{
	int r = json_next(&x->json);

	if (r != BOB_OK || x->json.kind != JSON_OBJECT)
		return r != BOB_OK ? r : json_skip(&x->json);
	while ((r = json_member(&x->json)) == BOB_OK) {
		r = json_is(&x->json, "frames") ? read_array(x, read_frame) :
		    json_skip(&x->json);
		if (r != BOB_OK)
			return r;
	}
	return r == BOB_EOF ? BOB_OK : r;
}

/* --- profiles ------------------------------------------------------------ */

/* Thousandths of a microsecond for times, else of one. */
static void
set_unit(struct speedscope_profile *p, const struct bob_dict *d, bob_str unit)
{
	static const struct {
		const char *name;
		int power;
	} times[] = {
		{ "nanoseconds", 0 },
		{ "microseconds", 3 },
		{ "milliseconds", 6 },
		{ "seconds", 9 },
	};
	struct bob_bytes s = bob_str_get(d, unit);
	size_t i;

	p->power = 3;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (s.n == strlen(times[i].name) &&
		    memcmp(s.p, times[i].name, s.n) == 0) {
			p->power = times[i].power;
			p->is_time = 1;
		}
}

static int
read_profile_member(struct index *x, struct speedscope_profile *p,
    bob_str *unit)
{
	const struct json_reader *j = &x->json;

	if (json_is(j, "name"))
		return get_string(x, &p->name);
	if (json_is(j, "unit"))
		return get_string(x, unit);
	if (json_is(j, "endValue"))
		return get_number(x, &p->end, &p->has_end);
	if (json_is(j, "samples"))
		return get_array(x, &p->samples);
	if (json_is(j, "weights"))
		return get_array(x, &p->weights);
	if (json_is(j, "events"))
		return get_array(x, &p->events);
	return json_skip(&x->json);
}

static int
read_profile(struct index *x)
{
	struct speedscope_reader *rd = x->rd;
	struct speedscope_profile p = { .offset = x->json.offset };
	bob_str unit = 0;
	int r;

	if (x->json.kind != JSON_OBJECT)
		return json_skip(&x->json);
	x->from = p.offset;
	while ((r = json_member(&x->json)) == BOB_OK) {
		r = read_profile_member(x, &p, &unit);
		if (r != BOB_OK)
			return r;
	}
	if (r != BOB_EOF)
		return r;
	x->from = BOB_NO_OFFSET;
	set_unit(&p, rd->src->dict, unit);
	if (p.events == 0 && (p.samples == 0 || p.weights == 0)) {
		r = speedscope_damage(rd, p.offset, x->json.in->pos -
		    p.offset, 1, "a profile without samples and weights, or "
		    "events");
		return r == BOB_FATAL ? r : BOB_OK;
	}
	if (MEM_TAKE(rd->src->ctx, rd, profile, rd->n_profile + 1) < 0)
		return BOB_FATAL;
	rd->profile[rd->n_profile++] = p;
	return BOB_OK;
}

/* --- the whole ----------------------------------------------------------- */

static int
read_exporter(struct index *x)
{
	static const char us[] = "bobbin@";
	size_t n = sizeof(us) - 1;
	int r = json_next(&x->json);

	if (r != BOB_OK || x->json.kind != JSON_STRING)
		return r != BOB_OK ? r : json_skip(&x->json);
	x->rd->is_ours = x->json.n_text >= n &&
	    memcmp(x->json.text, us, n) == 0;
	return BOB_OK;
}

static int
read_document(struct index *x)
{
	int r = json_next(&x->json);

	if (r == BOB_OK && x->json.kind != JSON_OBJECT)
		return err_set(x->rd->src->ctx, BOB_FATAL, BOB_E_CORRUPT,
		    x->json.offset, "speedscope: byte %llu: not an object",
		    (unsigned long long)x->json.offset);
	while (r == BOB_OK && (r = json_member(&x->json)) == BOB_OK) {
		if (json_is(&x->json, "exporter"))
			r = read_exporter(x);
		else if (json_is(&x->json, "shared"))
			r = read_shared(x);
		else if (json_is(&x->json, "profiles"))
			r = read_array(x, read_profile);
		else
			r = json_skip(&x->json);
	}
	if (r == BOB_EOF)
		r = json_next(&x->json);
	return r == BOB_EOF ? BOB_OK : r;
}

static int
make_frames(struct speedscope_reader *rd)
{
	struct bob_dict *d = rd->src->dict;
	struct lang_guess guess = { 0 };
	size_t i;

	if (MEM_TAKE(rd->src->ctx, rd, fid, rd->n_frame + 1) < 0)
		return BOB_FATAL;
	for (i = 0; i < rd->n_frame; i++)
		lang_guess_add(&guess, bob_str_get(d, rd->frame[i].file));
	for (i = 0; i < rd->n_frame; i++) {
		const struct speedscope_frame *f = &rd->frame[i];

		rd->fid[i] = lang_put_frame(d,
		    lang_of_file(&guess, bob_str_get(d, f->file)),
		    bob_str_get(d, f->name), f->file, f->line);
		if (rd->fid[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Our own first profile is the sum of the others. */
static void
drop_sum(struct speedscope_reader *rd)
{
	static const char sum[] = "all together";
	struct bob_bytes name;

	if (!rd->is_ours || rd->n_profile < 2)
		return;
	name = bob_str_get(rd->src->dict, rd->profile[0].name);
	if (name.n != sizeof(sum) - 1 || memcmp(name.p, sum, name.n) != 0)
		return;
	memmove(rd->profile, rd->profile + 1,
	    --rd->n_profile * sizeof(*rd->profile));
}

int
speedscope_index(struct speedscope_reader *rd)
{
	struct index x = { .rd = rd, .from = BOB_NO_OFFSET };
	struct in *in;
	size_t i;
	int r = spool_range(rd->spool, 0, spool_size(rd->spool), &in);

	if (r != BOB_OK)
		return r;
	json_begin(&x.json, in, "speedscope");
	r = read_document(&x);
	if (r == BOB_FATAL)
		r = speedscope_broken(rd, x.from != BOB_NO_OFFSET ? x.from :
		    in->pos);
	json_done(&x.json);
	in_close(in);
	if (r == BOB_FATAL)
		return r;
	r = make_frames(rd);
	drop_sum(rd);
	for (i = 0; r == BOB_OK && i < rd->n_profile; i++)
		if (rd->profile[i].is_time)
			r = speedscope_divide(rd, &rd->profile[i],
			    &rd->period_us);
	return r;
}
