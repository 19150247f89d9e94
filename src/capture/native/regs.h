/*
 * Registers of a thread that is stopped, by their numbers in DWARF.
 *
 * x86-64: 0-15 as in its ABI (6 is rbp, 7 rsp), 16 the return address.
 * aarch64: 0-30 are x0-x30, 31 is sp. Other machines have none: taking them
 * fails.
 *
 * REGS_LINK is where calls leave the return address, unless that is on the
 * stack. What a frame pointer points at, the caller's and the return address,
 * ends a function's frame (REGS_RECORD_IS_LAST), or is anywhere in it.
 */
#ifndef CAPTURE_NATIVE_REGS_H
#define CAPTURE_NATIVE_REGS_H

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
	uint64_t known; /* which of r are, as bits */
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

/* An address without what the processor keeps in its upper bits: tags, and
 * signatures of return addresses. Of programs they are all above bit 47. */
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

/* Of a thread that is traced and stopped. 0, or -errno; -ENOTSUP: it is of
 * another kind of machine (32 bits). */
int regs_take(struct regs *g, int tid);

#endif
