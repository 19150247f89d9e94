/* Reads code objects, keeps them, and finds instructions in them. */
#include "capture/python/code/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/code/lines.h"
#include "capture/python/code/opcodes.h"
#include "capture/python/objects/text.h"
#include "capture/python/servers/server.h"
#include "core/mem.h"

/* Decoding a byte of a line table takes this many times longer than reading
 * it. */
#define LINES_COST 16

void
py_codes_init(struct py_codes *c, struct bob_ctx *ctx, struct bob_dict *dict,
    struct mem *mem, const struct py_offsets *o)
{
	memset(c, 0, sizeof(*c));
	c->ctx = ctx;
	c->dict = dict;
	c->mem = mem;
	c->o = o;
}

static void
code_release(struct py_code *p)
{
	free(p->table);
	free(p->unit);
	free(p->place);
	free(p->mention);
	p->table = p->unit = NULL;
	p->place = NULL;
	p->mention = NULL;
}

void
py_codes_forget(struct py_codes *c)
{
	size_t i;

	for (i = 0; i < c->n_code; i++)
		code_release(&c->code[i]);
	c->n_code = 0;
	c->n_bytes = 0;
	c->generation++;
	ptrmap_clear(&c->by_address);
	calls_forget(&c->calls);
}

void
py_codes_done(struct py_codes *c)
{
	py_codes_forget(c);
	code_release(&c->fresh);
	free(c->bytes);
	free(c->code);
	ptrmap_free(&c->by_address);
	calls_free(&c->calls);
}

void
py_codes_doubt(struct py_codes *c)
{
	c->epoch++;
}

/* --- reading ------------------------------------------------------------- */

/* 3.11: words of a frame in front of its variables. */
#define FRAME_HEAD 9

static uint32_t
frame_size(const struct py_offsets *o, const uint8_t *head)
{
	uint32_t n = o->co_frame_size != PY_NONE
	    ? mem_u32(head, o->co_frame_size)
	    : FRAME_HEAD + mem_u32(head, o->co_stack_size) +
	        mem_u32(head, o->co_locals);

	return n < 1u << 20 ? 8 * n : 0;
}

static int
parse_head(struct py_codes *c, uint64_t at, const uint8_t *b,
    struct py_code *p)
{
	const struct py_offsets *o = c->o;
	uint64_t n;

	assert(o->co_name + 8 <= o->co_size && o->co_file + 8 <= o->co_size &&
	    o->co_lines + 8 <= o->co_size && o->co_size <= PY_MAX_CODE);
	if (c->code_type != 0 && mem_u64(b, o->ob_type) != c->code_type)
		return CODE_STRANGE;
	p->at = at;
	p->name = mem_u64(b, o->co_name);
	p->file = mem_u64(b, o->co_file);
	p->lines = mem_u64(b, o->co_lines);
	p->first_line = (int32_t)mem_u32(b, o->co_first_line);
	p->flags = mem_u32(b, o->co_flags);
	if (o->minor <= 10) {
		p->code = mem_u64(b, o->co_code);
		return CODE_OK;
	}
	/* The order is co_consts, co_names, co_exceptiontable, co_flags; and
	 * co_filename, co_name, co_qualname. */
	p->names = mem_u64(b, o->co_flags - 16);
	p->own_name = o->co_name >= 8 ? mem_u64(b, o->co_name - 8) : 0;
	p->code = at + o->co_code;
	p->frame_size = frame_size(o, b);
	n = mem_u64(b, o->var_size);
	if (n == 0 || n > CODE_MAX_UNITS)
		return CODE_STRANGE;
	p->n_units = (uint32_t)n;
	if (o->co_copies != PY_NONE)
		p->copies = mem_u64(b, o->co_copies);
	return CODE_OK;
}

/* Reads the head of a code object and the hash of its name. Names of functions
 * have a hash because they are keys. `name`: the address of the name, 0 if it
 * is not known yet. */
