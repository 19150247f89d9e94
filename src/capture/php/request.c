/* Reading sapi_globals, $_SERVER and the heap's counters. */
#include "capture/php/request.h"

#include <string.h>

#include "capture/php/table.h"
#include "core/route.h"

/* How long a request is believed to be the same without its time: without
 * opcache PHP does not always set it. */
#define BELIEVED_US 10000
#define NO_SERVER_US 10000

/* Memory is told in steps, or every sample would have its own annotations. */
#define MEMORY_STEP 65536

#define ANY_REQUEST (BOB_ATTACH_REQUEST | BOB_ATTACH_QUERY | BOB_ATTACH_COOKIE)

void
request_init(struct request *r, struct process *p,
    const struct php_offsets *o, const struct php_globals *at,
    const struct server *server)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->o = o;
	r->at = *at;
	r->server = server;
}

void
request_forget(struct request *r)
{
	r->is_known = 0;
	r->n_uri = 0;
	r->t_looked = 0;
	r->annot = 0;
}

void
request_idle(struct request *r)
{
	request_forget(r);
	r->was_idle = 1;
}

static int
add_pair(struct request *r, const char *key, const char *value, size_t n)
{
	struct bob_dict *d = r->p->dict;
	struct bob_pair *pair = &r->pair[r->n_pair];

	if (n == 0 || r->n_pair == REQUEST_MAX_PAIRS)
		return BOB_OK;
	pair->key = bob_str_put(d, key, strlen(key));
	pair->value = process_put_value(r->p, value, n,
	    n == REQUEST_MAX_BYTES);
	if (pair->key == BOB_NO_ID || pair->value == BOB_NO_ID)
		return BOB_FATAL;
	r->n_pair++;
	return BOB_OK;
}

/* A string that ends with NUL. Its length; 0 when there is none. */
static size_t
read_c_string(struct request *r, uint64_t at, char *buf)
{
	const char *end;
	long n;

	if (at == 0)
		return 0;
	n = mem_read_some(&r->p->mem, at, buf, REQUEST_MAX_BYTES);
	if (n <= 0)
		return 0;
	end = memchr(buf, '\0', (size_t)n);
	return end != NULL ? (size_t)(end - buf) : (size_t)n;
}

/* Adds what a pointer of sapi_globals leads to. */
static int
add_from(struct request *r, const char *key, size_t at)
{
	char buf[REQUEST_MAX_BYTES];
	size_t n = read_c_string(r, mem_u64(r->key.sg, at), buf);

	return add_pair(r, key, buf, n);
}

size_t
request_route(const char *path, size_t n, char *buf, size_t cap)
{
	size_t len = 0, i = 0, k;

	while (i < n && len < cap) {
		const char *to = NULL;

		for (k = i; k < n && path[k] != '/'; k++)
			;
		to = route_part(path + i, k - i);
		if (to == NULL) {
			to = path + i;
			i = k - i;
		} else {
			i = strlen(to);
		}
		if (i > cap - len)
			i = cap - len;
		memcpy(buf + len, to, i);
		len += i;
		if (k < n && len < cap)
			buf[len++] = '/';
		i = k + 1;
	}
	return len;
}

/* What the script has told stays, also where it is not told any more: objects
 * are destroyed when variables are gone. */
static int
keep_uri(struct request *r, size_t first)
{
	r->n_uri = r->n_pair - first;
	memcpy(r->uri, r->pair + first, r->n_uri * sizeof(*r->uri));
	return BOB_OK;
}

static int
add_kept_uri(struct request *r)
{
	memcpy(r->pair + r->n_pair, r->uri, r->n_uri * sizeof(*r->uri));
	r->n_pair += r->n_uri;
	return BOB_OK;
}

