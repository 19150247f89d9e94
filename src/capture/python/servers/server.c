/* Finds the request of a thread, and makes annotations of it. */
#include "capture/python/servers/server.h"

#include <assert.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"
#include "capture/python/servers/gunicorn.h"
#include "capture/python/servers/uvicorn.h"
#include "capture/python/servers/uwsgi.h"
#include "core/route.h"

/* Bytes of a value; longer ones are cut. */
#define MAX_VALUE 1024

/* Pairs that an annotation may have before: those of a task. */
#define MAX_OTHERS 16

/* Bytes of the name of a type. */
#define MAX_TYPE_NAME 32

void
py_server_init(struct py_server *s, struct process *p,
    const struct py_offsets *o)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->o = o;
}

static void
forget_pairs(struct py_request *r)
{
	r->is_known = 0;
	r->n_pair = 0;
	r->annot = 0;
}

void
py_server_forget(struct py_request *r)
{
	forget_pairs(r);
}

uint8_t
py_server_kind(struct bob_bytes file, struct bob_bytes name)
{
	return py_gunicorn_is(file, name) ? PY_SERVER_GUNICORN_NEW
	    : py_uvicorn_is(file, name) ? PY_SERVER_UVICORN : PY_SERVER_NONE;
}

/* --- for the files of each server ---------------------------------------- */

int
py_server_ends(struct bob_bytes s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

uint64_t
py_server_ref(const struct py_server *s, uint64_t word)
{
	if (s->o->minor >= 13)
		word &= ~PY_REF_TAGS;
	return word % 8 == 0 && mem_is_user(word, 64) ? word : 0;
}

int
py_server_is_type(struct py_server *s, uint64_t type, const char *name,
    uint64_t *known)
{
	char text[MAX_TYPE_NAME + 1];

	assert(strlen(name) < MAX_TYPE_NAME);
	if (type != 0 && type == *known)
		return 1;
	if (type % 8 != 0 || !mem_is_user(type, 4096) ||
	    py_type_name(&s->p->mem, s->o, type, text, sizeof(text)) < 0 ||
	    strcmp(text, name) != 0)
		return 0;
	*known = type;
	return 1;
}

size_t
py_server_text(struct py_server *s, uint64_t at, char buf[PY_MAX_TEXT])
{
	int n = at != 0 && at % 8 == 0
	    ? py_text_read(&s->p->mem, s->o, at, buf) : 0;

	return n > 0 ? (size_t)n : 0;
}

int
py_server_add(struct py_server *s, struct py_request *r, const char *key,
    const char *value, size_t n)
{
	int is_cut = n > MAX_VALUE;
	struct bob_pair *pair;

	assert(r->n_pair <= PY_REQUEST_PAIRS);
	if (n == 0 || r->n_pair == PY_REQUEST_PAIRS)
		return 0;
	pair = &r->pair[r->n_pair];
	pair->key = bob_str_put(s->p->dict, key, strlen(key));
	pair->value = process_put_value(s->p, value, is_cut ? MAX_VALUE : n,
	    is_cut);
	if (pair->key == BOB_NO_ID || pair->value == BOB_NO_ID)
		return -1;
	r->n_pair++;
	return 0;
}

int
py_server_add_uri(struct py_server *s, struct py_request *r,
    const char *path, size_t n)
{
	char route[2 * MAX_VALUE + 8];

	if (py_server_add(s, r, "request.uri", path, n) < 0)
		return -1;
	return py_server_add(s, r, "request.route", route,
	    route_normalise(route, path, n < MAX_VALUE ? n : MAX_VALUE));
}

/* --- the request of a stack ---------------------------------------------- */

static int
find_request(struct py_server *s, const struct py_walk *w,
    struct py_request *r, struct py_served *ret)
{
	return py_gunicorn_find(s, w, r, ret) || py_uwsgi_find(s, w, r, ret);
}

/* Reads the pairs of a request, and checks that the key is the same after that.
 * 0; -1 when memory is out. */
static int
read_request(struct py_server *s, const struct py_walk *w,
    struct py_request *r, const struct py_served *of)
{
	struct py_served again;

	r->n_pair = 0;
	r->annot = 0;
	if ((of->kind == PY_SERVER_UWSGI ? py_uwsgi_read(s, r)
	                                 : py_gunicorn_read(s, r, of)) < 0)
		return -1;
	r->is_known = r->is_true = find_request(s, w, r, &again) &&
	    memcmp(again.key, of->key, sizeof(again.key)) == 0;
	return 0;
}

int
py_server_look(struct py_server *s, const struct py_walk *w,
    struct py_request *r)
{
	struct py_served of;

	r->is_true = 0;
	if (!find_request(s, w, r, &of))
		return 1;
	if (memcmp(of.key, r->key, sizeof(of.key)) != 0) {
		memcpy(r->key, of.key, sizeof(of.key));
		r->is_other = 1;
		forget_pairs(r);
		if (!w->is_paused)
			return 0;
	}
	r->is_true = 1;
	return r->is_known || read_request(s, w, r, &of) == 0 ? 1 : -1;
}

/* --- annotations --------------------------------------------------------- */

static int
put_id(struct py_server *s, struct bob_bytes id, struct bob_pair *pair)
{
	pair->key = bob_str_put(s->p->dict, "request.id", 10);
	/* The id is our own number: no secret that would have to be hidden. */
	pair->value = bob_str_put(s->p->dict, id.p, id.n);
	return pair->key == BOB_NO_ID || pair->value == BOB_NO_ID ? -1 : 0;
}

bob_annot
py_server_put(struct py_server *s, struct bob_bytes id,
    const struct bob_pair *pair, size_t n_pair, bob_annot annot)
{
	struct bob_pair all[MAX_OTHERS + PY_REQUEST_PAIRS + 1];
	size_t n = 0;
	const struct bob_pair *v = annot != 0
	    ? bob_annot_get(s->p->dict, annot, &n) : NULL;

	assert(n_pair <= PY_REQUEST_PAIRS);
	if (n > MAX_OTHERS)
		n = MAX_OTHERS;
	if (n > 0)
		memcpy(all, v, n * sizeof(*all));
	if (put_id(s, id, &all[n]) < 0)
		return BOB_NO_ID;
	n++;
	memcpy(all + n, pair, n_pair * sizeof(*all));
	return bob_annot_put(s->p->dict, all, n + n_pair);
}

static bob_annot
put_pairs(struct py_server *s, const struct py_request *r, bob_annot annot)
{
	char digit = (char)('1' + (r->number - 1) % PY_REQUEST_NUMBERS);

	return py_server_put(s, (struct bob_bytes){ &digit, 1 }, r->pair,
	    r->n_pair, annot);
}

bob_annot
py_server_annotate(struct py_server *s, struct py_request *r, bob_annot annot)
{
	if (!r->is_true)
		return annot;
	/* Only requests that have samples are counted. Else two of them could
	 * get the same id by chance. */
	if (r->is_other) {
		r->is_other = 0;
		r->number++;
		r->annot = 0;
	}
	if (annot != 0)
		return put_pairs(s, r, annot);
	if (r->annot == 0)
		r->annot = put_pairs(s, r, 0);
	return r->annot;
}