static int
read_head(struct py_codes *c, uint64_t at, uint64_t name, struct py_code *p)
{
	const struct py_offsets *o = c->o;
	uint8_t b[PY_MAX_CODE];
	uint64_t hash = 0;
	struct mem_span v[2] = {
		{ at, b, o->co_size },
		{ name + o->str_length + 8, &hash, sizeof(hash) },
	};
	size_t n = name != 0 ? 2 : 1;

	memset(p, 0, sizeof(*p));
	if (at % 8 != 0 || !mem_is_user(at, PY_MAX_CODE) ||
	    mem_gather(c->mem, v, n) != (long)mem_total(v, n))
		return CODE_READ;
	p->hash = hash;
	return parse_head(c, at, b, p);
}

static int
is_same_code(const struct py_code *a, const struct py_code *b)
{
	return a->name == b->name && a->file == b->file &&
	    a->lines == b->lines && a->first_line == b->first_line &&
	    a->flags == b->flags && a->code == b->code &&
	    a->hash == b->hash && a->frame_size == b->frame_size &&
	    (b->n_units == 0 || a->n_units == b->n_units);
}

static int
read_text(struct py_codes *c, uint64_t at, bob_str *ret, size_t *ret_len)
{
	char buf[PY_MAX_TEXT];
	int n = py_text_read(c->mem, c->o, at, buf);

	if (n < 0)
		return CODE_READ;
	*ret_len = (size_t)n;
	*ret = bob_str_put(c->dict, buf, (size_t)n);
	return *ret == BOB_NO_ID ? CODE_FATAL : CODE_OK;
}

static int
is_called(const struct py_codes *c, bob_str name, const char *what)
{
	struct bob_bytes s = bob_str_get(c->dict, name);

	return s.n == strlen(what) && memcmp(s.p, what, s.n) == 0;
}

static int
read_name_and_file(struct py_codes *c, struct py_code *p)
{
	size_t n_name, n_file;
	int r = read_text(c, p->name, &p->frame.name, &n_name);

	if (r == CODE_OK)
		r = read_text(c, p->file, &p->frame.file, &n_file);
	if (r != CODE_OK)
		return r;
	p->frame.lang = BOB_LANG_PYTHON;
	/* Frames of the interpreter itself: the one that waits for __init__
	 * to return has no file; the one by which C enters has this name. */
	p->is_hidden = n_file == 0 || p->frame.file == p->frame.name ||
	    is_called(c, p->frame.name, "<interpreter trampoline>");
	p->server = py_server_kind(bob_str_get(c->dict, p->frame.file),
	    bob_str_get(c->dict, p->frame.name));
	c->has_server |= p->server != PY_SERVER_NONE;
	c->has_uvicorn |= p->server == PY_SERVER_UVICORN;
	return CODE_OK;
}

/* The length of a bytes object. */
static int
bytes_size(struct py_codes *c, uint64_t at, uint64_t *ret)
{
	if (at % 8 != 0 ||
	    mem_read_u64(c->mem, at + c->o->var_size, ret) < 0)
		return CODE_READ;
	return *ret < (uint64_t)1 << 40 ? CODE_OK : CODE_STRANGE;
}

static int
read_line_table(struct py_codes *c, struct py_code *p)
{
	uint64_t n;
	int r = bytes_size(c, p->lines, &n);

	if (r != CODE_OK || n == 0 || n > CODE_MAX_TABLE)
		return r;
	p->table = malloc((size_t)n);
	if (p->table == NULL) {
		(void)err_nomem(c->ctx);
		return CODE_FATAL;
	}
	p->n_table = (uint32_t)n;
	return mem_read(c->mem, p->lines + c->o->bytes_data, p->table,
	    (size_t)n) < 0 ? CODE_READ : CODE_OK;
}

