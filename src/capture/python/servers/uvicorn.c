/* Reads requests from the frames of run_asgi, and remembers them by task. */
#include "capture/python/servers/uvicorn.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "core/mem.h"

/* Entries of a scope. In uvicorn 0.35 it has 14. */
#define MAX_ENTRIES 64u

/* Ids have two to five digits. */
#define FIRST_ID 10u
#define IDS (100000u - FIRST_ID)

/* Bytes that are read of a query. */
#define MAX_QUERY 1024u

void
py_uvicorn_init(struct py_uvicorn *u, struct process *p,
    const struct py_offsets *o)
{
	memset(u, 0, sizeof(*u));
	py_server_init(&u->server, p, o);
}

void
py_uvicorn_done(struct py_uvicorn *u)
{
	free(u->v);
	ptrmap_free(&u->by_task);
}

void
py_uvicorn_forget(struct py_uvicorn *u)
{
	size_t i;

	for (i = 0; i < u->n; i++)
		u->v[i].is_known = 0;
}

int
py_uvicorn_is(struct bob_bytes file, struct bob_bytes name)
{
	return (py_server_ends(file, "/uvicorn/protocols/http/h11_impl.py") ||
	        py_server_ends(file,
	            "/uvicorn/protocols/http/httptools_impl.py")) &&
	    (py_server_ends(name, "RequestResponseCycle.run_asgi") ||
	        (name.n == 8 && py_server_ends(name, "run_asgi")));
}

/* --- requests by task ---------------------------------------------------- */

uint32_t
py_uvicorn_find(const struct py_uvicorn *u, const struct py_served_task *of)
{
	uint32_t i = u->n > 0 ? ptrmap_get(&u->by_task, of->at) : PTRMAP_NONE;

	return i != PTRMAP_NONE && u->v[i].task == of->at &&
	    u->v[i].name == of->name ? i + 1 : 0;
}

/* Makes an entry for the request of a task. NULL: memory is out. Addresses of
 * tasks that are gone stay in by_task until it is full; then all is
 * forgotten. */
static struct py_uvicorn_one *
add_request(struct py_uvicorn *u, uint64_t task)
{
	struct bob_ctx *ctx = u->server.p->ctx;
	uint32_t i;

	if (u->by_task.used >= 4 * (size_t)PY_UVICORN_MOST) {
		ptrmap_clear(&u->by_task);
		u->n = u->at = 0;
	}
	if (u->n < PY_UVICORN_MOST) {
		if (MEM_GROW(ctx, u, v, u->n + 1) < 0)
			return NULL;
		i = (uint32_t)u->n++;
	} else {
		i = u->at++ % PY_UVICORN_MOST;
	}
	memset(&u->v[i], 0, sizeof(u->v[i]));
	return ptrmap_put(ctx, &u->by_task, task, i) < 0 ? NULL : &u->v[i];
}

/* --- the pairs ----------------------------------------------------------- */

/* Reads the query, which is a bytes object. Returns the number of bytes; 0 if
 * there is none. */
static size_t
read_query(struct py_uvicorn *u, uint64_t at, char buf[PY_MAX_TEXT])
{
	const struct py_offsets *o = u->server.o;
	struct mem *m = &u->server.p->mem;
	uint64_t type, n;

	if (at == 0 || at % 8 != 0 || !mem_is_user(at, 64) ||
	    mem_read_u64(m, at + o->ob_type, &type) < 0 ||
	    !py_server_is_type(&u->server, type, "bytes",
	        &u->server.bytes_type) ||
	    mem_read_u64(m, at + o->var_size, &n) < 0 || n == 0)
		return 0;
	n = n < MAX_QUERY + 1 ? n : MAX_QUERY + 1;
	return mem_read(m, at + o->bytes_data, buf, (size_t)n) == 0
	    ? (size_t)n : 0;
}

/* Addresses of items of a scope. */
struct scope {
	uint64_t method, path, query;
};

/* Returns 1 and sets *ret if the dictionary at an address is the scope of a
 * request. */
