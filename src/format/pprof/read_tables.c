/*
 * Everything but the samples: first taken as it comes, then put in the order
 * of ids, then made into frames. References are looked at last, since they may
 * point at what stands behind them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "format/pprof/read.h"

typedef unsigned long long ull;

#define TABLES                                                               \
	(1u << PROFILE_SAMPLE_TYPE | 1u << PROFILE_MAPPING |                 \
	    1u << PROFILE_LOCATION | 1u << PROFILE_FUNCTION |                \
	    1u << PROFILE_STRING | 1u << PROFILE_PERIOD_TYPE |               \
	    1u << PROFILE_COMMENT)

static int
bad_field(struct pprof_reader *rd, const struct pprof_field *f)
{
	return pprof_damage(rd, f, BOB_E_CORRUPT, 0,
	    "field %u of the profile is damaged", f->f.number);
}

/* The numbers in a message of numbers, by field: v[1] .. v[n - 1]. BOB_OK, or
 * as pprof_damage. */
static int
get_numbers(struct pprof_reader *rd, const struct pprof_field *f, uint64_t *v,
    size_t n)
{
	const uint8_t *p = f->f.p, *end;
	struct proto_field in;
	int r;

	memset(v, 0, n * sizeof(*v));
	if (f->f.wire != PROTO_BYTES)
		return bad_field(rd, f);
	end = p + f->f.value;
	while ((r = proto_next(&p, end, &in)) == 1)
		if (in.number < n && in.wire == PROTO_VARINT)
			v[in.number] = in.value;
	return r < 0 ? bad_field(rd, f) : BOB_OK;
}

static int
read_type(struct pprof_reader *rd, const struct pprof_field *f)
{
	uint64_t v[VALUE_UNIT + 1];
	struct pprof_type type;
	int r = get_numbers(rd, f, v, VALUE_UNIT + 1);

	if (r < 0)
		return r;
	type = (struct pprof_type){ v[VALUE_TYPE], v[VALUE_UNIT] };
	if (f->f.number == PROFILE_PERIOD_TYPE) {
		rd->period_type = type;
		return BOB_OK;
	}
	if (rd->n_types == PPROF_MAX_TYPES)
		return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
		    f->offset, "pprof: byte %llu: more than %u sample types",
		    (ull)f->offset, PPROF_MAX_TYPES);
	rd->type[rd->n_types++] = type;
	return BOB_OK;
}

static int
read_string(struct pprof_reader *rd, const struct pprof_field *f)
{
	bob_str id;

	if (f->f.wire != PROTO_BYTES)
		return bad_field(rd, f);
	if (rd->n_str == 0 && f->f.value > 0 &&
	    pprof_damage(rd, f, BOB_E_CORRUPT, 0,
	    "the first string is not empty") == BOB_FATAL)
		return BOB_FATAL;
	id = bob_str_put(rd->src->dict, f->f.p, (size_t)f->f.value);
	if (id == BOB_NO_ID ||
	    MEM_TAKE(rd->src->ctx, rd, str, rd->n_str + 1) < 0)
		return BOB_FATAL;
	rd->str[rd->n_str++] = (struct pprof_str){ .id = id };
	return BOB_OK;
}

static int
zero_id(struct pprof_reader *rd, const struct pprof_field *f)
{
	return pprof_damage(rd, f, BOB_E_CORRUPT, 0, "%s 0, an id that means "
	    "none", f->f.number == PROFILE_FUNCTION ? "function" : "location");
}

static int
read_function(struct pprof_reader *rd, const struct pprof_field *f)
{
	uint64_t v[FUNCTION_FILE + 1];
	int r = get_numbers(rd, f, v, FUNCTION_FILE + 1);

	if (r < 0)
		return r;
	if (v[FUNCTION_ID] == 0)
		return zero_id(rd, f);
	if (MEM_TAKE(rd->src->ctx, rd, function, rd->n_function + 1) < 0)
		return BOB_FATAL;
	rd->function[rd->n_function++] = (struct pprof_fn){
		.e = { v[FUNCTION_ID], f->offset }, .name = v[FUNCTION_NAME],
		.file = v[FUNCTION_FILE] };
	return BOB_OK;
}

