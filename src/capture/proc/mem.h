/*
 * Reads the memory of another process. `gather` is a function pointer, so that
 * tests and fuzz programs can offer memory of their own.
 *
 * All of it is foreign data: addresses come from pointers that were read a
 * moment ago, so any read may fail, or give bytes that an attacker has written.
 * Nothing here allocates memory.
 */
#ifndef CAPTURE_PROC_MEM_H
#define CAPTURE_PROC_MEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Limit of spans of one gather; the kernel's is 1024. */
#define MEM_MAX_SPANS 64

struct mem_span {
	uint64_t at; /* in the process */
	void *to;
	size_t n;
};

struct mem {
	/*
	 * Reads the spans in order, as close together in time as possible.
	 * Returns how many bytes were read, of all spans together: fewer than
	 * asked for if a page of a span is not mapped. -errno if nothing was
	 * read.
	 */
	long (*gather)(struct mem *m, const struct mem_span *v, size_t n);
	uint64_t n_calls; /* gathers so far */
	/* What may still be read, if mem_allow() was called. */
	uint64_t spans_left, bytes_left;
	int has_limit;
	int pid;
	void *user;
};

/* For the memory of a process, by process_vm_readv(2). */
void mem_init(struct mem *m, int pid);

/* Returns the bytes of all spans together. */
size_t mem_total(const struct mem_span *v, size_t n);

/* Allows so many spans and bytes from here on; then all reads fail with
 * -EDQUOT. The last read may exceed both. */
void mem_allow(struct mem *m, uint64_t spans, uint64_t bytes);

/* True if reads fail because of mem_allow(). */
static inline int
mem_is_used_up(const struct mem *m)
{
	return m->has_limit && (m->spans_left == 0 || m->bytes_left == 0);
}

/* Charges work on what was read as if it were so many bytes. */
static inline void
mem_charge(struct mem *m, uint64_t bytes)
{
	m->bytes_left -= bytes < m->bytes_left ? bytes : m->bytes_left;
}

/* Returns what was read since mem_allow(m, spans, bytes), in steps of about a
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

/* Reads all of n bytes. Returns 0, or -errno. */
int mem_read(struct mem *m, uint64_t at, void *to, size_t n);

/* Reads a word of 8 bytes. Returns 0, or -errno. */
int mem_read_u64(struct mem *m, uint64_t at, uint64_t *ret);

/* Reads up to n bytes, as many as there are before a page that is not mapped.
 * Returns their number, at least 1, or -errno. */
long mem_read_some(struct mem *m, uint64_t at, void *to, size_t n);

/* True if n bytes at an address can be in user space. */
static inline int
mem_is_user(uint64_t at, uint64_t n)
{
	return at >= 4096 && at < (uint64_t)1 << 56 && n < (uint64_t)1 << 56;
}

/* Fields of memory that was read. The byte order is ours, as the process runs
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
