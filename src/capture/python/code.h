/*
 * Code objects: what a function is called, where it is, and where in it an
 * instruction is.
 *
 * Reading one takes some ten reads, so it is done once. It is remembered by
 * its address when it read the same before and after its strings were read,
 * and looked at again in every epoch: code is freed when a module or a lambda
 * goes, and its memory is used for other code. An epoch is some milliseconds,
 * or ends when the interpreter says that code was freed (from 3.14 on). Where
 * code was seen to be replaced it is looked at each time.
 */
#ifndef CAPTURE_PYTHON_CODE_H
#define CAPTURE_PYTHON_CODE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "capture/proc/mem.h"
#include "capture/calls.h"
#include "capture/ptrmap.h"
#include "capture/python/offsets.h"
#include "capture/python/ops.h"

/* What is remembered, at most; beyond it all is forgotten, as a process can
 * make up as much code as it likes. */
#define CODES_MAX (1u << 16)
#define CODES_MAX_BYTES ((size_t)128 << 20)

/* Units (instructions and their caches) and table of one; more is cut: its
 * places have no lines. */
#define CODE_MAX_UNITS ((uint64_t)1 << 20)
#define CODE_MAX_TABLE ((uint64_t)4 << 20)

/* Copies of one code, of threads without a common lock. */
#define CODE_MAX_COPIES 4096u

struct py_code {
	uint64_t at;
	uint64_t name, file, lines, code; /* pointers */
	uint64_t copies;     /* pointer, or 0 */
	uint64_t own_name, names; /* pointers: co_name and co_names; or 0 */
	int32_t first_line;
	uint32_t flags;      /* co_flags */
	uint32_t n_units;
	uint32_t frame_size; /* bytes of its frames in a chunk; 0: none */
	uint32_t n_table;
	uint32_t epoch;
	uint8_t is_hidden;   /* made by the interpreter for itself */
	uint8_t is_passing;  /* its memory is used again soon */
	uint8_t is_mentioned; /* by a generator that calls it */
	uint32_t seen;       /* place at which it last stayed on top; or 0 */
	uint64_t hash;       /* of the name */
	uint8_t *table;      /* of locations */
	uint8_t *unit;       /* enum py_unit of each; NULL up to 3.10 */
	bob_fid *place;      /* of each unit, and before the first */
	uint64_t *mention;   /* what is in `names`; NULL: not read yet */
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
	uint32_t epoch;
	uint32_t generation; /* how often ids of codes lost their meaning */
	struct py_code *code;
	size_t n_code, cap_code;
	size_t n_bytes;
	struct ptrmap by_address;
	struct calls calls;  /* by index; a place is a unit and one */
};

enum code_result {
	CODE_OK = 0,
	CODE_READ = -1,    /* memory is not there, or changes */
	CODE_STRANGE = -2, /* not a code object */
	CODE_OUTSIDE = -3, /* the instruction is not in it */
	CODE_FATAL = -4    /* memory is out */
};

void py_codes_init(struct py_codes *c, struct bob_ctx *ctx,
    struct bob_dict *dict, struct mem *mem, const struct py_offsets *o);
void py_codes_done(struct py_codes *c);

/* Forgets everything. */
void py_codes_forget(struct py_codes *c);

/* Nothing is believed without another look. */
void py_codes_doubt(struct py_codes *c);

/* The code object at an address; *ret is its index. */
int py_codes_find(struct py_codes *c, uint64_t at, uint32_t *ret);

/* Looks once more: is it still there? */
int py_codes_is_still(struct py_codes *c, uint32_t code);

/*
 * Which unit of a code `instr` is (an address, or what f_lasti holds up to
 * 3.10), -1 before the first. `copy` is which copy of the code, 0 the code
 * itself.
 */
int py_codes_unit(struct py_codes *c, uint32_t code, uint64_t instr,
    uint32_t copy, int64_t *ret);

/* The frame of a unit. */
int py_codes_place(struct py_codes *c, uint32_t code, int64_t unit,
    uint64_t instr, bob_fid *ret);

/* False when a unit cannot have entered another function of Python without
 * C between them. */
static inline int
py_codes_can_call(const struct py_codes *c, uint32_t code, int64_t unit)
{
	const struct py_code *p = &c->code[code];

	return p->unit == NULL ||
	    (unit >= 0 && (p->unit[unit] & PY_UNIT_CALLS) != 0);
}

/* True when that is only because nothing is known about the unit. */
static inline int
py_codes_is_unknown(const struct py_codes *c, uint32_t code, int64_t unit)
{
	const struct py_code *p = &c->code[code];

	return p->unit == NULL ||
	    (unit >= 0 && (p->unit[unit] & PY_UNIT_UNKNOWN) != 0);
}

#endif