/* Finds out what each unit can do; up to 3.10 only how many there are. */
static int
read_units(struct py_codes *c, struct py_code *p)
{
	uint64_t n;
	int r;

	if (c->o->minor <= 10) {
		r = bytes_size(c, p->code, &n);
		if (r != CODE_OK || n / 2 == 0 || n / 2 > CODE_MAX_UNITS)
			return r != CODE_OK ? r : CODE_STRANGE;
		p->n_units = (uint32_t)(n / 2);
		return CODE_OK;
	}
	c->bytes = malloc(2 * (size_t)p->n_units);
	p->unit = malloc(p->n_units);
	if (c->bytes == NULL || p->unit == NULL) {
		(void)err_nomem(c->ctx);
		r = CODE_FATAL;
	} else if (mem_read(c->mem, p->code, c->bytes,
	               2 * (size_t)p->n_units) < 0) {
		r = CODE_READ;
	} else {
		py_ops_scan(c->o->minor, c->bytes, p->n_units, p->unit);
		r = CODE_OK;
	}
	free(c->bytes);
	c->bytes = NULL;
	return r;
}

static int
read_code(struct py_codes *c, uint64_t at, struct py_code *p)
{
	struct py_code again;
	int r = read_head(c, at, 0, p);

	/* Again, with the hash: the address of the name is known now. */
	if (r == CODE_OK)
		r = read_head(c, at, p->name, p);
	if (r == CODE_OK)
		r = read_name_and_file(c, p);
	if (r == CODE_OK)
		r = read_line_table(c, p);
	if (r == CODE_OK)
		r = read_units(c, p);
	if (r == CODE_OK)
		r = read_head(c, at, p->name, &again);
	if (r == CODE_OK && !is_same_code(p, &again))
		r = CODE_READ;
	if (r != CODE_OK)
		code_release(p);
	return r;
}

/* --- remembering --------------------------------------------------------- */

static size_t
bytes_of(const struct py_code *p)
{
	return p->n_table + (size_t)p->n_units * (1 + sizeof(bob_fid));
}

/* Makes p->place, with no frame known. */
static int
make_places(struct py_codes *c, struct py_code *p)
{
	p->place = calloc((size_t)p->n_units + 1, sizeof(*p->place));
	if (p->place != NULL)
		return CODE_OK;
	(void)err_nomem(c->ctx);
	return CODE_FATAL;
}

static int
codes_add(struct py_codes *c, uint64_t at, uint32_t *ret)
{
	struct py_code *p = &c->fresh;
	int r = read_code(c, at, p);

	if (r != CODE_OK)
		return r;
	r = make_places(c, p);
	if (r == CODE_OK && (c->n_code >= CODES_MAX ||
	        bytes_of(p) > CODES_MAX_BYTES - c->n_bytes))
		py_codes_forget(c);
	if (r != CODE_OK || MEM_GROW(c->ctx, c, code, c->n_code + 1) < 0 ||
	    ptrmap_put(c->ctx, &c->by_address, at, (uint32_t)c->n_code) < 0) {
		code_release(p);
		return CODE_FATAL;
	}
	p->epoch = c->epoch;
	c->n_bytes += bytes_of(p);
	c->code[c->n_code] = *p;
	memset(p, 0, sizeof(*p));
	*ret = (uint32_t)c->n_code++;
	return CODE_OK;
}

/* Reads the head of a known code object again; *ret is its index. If there is
 * other code now, that is added. */
static int
codes_check(struct py_codes *c, uint64_t at, uint32_t *ret)
{
	struct py_code *p = &c->code[*ret];
	struct py_code now;
	int r = read_head(c, at, p->name, &now);

	if (r != CODE_OK || !is_same_code(p, &now)) {
		/* The old one stays in the list until the cache is emptied. */
		c->generation++;
		r = codes_add(c, at, ret);
		if (r == CODE_OK)
			c->code[*ret].is_passing = 1;
		return r;
	}
	p->epoch = c->epoch;
	p->copies = now.copies;
	/* Instructions are specialized while they run. */
	if (c->with_opcodes)
		memset(p->place, 0,
		    ((size_t)p->n_units + 1) * sizeof(*p->place));
	return CODE_OK;
}

int
py_codes_find(struct py_codes *c, uint64_t at, uint32_t *ret)
{
	uint32_t i = ptrmap_get(&c->by_address, at);

	if (i == PTRMAP_NONE)
		return codes_add(c, at, ret);
	*ret = i;
	if (c->code[i].epoch == c->epoch && !c->code[i].is_passing)
		return CODE_OK;
	return codes_check(c, at, ret);
}

