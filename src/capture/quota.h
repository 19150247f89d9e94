/*
 * Limits the cost of reading the files of a sampled process.
 *
 * The process chooses its files and what is in them, so the work is limited: by
 * bytes that are read, by steps (a symbol, a header, a name, a comparison) and
 * by bytes that are kept in memory. It is never limited by time, so whether a
 * file is read does not depend on the load of the machine.
 *
 * Each file has a quota, which is part of a quota of the process, as a process
 * may have thousands of files. A reader whose quota is used up gives up that
 * file, and `over` says why.
 */
#ifndef CAPTURE_QUOTA_H
#define CAPTURE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

/* Bytes read of one file. The largest tables that were met are those of a
 * browser: 60 MiB of symbols and 120 MiB of names. 256 MiB take 0.1 s. */
#define QUOTA_FILE_BYTES ((uint64_t)256 << 20)

/* Steps of one file. The same browser has 2.5 million symbols. A step takes
 * some nanoseconds, so this is 0.1 s. */
#define QUOTA_FILE_STEPS ((uint64_t)16 << 20)

/* Bytes kept of one file: 40 bytes and the name of each function. A million
 * functions of C++ take 100 MiB. */
#define QUOTA_FILE_KEPT ((uint64_t)128 << 20)

/* The same for all files of a process, for as long as it is sampled. An
 * interpreter with 300 extensions has some 100 MiB of tables. */
#define QUOTA_PROCESS_BYTES ((uint64_t)1 << 30)
#define QUOTA_PROCESS_STEPS ((uint64_t)64 << 20)
#define QUOTA_PROCESS_KEPT ((uint64_t)192 << 20)

/* Steps for a system call, which takes about a microsecond. */
#define QUOTA_CALL 256

struct quota {
	uint64_t bytes, steps, kept; /* what is left */
	struct quota *of; /* of the process; NULL: there is none */
	const char *over;  /* why it is used up; NULL: it is not */
};

static inline void
quota_file(struct quota *b, struct quota *of)
{
	*b = (struct quota){ QUOTA_FILE_BYTES, QUOTA_FILE_STEPS,
		QUOTA_FILE_KEPT, of, NULL };
}

static inline void
quota_process(struct quota *b)
{
	*b = (struct quota){ QUOTA_PROCESS_BYTES, QUOTA_PROCESS_STEPS,
		QUOTA_PROCESS_KEPT, NULL, NULL };
}

/* Each spends n. Returns 1; 0 if less is left, and then all later calls fail,
 * too. */

static inline int
quota_read(struct quota *b, uint64_t n)
{
	if (b->over == NULL && n > b->bytes)
		b->over = "its tables have more bytes than are read of a file";
	if (b->over == NULL && b->of != NULL && !quota_read(b->of, n))
		b->over = "the files of this process have more bytes than are "
		    "read of one";
	if (b->over == NULL)
		b->bytes -= n;
	return b->over == NULL;
}

static inline int
quota_step(struct quota *b, uint64_t n)
{
	if (b->over == NULL && n > b->steps)
		b->over = "its tables take more steps than a file may";
	if (b->over == NULL && b->of != NULL && !quota_step(b->of, n))
		b->over = "the files of this process take more steps than "
		    "those of one may";
	if (b->over == NULL)
		b->steps -= n;
	return b->over == NULL;
}

static inline int
quota_keep(struct quota *b, uint64_t n)
{
	if (b->over == NULL && n > b->kept)
		b->over = "its functions take more memory than those of a file "
		    "may";
	if (b->over == NULL && b->of != NULL && !quota_keep(b->of, n))
		b->over = "the functions of this process take more memory than "
		    "those of one may";
	if (b->over == NULL)
		b->kept -= n;
	return b->over == NULL;
}

/*
 * Work in another thread has a copy of what is left: quota_spent() is the
 * difference afterwards, quota_charge() subtracts it from the original.
 */

static inline uint64_t
quota_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static inline struct quota
quota_spent(const struct quota *before, const struct quota *now)
{
	return (struct quota){ quota_less(before->bytes, now->bytes),
		quota_less(before->steps, now->steps),
		quota_less(before->kept, now->kept), NULL, now->over };
}

static inline void
quota_charge(struct quota *b, const struct quota *spent)
{
	b->bytes = quota_less(b->bytes, spent->bytes);
	b->steps = quota_less(b->steps, spent->steps);
	b->kept = quota_less(b->kept, spent->kept);
	if (b->over == NULL)
		b->over = spent->over;
}

/* Charges a file that was given up: as the most that a file may cost. */
static inline void
quota_charge_file(struct quota *b)
{
	struct quota whole;

	quota_file(&whole, NULL);
	quota_charge(b, &whole);
}

#endif
