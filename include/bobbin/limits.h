/*
 * Every limit of the library, each with its reason. A limit turns crafted
 * input into a clear error instead of exhausted memory. Real traces reach none
 * of them. What streaming already bounds has no limit: the length of a file,
 * the number of samples or segments, the size that a packed member expands to.
 * Programs set limits on their resources with bob_ctx_set_limits.
 */
#ifndef BOBBIN_LIMITS_H
#define BOBBIN_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of payload of one .rbt event. reli's own reader refuses more, so no
 * readable file holds a larger one. */
#define BOB_MAX_EVENT (16u << 20)

/* Frames in one stack. PHP stops at its memory limit near 10^6 frames of
 * recursion; a STACK_DEF of 16 MiB could claim 16 M. */
#define BOB_MAX_DEPTH (1u << 20)

/* Ids of one kind in one dictionary. Ids have 32 bits; the highest ones have
 * special meanings. */
#define BOB_MAX_IDS 0xfffffff0u

/* Samples in one run or sum. Larger counts saturate here. It is half of the
 * 64-bit range, so that the sum of two counts cannot overflow. */
#define BOB_MAX_COUNT (UINT64_MAX >> 1)

/*
 * Bytes of the names and paths of all frames of an input: BOB_MAX_NAMES plus
 * BOB_MAX_NAMES_EACH for each frame. Frames share strings, so a file of 1 MB
 * can have 10^5 frames with one name of 16 MB. Printing, sorting and matching
 * needs each name in full. Frames of real traces have some 100 bytes each.
 */
#define BOB_MAX_NAMES ((uint64_t)64 << 20)
#define BOB_MAX_NAMES_EACH ((uint64_t)1 << 10)

/* Bytes of one line of a text format. Folded and single-line phpspy have a
 * whole stack on one line. Deep stacks with long closure names reach some
 * hundred kB. */
#define BOB_MAX_LINE (16u << 20)

/* Key=value pairs in one annotation set. */
#define BOB_MAX_PAIRS 4096u

/* Bytes that recovery reads ahead to prove that it has found the start of an
 * event again; see docs/formats/rbt.md. */
#define BOB_MAX_PROOF (1u << 20)

/* Steps of one pattern match. A hostile pattern gives up after about 10 ms,
 * and the frame counts as not matching. */
#define BOB_MAX_MATCH_STEPS 200000u

/* KiB of memory of one pattern match, for the same reason. Backtracking takes
 * about 100 bytes per step. */
#define BOB_MAX_MATCH_KIB (16u << 10)

/*
 * Bytes in the temporary files of all handles of a context. They hold packed
 * or piped input of formats whose tables come after their samples, samples
 * that are being sorted by time, and parts of outputs. A plain file is read in
 * place, whatever its size. 4 GiB are some 800 million samples. A packed file
 * of 4 MB can ask for as much, and /tmp is often memory. bob_ctx_set_limits
 * changes it (--max-temp).
 */
#define BOB_MAX_TEMP ((uint64_t)4 << 30)

/*
 * Bytes of one output without BOB_TARGET_LIVE. A file of 60 bytes can hold
 * 2^63 equal samples, and a format that writes each sample would never end. 16
 * GiB are half a minute of writing, and few programs open larger traces.
 * bob_ctx_set_limits changes it (--max-output).
 */
#define BOB_MAX_OUTPUT ((uint64_t)16 << 30)

/*
 * Steps towards the root that building a tree of callers may take:
 * BOB_MAX_TREE_STEPS plus BOB_MAX_TREE_STEPS_EACH for each distinct stack. Such
 * a tree repeats the outer frames of each stack, so 10^5 stacks of 10^5 frames
 * have 10^10 of them. Real profiles take some 10 steps for each distinct stack.
 * Not an error: the tree ends before the level that would take more.
 */
#define BOB_MAX_TREE_STEPS (1u << 18)
#define BOB_MAX_TREE_STEPS_EACH 32u

/* Bytes of samples that are held in memory to sort them by time: some 50
 * million samples. Not an error: more are held in a temporary file. */
#define BOB_MAX_ORDER_MEMORY ((size_t)256 << 20)

/* Frames of one stack that are read from a live process: as many as fit into
 * about two of PHP's stack pages, and eight times CPython's recursion limit. A
 * deeper stack is a runaway recursion, and would change while it is read. */
#define BOB_MAX_CAPTURE_DEPTH 8192u

/* Threads of one process that are sampled. Each takes some microseconds and
 * some kilobytes; a process with more cannot be read within a period. */
#define BOB_MAX_CAPTURE_THREADS 8192u

/* Processes that a watch remembers, sampled or not. Each takes 200 bytes. A
 * kernel allows 32768 processes unless it is configured for more. */
#define BOB_MAX_WATCHED 65536u

/* Reads of a process's memory for one sample, and their bytes. A thread takes
 * 10 reads and some 10 kB, a new name about 10 reads. Endless lists, chains of
 * frames or circles of tasks in a hostile process end here, after some 20 ms.
 * What was read is cached, so the next sample of an honest process needs
 * less. */
#define BOB_MAX_CAPTURE_READS 32768u
#define BOB_MAX_CAPTURE_BYTES ((uint64_t)64 << 20)

/* Bytes held of the stacks of all threads of one process. A stack of a thousand
 * frames takes some 200 kB. The samples of further threads are lost. */
#define BOB_MAX_CAPTURE_COPY ((size_t)64 << 20)

/* Variables of one process that are read with each sample. Each takes some
 * microseconds. */
#define BOB_MAX_CAPTURE_VARS 32u

/* Variables of all frames of one sample. Each takes tens of microseconds, and
 * the thread is stopped meanwhile. */
#define BOB_MAX_CAPTURE_LOCALS 4096u

/* Bytes of one block in the journal of a TACH profile (FILE.part.defs). A block
 * holds the names that are new within a second. A sparse file can claim 4 GiB
 * without having them. */
#define BOB_MAX_JOURNAL ((size_t)256 << 20)

/* Decoding threads. */
#define BOB_MAX_THREADS 256u

#endif
