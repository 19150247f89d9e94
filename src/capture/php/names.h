/*
 * What functions are called, and which line an opline stands on.
 *
 * Reading a name takes several reads, so it is done once. What is remembered
 * is kept by addresses that stay: an internal function by its own, a user
 * function by that of its opcodes (closures and trampolines are copies, and
 * their memory is used again within microseconds), a line by that of its
 * opline together with the function. It is remembered only when
 * the function read the same before and after its strings, and only for so
 * long: PHP frees functions at the end of a request, and the code of an
 * included file when it has run.
 */
#ifndef CAPTURE_PHP_NAMES_H
#define CAPTURE_PHP_NAMES_H

#include <stdint.h>

#include <bobbin/model.h>

#include "capture/php/offsets.h"
#include "capture/ptrmap.h"
#include "capture/proc/mem.h"

/* Functions and places that are remembered; at more all are forgotten, as a
 * process can make up as many as it likes. */
#define NAMES_MAX_FUNCTIONS (1u << 16)
#define NAMES_MAX_PLACES (1u << 18)

/* Bytes of one name; longer ones are cut. */
#define NAMES_MAX_BYTES 4096

struct php_function {
	uint64_t func;      /* where it was read last */
	uint64_t name, scope, file; /* its strings and class, as pointers */
	uint64_t opcodes, end; /* of a user function */
	uint32_t line_start, line_end;
	uint32_t flags;     /* as PHP has them */
	uint32_t n_slots, n_params; /* that its frames have room for */
	uint8_t type;
	uint8_t is_passing; /* its memory is used again soon */
	uint8_t is_shared;  /* opcache keeps it for all requests */
	uint64_t t_read;
	uint32_t epoch;
	struct bob_frame frame; /* without line and opcode */
};

struct php_place {
	uint32_t function; /* index */
	bob_fid frame;
	uint8_t opcode;    /* 0: not at one */
	uint8_t is_internal;
	uint8_t is_nameless; /* a function that nobody should see */
	uint8_t is_unsure; /* a copy of a function, which was read just now */
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
	NAMES_READ = -1,    /* memory is not there */
	NAMES_STRANGE = -2, /* not a function */
	NAMES_OUTSIDE = -3, /* the opline is not in the function */
	NAMES_FATAL = -4    /* memory is out */
};

void names_init(struct names *n, struct bob_ctx *ctx, struct bob_dict *dict,
    struct mem *mem, const struct php_offsets *o, int with_opcodes);
void names_done(struct names *n);

/* Forgets everything. */
void names_forget(struct names *n);

/* The request has changed: nothing is believed without another look. */
void names_doubt(struct names *n);

/* True while a function, by its index, is believed without another look. */
int names_is_fresh(const struct names *n, uint32_t function);

/* Bytes of a frame of a function that was given so many arguments. */
uint64_t names_frame_size(const struct names *n, uint32_t function,
    uint32_t n_args);

/*
 * The place of a frame that has called another: it stands on its opline. Of a
 * frame on top: the opline is kept in a register there, so that the one in
 * memory may be another function's; then it is the function's first line.
 */
int names_caller(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret);
int names_top(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret);

#endif
