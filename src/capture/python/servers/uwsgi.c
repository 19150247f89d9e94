/* Finds the structure of a thread's requests, and reads it. */
#include "capture/python/servers/uwsgi.h"

#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

/* Words of a frame among which the environment is searched: it is an argument,
 * and those come first. Up to 3.10 arguments in cells come later. */
#define MAX_WORDS 16

/* Entries of an environment. That of a browser's request has about 50. */
#define MAX_ENTRIES 256u

/* co_flags: a function, not a module or a class body. */
#define CO_OPTIMIZED 1u

/* How often a function without an environment is searched. */
#define MAX_LOOKS 8

/* struct wsgi_request of 2.0 to 2.0.30: three times, then strings, each
 * followed by a word with its length. */
enum { CORE_START = 168, CORE_TIMES = 3, CORE_URI = 192, CORE_QUERY = 240,
	CORE_METHOD = 272, CORE_END = 288 };

/* uwsgi_Input, for py_at() */
enum { INPUT_CORE = 16 };

/* 2001 and 2286: a time in microseconds must be between them. */
#define FIRST_TIME UINT64_C(1000000000000000)
#define LAST_TIME UINT64_C(10000000000000000)

/* What is read of an environment. */
struct env {
	uint64_t input; /* address of "wsgi.input"; 0: none */
	int is_async;   /* requests take turns on a thread */
};

/* Returns 1 if a dictionary may be the environment of a request that is not
 * async. */
static int
read_env(struct py_server *s, uint64_t dict, struct env *ret)
{
	struct py_item item;
	struct py_dict d;

	memset(ret, 0, sizeof(*ret));
	if (py_dict_begin(&d, &s->p->mem, s->o, dict) < 0 ||
	    d.n > MAX_ENTRIES)
		return 0;
	while (py_dict_next(&d, &item) == 1)
		if (py_text_is(d.mem, s->o, item.key, "wsgi.input"))
			ret->input = item.value;
		else if (py_text_is(d.mem, s->o, item.key,
		             "x-wsgiorg.fdevent.readable"))
			ret->is_async = 1;
	return ret->input != 0 && !ret->is_async;
}

/* The address of the structure that an environment leads to. 0 if there is
 * none. */
static uint64_t
core_of(struct py_server *s, const struct env *env)
{
	uint64_t type, core;

	if (env->input % 8 != 0 || !mem_is_user(env->input, 64) ||
	    mem_read_u64(&s->p->mem, env->input + s->o->ob_type,
	        &type) < 0 ||
	    !py_server_is_type(s, type, "uwsgi._Input", &s->input_type) ||
	    mem_read_u64(&s->p->mem, env->input + py_at(s->o, INPUT_CORE),
	        &core) < 0 ||
	    core % 8 != 0 || !mem_is_user(core, 4096))
		return 0;
	return core;
}

/* The address of the dictionary at `at`, or of that in a cell at `at`. 0 if it
 * is neither. */
static uint64_t
dict_at(struct py_server *s, uint64_t at)
{
	uint64_t type;

	if (at == 0 ||
	    mem_read_u64(&s->p->mem, at + s->o->ob_type, &type) < 0)
		return 0;
	if (py_server_is_type(s, type, "cell", &s->cell_type)) {
		if (mem_read_u64(&s->p->mem, at + py_at(s->o, PY_CELL_VALUE),
		        &at) < 0 ||
		    at % 8 != 0 || !mem_is_user(at, 64) ||
		    mem_read_u64(&s->p->mem, at + s->o->ob_type, &type) < 0)
			return 0;
	}
	return py_server_is_type(s, type, "dict", &s->dict_type) ? at : 0;
}

/* The structure that the environment among the variables of a frame leads to. 0
 * if there is none. */