static int
read_mapping(struct pprof_reader *rd, const struct pprof_field *f)
{
	uint64_t v[MAPPING_FILE + 1];
	int r = get_numbers(rd, f, v, MAPPING_FILE + 1);

	if (r < 0)
		return r;
	if (MEM_TAKE(rd->src->ctx, rd, map, rd->n_map + 1) < 0)
		return BOB_FATAL;
	rd->map[rd->n_map++] = (struct pprof_map){
		.e = { v[MAPPING_ID], f->offset }, .file = v[MAPPING_FILE] };
	return BOB_OK;
}

/* One function of a location. */
static int
read_place(struct pprof_reader *rd, const struct pprof_field *f,
    const struct proto_field *in)
{
	struct pprof_field line = { .f = *in, .offset = f->offset,
		.length = f->length };
	uint64_t v[LINE_LINE + 1];
	int r;

	line.f.number = f->f.number; /* what complaints are about */
	r = get_numbers(rd, &line, v, LINE_LINE + 1);
	if (r < 0)
		return r;
	if (MEM_TAKE(rd->src->ctx, rd, place, rd->n_place + 1) < 0)
		return BOB_FATAL;
	rd->place[rd->n_place++] = (struct pprof_place){ v[LINE_FUNCTION],
		(int64_t)v[LINE_LINE] };
	return BOB_OK;
}

static int
read_places(struct pprof_reader *rd, const struct pprof_field *f)
{
	const uint8_t *p = f->f.p, *end = p + f->f.value;
	size_t first = rd->n_place;
	struct proto_field in;
	int r;

	while (proto_next(&p, end, &in) == 1) {
		if (in.number != LOCATION_LINE)
			continue;
		if (rd->n_place - first == PPROF_MAX_INLINED)
			return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
			    f->offset, "pprof: byte %llu: more than %u "
			    "functions at one location", (ull)f->offset,
			    PPROF_MAX_INLINED);
		r = read_place(rd, f, &in);
		if (r < 0)
			return r;
	}
	return BOB_OK;
}

static int
read_location(struct pprof_reader *rd, const struct pprof_field *f)
{
	uint64_t v[4];
	size_t first = rd->n_place;
	int r = get_numbers(rd, f, v, 4);

	if (r == BOB_OK)
		r = v[LOCATION_ID] == 0 ? zero_id(rd, f) :
		    read_places(rd, f);
	if (r < 0) {
		rd->n_place = first;
		return r;
	}
	if (rd->n_place > UINT32_MAX / 2)
		return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT,
		    f->offset, "pprof: byte %llu: more than %u functions in "
		    "all locations", (ull)f->offset, UINT32_MAX / 2);
	if (MEM_TAKE(rd->src->ctx, rd, location, rd->n_location + 1) < 0)
		return BOB_FATAL;
	rd->location[rd->n_location++] = (struct pprof_spot){
		.e = { v[LOCATION_ID], f->offset },
		.mapping = v[LOCATION_MAPPING],
		.address = v[LOCATION_ADDRESS], .first = (uint32_t)first,
		.n = (uint32_t)(rd->n_place - first) };
	return BOB_OK;
}

static int
read_comments(struct pprof_reader *rd, const struct pprof_field *f)
{
	const uint8_t *at = NULL;
	uint64_t v;
	int r;

	while ((r = proto_next_number(&f->f, &at, &v)) == 1) {
		if (MEM_TAKE(rd->src->ctx, rd, comment,
		    rd->n_comment + 1) < 0)
			return BOB_FATAL;
		rd->comment[rd->n_comment++] = v;
	}
	return r < 0 ? bad_field(rd, f) : BOB_OK;
}

static int
read_number(struct pprof_reader *rd, const struct pprof_field *f,
    uint64_t *ret)
{
	if (f->f.wire != PROTO_VARINT)
		return bad_field(rd, f);
	*ret = f->f.value;
	return BOB_OK;
}

static int
read_field(struct pprof_reader *rd, const struct pprof_field *f)
{
	switch (f->f.number) {
	case PROFILE_SAMPLE_TYPE:
	case PROFILE_PERIOD_TYPE:
		return read_type(rd, f);
	case PROFILE_MAPPING:
		return read_mapping(rd, f);
	case PROFILE_LOCATION:
		return read_location(rd, f);
	case PROFILE_FUNCTION:
		return read_function(rd, f);
	case PROFILE_STRING:
		return read_string(rd, f);
	case PROFILE_TIME:
		return read_number(rd, f, &rd->time_ns);
	case PROFILE_PERIOD:
		return read_number(rd, f, &rd->period);
	case PROFILE_COMMENT:
		return read_comments(rd, f);
	case PROFILE_DEFAULT_TYPE:
		return read_number(rd, f, &rd->default_type);
	default:
		return BOB_OK;
	}
}

