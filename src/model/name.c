/*
 * Names of functions: joined from namespace, class and method, and split again.
 * Splitting and joining a PHP name gives back the same bytes.
 */
#include <string.h>

#include "model/dict.h"

/* The last `::` in s, or NULL. */
static const char *
last_colons(const char *s, size_t n)
{
	size_t i;

	for (i = n; i >= 2; i--)
		if (s[i - 1] == ':' && s[i - 2] == ':')
			return s + i - 2;
	return NULL;
}

static const char *
last_backslash(const char *s, size_t n)
{
	while (n > 0)
		if (s[--n] == '\\')
			return s + n;
	return NULL;
}

size_t
bob_frame_name(const struct bob_dict *d, bob_fid id, char *buf, size_t cap)
{
	const struct bob_frame *f = bob_frame_get(d, id);
	struct bob_bytes part[5];
	size_t n_parts = 0, len = 0, i;

	if (f->ns != 0) {
		part[n_parts++] = bob_str_get(d, f->ns);
		part[n_parts++] = (struct bob_bytes){ "\\", 1 };
	}
	if (f->scope != 0) {
		part[n_parts++] = bob_str_get(d, f->scope);
		part[n_parts++] = (struct bob_bytes){ "::", 2 };
	}
	part[n_parts++] = bob_str_get(d, f->name);
	for (i = 0; i < n_parts; i++) {
		if (len < cap)
			memcpy(buf + len, part[i].p,
			    part[i].n < cap - len ? part[i].n : cap - len);
		len += part[i].n;
	}
	return len;
}

int
bob_frame_set_php_name(struct bob_dict *d, struct bob_frame *f,
    const char *name, size_t n)
{
	const char *colons, *method, *slash, *class;
	size_t n_front, n_ns, n_class;

	if (n == 0)
		name = ""; /* it may be NULL */
	colons = last_colons(name, n);
	method = colons == NULL ? name : colons + 2;
	n_front = colons == NULL ? n : (size_t)(colons - name);
	slash = last_backslash(name, n_front);
	class = slash == NULL ? name : slash + 1;
	n_ns = slash == NULL ? 0 : (size_t)(slash - name);
	n_class = (size_t)(name + n_front - class);
	if (colons == NULL) {
		method = class;
		n_class = 0;
	}
	/* If a part is empty although its separator is there, the name could
	 * not be joined again: it is not split. */
	if ((colons != NULL && n_class == 0) || (slash != NULL && n_ns == 0)) {
		method = name;
		n_ns = n_class = 0;
	}
	f->ns = bob_str_put(d, name, n_ns);
	f->scope = bob_str_put(d, class, n_class);
	f->name = bob_str_put(d, method, (size_t)(name + n - method));
	if (f->ns == BOB_NO_ID || f->scope == BOB_NO_ID ||
	    f->name == BOB_NO_ID)
		return BOB_FATAL;
	return BOB_OK;
}