/* The path that the client asked for, without its query. */
static int
add_uri(struct request *r)
{
	char uri[REQUEST_MAX_BYTES], route[REQUEST_MAX_BYTES];
	const char *query;
	size_t first = r->n_pair;
	size_t n = ht_server(&r->p->mem, r->o, r->at.eg, "REQUEST_URI", uri,
	    sizeof(uri));
	int is_told = n > 0, s;

	if (!is_told && r->n_uri > 0)
		return add_kept_uri(r);
	/* Not asked for by the script so far: servers put the name of the
	 * script here. */
	if (n == 0)
		n = read_c_string(r, mem_u64(r->key.sg, SG_URI), uri);
	query = memchr(uri, '?', n);
	if (query != NULL)
		n = (size_t)(query - uri);
	s = add_pair(r, "request.uri", uri, n);
	if (s == BOB_OK)
		s = add_pair(r, "request.route", route,
		    request_route(uri, n, route, sizeof(route)));
	return s == BOB_OK && is_told ? keep_uri(r, first) : s;
}

/* It is ours, and nothing that could be a secret. */
static int
add_id(struct request *r)
{
	struct bob_dict *d = r->p->dict;
	struct bob_pair *pair = &r->pair[r->n_pair];
	char digit = (char)('1' + r->number % REQUEST_NUMBERS);

	pair->key = bob_str_put(d, "request.id", 10);
	pair->value = bob_str_put(d, &digit, 1);
	if (pair->key == BOB_NO_ID || pair->value == BOB_NO_ID)
		return BOB_FATAL;
	r->n_pair++;
	return BOB_OK;
}

static int
read_request(struct request *r)
{
	uint32_t flags = r->p->flags;
	int s = BOB_OK;

	r->n_pair = 0;
	if (flags & BOB_ATTACH_REQUEST) {
		s = add_from(r, "request.method", SG_METHOD);
		/* On a command line there is none. */
		if (s == BOB_OK && r->n_pair > 0)
			s = add_id(r);
		if (s == BOB_OK && r->n_pair > 0)
			s = add_uri(r);
		if (s == BOB_OK)
			s = add_from(r, "request.script", SG_PATH_TRANSLATED);
	}
	if (s == BOB_OK && (flags & BOB_ATTACH_QUERY))
		s = add_from(r, "request.query", SG_QUERY);
	if (s == BOB_OK && (flags & BOB_ATTACH_COOKIE))
		s = add_from(r, "request.cookie", SG_COOKIE);
	return s;
}

/* What tells one request from another. 1, or 0 when it cannot be read. */
static int
read_key(struct request *r, struct request_key *key)
{
	struct mem_span v[3] = {
		{ r->at.sg, key->sg, sizeof(key->sg) },
		{ r->at.sg + SG_REQUEST_TIME, &key->time, sizeof(key->time) },
		{ r->server->counter, &key->word[0], sizeof(key->word[0]) },
	};
	size_t n = r->server->counter != 0 ? 3 : 2;
	uint64_t context;
	long got;

	memset(key, 0, sizeof(*key));
	got = mem_gather(&r->p->mem, v, n);
	if (got < (long)mem_total(v, 2))
		return 0;
	context = mem_u64(key->sg, SG_CONTEXT);
	if (context == 0)
		key->word[0] = 0;
	else if (n == 3)
		key->has_words = got == (long)mem_total(v, 3);
	else
		key->has_words = (uint64_t)server_read(r->server, &r->p->mem,
		    context, key->word);
	return 1;
}

/* Whether a key that differs is that of another request. Without the help of a
 * server two requests with a moment between them in which nothing ran are two,
 * and so are those whose strings are elsewhere. That a time is told now, and
 * was not before, says nothing. */
static int
is_another(const struct request *r, const struct request_key *key)
{
	const struct request_key *old = &r->key;

	if (old->has_words && key->has_words)
		return memcmp(old->word, key->word, sizeof(key->word)) != 0;
	return r->was_idle || (old->time != 0 && old->time != key->time) ||
	    memcmp(old->sg, key->sg, sizeof(key->sg)) != 0;
}

int
request_look(struct request *r)
{
	struct request_key key;
	int is_changed;

	/* What serves nothing while it runs will hardly begin to. */
	if (r->at.sg == 0 || (!r->is_server && r->t_looked != 0 &&
	        r->p->time_us - r->t_looked < NO_SERVER_US))
		return 0;
	r->t_looked = r->p->time_us | 1;
	if (!read_key(r, &key))
		return 0;
	if (mem_u64(key.sg, SG_METHOD) != 0) {
		r->is_other |= is_another(r, &key);
		r->was_idle = 0;
		r->is_server = 1;
	}
	is_changed = memcmp(&key, &r->key, sizeof(key)) != 0;
	if (is_changed)
		r->is_known = 0;
	r->key = key;
	return is_changed && r->is_server;
}