/* --- by id --------------------------------------------------------------- */

static int
compare_ids(const void *a, const void *b)
{
	const struct pprof_entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The entry of an id in a sorted table, or NULL. Most writers count from 1
 * without gaps. */
static const void *
find_entry(const void *table, size_t n, size_t size, uint64_t id)
{
	const struct pprof_entry wanted = { .id = id };
	const void *guess;

	if (id == 0 || n == 0)
		return NULL;
	if (id <= n) {
		guess = (const char *)table + (size_t)(id - 1) * size;
		if (compare_ids(guess, &wanted) == 0)
			return guess;
	}
	return bsearch(&wanted, table, n, size, compare_ids);
}

const struct pprof_spot *
pprof_find_location(const struct pprof_reader *rd, uint64_t id)
{
	return find_entry(rd->location, rd->n_location, sizeof(*rd->location),
	    id);
}

struct bob_bytes
pprof_string(const struct pprof_reader *rd, uint64_t number)
{
	return bob_str_get(rd->src->dict,
	    number < rd->n_str ? rd->str[number].id : 0);
}

/* Something is wrong with an entry that was read before. */
static int
bad_entry(struct pprof_reader *rd, const struct pprof_entry *e,
    const char *what)
{
	struct pprof_field f = { .offset = e->offset };

	return pprof_damage(rd, &f, BOB_E_CORRUPT, 0, "%s", what);
}

static int
bad_reference(struct pprof_reader *rd, const struct pprof_entry *e,
    const char *what, uint64_t id)
{
	char why[80];

	(void)snprintf(why, sizeof(why), "%s %llu does not exist", what,
	    (ull)id);
	return bad_entry(rd, e, why);
}

/* Sorts a table, unless it is. */
static int
sort_table(struct pprof_reader *rd, void *table, size_t n, size_t size)
{
	const char *p = table;
	size_t i;
	int is_sorted = 1;

	for (i = 1; is_sorted && i < n; i++)
		is_sorted = compare_ids(p + (i - 1) * size, p + i * size) < 0;
	if (is_sorted)
		return BOB_OK;
	qsort(table, n, size, compare_ids);
	for (i = 1; i < n; i++)
		if (compare_ids(p + (i - 1) * size, p + i * size) == 0)
			return bad_entry(rd,
			    (const struct pprof_entry *)(p + i * size),
			    "an id that another one has too");
	return BOB_OK;
}

/* --- frames -------------------------------------------------------------- */

/* Something in place of a name that is missing. */
static bob_fid
put_nameless(struct pprof_reader *rd, const char *what, uint64_t id)
{
	char name[40];
	int n = snprintf(name, sizeof(name), "%s %llu", what, (ull)id);

	return lang_put_frame(rd->src->dict, BOB_LANG_OTHER,
	    (struct bob_bytes){ name, (size_t)n }, 0, 0);
}

/* The name of a function, taken apart once for all that have it. */
static int
get_name(struct pprof_reader *rd, enum bob_lang lang, uint64_t number,
    struct bob_frame *ret)
{
	struct pprof_str *s = &rd->str[number];

	if (lang != BOB_LANG_PHP) {
		ret->name = s->id;
		return BOB_OK;
	}
	if (!s->is_php) {
		if (lang_set_name(rd->src->dict, lang,
		    pprof_string(rd, number), ret) < 0)
			return BOB_FATAL;
		s->is_php = 1;
		s->ns = ret->ns;
		s->scope = ret->scope;
		s->name = ret->name;
	}
	ret->ns = s->ns;
	ret->scope = s->scope;
	ret->name = s->name;
	return BOB_OK;
}

static bob_fid
put_function(struct pprof_reader *rd, const struct pprof_spot *at,
    const struct pprof_place *place)
{
	const struct pprof_fn *fn = find_entry(rd->function, rd->n_function,
	    sizeof(*fn), place->function);
	struct bob_frame named = { 0 };
	enum bob_lang lang;

	if (fn == NULL) {
		if (bad_reference(rd, &at->e, "function",
		    place->function) == BOB_FATAL)
			return BOB_NO_ID;
		return put_nameless(rd, "function", place->function);
	}
	if (fn->name >= rd->n_str || fn->file >= rd->n_str) {
		if (bad_reference(rd, &fn->e, "string",
		    fn->name >= rd->n_str ? fn->name : fn->file) == BOB_FATAL)
			return BOB_NO_ID;
		return put_nameless(rd, "function", fn->e.id);
	}
	lang = lang_of_file(&rd->guess, pprof_string(rd, fn->file));
	if (get_name(rd, lang, fn->name, &named) < 0)
		return BOB_NO_ID;
	return lang_put_named(rd->src->dict, lang, &named,
	    rd->str[fn->file].id, place->line);
}

/* An address that nobody knows the function of. */
static bob_fid
put_address(struct pprof_reader *rd, const struct pprof_spot *at)
{
	const struct pprof_map *map = find_entry(rd->map, rd->n_map,
	    sizeof(*map), at->mapping);
	char name[24];
	int n = snprintf(name, sizeof(name), "0x%llx", (ull)at->address);

	return lang_put_frame(rd->src->dict, BOB_LANG_NATIVE,
	    (struct bob_bytes){ name, (size_t)n },
	    map != NULL && map->file < rd->n_str ? rd->str[map->file].id : 0,
	    0);
}

static int
add_frame(struct pprof_reader *rd, bob_fid frame)
{
	if (frame == BOB_NO_ID ||
	    MEM_TAKE(rd->src->ctx, rd, frame, rd->n_frame + 1) < 0)
		return BOB_FATAL;
	rd->frame[rd->n_frame++] = frame;
	return BOB_OK;
}

static int
make_frames(struct pprof_reader *rd, struct pprof_spot *at)
{
	uint32_t first = at->first, n = at->n, i;
	int r = BOB_OK;

	at->first = (uint32_t)rd->n_frame;
	for (i = 0; r == BOB_OK && i < n; i++)
		r = add_frame(rd, put_function(rd, at,
		    &rd->place[first + i]));
	if (n > 0)
		return r;
	at->n = 1;
	return add_frame(rd, put_address(rd, at));
}

/* What the files of functions and mappings tell about languages. */
static void
guess_languages(struct pprof_reader *rd)
{
	size_t i;

	for (i = 0; i < rd->n_function; i++)
		lang_guess_add(&rd->guess,
		    pprof_string(rd, rd->function[i].file));
	for (i = 0; i < rd->n_map; i++) {
		struct bob_bytes s = pprof_string(rd, rd->map[i].file);

		rd->guess.has_php |= text_ends_in(s.p, s.n, "php");
		rd->guess.has_python |= text_ends_in(s.p, s.n, "python");
	}
}

static int
finish_tables(struct pprof_reader *rd)
{
	struct pprof_field all = { .length = spool_size(rd->spool) };
	size_t i;
	int r = BOB_OK;

	if (rd->n_str == 0 && all.length > 0)
		r = pprof_damage(rd, &all, BOB_E_CORRUPT, 0,
		    "the profile has no strings");
	if (r != BOB_FATAL)
		r = sort_table(rd, rd->map, rd->n_map, sizeof(*rd->map));
	if (r != BOB_FATAL)
		r = sort_table(rd, rd->function, rd->n_function,
		    sizeof(*rd->function));
	if (r != BOB_FATAL)
		r = sort_table(rd, rd->location, rd->n_location,
		    sizeof(*rd->location));
	guess_languages(rd);
	for (i = 0; r != BOB_FATAL && i < rd->n_location; i++)
		r = make_frames(rd, &rd->location[i]);
	return r == BOB_FATAL ? r : BOB_OK;
}

int
pprof_read_tables(struct pprof_reader *rd)
{
	struct pprof_field f;
	int r;

	while ((r = pprof_next_field(rd, TABLES, &f)) == BOB_OK) {
		r = read_field(rd, &f);
		if (r == BOB_FATAL)
			return r;
	}
	if (r != BOB_EOF)
		return r;
	rd->has_tables = 1;
	return finish_tables(rd);
}
