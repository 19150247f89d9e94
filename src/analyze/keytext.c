/* Texts of keys; see the header. */
#include "analyze/keytext.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

static int
key_add(struct keys *k, const char *p, size_t n)
{
	if (MEM_GROW(k->ctx, k, text, k->len + n + 1) < 0)
		return BOB_FATAL;
	memcpy(k->text + k->len, p, n);
	k->len += n;
	return BOB_OK;
}

static int
key_add_str(struct keys *k, const char *s)
{
	return key_add(k, s, strlen(s));
}

static int key_addf(struct keys *k, const char *fmt, ...) BOB_PRINTF(2, 3);

/* At most 80 bytes: numbers and short words. */
static int
key_addf(struct keys *k, const char *fmt, ...)
{
	char buf[80];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return key_add(k, buf, (size_t)n);
}

static int
add_name(struct keys *k, bob_fid id, struct key_parts *ret)
{
	struct bob_bytes name;

	if (frame_name_get(&k->name, k->from, id, &name) < 0 ||
	    key_add(k, name.p, name.n) < 0)
		return BOB_FATAL;
	ret->name_len = (uint32_t)k->len;
	return BOB_OK;
}

static int
add_file(struct keys *k, struct bob_bytes file, struct key_parts *ret)
{
	ret->file_at = (uint32_t)k->len;
	ret->file_len = (uint32_t)file.n;
	return key_add(k, file.p, file.n);
}

/* True if `where` of a frame is a line. In native code it is an offset. */
static int
has_line(const struct bob_frame *f)
{
	return !(f->flags & BOB_FRAME_NO_LINE) && f->lang != BOB_LANG_NATIVE;
}

static int
add_place(struct keys *k, const struct bob_frame *f, int group,
    struct key_parts *ret)
{
	struct bob_bytes file = bob_str_get(k->from, f->file);

	ret->file_at = (uint32_t)k->len;
	if (file.n > 0 &&
	    (key_add_str(k, " ") < 0 || add_file(k, file, ret) < 0))
		return BOB_FATAL;
	if (group != BOB_GROUP_LINE || !has_line(f))
		return BOB_OK;
	/* Neither file nor line is known. */
	if (file.n == 0 && f->where == 0)
		return BOB_OK;
	ret->has_line = 1;
	ret->line = f->where;
	return key_addf(k, "%s:%" PRId64, file.n == 0 ? " " : "", f->where);
}

static int
add_opcode(struct keys *k, const struct bob_frame *f, struct key_parts *ret)
{
	struct bob_bytes name = bob_str_get(k->from, f->opname);

	if (f->flags & BOB_FRAME_OPNAME && name.n > 0) {
		if (key_add_str(k, " [") < 0)
			return BOB_FATAL;
		ret->opcode_at = (uint32_t)k->len;
		if (key_add(k, name.p, name.n) < 0)
			return BOB_FATAL;
	} else if (f->flags & BOB_FRAME_OPCODE) {
		if (key_add_str(k, " [") < 0)
			return BOB_FATAL;
		ret->opcode_at = (uint32_t)k->len;
		if (key_addf(k, "%u", f->opcode) < 0)
			return BOB_FATAL;
	} else {
		return BOB_OK;
	}
	ret->opcode_len = (uint32_t)k->len - ret->opcode_at;
	return key_add_str(k, "]");
}

/* Returns the bytes after the last `c`; all bytes if there is none. */
static struct bob_bytes
part_behind(struct bob_bytes s, char c)
{
	size_t i;

	for (i = s.n; i > 0 && s.p[i - 1] != c; i--)
		;
	return (struct bob_bytes){ s.p + i, s.n - i };
}

/* The directory of a path without its final slash; "" when it has none. */
static struct bob_bytes
directory_of(struct bob_bytes path)
{
	size_t n = path.n - part_behind(path, '/').n;

	return (struct bob_bytes){ path.p, n > 1 ? n - 1 : n };
}

/* Cuts a path to the part after the last occurrence of `what`. Returns 1; 0 if
 * there is none. */
static int
skip_behind(struct bob_bytes *path, const char *what)
{
	size_t n = strlen(what), i;

	for (i = path->n >= n ? path->n - n + 1 : 0; i > 0; i--) {
		if (memcmp(path->p + i - 1, what, n) == 0) {
			path->p += i - 1 + n;
			path->n -= i - 1 + n;
			return 1;
		}
	}
	return 0;
}