/* Whether it is the one that was looked at before the stack was read: else the
 * stack may be the next one's, and strings have been left to others. */
static int
is_same(struct request *r)
{
	struct request_key key;

	if (!read_key(r, &key))
		return 0;
	if (key.has_words && r->key.has_words)
		key.time = r->key.time;
	return memcmp(&key, &r->key, sizeof(key)) == 0;
}

/* Numbers are those of requests with samples: what was seen of others between
 * two of them does not count, or numbers would come round to the same one. */
static void
count_request(struct request *r)
{
	if (!r->is_other)
		return;
	r->is_other = 0;
	r->number++;
	r->n_uri = 0;
}

/* BOB_OK; 1 when the pairs are new; FATAL. */
static int
look_at_request(struct request *r)
{
	int is_old = r->is_known && r->p->time_us - r->t_read < BELIEVED_US;

	if (r->at.sg == 0 || (r->p->flags & ANY_REQUEST) == 0 ||
	    (is_old && (r->n_pair == 0 || is_same(r))))
		return BOB_OK;
	r->t_read = r->p->time_us;
	count_request(r);
	if (!is_old && read_request(r) < 0)
		return BOB_FATAL;
	r->is_known = !is_old && is_same(r);
	if (!r->is_known)
		r->n_pair = 0;
	return 1;
}

/* 1 when the memory in use has changed. */
static int
look_at_memory(struct request *r)
{
	uint64_t heap, v[2];

	if (r->at.heap == 0 || (r->p->flags & BOB_ATTACH_MEMORY) == 0 ||
	    mem_read_u64(&r->p->mem, r->at.heap, &heap) < 0 ||
	    mem_read(&r->p->mem, heap + HEAP_SIZE, v, sizeof(v)) < 0)
		return 0;
	v[0] -= v[0] % MEMORY_STEP;
	v[1] -= v[1] % MEMORY_STEP;
	if (v[0] == r->usage && v[1] == r->peak)
		return 0;
	r->usage = v[0];
	r->peak = v[1];
	return 1;
}

static int
add_number(struct request *r, const char *key, uint64_t n)
{
	char text[24];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	return add_pair(r, key, text + at, sizeof(text) - at);
}

/* 1 when the variables have other values than in the sample before. */
static int
look_at_vars(struct request *r, const struct bob_pair *vars, size_t n)
{
	if (n == r->n_var && (n == 0 ||
	        memcmp(vars, r->var, n * sizeof(*vars)) == 0))
		return 0;
	memcpy(r->var, vars, n * sizeof(*vars));
	r->n_var = n;
	return 1;
}

static bob_annot
put_pairs(struct request *r)
{
	struct bob_pair all[REQUEST_MAX_PAIRS + BOB_MAX_LIVE_VARS];
	size_t n = r->n_pair + r->n_var;

	if (n == 0)
		return 0;
	memcpy(all, r->pair, r->n_pair * sizeof(*all));
	memcpy(all + r->n_pair, r->var, r->n_var * sizeof(*all));
	return bob_annot_put(r->p->dict, all, n);
}

bob_annot
request_annotate(struct request *r, const struct bob_pair *vars, size_t n_var)
{
	int is_new = look_at_request(r);
	int has_moved = look_at_memory(r) | look_at_vars(r, vars, n_var);
	size_t n = r->n_pair;

	if (is_new < 0)
		return BOB_NO_ID;
	if (r->annot != 0 && is_new == BOB_OK && !has_moved)
		return r->annot;
	if (r->usage > 0 && (add_number(r, "memory.usage", r->usage) < 0 ||
	    add_number(r, "memory.peak", r->peak) < 0))
		return BOB_NO_ID;
	r->annot = put_pairs(r);
	r->n_pair = n;
	return r->annot;
}
