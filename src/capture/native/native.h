/*
 * C stacks: copied while a thread is stopped, unwound when it runs again, and
 * merged with the stack of the interpreter that it runs.
 *
 *     pause_begin(&pause, tid)
 *     native_take(n, tid)      registers and the stack's memory
 *     (the interpreter's own stack is read)
 *     process_go(p, &pause)
 *     native_merge(n, ...), or native_unwind(n) and native_stack(n, ...)
 *
 * A handle belongs to one process and is used for one thread at a time.
 */
#ifndef CAPTURE_NATIVE_NATIVE_H
#define CAPTURE_NATIVE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/merge.h"
#include "capture/native/modules/elfutils.h"
#include "capture/native/modules/loading.h"
#include "capture/native/modules/perfmap.h"
#include "capture/native/modules/space.h"
#include "capture/native/unwind/unwind.h"
#include "capture/ptrmap.h"
#include "capture/runtime.h"

/* Limit of bytes of a stack that are copied. Copying takes some 10 us per
 * 64 KiB, during which the thread is stopped. A thousand nested calls of Python
 * 3.10, its default limit, take 500 KiB. */
#define NATIVE_MAX_STACK ((size_t)1 << 20)

/* Limit of remembered places in code; above it all are forgotten. */
#define NATIVE_MAX_PLACES ((size_t)1 << 17)

/* C functions of an interpreter; NULL: there is none. A symbol also matches
 * with a suffix behind a '.', which compilers add to parts of functions. */
struct native_words {
	const char *loop; /* the interpreter loop */
	const char *call; /* by which C calls a function of the interpreter */
	/* The register in which the loop keeps its current frame, or
	 * UNWIND_NO_REG. Other builds may use it for something else. */
	uint32_t reg;
	/* Jumps into code of the JIT, which runs on this function's C frame
	 * and leaves that frame and the register alone: the frame is lent. */
	const char *lender;
};

/* An address in code: its rule and its name. */
struct native_place {
	uint64_t pc;
	const struct unwind_rule *rule;
	bob_fid frame; /* 0: not put yet */
	uint8_t kind;  /* enum merge_kind, once there is a frame */
	uint8_t has_rule;
	uint8_t is_lent; /* code of a JIT that runs on the lender's frame */
	uint8_t zero;
	uint64_t t_passing; /* when it was named, if it is code that may change;
	                     * 0: it does not change */
};

struct native {
	struct process *p;
	const struct native_words *words;
	struct elfutils elfutils;
	struct quota quota; /* of its files */
	struct space space;
	struct perfmap perf;
	struct loading_map *look; /* reads the perf map; NULL: none */
	uint64_t t_perf;          /* when that began */
	uint64_t n_looks;         /* reads that have ended */
	uint32_t generation;  /* of the space that places refer to */
	struct ptrmap place_of;
	struct native_place *place;
	size_t n_place, cap_place;
	struct arena rules;
	const struct unwind_rule *lent; /* of the lender; NULL: none */
	int is_lent_known;              /* `lent` is set: its file was read */
	int failed;           /* -ENOMEM in a callback */
	/* The stack that native_take() has copied. */
	struct regs regs;
	uint8_t *bytes;       /* NATIVE_MAX_STACK */
	size_t n_bytes;
	int has_missed;       /* an address was in no mapping */
	/* The frames that native_unwind() has found. */
	struct unwind_frame *frame;
	struct merge_native *native;
	size_t n_frame;
	enum unwind_end end;
	struct merge_pieces pieces; /* of the interpreter's stack */
	struct merge merge;
};

/*
 * Stops the main thread for a moment to see that it can be done, and reads the
 * files of the code on its stack, for at most a second. Returns BOB_OK and sets
 * *ret; FAILED with the reason if threads of the process cannot be stopped, its
 * machine is not supported, or elfutils is missing.
 */
int native_new(struct process *p, const struct native_words *words,
    struct native **ret);
void native_free(struct native *n);

/* Forgets all ids of the dictionary. */
void native_forget(struct native *n);

/* Copies registers and stack of a stopped thread. Returns 0, or -errno. */
int native_take(struct native *n, int tid);

/* Returns the place of an address, a new one if it is not known; NULL if memory
 * is out. */
struct native_place *native_place(struct native *n, uint64_t pc);

/* Sets *ret to the i-th file that samples had frames of. Returns 1; 0 behind
 * the last. */
int native_module(const struct native *n, size_t i, struct bob_module *ret);

/* Reads a word of the copied stack. Returns 0, or -errno. */
int native_word(const struct native *n, uint64_t at, uint64_t *ret);

/*
 * Unwinds the copied stack and names its frames. Returns BOB_OK; FATAL; or
 * BOB_AGAIN if a file that is needed is still being read: then the sample is
 * lost, and counted so (BOB_LOST_LOADING). A thread that samples no other
 * process waits for the file instead.
 */
int native_unwind(struct native *n);

/* Sets *ret to the C frames alone. Returns BOB_OK or FATAL. */
int native_stack(struct native *n, bob_stack *ret);

/*
 * Searches outwards from the k-th frame for the loop that had `value` in its
 * register (words->reg). Returns an address in its C frame and sets *k behind
 * it; 0 if there is none. A loop also matches if code it called has saved the
 * value: the next inner loop, or code without tables.
 */
uint64_t native_find_loop(const struct native *n, uint64_t value, size_t *k);

/* Cuts the interpreter's stack, which a walk has found, into pieces. Returns
 * BOB_OK or FATAL. */
typedef int native_cut_fn(const struct native *n, const void *walk,
    struct merge_pieces *ret);

/*
 * Unwinds as native_unwind(), and merges the C frames into *ret, the
 * interpreter's stack. If they do not fit, the sample is counted as unmerged,
 * and gets only the C frames above the interpreter's. If the C stack was not
 * copied (is_taken is 0), it is counted as unmerged too, and *ret stays. `n`
 * may be NULL: without native frames *ret stays. Returns BOB_OK; AGAIN: the
 * sample is lost, and counted so; or FATAL.
 */
int native_merge(struct native *n, int is_taken, native_cut_fn *cut,
    const void *walk, bob_stack *ret);

#endif