static struct bob_bytes
first_part(struct bob_bytes path)
{
	const char *slash = memchr(path.p, '/', path.n);

	if (slash != NULL)
		path.n = (size_t)(slash - path.p);
	return path;
}

/*
 * The module of a file: an installed package by its name, else the directory
 * that the file is in.
 */
static struct bob_bytes
module_of_file(struct bob_bytes file)
{
	struct bob_bytes rest = file;

	if (skip_behind(&rest, "/site-packages/") ||
	    skip_behind(&rest, "/dist-packages/"))
		return first_part(rest);
	if (skip_behind(&rest, "/vendor/") && rest.n > 0) {
		struct bob_bytes vendor = first_part(rest), package;

		package = (struct bob_bytes){ rest.p + vendor.n,
			rest.n - vendor.n };
		if (package.n > 1) {
			package.p++;
			package.n--;
			package = first_part(package);
			vendor.n = (size_t)(package.p - vendor.p) + package.n;
		}
		return vendor;
	}
	rest = directory_of(file);
	return rest.n > 0 ? rest : file;
}

static int
add_module(struct keys *k, const struct bob_frame *f)
{
	struct bob_bytes ns = bob_str_get(k->from, f->ns);
	struct bob_bytes file = bob_str_get(k->from, f->file);

	if (ns.n == 0)
		ns = f->lang == BOB_LANG_NATIVE ? part_behind(file, '/') :
		    module_of_file(file);
	return ns.n > 0 ? key_add(k, ns.p, ns.n) : key_add_str(k, "(none)");
}

/* The bytes before the last occurrence of `what`; all are left out without
 * one. */
static struct bob_bytes
part_before(struct bob_bytes s, const char *what)
{
	size_t n = strlen(what), i;

	for (i = s.n >= n ? s.n - n + 1 : 0; i > 0; i--)
		if (memcmp(s.p + i - 1, what, n) == 0)
			return (struct bob_bytes){ s.p, i - 1 };
	return (struct bob_bytes){ s.p, 0 };
}

/* Cuts a name before what may hold separators of its own: arguments, a closure,
 * a function inside another one. */
static struct bob_bytes
plain_part(struct bob_bytes name)
{
	static const char locals[] = ".<locals>";
	size_t i;

	for (i = 0; i < name.n && strchr("({<", name.p[i]) == NULL; i++)
		;
	if (i > 0 && name.n - i >= sizeof(locals) - 2 &&
	    memcmp(name.p + i - 1, locals, sizeof(locals) - 1) == 0)
		i--;
	return (struct bob_bytes){ name.p, i };
}

/* The class of a method, by its name: `A::b`, or `A.b` in Python. */
static struct bob_bytes
class_of(struct bob_bytes name, int lang)
{
	return part_before(plain_part(name),
	    lang == BOB_LANG_PYTHON ? "." : "::");
}

static int
add_class(struct keys *k, bob_fid id)
{
	struct bob_bytes name;

	if (frame_name_get(&k->name, k->from, id, &name) < 0)
		return BOB_FATAL;
	name = class_of(name, k->from->frame[id].lang);
	return name.n > 0 ? key_add(k, name.p, name.n)
	                  : key_add_str(k, "(no class)");
}

static int
add_frame(struct keys *k, bob_fid id, int group, struct key_parts *ret)
{
	const struct bob_frame *f = &k->from->frame[id];

	if (group == BOB_GROUP_FILE) {
		if (add_file(k, bob_str_get(k->from, f->file), ret) < 0)
			return BOB_FATAL;
		return k->len == 0 ? key_add_str(k, "(no file)") : BOB_OK;
	}
	if (group == BOB_GROUP_MODULE || group == BOB_GROUP_CLASS) {
		if ((group == BOB_GROUP_MODULE ? add_module(k, f)
		        : add_class(k, id)) < 0)
			return BOB_FATAL;
		ret->name_len = (uint32_t)k->len;
		return BOB_OK;
	}
	if (add_name(k, id, ret) < 0 || (group != BOB_GROUP_NAME &&
	    add_place(k, f, group, ret) < 0))
		return BOB_FATAL;
	return k->flags & BOB_VIEW_OPCODES ? add_opcode(k, f, ret) : BOB_OK;
}

