/*
 * Registers of a stopped thread, by their numbers in DWARF.
 *
 * x86-64: 0-15 as in its ABI (6 is rbp, 7 rsp), 16 the return address.
 * aarch64: 0-30 are x0-x30, 31 is sp. On other machines regs_take() fails.
 *
 * REGS_LINK is the link register; without it, calls push the return address.
 * A frame pointer points to the frame record: the caller's frame pointer and
 * the return address. REGS_RECORD_IS_LAST: the record is always at the end of
 * the frame; otherwise it may be anywhere in it.
 */
#ifndef CAPTURE_NATIVE_UNWIND_REGS_H
#define CAPTURE_NATIVE_UNWIND_REGS_H

#include <stdint.h>

#if defined(__x86_64__)
#define REGS_N 17
#define REGS_FP 6
#define REGS_SP 7
#define REGS_RECORD_IS_LAST 1
#define REGS_MACHINE "x86-64"
#elif defined(__aarch64__)
#define REGS_N 33
#define REGS_FP 29
#define REGS_SP 31
#define REGS_LINK 30
#define REGS_RECORD_IS_LAST 0
#define REGS_MACHINE "aarch64"
#else
#define REGS_N 4
#define REGS_FP 1
#define REGS_SP 2
#define REGS_RECORD_IS_LAST 0
#define REGS_MACHINE "other"
#endif

struct regs {
	uint64_t r[REGS_N];
	uint64_t pc;
	uint64_t known; /* bit i: r[i] is known */
};

static inline int
regs_has(const struct regs *g, unsigned reg)
{
	return reg < REGS_N && (g->known >> reg & 1) != 0;
}

static inline void
regs_set(struct regs *g, unsigned reg, uint64_t v)
{
	g->r[reg] = v;
	g->known |= (uint64_t)1 << reg;
}

static inline void
regs_drop(struct regs *g, unsigned reg)
{
	g->known &= ~((uint64_t)1 << reg);
}

/* Returns an address without its upper bits, which may hold a tag or a pointer
 * authentication code. In user space these are the bits above 47. */
static inline uint64_t
regs_address_aarch64(uint64_t v)
{
	return v & (((uint64_t)1 << 48) - 1);
}

static inline uint64_t
regs_address(uint64_t v)
{
#if defined(__aarch64__)
	return regs_address_aarch64(v);
#else
	return v;
#endif
}

/* Reads the registers of a traced and stopped thread. Returns 0, or -errno;
 * -ENOTSUP for another machine, such as a 32-bit program. */
int regs_take(struct regs *g, int tid);

#endif
