/* The kernel's signal frames, by machine; see sigframe.h. */
#include "capture/native/unwind/sigframe.h"

#include <errno.h>
#include <string.h>

#include "capture/proc/mem.h"

#if defined(__aarch64__)

/* mov x8, #__NR_rt_sigreturn; svc #0 */
#define MOV_X8 0xd2801168
#define SVC_0 0xd4000001

/* struct rt_sigframe: siginfo, then ucontext, whose mcontext (aligned to 16)
 * has the address of a fault, x0 to x30, sp and pc. */
#define REGS_AT (128 + 176 + 8)
#define PC_AT (REGS_AT + 32 * 8)

int
sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user)
{
	struct regs next = { .known = 0 };
	uint64_t sp = g->r[REGS_SP], v;
	unsigned i;
	int r;

	if (mem_u32(code, 0) != MOV_X8 || mem_u32(code, 4) != SVC_0 ||
	    !regs_has(g, REGS_SP))
		return -EINVAL;
	for (i = 0; i <= REGS_SP; i++) {
		r = load(user, sp + REGS_AT + i * 8, &v);
		if (r < 0)
			return r;
		regs_set(&next, i, v);
	}
	r = load(user, sp + PC_AT, &next.pc);
	if (r == 0)
		*g = next;
	return r;
}

#elif defined(__x86_64__)

/* struct ucontext: flags, link, stack; then the registers in an order of its
 * own, the last of which is the program counter. */
#define REGS_AT 40

int
sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user)
{
	/* mov $__NR_rt_sigreturn, %rax; syscall */
	static const uint8_t back[SIGFRAME_CODE] = { 0x48, 0xc7, 0xc0, 0x0f,
		0, 0, 0, 0x0f, 0x05 };
	static const uint8_t order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4,
		6, 3, 1, 0, 2, 7 };
	struct regs next = { .known = 0 };
	uint64_t at = g->r[REGS_SP] + REGS_AT, v;
	size_t i;
	int r;

	if (memcmp(code, back, sizeof(back)) != 0 || !regs_has(g, REGS_SP))
		return -EINVAL;
	for (i = 0; i < sizeof(order); i++) {
		r = load(user, at + i * 8, &v);
		if (r < 0)
			return r;
		regs_set(&next, order[i], v);
	}
	r = load(user, at + sizeof(order) * 8, &next.pc);
	if (r == 0)
		*g = next;
	return r;
}

#else

int
sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user)
{
	(void)code;
	(void)g;
	(void)load;
	(void)user;
	return -EINVAL;
}

#endif
