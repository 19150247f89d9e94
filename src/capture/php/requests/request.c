/*
 * Reads requests from sapi_globals and $_SERVER, and memory from the heap's
 * counters; see request.h.
 */
#include "capture/php/requests/request.h"

#include <assert.h>
#include <string.h>

#include "capture/php/variables/table.h"
#include "core/route.h"

/* After so long the pairs are read again even if the key is the same: without
 * opcache PHP does not always set the time. */
#define BELIEVED_US 10000
/* How often the key is read of a thread that has served no request. */
#define NO_SERVER_US 10000

/* Memory is rounded to this, or every sample would have its own
 * annotations. */
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

	if (n == 0)
		return BOB_OK;
	assert(r->n_pair < REQUEST_MAX_PAIRS);
	pair->key = bob_str_put(d, key, strlen(key));
	pair->value = process_put_value(r->p, value, n,
	    n == REQUEST_MAX_BYTES);
	if (pair->key == BOB_NO_ID || pair->value == BOB_NO_ID)
		return BOB_FATAL;
	r->n_pair++;
	return BOB_OK;
}

/* Reads a string that ends with NUL. Returns its length; 0 if there is none. */
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

/* Adds the string that a field of sapi_globals points to. */
static int
add_sapi_string(struct request *r, const char *key, size_t at)
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

/* Keeps the URI of $_SERVER for the rest of the request: at its end objects are
 * destroyed after $_SERVER. */
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

/* Adds the path that the client asked for, without its query, and its route. */
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
	/* $_SERVER is not filled yet. In sapi_globals some servers have the
	 * script instead of the URI. */
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

/* Adds request.id. It is a number of ours, so no secret can be in it. */
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
		s = add_sapi_string(r, "request.method", SG_METHOD);
		/* A script on a command line has no method. */
		if (s == BOB_OK && r->n_pair > 0)
			s = add_id(r);
		if (s == BOB_OK && r->n_pair > 0)
			s = add_uri(r);
		if (s == BOB_OK)
			s = add_sapi_string(r, "request.script",
			    SG_PATH_TRANSLATED);
	}
	if (s == BOB_OK && (flags & BOB_ATTACH_QUERY))
		s = add_sapi_string(r, "request.query", SG_QUERY);
	if (s == BOB_OK && (flags & BOB_ATTACH_COOKIE))
		s = add_sapi_string(r, "request.cookie", SG_COOKIE);
	return s;
}

/* Reads the key of the request. Returns 1, or 0 if it cannot be read. */
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

/* True if a string has another address. A string that was not set before does
 * not count, except for the method: FrankenPHP fills in a request while its
 * script waits for it. */
static int
has_other_strings(const struct request_key *old,
    const struct request_key *key)
{
	size_t i;

	for (i = 0; i < sizeof(key->sg); i += 8) {
		uint64_t was = mem_u64(old->sg, i);

		if (was != mem_u64(key->sg, i) &&
		    (was != 0 || i == SG_METHOD))
			return 1;
	}
	return 0;
}

/* True if the key is that of another request. If the server has words for it,
 * they decide. Otherwise it is another request if no code ran in between, if a
 * string has another address, or if the time has changed. The time does not
 * count if it was not set before, or if it still was that of the last
 * request. */
static int
is_other_request(struct request *r, const struct request_key *key)
{
	const struct request_key *old = &r->key;
	int is_elsewhere, is_later;

	if (old->has_words && key->has_words)
		return memcmp(old->word, key->word, sizeof(key->word)) != 0;
	is_elsewhere = has_other_strings(old, key);
	is_later = old->time != key->time;
	if (is_later && r->is_time_old && !is_elsewhere) {
		r->is_time_old = 0;
		return r->was_idle;
	}
	if (is_elsewhere)
		r->is_time_old = !is_later && key->time != 0;
	return r->was_idle || is_elsewhere || (old->time != 0 && is_later);
}

int
request_look(struct request *r)
{
	struct request_key key;
	int is_changed;

	/* A program that runs without a request hardly begins to serve some, so
	 * it is looked at rarely. */
	if (r->at.sg == 0 || (!r->is_server && r->t_looked != 0 &&
	        r->p->time_us - r->t_looked < NO_SERVER_US))
		return 0;
	r->t_looked = r->p->time_us | 1;
	if (!read_key(r, &key))
		return 0;
	if (mem_u64(key.sg, SG_METHOD) != 0) {
		r->is_other |= is_other_request(r, &key);
		r->was_idle = 0;
		r->is_server = 1;
	}
	is_changed = memcmp(&key, &r->key, sizeof(key)) != 0;
	if (is_changed)
		r->is_known = 0;
	r->key = key;
	return is_changed && r->is_server;
}

/* True if the key is still the one that was read before the stack. If not, the
 * stack may be of the next request, and the strings may be freed. */
static int
is_same_request(struct request *r)
{
	struct request_key key;

	if (!read_key(r, &key))
		return 0;
	if (key.has_words && r->key.has_words)
		key.time = r->key.time;
	return memcmp(&key, &r->key, sizeof(key)) == 0;
}

/* Counts a request when it gets its first sample. If requests without samples
 * counted, two with samples could get the same number by chance. */
static void
count_request(struct request *r)
{
	if (!r->is_other)
		return;
	r->is_other = 0;
	r->time_before = r->time_told;
	r->number++;
	r->n_uri = 0;
}

/*
 * True as long as $_SERVER is that of the last request: FrankenPHP fills it in
 * last, while its script waits. PHP's REQUEST_TIME_FLOAT in it shows that.
 */
static int
is_being_filled(const struct request *r)
{
	return !r->key.has_words && r->time_before != 0 &&
	    ht_server_double(&r->p->mem, r->o, r->at.eg,
	        "REQUEST_TIME_FLOAT") == r->time_before;
}

/* Reads the pairs of the request if they may have changed. Returns BOB_OK if
 * they are the old ones; 1 if they were read again; FATAL. */
static int
update_request(struct request *r)
{
	int is_old = r->is_known && r->p->time_us - r->t_read < BELIEVED_US;
	int is_filled;

	if (r->at.sg == 0 || (r->p->flags & ANY_REQUEST) == 0 ||
	    (is_old && (r->n_pair == 0 || is_same_request(r))))
		return BOB_OK;
	r->t_read = r->p->time_us;
	count_request(r);
	/* Asked before $_SERVER is read: once it is filled it stays so. */
	is_filled = !is_old && !is_being_filled(r);
	if (is_filled && read_request(r) < 0)
		return BOB_FATAL;
	r->is_known = is_filled && is_same_request(r);
	if (!r->is_known)
		r->n_pair = 0;
	else
		r->time_told = r->key.time;
	return 1;
}

/* Reads the memory in use. Returns 1 if it has changed. */
static int
update_memory(struct request *r)
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

/* Takes the values of variables. Returns 1 if they have changed. */
static int
update_vars(struct request *r, const struct bob_pair *vars, size_t n)
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
	struct bob_pair all[REQUEST_MAX_PAIRS + BOB_MAX_CAPTURE_VARS];
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
	int is_new = update_request(r);
	int has_moved = update_memory(r) | update_vars(r, vars, n_var);
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
