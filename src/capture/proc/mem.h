/*
 * The memory of another process, as a table so that tests and fuzz programs
 * can offer memory of their own.
 *
 * All of it is foreign: addresses come from pointers that were read a moment
 * ago, so any read may fail, or give something that was written by someone
 * who wishes us ill. Nothing here allocates by what it reads.
 */
#ifndef CAPTURE_PROC_MEM_H
#define CAPTURE_PROC_MEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Spans of one gather. The kernel takes 1024. */
#define MEM_MAX_SPANS 64

struct mem_span {
	uint64_t at; /* in the process */
	void *to;
	size_t n;
};

struct mem {
	/*
	 * Reads the spans in order, as close together in time as possible.
	 * Returns how many bytes were read, counted through the spans: fewer
	 * than asked for when a page of one is not there. -errno when nothing
	 * was.
	 */
	long (*gather)(struct mem *m, const struct mem_span *v, size_t n);
	uint64_t n_calls; /* gathers so far */
	/* What may still be read until mem_allow is called again; as much as
	 * is wanted where that was never done. */
	uint64_t spans_left, bytes_left;
	int has_limit;
	int pid;
	void *user;
};

/* Memory of a process by process_vm_readv(2). */
void mem_init(struct mem *m, int pid);

/* What a gather of these spans gives when all of it is there. */
size_t mem_total(const struct mem_span *v, size_t n);

/* From here on so many spans are read, of so many bytes; then all reads fail
 * with -EDQUOT. The last may exceed both. */
void mem_allow(struct mem *m, uint64_t spans, uint64_t bytes);

/* True when reads fail for that. */
static inline int
mem_is_used_up(const struct mem *m)
{
	return m->has_limit && (m->spans_left == 0 || m->bytes_left == 0);
}

/* Work that was done on what was read counts as if so many bytes were. */
static inline void
mem_charge(struct mem *m, uint64_t bytes)
{
	m->bytes_left -= bytes < m->bytes_left ? bytes : m->bytes_left;
}

/* What was read since mem_allow was told these numbers, in steps of about a
 * microsecond: a span is one, and so are 8 KiB. */
static inline uint64_t
mem_steps(const struct mem *m, uint64_t spans, uint64_t bytes)
{
	return spans - m->spans_left + (bytes - m->bytes_left) / 8192;
}

static inline long
mem_gather(struct mem *m, const struct mem_span *v, size_t n)
{
	long k;

	if (mem_is_used_up(m))
		return -EDQUOT;
	m->n_calls++;
	m->spans_left -= n < m->spans_left ? n : m->spans_left;
	k = m->gather(m, v, n);
	if (k > 0)
		mem_charge(m, (uint64_t)k);
	return k;
}

/* All n bytes: 0, or -errno. */
int mem_read(struct mem *m, uint64_t at, void *to, size_t n);

/* One word of 8 bytes: 0, or -errno. */
int mem_read_u64(struct mem *m, uint64_t at, uint64_t *ret);

/*
 * As many of the n bytes as there are before a page that is not; at least 1.
 * The number, or -errno.
 */
long mem_read_some(struct mem *m, uint64_t at, void *to, size_t n);

/* True for an address that n bytes of a 64-bit user process may have. */
static inline int
mem_is_user(uint64_t at, uint64_t n)
{
	return at >= 4096 && at < (uint64_t)1 << 56 && n < (uint64_t)1 << 56;
}

/* Fields of a copy that was read; byte order is our own, as the process runs
 * on the same machine. */
static inline uint64_t
mem_u64(const void *p, size_t at)
{
	uint64_t v;

	memcpy(&v, (const char *)p + at, sizeof(v));
	return v;
}

static inline uint32_t
mem_u32(const void *p, size_t at)
{
	uint32_t v;

	memcpy(&v, (const char *)p + at, sizeof(v));
	return v;
}

static inline uint8_t
mem_u8(const void *p, size_t at)
{
	return ((const uint8_t *)p)[at];
}

#endif
