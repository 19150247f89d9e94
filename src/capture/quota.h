/*
 * What looking into the files of a target may cost.
 *
 * A target says itself which files it runs and what is in them, so the work is
 * bounded: by bytes that are read, by steps (a symbol, a header, a name, a
 * comparison) and by bytes that are kept. It is bytes and steps, never time:
 * whether a file is read does not depend on what else the machine does.
 *
 * There is a quota for each file, which is part of one for the process: a
 * process may have thousands of files. Who is over it gives up on that file and
 * says why.
 */
#ifndef CAPTURE_QUOTA_H
#define CAPTURE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

/* Read of one file. The largest tables that were met are a browser's: 60 MiB of
 * symbols and 120 MiB of names. A quarter of a gigabyte takes 0.1 s. */
#define QUOTA_FILE_BYTES ((uint64_t)256 << 20)

/* Of one file. The same browser has 2.5 million symbols. Each step takes some
 * nanoseconds, so this is 0.1 s. */
#define QUOTA_FILE_STEPS ((uint64_t)16 << 20)

/* Kept of one file: 40 bytes and the name of each function. A million functions
 * of C++ have 100 MiB. */
#define QUOTA_FILE_KEPT ((uint64_t)128 << 20)

/* Of all files of a process together, for as long as it is sampled: an
 * interpreter with 300 extensions has some 100 MiB of tables, and 20 of them
 * hold most of it. */
#define QUOTA_PROCESS_BYTES ((uint64_t)1 << 30)
#define QUOTA_PROCESS_STEPS ((uint64_t)64 << 20)
#define QUOTA_PROCESS_KEPT ((uint64_t)192 << 20)

/* Steps that a system call counts as: it takes about a microsecond. */
#define QUOTA_CALL 256

struct quota {
	uint64_t bytes, steps, kept; /* that are left */
	struct quota *of; /* the process's; NULL: there is none */
	const char *over;  /* what there is too much of; NULL: nothing */
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

/* Each spends n: 1, or 0 when there is less left; then all that is asked for
 * later is refused as well. */

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
 * Work in another thread has a copy of what is left. What it has spent is
 * subtracted when it is done.
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

/* A file that was given up counts as all that a file may. */
static inline void
quota_charge_file(struct quota *b)
{
	struct quota whole;

	quota_file(&whole, NULL);
	quota_charge(b, &whole);
}

#endif
