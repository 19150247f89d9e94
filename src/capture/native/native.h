/*
 * Stacks of machine code: taken while a thread is stopped, unwound after it
 * was let go, and merged with the stack of the interpreter that it runs.
 *
 *     pause_begin(&pause, tid)
 *     native_take(n, tid)      registers and the stack's memory
 *     (the interpreter's own stack is read)
 *     process_go(p, &pause)
 *     native_unwind(n)
 *     native_merge(n, ...) or native_stack(n, ...)
 *
 * A handle belongs to one process and is used for one thread at a time.
 */
#ifndef CAPTURE_NATIVE_NATIVE_H
#define CAPTURE_NATIVE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/elfutils.h"
#include "capture/native/loading.h"
#include "capture/native/merge.h"
#include "capture/native/perfmap.h"
#include "capture/native/space.h"
#include "capture/native/unwind.h"
#include "capture/ptrmap.h"
#include "capture/runtime.h"

/* Bytes of a stack that are copied: deeper ones are cut. Copying takes some
 * 10 us per 64 KiB, during which the thread stands still. A thousand calls of
 * Python 3.10, as deep as it lets programs go, take 500 KiB. */
#define NATIVE_MAX_STACK ((size_t)1 << 20)

/* Places in code that are remembered; at more, all are forgotten. */
#define NATIVE_MAX_PLACES ((size_t)1 << 17)

/* Functions of an interpreter; names may have parts behind a '.', as compilers
 * add them. NULL: there is none. */
struct native_words {
	const char *loop; /* runs code */
	const char *call; /* calls a function from C */
	/* The register in which the loop has the frame that it runs, or
	 * UNWIND_NO_REG: programs built otherwise have something else in
	 * it. */
	uint32_t reg;
	/* Jumps into code that is made at run time, which leaves its frame and
	 * that register alone. */
	const char *lender;
};

struct native_place {
	uint64_t pc;
	const struct unwind_rule *rule;
	bob_fid frame; /* 0: not put yet */
	uint8_t kind;  /* enum merge_kind, once there is a frame */
	uint8_t has_rule;
	uint8_t is_lent; /* runs on the frame of the lender */
	uint8_t zero;
	uint64_t t_passing; /* named then, of code that may change; 0: it does
	                     * not */
};

struct native {
	struct process *p;
	const struct native_words *words;
	struct elfutils elfutils;
	struct quota quota; /* of its files */
	struct space space;
	struct perfmap perf;
	struct loading_map *look; /* at its file; NULL: none */
	uint64_t t_perf;          /* when that began */
	uint64_t n_looks;         /* that have ended */
	uint32_t generation;  /* of the space that places refer to */
	struct ptrmap place_of;
	struct native_place *place;
	size_t n_place, cap_place;
	struct arena rules;
	const struct unwind_rule *lent; /* the lender's, */
	int is_lent_known;              /* once its file was read */
	int failed;           /* -ENOMEM in a callback */
	/* The stack that was taken. */
	struct regs regs;
	uint8_t *bytes;       /* NATIVE_MAX_STACK */
	size_t n_bytes;
	int has_missed;       /* an address was in no mapping */
	/* And unwound. */
	struct unwind_frame *frame;
	struct merge_native *native;
	size_t n_frame;
	enum unwind_end end;
	struct merge merge;
};

/*
 * BOB_OK and *ret; FAILED with the reason when threads of this process cannot
 * be stopped, machine code of its kind not be read, or elfutils is missing.
 * Stops its main thread for a moment, to see; the files that its stack leads
 * through are read before it returns, unless that takes longer than a file
 * should.
 */
int native_new(struct process *p, const struct native_words *words,
    struct native **ret);
void native_free(struct native *n);

/* Ids of the old dictionary are dropped. */
void native_forget(struct native *n);

/* Of a thread that is stopped. 0, or -errno. */
int native_take(struct native *n, int tid);

/* What is known of an address, or room for that; NULL without memory. */
struct native_place *native_place(struct native *n, uint64_t pc);

/* The i-th file that frames were given of: 1, or 0 behind the last. */
int native_module(const struct native *n, size_t i, struct bob_module *ret);

/* A word of the stack that was taken: 0, or -errno. */
int native_word(const struct native *n, uint64_t at, uint64_t *ret);

/*
 * What was taken becomes frames. BOB_OK; FATAL; or BOB_AGAIN when a file that
 * this takes is still being read: the sample is lost, and counted so
 * (BOB_LOST_LOADING). Who samples no other process waits for it instead.
 */
int native_unwind(struct native *n);

/* The frames as a stack of their own. BOB_OK or FATAL. */
int native_stack(struct native *n, bob_stack *ret);

/*
 * Looks for the loop that has this in its register, or that has been left with
 * it for a loop which keeps it, from the k-th frame outwards. An address in its
 * frame, and *k is behind it; 0: there is none.
 */
uint64_t native_find_loop(const struct native *n, uint64_t value, size_t *k);

/* The frames with the pieces of an interpreter's stack; counted as unmerged
 * when they do not fit. BOB_OK or FATAL. */
int native_merge(struct native *n, const struct merge_piece *piece,
    size_t n_piece, bob_stack *ret);

#endif
