/*
 * A cache of code objects: name, file, lines and instructions of functions.
 *
 * Reading a code object takes some ten reads, so it is read once and found by
 * its address. It is cached only if its head was the same before and after its
 * strings were read. Code is freed with its module or lambda, and its memory is
 * then used for other code. So the head is read again in every epoch. An epoch
 * lasts some milliseconds; from 3.14 on it also ends when the interpreter
 * counts a code object as freed. At an address where code was replaced, the
 * head is read each time.
 */
#ifndef CAPTURE_PYTHON_CODE_CODE_H
#define CAPTURE_PYTHON_CODE_CODE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "capture/calls.h"
#include "capture/proc/mem.h"
#include "capture/ptrmap.h"
#include "capture/python/code/opcodes.h"
#include "capture/python/layout/offsets.h"

/* What is cached, at most. A process can make as much code as it likes; beyond
 * the limit the cache is emptied. */
#define CODES_MAX (1u << 16)
#define CODES_MAX_BYTES ((size_t)128 << 20)

/* Units (two bytes of an instruction or of its inline cache) of one code
 * object; more are refused. Bytes of its line table; a longer one is not
 * read. */
#define CODE_MAX_UNITS ((uint64_t)1 << 20)
#define CODE_MAX_TABLE ((uint64_t)4 << 20)

/* Copies of one code object for threads (co_tlbc), free-threaded. */
#define CODE_MAX_COPIES 4096u

/* Which server a function belongs to, if it is the one that calls the
 * application: server.h. uWSGI has no such function. */
enum py_server_code {
	PY_SERVER_NONE = 0,
	PY_SERVER_GUNICORN_NEW, /* its variables were not looked for yet */
	PY_SERVER_GUNICORN,
	PY_SERVER_UWSGI,
	PY_SERVER_UVICORN
};

struct py_code {
	uint64_t at;
	uint64_t name, file, lines, code; /* pointers */
	uint64_t copies;     /* pointer: co_tlbc; or 0 */
	uint64_t own_name, names; /* pointers: co_name and co_names; or 0 */
	int32_t first_line;
	uint32_t flags;      /* co_flags */
	uint32_t n_units;
	uint32_t frame_size; /* bytes of its frames in a chunk; 0: none */
	uint32_t n_table;
	uint32_t epoch;
	uint8_t is_hidden;   /* the interpreter's own: not shown */
	uint8_t is_passing;  /* other code was at this address before */
	uint8_t is_mentioned; /* some generator that calls it has its name */
	uint8_t has_run_generators; /* one was seen right on top of it */
	uint8_t server;      /* enum py_server_code */
	uint8_t start_slot, req_slot; /* indices of variables: gunicorn.h */
	uint8_t n_looks;     /* searches without success: uwsgi.c */
	uint32_t seen;       /* place where it last stayed on top; or 0 */
	uint64_t hash;       /* of the name */
	uint8_t *table;      /* line table */
	uint8_t *unit;       /* enum py_unit of each; NULL up to 3.10 */
	bob_fid *place;      /* frames: [0] before the first unit, [1] ... */
	uint64_t *mention;   /* items of `names`; NULL: not read yet */
	uint32_t n_mention;
	struct bob_frame frame; /* without line and opcode */
};

struct py_codes {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct mem *mem;
	const struct py_offsets *o;
	uint64_t code_type; /* address of PyCode_Type, or 0 */
	int with_opcodes;
	int has_server;  /* some code has `server` set */
	int has_uvicorn; /* some code is that of uvicorn */
	uint32_t epoch;
	uint32_t generation; /* code was replaced or the cache emptied */
	struct py_code *code;
	size_t n_code, cap_code;
	size_t n_bytes;
	/* The code object that is being read, and its instructions. They are
	 * here so that they are freed if a read never returns (hand.h). */
	struct py_code fresh;
	uint8_t *bytes;
	struct ptrmap by_address;
	struct calls calls;  /* by index; a place is a unit plus 1 */
};

enum code_result {
	CODE_OK = 0,
	CODE_READ = -1,    /* it cannot be read, or changes meanwhile */
	CODE_STRANGE = -2, /* not a code object */
	CODE_OUTSIDE = -3, /* the instruction is not in it */
	CODE_FATAL = -4    /* memory is out */
};

void py_codes_init(struct py_codes *c, struct bob_ctx *ctx,
    struct bob_dict *dict, struct mem *mem, const struct py_offsets *o);
void py_codes_done(struct py_codes *c);

/* Empties the cache. */
void py_codes_forget(struct py_codes *c);

/* Begins an epoch: each code object is read again before it is used. */
void py_codes_doubt(struct py_codes *c);

/* Finds or reads the code object at an address. CODE_OK and its index in *ret,
 * or another code_result. Indices of before are void if c->generation
 * changed. */
int py_codes_find(struct py_codes *c, uint64_t at, uint32_t *ret);

/* Reads the head of a code object again. Returns 1 if it is the same. */
int py_codes_is_still(struct py_codes *c, uint32_t code);

/*
 * Which unit of a code object `instr` is. `instr` is an address, or up to 3.10
 * f_lasti; `copy` is an index in co_tlbc, 0 for the code itself. CODE_OK and
 * *ret, which is -1 before the first unit and below n_units; or another
 * code_result.
 */
int py_codes_unit(struct py_codes *c, uint32_t code, uint64_t instr,
    uint32_t copy, int64_t *ret);

/* The frame of a unit: function, line and columns. CODE_OK and *ret, or another
 * code_result. */
int py_codes_place(struct py_codes *c, uint32_t code, int64_t unit,
    uint64_t instr, bob_fid *ret);

/* Returns 0 if a unit cannot have entered another Python function directly,
 * without C between them. */
static inline int
py_codes_can_call(const struct py_codes *c, uint32_t code, int64_t unit)
{
	const struct py_code *p = &c->code[code];

	assert(code < c->n_code && unit < (int64_t)p->n_units);
	return p->unit == NULL ||
	    (unit >= 0 && (p->unit[unit] & PY_UNIT_CALLS) != 0);
}

/* Returns 1 if py_codes_can_call() does only because the unit is not known. */
static inline int
py_codes_is_unknown(const struct py_codes *c, uint32_t code, int64_t unit)
{
	const struct py_code *p = &c->code[code];

	assert(code < c->n_code && unit < (int64_t)p->n_units);
	return p->unit == NULL ||
	    (unit >= 0 && (p->unit[unit] & PY_UNIT_UNKNOWN) != 0);
}

#endif
