/* Finds handle_request on a stack and reads its variables. */
#include "capture/python/servers/gunicorn.h"

#include <assert.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

/* Variables of handle_request that are read; gunicorn 23 has 12. */
#define MAX_VARS 64

/* PyDateTime_DateTime, for py_at(); the same from 3.7 to 3.16: a byte that says
 * whether it has a time zone, then ten bytes. */
enum { TIME_VALUE = 24, TIME_LENGTH = 11 };

/* py_at() adds up to 16. */
#define TIME_BYTES (TIME_VALUE + 16 + TIME_LENGTH)

/* The objects of the two variables. */
struct refs {
	uint64_t start, req;
};

/* Up to 3.10 the name of a function is without its class. */
int
py_gunicorn_is(struct bob_bytes file, struct bob_bytes name)
{
	int is_worker = py_server_ends(file, "/gunicorn/workers/sync.py") ||
	    py_server_ends(file, "/gunicorn/workers/gthread.py");

	return is_worker && (py_server_ends(name, "Worker.handle_request") ||
	        (name.n == 14 && py_server_ends(name, "handle_request")));
}

/* --- the frame ----------------------------------------------------------- */

/* Finds the indices of the two variables, once for a code object. */
static void
find_slots(struct py_server *s, struct py_code *c)
{
	const struct py_offsets *o = s->o;
	struct mem *m = &s->p->mem;
	uint64_t names, n, name[MAX_VARS];
	uint8_t i;

	c->server = PY_SERVER_NONE;
	c->start_slot = c->req_slot = MAX_VARS;
	if (mem_read_u64(m, c->at + o->co_var_names, &names) < 0 ||
	    mem_read_u64(m, names + o->var_size, &n) < 0 || n == 0)
		return;
	if (n > MAX_VARS)
		n = MAX_VARS;
	if (mem_read(m, names + o->tuple_items, name, (size_t)n * 8) < 0)
		return;
	for (i = 0; i < n; i++) {
		if (py_text_is(m, o, name[i], "request_start"))
			c->start_slot = i;
		else if (py_text_is(m, o, name[i], "req"))
			c->req_slot = i;
	}
	if (c->start_slot < MAX_VARS && c->req_slot < MAX_VARS)
		c->server = PY_SERVER_GUNICORN;
}

/* The frame of a stack that serves a request, and its code in *ret. NULL if
 * there is none. */
static const struct py_walk_memo *
find_serving_frame(struct py_server *s, const struct py_walk *w,
    const struct py_code **ret)
{
	size_t n = w->n_memo < PY_SERVER_DEPTH ? w->n_memo : PY_SERVER_DEPTH;
	size_t i;

	if (!w->codes->has_server)
		return NULL;
	for (i = 0; i < n; i++) {
		struct py_code *c = &w->codes->code[w->memo[i].index];

		if (c->server == PY_SERVER_GUNICORN_NEW)
			find_slots(s, c);
		*ret = c;
		if (c->server == PY_SERVER_GUNICORN)
			return &w->memo[i];
	}
	return NULL;
}

/* --- the key ------------------------------------------------------------- */

/* Reads the two variables, and in the same read the time at the address where
 * it was last (`guess`). Returns 1; 0 if there is no time (yet). */
static int
read_refs(struct py_server *s, const struct py_code *c, uint64_t frame,
    uint64_t guess, struct refs *ret, uint8_t time[TIME_BYTES])
{
	uint64_t at = frame + s->o->fr_locals;
	size_t n_time = py_at(s->o, TIME_VALUE) + TIME_LENGTH;
	struct mem_span v[3] = {
		{ at + 8 * (uint64_t)c->start_slot, &ret->start, 8 },
		{ at + 8 * (uint64_t)c->req_slot, &ret->req, 8 },
		{ guess, time, n_time },
	};
	size_t n = guess != 0 ? 3 : 2;
	long got;

	assert(n_time <= TIME_BYTES); /* var_size is at most 32: bounds.c */
	got = mem_gather(&s->p->mem, v, n);
	if (got < (long)mem_total(v, 2))
		return 0;
	ret->start = py_server_ref(s, ret->start);
	ret->req = py_server_ref(s, ret->req);
	if (ret->start == 0)
		return 0;
	if (n == 3 && ret->start == guess && got == (long)mem_total(v, 3))
		return 1;
	return mem_read(&s->p->mem, ret->start, time, n_time) == 0;
}

/* Makes the key from the time. Returns 1; 0 if it is no datetime: a month is
 * never 0. */
static int
parse_key(struct py_server *s, const uint8_t time[TIME_BYTES],
    uint8_t key[PY_REQUEST_KEY])
{
	const uint8_t *v = time + py_at(s->o, TIME_VALUE);

	assert(s->o->ob_type <= TIME_BYTES - 8);
	if (!py_server_is_type(s, mem_u64(time, s->o->ob_type),
	        "datetime.datetime", &s->time_type) ||
	    v[3] == 0 || v[3] > 12)
		return 0;
	memset(key, 0, PY_REQUEST_KEY);
	memcpy(key, v, TIME_LENGTH);
	return 1;
}

int
py_gunicorn_find(struct py_server *s, const struct py_walk *w,
    struct py_request *r, struct py_served *ret)
{
	const struct py_walk_memo *m;
	const struct py_code *c;
	uint8_t time[TIME_BYTES] = { 0 };
	struct refs refs = { 0, 0 };

	m = find_serving_frame(s, w, &c);
	if (m == NULL || !read_refs(s, c, m->at, r->start, &refs, time) ||
	    !parse_key(s, time, ret->key))
		return 0;
	r->start = refs.start;
	ret->kind = PY_SERVER_GUNICORN;
	ret->object = refs.req;
	return 1;
}

/* --- the pairs ----------------------------------------------------------- */

/* Reads an attribute of a request. Returns the number of bytes; 0 if there is
 * none. */
static size_t
read_attr(struct py_server *s, uint64_t req, const char *name,
    char buf[PY_MAX_TEXT])
{
	uint64_t at;

	return py_object_attr(&s->p->mem, s->o, req, name, &at) == 0
	    ? py_server_text(s, at, buf) : 0;
}

int
py_gunicorn_read(struct py_server *s, struct py_request *r,
    const struct py_served *of)
{
	uint32_t flags = s->p->flags;
	char buf[PY_MAX_TEXT];
	int k = 0;

	if (of->object == 0)
		return 0;
	if ((flags & BOB_ATTACH_REQUEST) != 0) {
		k = py_server_add(s, r, "request.method", buf,
		    read_attr(s, of->object, "method", buf));
		if (k == 0)
			k = py_server_add_uri(s, r, buf,
			    read_attr(s, of->object, "path", buf));
	}
	if (k == 0 && (flags & BOB_ATTACH_QUERY) != 0)
		k = py_server_add(s, r, "request.query", buf,
		    read_attr(s, of->object, "query", buf));
	return k;
}
