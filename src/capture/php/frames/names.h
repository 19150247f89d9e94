/*
 * Names of functions, and the lines of their oplines.
 *
 * Reading a name takes several reads, so it is done once and remembered by an
 * address: an internal function by its own; a user function by that of its
 * opcodes, as closures and trampolines are copies of functions whose memory is
 * used again within microseconds; a line by its opline and function.
 *
 * A function is remembered only if it was the same before and after its strings
 * were read, and only for some time: PHP frees functions at the end of a
 * request, and the code of an included file when it has run.
 */
#ifndef CAPTURE_PHP_FRAMES_NAMES_H
#define CAPTURE_PHP_FRAMES_NAMES_H

#include <stdint.h>

#include <bobbin/model.h>

#include "capture/php/layout/offsets.h"
#include "capture/proc/mem.h"
#include "capture/ptrmap.h"

/* Limits of remembered functions and places, as a process can define any
 * number; above them all are forgotten. */
#define NAMES_MAX_FUNCTIONS (1u << 16)
#define NAMES_MAX_PLACES (1u << 18)

/* Bytes of one name; longer ones are cut. */
#define NAMES_MAX_BYTES 4096

struct php_function {
	uint64_t func;      /* address where it was last read */
	uint64_t name, scope, file; /* its strings and class, as pointers */
	uint64_t opcodes, end; /* of a user function */
	uint32_t line_start, line_end;
	uint32_t flags;     /* as PHP has them */
	uint32_t n_slots;   /* variables and temporaries of its frames */
	uint32_t n_params;
	uint8_t type;
	uint8_t is_passing; /* freed when it has run, not with the request */
	uint8_t is_shared;  /* opcache keeps it for all requests */
	uint64_t t_read;
	uint32_t epoch;
	struct bob_frame frame; /* without line and opcode */
};

/* A function at an opline, or as a whole. */
struct php_place {
	uint32_t function; /* index in names.function */
	bob_fid frame;
	uint8_t opcode;    /* 0: at no opline */
	uint8_t is_internal;
	uint8_t is_nameless; /* PHP's own function, not to be shown */
	uint8_t is_unsure; /* a copy of a function, without an opline that
	                    * shows that it still is that function */
};

struct names {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct mem *mem;
	const struct php_offsets *o;
	int with_opcodes;
	uint64_t shared, shared_end; /* opcache's memory, if there is any */
	uint64_t now_us;
	uint32_t epoch;
	uint32_t generation; /* how often everything was forgotten */
	struct php_function *function;
	size_t n_function, cap_function;
	struct php_place *place;
	size_t n_place, cap_place;
	struct ptrmap by_func;    /* functions */
	struct ptrmap by_opcodes; /* functions */
	struct ptrmap by_opline;  /* places, by function and opline */
	struct ptrmap by_start;   /* places without opline, by function */
};

enum names_result {
	NAMES_OK = 0,
	NAMES_READ = -1,    /* memory cannot be read */
	NAMES_STRANGE = -2, /* not a function */
	NAMES_OUTSIDE = -3, /* the opline is not in the function */
	NAMES_FATAL = -4    /* memory is out */
};

void names_init(struct names *n, struct bob_ctx *ctx, struct bob_dict *dict,
    struct mem *mem, const struct php_offsets *o, int with_opcodes);
void names_done(struct names *n);

/* Forgets everything. */
void names_forget(struct names *n);

/* Another request has begun: each user function is read again before its name
 * is used, except those of opcache. */
void names_doubt(struct names *n);

/* True while a function need not be read again. */
int names_is_fresh(const struct names *n, uint32_t function);

/* Returns the bytes that a frame of the function takes with n_args
 * arguments. */
uint64_t names_frame_size(const struct names *n, uint32_t function,
    uint32_t n_args);

/*
 * Each sets *ret to the place of a frame and returns enum names_result.
 * names_caller() is for a frame that has called another: its opline must be in
 * its function. names_top() is for the innermost frame, whose opline is in a
 * register: the one in memory may be that of another function, and then the
 * place is the first line of the function.
 */
int names_caller(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret);
int names_top(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret);

#endif
