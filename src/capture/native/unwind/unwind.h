/*
 * Unwinds a C stack, from registers and a copy of the stack's memory.
 *
 * For most code the tables have a rule for each address: the end of the frame
 * (the CFA) and where the caller's registers were saved. Code of a JIT, linker
 * stubs and code that was built without tables have none. There these are tried
 * in this order:
 *
 *  1. the frame that the kernel has put on the stack for a signal (sigframe.h);
 *  2. a linker stub: undo the call (stub.h);
 *  3. the epilogue, if the code is just before its `ret` (epilogue.h);
 *  4. the lent rule: that of a function on whose frame a JIT's code runs;
 *  5. the frame pointer, if the call before the return address leads to this
 *     file;
 *  6. a search of the stack for a return address (musl has neither tables nor
 *     frame pointers);
 *  7. the frame pointer, whatever the call leads to.
 *
 * From 2 on the return address must be right behind a call. All addresses are
 * foreign data: only the copy is read, every step leads outwards, and the
 * number of steps is bounded.
 */
#ifndef CAPTURE_NATIVE_UNWIND_UNWIND_H
#define CAPTURE_NATIVE_UNWIND_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/unwind/expr.h"
#include "capture/native/unwind/regs.h"

/* Limit of frames of one stack. A call of an interpreter takes two or three. */
#define UNWIND_MAX_FRAMES 8192

enum unwind_how {
	SAVED_AT_CFA,   /* in memory, at the CFA plus offset */
	SAVED_CFA,      /* the value is the CFA plus offset */
	SAVED_NOWHERE,  /* the value is lost */
	SAVED_AT_EXPR,  /* in memory, at the value of an expression */
	SAVED_EXPR,     /* the value is that of an expression */
	SAVED_IN_REG    /* in another register: offset */
};

struct unwind_saved {
	uint8_t reg;
	uint8_t how;     /* enum unwind_how */
	uint16_t n_ops;
	int64_t offset;
	const struct expr_op *ops;
};

/* A register that is not in `saved` has not changed. */
struct unwind_rule {
	uint8_t is_signal; /* the caller was interrupted, not left by a call */
	uint8_t ra;        /* the register that holds the return address */
	uint8_t n_saved;
	uint8_t cfa_reg;   /* CFA: this register plus cfa_offset, */
	uint16_t n_cfa;    /* unless there is an expression */
	int64_t cfa_offset;
	const struct expr_op *cfa;
	const struct unwind_saved *saved;
};

/* What the unwinder asks of code. */
struct unwind_code {
	/* Returns the rule for an address; NULL if there is none. */
	const struct unwind_rule *(*rule)(void *user, uint64_t pc);
	/* Reads n bytes of code. Returns 0, or -errno. */
	int (*bytes)(void *user, uint64_t pc, uint8_t *to, size_t n);
	/* True if the address is right behind a call instruction. */
	int (*is_behind_call)(void *user, uint64_t pc);
	void *user;
	uint32_t watched; /* register to keep for each frame, or NO_REG */
	/* Returns the rule of a function that may have jumped to this address
	 * in code of a JIT, which runs on its frame; NULL if there is none. */
	const struct unwind_rule *(*lent)(void *user, uint64_t pc);
	/* Where the call before the return address `ret` leads: 2 to right
	 * before `pc`, 1 to the same file, 0 to another file, -1 not known. */
	int (*leads_to)(void *user, uint64_t ret, uint64_t pc);
};

#define UNWIND_NO_REG UINT32_MAX

struct unwind_stack {
	const uint8_t *bytes;
	uint64_t at; /* address of the first byte */
	size_t n;
};

struct unwind_frame {
	uint64_t pc;     /* program counter, or return address of a caller */
	uint64_t lookup; /* address in the instruction that runs or calls */
	uint64_t sp, cfa; /* its memory is [sp, cfa) */
	uint64_t watched; /* value of the watched register; 0: not known */
	int is_lent;      /* its caller was found by the lent rule */
	int is_searched;  /* its caller was found by a search */
};

enum unwind_end {
	UNWIND_ROOT,   /* the frame where the thread began */
	UNWIND_CUT,    /* the stack goes on above the copy, or above cap */
	UNWIND_BROKEN  /* the caller could not be found */
};

/*
 * Writes at most `cap` frames, innermost first, and returns their number: at
 * least one if cap > 0. The CFA of the last is 0 if it could not be found.
 */
size_t unwind(const struct unwind_code *code, const struct unwind_stack *s,
    const struct regs *regs, struct unwind_frame *v, size_t cap,
    enum unwind_end *ret_end);

#endif