int
py_codes_is_still(struct py_codes *c, uint32_t code)
{
	const struct py_code *p = &c->code[code];
	struct py_code now;

	return read_head(c, p->at, p->name, &now) == CODE_OK &&
	    is_same_code(p, &now);
}

/* --- where --------------------------------------------------------------- */

/* The address of the instructions: of the code, or of a thread's own copy. */
static int
find_copy(struct py_codes *c, const struct py_code *p, uint32_t copy,
    uint64_t *ret)
{
	uint64_t n;

	if (copy == 0 || p->copies == 0) {
		*ret = p->code;
		return CODE_OK;
	}
	if (copy >= CODE_MAX_COPIES || p->copies % 8 != 0 ||
	    mem_read_u64(c->mem, p->copies, &n) < 0 || copy >= n ||
	    mem_read_u64(c->mem, p->copies + 8 + 8 * (uint64_t)copy,
	        ret) < 0)
		return CODE_READ;
	return CODE_OK;
}

int
py_codes_unit(struct py_codes *c, uint32_t code, uint64_t instr, uint32_t copy,
    int64_t *ret)
{
	const struct py_code *p = &c->code[code];
	int64_t unit;
	uint64_t begin;
	int r;

	assert(code < c->n_code);
	if (c->o->minor <= 10) {
		unit = (int32_t)(uint32_t)instr;
		if (c->o->minor <= 9 && unit > 0)
			unit /= 2;
	} else {
		r = find_copy(c, p, copy, &begin);
		if (r != CODE_OK)
			return r;
		if (instr % 2 != 0 || instr + 2 < begin ||
		    instr > begin + 2 * CODE_MAX_UNITS)
			return CODE_OUTSIDE;
		unit = ((int64_t)instr - (int64_t)begin) / 2;
	}
	if (unit < -1 || unit >= (int64_t)p->n_units)
		return CODE_OUTSIDE;
	*ret = unit;
	return CODE_OK;
}

/* Reads the opcode of a unit's instruction. */
static int
read_opcode(struct py_codes *c, const struct py_code *p, int64_t unit,
    uint64_t instr, uint8_t *ret)
{
	uint64_t at = instr;

	if (c->o->minor <= 10)
		at = p->code + c->o->bytes_data + 2 * (uint64_t)unit;
	else if (p->unit != NULL)
		at -= 2 * (uint64_t)py_ops_back(p->unit, (size_t)unit);
	return mem_read(c->mem, at, ret, 1) < 0 ? CODE_READ : CODE_OK;
}

int
py_codes_place(struct py_codes *c, uint32_t code, int64_t unit, uint64_t instr,
    bob_fid *ret)
{
	struct py_code *p = &c->code[code];
	struct bob_frame f = p->frame;
	struct py_location l;
	uint8_t opcode;
	int r;

	assert(code < c->n_code);
	assert(unit >= -1 && unit < (int64_t)p->n_units);
	*ret = p->place[unit + 1];
	if (*ret != 0)
		return CODE_OK;
	mem_charge(c->mem, LINES_COST * (uint64_t)p->n_table);
	py_lines_find(c->o->minor, p->table, p->n_table, p->first_line, unit,
	    &l);
	if (l.line < 0) {
		f.flags |= BOB_FRAME_NO_LINE;
	} else {
		f.where = l.line;
	}
	if (l.line >= 0 && l.end_line >= 0) {
		f.flags |= BOB_FRAME_COLUMNS;
		f.end_line = l.end_line;
		f.col = l.col;
		f.end_col = l.end_col;
	}
	if (c->with_opcodes && unit >= 0) {
		r = read_opcode(c, p, unit, instr, &opcode);
		if (r != CODE_OK)
			return r;
		f.flags |= BOB_FRAME_OPCODE;
		f.opcode = opcode;
	}
	*ret = p->place[unit + 1] = bob_frame_put(c->dict, &f);
	if (*ret != BOB_NO_ID)
		return CODE_OK;
	p->place[unit + 1] = 0;
	return CODE_FATAL;
}