static uint64_t
find_in_frame(struct py_server *s, const struct py_code *c, uint64_t frame)
{
	uint64_t word[MAX_WORDS], dict, core = 0;
	size_t i, size = sizeof(word);
	struct env env;
	long n;

	/* Behind the frame there are others. */
	if (c->frame_size > s->o->fr_locals &&
	    c->frame_size - s->o->fr_locals < size)
		size = c->frame_size - s->o->fr_locals;
	n = mem_read_some(&s->p->mem, frame + s->o->fr_locals, word, size);
	for (i = 0; core == 0 && n > 0 && i < (size_t)n / 8; i++) {
		dict = dict_at(s, py_server_ref(s, word[i]));
		if (dict != 0 && read_env(s, dict, &env))
			core = core_of(s, &env);
	}
	return core;
}

/* The outermost function of a stack. NULL if there is none. */
static const struct py_walk_memo *
outermost_function(const struct py_walk *w)
{
	size_t i;

	for (i = 0; i < w->n_memo; i++)
		if (!w->codes->code[w->memo[i].index].is_hidden)
			return &w->memo[i];
	return NULL;
}

static void
find_core(struct py_server *s, const struct py_walk *w, struct py_request *r)
{
	const struct py_walk_memo *m = outermost_function(w);
	struct py_code *c;

	if (m == NULL)
		return;
	c = &w->codes->code[m->index];
	/* An application is a function. A module has no variables in its
	 * frame: the search would be in vain. */
	if ((c->flags & CO_OPTIMIZED) == 0 || c->n_looks >= MAX_LOOKS)
		return;
	c->n_looks++;
	r->core = find_in_frame(s, c, m->at);
	/* Other threads, with other structures, may search here too. */
	if (r->core != 0)
		c->n_looks = 0;
}

int
py_uwsgi_find(struct py_server *s, const struct py_walk *w,
    struct py_request *r, struct py_served *ret)
{
	uint64_t v[CORE_TIMES];

	if (r->core == 0)
		find_core(s, w, r);
	if (r->core == 0 || mem_read(&s->p->mem, r->core + CORE_START, v,
	        sizeof(v)) < 0 ||
	    v[0] < FIRST_TIME || v[0] > LAST_TIME || v[1] != v[0] / 1000000 ||
	    v[2] != 0)
		return 0;
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->key, v, sizeof(v[0]));
	ret->kind = PY_SERVER_UWSGI;
	return 1;
}

/* --- the pairs ----------------------------------------------------------- */

/* Reads a string of the structure; `copy` has its bytes from CORE_URI on.
 * Returns the number of bytes; 0 if there is none. */
static size_t
read_string(struct py_server *s, const uint8_t *copy, size_t at,
    char buf[PY_MAX_TEXT])
{
	uint64_t from = mem_u64(copy, at - CORE_URI);
	size_t n = mem_u64(copy, at - CORE_URI + 8) & UINT16_MAX;

	if (n > PY_MAX_TEXT)
		n = PY_MAX_TEXT;
	return n > 0 && mem_read(&s->p->mem, from, buf, n) == 0 ? n : 0;
}

/* Adds the path that the client asked for, without its query. */
static int
add_uri(struct py_server *s, struct py_request *r, const uint8_t *copy)
{
	char buf[PY_MAX_TEXT];
	size_t n = read_string(s, copy, CORE_URI, buf);
	const char *query = memchr(buf, '?', n);

	return py_server_add_uri(s, r, buf,
	    query != NULL ? (size_t)(query - buf) : n);
}

int
py_uwsgi_read(struct py_server *s, struct py_request *r)
{
	uint8_t copy[CORE_END - CORE_URI];
	char buf[PY_MAX_TEXT];
	int k = 0;

	if (mem_read(&s->p->mem, r->core + CORE_URI, copy, sizeof(copy)) < 0)
		return 0;
	if ((s->p->flags & BOB_ATTACH_REQUEST) != 0) {
		k = py_server_add(s, r, "request.method", buf,
		    read_string(s, copy, CORE_METHOD, buf));
		if (k == 0)
			k = add_uri(s, r, copy);
	}
	if (k == 0 && (s->p->flags & BOB_ATTACH_QUERY) != 0)
		k = py_server_add(s, r, "request.query", buf,
		    read_string(s, copy, CORE_QUERY, buf));
	return k;
}
