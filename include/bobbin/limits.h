/*
 * Every limit of the library, each with its reason. All of them turn crafted
 * input into a clear error instead of exhausted memory; none is reached by
 * real traces. What is bounded by streaming alone (the length of a file, the
 * number of samples or segments, how far a packed member expands) has no
 * limit. Programs set lower limits of what is used with bob_ctx_set_limits.
 */
#ifndef BOBBIN_LIMITS_H
#define BOBBIN_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Payload of one .rbt event: reli's own reader refuses more, so no file that
 * anyone can read holds a larger one. */
#define BOB_MAX_EVENT (16u << 20)

/* Frames in one stack. PHP stops at its memory limit near 10^6 frames of
 * recursion; a STACK_DEF of 16 MiB could claim 16 M. */
#define BOB_MAX_DEPTH (1u << 20)

/* Ids of one kind in one dictionary: ids are 32 bits wide and the top ones
 * are sentinels. */
#define BOB_MAX_IDS 0xfffffff0u

/* Samples in one run or sum: half of the 64-bit range, so that adding single
 * samples one by one to a saturated sum cannot wrap. Larger counts saturate
 * here. */
#define BOB_MAX_COUNT (UINT64_MAX >> 1)

/*
 * Bytes of all names and paths of the frames of an input: so many, and so many
 * for each frame. Frames share strings, so a file of 1 MB can have 10^5 frames
 * with one name of 16 MB, and whatever shows them, sorts them or compares them
 * with a pattern needs each name in full. Frames of real traces have some 100
 * bytes each.
 */
#define BOB_MAX_NAMES ((uint64_t)64 << 20)
#define BOB_MAX_NAMES_EACH ((uint64_t)1 << 10)

/* One line of a text format, with all its frames (single-line phpspy and
 * folded put a whole stack on one). Deep stacks with long closure names reach
 * some hundred kB. */
#define BOB_MAX_LINE (16u << 20)

/* Key=value pairs in one annotation set. */
#define BOB_MAX_PAIRS 4096u

/* What recovery looks ahead, in bytes, to prove that it is back on an event
 * boundary; see docs/formats/rbt.md. */
#define BOB_MAX_PROOF (1u << 20)

/* Steps of one pattern match. A hostile pattern gives up after about 10 ms
 * and the frame counts as not matching. */
#define BOB_MAX_MATCH_STEPS 200000u

/* Memory of one pattern match, in KiB, for the same reason: remembering where
 * to go back to takes about 100 bytes per step. */
#define BOB_MAX_MATCH_KIB (16u << 10)

/*
 * Bytes in temporary files, of all handles of a context together: what comes
 * packed or through a pipe in formats whose tables stand behind their samples,
 * samples that wait for their turn, parts of outputs. A plain file is read
 * where it is, whatever its size. 4 GiB are some 800 million samples; a packed
 * file of 4 MB can ask for as much, and /tmp is often memory.
 * bob_ctx_set_limits changes it (--max-temp).
 */
#define BOB_MAX_TEMP ((uint64_t)4 << 30)

/*
 * Bytes of one output that is not live. A file of 60 bytes can hold 2^63 equal
 * samples, and formats that write each sample would never come to an end: this
 * is half a minute of it. Few programs that read traces open 16 GiB.
 * bob_ctx_set_limits changes it (--max-output).
 */
#define BOB_MAX_OUTPUT ((uint64_t)16 << 30)

/*
 * Steps outwards that make a tree of callers: so many, and for each distinct
 * stack of the profile. Such a tree repeats the outer frames of each stack, so
 * 10^5 stacks of 10^5 frames have 10^10 of them. Real ones take some 10 for
 * each distinct stack. Not an error: the tree ends at the level that would
 * take more.
 */
#define BOB_MAX_TREE_STEPS (1u << 18)
#define BOB_MAX_TREE_STEPS_EACH 32u

/* Samples that wait in memory for their turn, in bytes, when they are given
 * in the order of their times: some 50 million of them. Not an error: above
 * it they wait in a temporary file. */
#define BOB_MAX_ORDER_MEMORY ((size_t)256 << 20)

/* Frames of one stack that are read from a live process: as many as fit into
 * some two of PHP's stack pages, and eight times CPython's recursion limit. A
 * deeper stack is a runaway recursion, and reading all of it would take longer
 * than it stays true. */
#define BOB_MAX_LIVE_DEPTH 8192u

/* Threads of one process that are looked at. Each takes some microseconds and
 * some kilobytes; a process with more cannot be read in a period. */
#define BOB_MAX_LIVE_THREADS 8192u

/* Pieces of memory that are read for one sample of one process, and their
 * bytes. A thread takes 10 pieces and some 10 kB, a name that is new about 10.
 * What a process makes up (lists without an end, chains of frames, tasks that
 * await each other) ends here after some 20 ms, whatever it is. What was
 * learned is kept, so that the next sample of an honest process needs less. */
#define BOB_MAX_LIVE_READS 32768u
#define BOB_MAX_LIVE_BYTES ((uint64_t)64 << 20)

/* What is held of the stacks of all threads of one process, in bytes. A stack
 * of a thousand frames takes some 200 kB. A thread beyond that is lost. */
#define BOB_MAX_LIVE_COPY ((size_t)64 << 20)

/* Variables of one process that are read with each of its samples. Each takes
 * some microseconds. */
#define BOB_MAX_LIVE_VARS 32u

/* Variables of all frames of one sample: each takes tens of microseconds, for
 * which its thread is stopped. */
#define BOB_MAX_LIVE_LOCALS 4096u

/* Bytes of one block in the journal of a TACH profile (FILE.part.defs): all
 * names that are new since the last one, within a second. A file with holes can
 * claim 4 GiB without having them. */
#define BOB_MAX_JOURNAL ((size_t)256 << 20)

/* Decoding threads. */
#define BOB_MAX_THREADS 256u

#endif