static int
read_scope(struct py_uvicorn *u, uint64_t dict, struct scope *ret)
{
	struct py_server *s = &u->server;
	struct py_item item;
	struct py_dict d;
	uint64_t type;

	memset(ret, 0, sizeof(*ret));
	if (dict % 8 != 0 || !mem_is_user(dict, 64) ||
	    mem_read_u64(&s->p->mem, dict + s->o->ob_type, &type) < 0 ||
	    !py_server_is_type(s, type, "dict", &s->dict_type) ||
	    py_dict_begin(&d, &s->p->mem, s->o, dict) < 0 ||
	    d.n > MAX_ENTRIES)
		return 0;
	while (py_dict_next(&d, &item) == 1)
		if (py_text_is(d.mem, s->o, item.key, "method"))
			ret->method = item.value;
		else if (py_text_is(d.mem, s->o, item.key, "path"))
			ret->path = item.value;
		else if (py_text_is(d.mem, s->o, item.key, "query_string"))
			ret->query = item.value;
	return ret->method != 0 && ret->path != 0;
}

/* Finds the scope from the frame of run_asgi: its first variable, self, has
 * it. */
static int
find_scope(struct py_uvicorn *u, uint64_t frame, struct scope *ret)
{
	struct py_server *s = &u->server;
	uint64_t self, type, scope;

	if (mem_read_u64(&s->p->mem, frame + s->o->fr_locals, &self) < 0)
		return 0;
	self = py_server_ref(s, self);
	return self != 0 &&
	    mem_read_u64(&s->p->mem, self + s->o->ob_type, &type) == 0 &&
	    py_server_is_type(s, type, "RequestResponseCycle",
	        &u->cycle_type) &&
	    py_object_attr(&s->p->mem, s->o, self, "scope", &scope) == 0 &&
	    read_scope(u, scope, ret);
}

/* Reads the pairs of a scope. 0; -1 when memory is out. */
static int
read_scope_pairs(struct py_uvicorn *u, const struct scope *scope,
    struct py_request *to)
{
	struct py_server *s = &u->server;
	char buf[PY_MAX_TEXT];
	int k = 0;

	if ((s->p->flags & BOB_ATTACH_REQUEST) != 0) {
		k = py_server_add(s, to, "request.method", buf,
		    py_server_text(s, scope->method, buf));
		if (k == 0)
			k = py_server_add_uri(s, to, buf,
			    py_server_text(s, scope->path, buf));
	}
	if (k == 0 && (s->p->flags & BOB_ATTACH_QUERY) != 0)
		k = py_server_add(s, to, "request.query", buf,
		    read_query(u, scope->query, buf));
	return k;
}

uint32_t
py_uvicorn_meet(struct py_uvicorn *u, const struct py_served_task *of)
{
	uint32_t i = py_uvicorn_find(u, of);
	struct py_request read = { 0 };
	struct py_uvicorn_one *one;
	struct scope scope;

	if (i != 0 && u->v[i - 1].is_known)
		return i;
	if (!find_scope(u, of->frame, &scope))
		return 0;
	if (read_scope_pairs(u, &scope, &read) < 0)
		return BOB_NO_ID;
	one = i != 0 ? &u->v[i - 1] : add_request(u, of->at);
	if (one == NULL)
		return BOB_NO_ID;
	one->task = of->at;
	one->name = of->name;
	memcpy(one->pair, read.pair, sizeof(one->pair));
	one->n_pair = read.n_pair;
	return (uint32_t)(one - u->v) + 1;
}

void
py_uvicorn_believe(struct py_uvicorn *u, uint32_t request)
{
	struct py_uvicorn_one *one = &u->v[request - 1];

	assert(request > 0 && request <= u->n);
	one->is_known = 1;
	if (one->number == 0)
		one->number = FIRST_ID + u->n_request++ % IDS;
}

int
py_uvicorn_is_believed(const struct py_uvicorn *u, uint32_t request)
{
	assert(request > 0 && request <= u->n);
	return u->v[request - 1].is_known;
}

bob_annot
py_uvicorn_annotate(struct py_uvicorn *u, uint32_t request, bob_annot annot)
{
	const struct py_uvicorn_one *one = &u->v[request - 1];
	char id[16];
	int n = snprintf(id, sizeof(id), "%u", one->number);

	return py_server_put(&u->server,
	    (struct bob_bytes){ id, (size_t)n }, one->pair, one->n_pair,
	    annot);
}