int
keytext_frame(struct keys *k, bob_fid id, int group, struct key_parts *ret)
{
	const struct bob_frame *f = &k->from->frame[id];

	memset(ret, 0, sizeof(*ret));
	ret->frame = id;
	ret->lang = f->lang;
	k->len = 0;
	if (add_module(k, f) < 0)
		return BOB_FATAL;
	ret->module = bob_str_put(k->own, k->text, k->len);
	if (ret->module == BOB_NO_ID)
		return BOB_FATAL;
	k->len = 0;
	return add_frame(k, id, group, ret);
}

/* A pid, and what is known of its process. */
static int
add_process(struct keys *k, const struct bob_track *t)
{
	const struct label *label = labels_of(k->labels, t);
	struct bob_bytes text = { "", 0 };

	if (!(t->flags & BOB_TRACK_PID))
		return key_add_str(k, "(no pid)");
	if (key_addf(k, "%" PRIu64, t->pid) < 0 ||
	    (label != NULL && labels_text(k->labels, label, &text) < 0))
		return BOB_FATAL;
	if (text.n == 0)
		return BOB_OK;
	return key_add_str(k, " ") < 0 ? BOB_FATAL : key_add(k, text.p, text.n);
}

static int
add_thread(struct keys *k, const struct bob_track *t)
{
	struct bob_bytes name = bob_str_get(k->from, t->name);
	int r = BOB_OK;

	if (t->flags & BOB_TRACK_PID)
		r = key_addf(k, "%" PRIu64, t->pid);
	if (r == BOB_OK && (t->flags & BOB_TRACK_TID) != 0)
		r = key_addf(k, "%s%" PRIu64, k->len > 0 ? "/" : "", t->tid);
	if (r == BOB_OK && (t->flags & BOB_TRACK_INTERP) != 0 &&
	    t->interp != 0)
		r = key_addf(k, " interpreter %u", t->interp);
	if (r == BOB_OK && name.n > 0 &&
	    (key_add_str(k, k->len > 0 ? " " : "") < 0 ||
	        key_add(k, name.p, name.n) < 0))
		return BOB_FATAL;
	return r == BOB_OK && k->len == 0 ? key_add_str(k, "(no thread)") : r;
}

static int
add_annotation(struct keys *k, bob_annot id)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(k->from, id, &n);

	for (i = 0; i < n; i++) {
		struct bob_bytes value = bob_str_get(k->from, v[i].value);

		if (bytes_are(bob_str_get(k->from, v[i].key), k->annotation))
			return key_add(k, value.p, value.n);
	}
	return key_add_str(k, "(none)");
}

static int
add_status(struct keys *k, const struct row *row)
{
	static const struct {
		uint8_t bit;
		const char *name;
	} bits[] = {
		{ BOB_STATUS_ON_CPU, "cpu" },
		{ BOB_STATUS_HAS_GIL, "gil" },
		{ BOB_STATUS_WANTS_GIL, "wants-gil" },
		{ BOB_STATUS_EXCEPTION, "exception" },
		{ BOB_STATUS_UNKNOWN, "unknown" },
		{ BOB_STATUS_MAIN_THREAD, "main" },
	};
	size_t i;

	if (!(row->key.flags & BOB_RUN_STATUS))
		return key_add_str(k, "(none)");
	if (!(row->key.status & (BOB_STATUS_ON_CPU | BOB_STATUS_UNKNOWN)) &&
	    key_add_str(k, "idle") < 0)
		return BOB_FATAL;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if ((row->key.status & bits[i].bit) != 0 &&
		    (key_add_str(k, k->len > 0 ? "+" : "") < 0 ||
		        key_add_str(k, bits[i].name) < 0))
			return BOB_FATAL;
	return BOB_OK;
}

int
keytext_row(struct keys *k, const struct row *row, struct key_parts *ret)
{
	const struct bob_track *t = bob_track_get(k->from, row->key.track);
	int r;

	k->len = 0;
	switch (k->group) {
	case BOB_GROUP_PID:
		r = add_process(k, t);
		break;
	case BOB_GROUP_THREAD:
		r = add_thread(k, t);
		break;
	case BOB_GROUP_ANNOTATION:
		r = add_annotation(k, row->key.annot);
		break;
	case BOB_GROUP_STATUS:
		r = add_status(k, row);
		break;
	case BOB_GROUP_MINUTE:
		r = key_addf(k, "minute %" PRIu32, row->key.epoch);
		break;
	default:
		r = key_addf(k, "segment %" PRIu32, row->key.epoch);
		break;
	}
	ret->name_len = (uint32_t)k->len;
	return r;
}
