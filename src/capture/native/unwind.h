/*
 * From registers and a copy of a stack to the calls that are on it.
 *
 * Each step takes the rule that the code's own tables have for an instruction:
 * where the caller's frame ends (the CFA) and where its registers were saved.
 * Code without a rule (made at run time or by a linker, or built without
 * tables) is passed by its end, when it is there, or as the jump that it is; by
 * the rule of a function on whose frame such code runs, when there is one; or
 * by its frame pointer; or, where none of these is there (musl has none), by a
 * look for the return address itself. Each must lead to a place behind a call.
 * What a signal interrupted is found where the kernel has put it. All addresses
 * are foreign: only the copy is read, every step leads outwards, and the number
 * of steps is bounded.
 */
#ifndef CAPTURE_NATIVE_UNWIND_H
#define CAPTURE_NATIVE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/expr.h"
#include "capture/native/regs.h"

/* Frames of one stack, two or three for each call of an interpreter. */
#define UNWIND_MAX_FRAMES 8192

enum unwind_how {
	SAVED_AT_CFA,   /* in memory, at the CFA plus offset */
	SAVED_CFA,      /* it is the CFA plus offset */
	SAVED_NOWHERE,  /* lost */
	SAVED_AT_EXPR,  /* in memory, where an expression says */
	SAVED_EXPR,     /* it is what an expression says */
	SAVED_IN_REG    /* in another register: offset */
};

struct unwind_saved {
	uint8_t reg;
	uint8_t how;     /* enum unwind_how */
	uint16_t n_ops;
	int64_t offset;
	const struct expr_op *ops;
};

/* What is not in `saved` has not changed. */
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

/* Who knows the code. */
struct unwind_code {
	/* The rule for the instruction at an address; NULL: there is none. */
	const struct unwind_rule *(*rule)(void *user, uint64_t pc);
	/* n bytes of code: 0, or -errno. */
	int (*bytes)(void *user, uint64_t pc, uint8_t *to, size_t n);
	/* Whether a call can have put this address on the stack. */
	int (*is_behind_call)(void *user, uint64_t pc);
	void *user;
	uint32_t watched; /* a register to tell of each frame, or NO_REG */
	/* The rule of a function that may have jumped to an address in code
	 * made at run time, which leaves its frame alone; NULL: there is
	 * none. */
	const struct unwind_rule *(*lent)(void *user, uint64_t pc);
	/* Whether the call before an address leads to the file around another:
	 * 2: to right before it, 1, 0; -1: nobody knows. */
	int (*leads_to)(void *user, uint64_t ret, uint64_t pc);
};

#define UNWIND_NO_REG UINT32_MAX

struct unwind_stack {
	const uint8_t *bytes;
	uint64_t at; /* address of the first */
	size_t n;
};

struct unwind_frame {
	uint64_t pc;     /* as it was, or where the call returns to */
	uint64_t lookup; /* an address in the instruction that runs or calls */
	uint64_t sp, cfa; /* the memory it has: from sp up to cfa */
	uint64_t watched; /* the register that was asked for; 0: not known */
	int is_lent;      /* it was passed by the rule that is lent, */
	int is_searched;  /* or by a search */
};

enum unwind_end {
	UNWIND_ROOT,   /* where the thread began */
	UNWIND_CUT,    /* it goes on above what was copied */
	UNWIND_BROKEN  /* the way out could not be found */
};

/*
 * Frames from the innermost on, at most `cap`; at least one when cap > 0. The
 * CFA of the last is 0 when it could not be found.
 */
size_t unwind(const struct unwind_code *code, const struct unwind_stack *s,
    const struct regs *regs, struct unwind_frame *v, size_t cap,
    enum unwind_end *ret_end);

#endif
