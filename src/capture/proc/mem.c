/*
 * Reads memory with process_vm_readv(2): many spans in one call, without a
 * descriptor and without stopping the process. See mem.h.
 */
#define _GNU_SOURCE /* process_vm_readv */
#include <assert.h>
#include <errno.h>
#include <sys/uio.h>

#include "capture/hand.h"
#include "capture/proc/mem.h"

/* The smallest page; larger pages are multiples of it. */
#define PAGE 4096

static long
gather_process(struct mem *m, const struct mem_span *v, size_t n)
{
	struct iovec to[MEM_MAX_SPANS], from[MEM_MAX_SPANS];
	size_t i;
	ssize_t k;

	assert(n <= MEM_MAX_SPANS);
	if (n > MEM_MAX_SPANS)
		n = MEM_MAX_SPANS;
	for (i = 0; i < n; i++) {
		to[i].iov_base = v[i].to;
		from[i].iov_base = (void *)(uintptr_t)v[i].at;
		to[i].iov_len = from[i].iov_len = v[i].n;
	}
	hand_away();
	k = process_vm_readv(m->pid, to, n, from, n, 0);
	k = k < 0 ? -errno : k;
	hand_back();
	return (long)k;
}

void
mem_init(struct mem *m, int pid)
{
	memset(m, 0, sizeof(*m));
	m->gather = gather_process;
	m->pid = pid;
}

void
mem_allow(struct mem *m, uint64_t spans, uint64_t bytes)
{
	m->spans_left = spans;
	m->bytes_left = bytes;
	m->has_limit = 1;
}

size_t
mem_total(const struct mem_span *v, size_t n)
{
	size_t sum = 0, i;

	for (i = 0; i < n; i++)
		sum += v[i].n;
	return sum;
}

long
mem_read_some(struct mem *m, uint64_t at, void *to, size_t n)
{
	struct mem_span v[MEM_MAX_SPANS];
	size_t done = 0, k = 0, part;

	if (!mem_is_user(at, n))
		return -EFAULT;
	/* The kernel reads a span whole or not at all, so each page is one. */
	while (done < n && k < MEM_MAX_SPANS) {
		part = PAGE - (size_t)((at + done) % PAGE);
		if (part > n - done || k + 1 == MEM_MAX_SPANS)
			part = n - done;
		v[k++] = (struct mem_span){ at + done, (char *)to + done,
			part };
		done += part;
	}
	return mem_gather(m, v, k);
}

int
mem_read(struct mem *m, uint64_t at, void *to, size_t n)
{
	struct mem_span v = { at, to, n };
	long k;

	if (!mem_is_user(at, n))
		return -EFAULT;
	k = mem_gather(m, &v, 1);
	if (k < 0)
		return (int)k;
	return (size_t)k == n ? 0 : -EFAULT;
}

int
mem_read_u64(struct mem *m, uint64_t at, uint64_t *ret)
{
	return mem_read(m, at, ret, sizeof(*ret));
}
