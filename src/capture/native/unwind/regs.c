/* Reads registers with PTRACE_GETREGSET; see regs.h. */
#include "capture/native/unwind/regs.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)
static void
copy_regs(struct regs *g, const struct user_regs_struct *u)
{
	const uint64_t v[16] = { u->rax, u->rdx, u->rcx, u->rbx, u->rsi,
		u->rdi, u->rbp, u->rsp, u->r8, u->r9, u->r10, u->r11, u->r12,
		u->r13, u->r14, u->r15 };

	memcpy(g->r, v, sizeof(v));
	g->known = 0xffff;
	g->pc = u->rip;
}
#elif defined(__aarch64__)
static void
copy_regs(struct regs *g, const struct user_regs_struct *u)
{
	int i;

	for (i = 0; i < 31; i++)
		g->r[i] = u->regs[i];
	g->r[REGS_SP] = u->sp;
	g->known = ((uint64_t)1 << 32) - 1;
	g->pc = u->pc;
}
#endif

int
regs_take(struct regs *g, int tid)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct user_regs_struct u;
	struct iovec v = { &u, sizeof(u) };

	memset(g, 0, sizeof(*g));
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v) < 0)
		return -errno;
	if (v.iov_len != sizeof(u))
		return -ENOTSUP;
	copy_regs(g, &u);
	return 0;
#else
	(void)tid;
	memset(g, 0, sizeof(*g));
	return -ENOTSUP;
#endif
}
