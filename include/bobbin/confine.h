/*
 * Least privilege for a process that captures: what it does not need, it gives
 * up for good. Whoever takes it over through a hostile process or file gets
 * little.
 *
 * The library never does this by itself: a program that embeds it may need
 * more. Call it when what has to be started is started, and before processes
 * are attached.
 *
 *     bob_confine(ctx, BOB_CONFINE_CALLS);
 *
 * Afterwards:
 *
 *   - no program can be started and no process be made (threads can), no
 *     memory can be made executable, no library be loaded, no other process be
 *     signalled, made to run anything or written to by ptrace(2) or
 *     process_vm_writev(2), and sockets are those of this machine (AF_UNIX);
 *   - no capability is left but CAP_SYS_PTRACE (processes of others),
 *     CAP_DAC_READ_SEARCH (their files), CAP_SYS_NICE (own priority), each if
 *     it was there;
 *   - nothing that is executed gets more rights (no_new_privs).
 *
 * A call that is not allowed fails with EPERM. Files can still be read and
 * written as the permissions of the user have it: the kernel's filter does not
 * see paths. That goes for /proc/PID/mem too, with CAP_SYS_PTRACE.
 */
#ifndef BOBBIN_CONFINE_H
#define BOBBIN_CONFINE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_confine_flags {
	/* The filter of system calls; without it only capabilities go. */
	BOB_CONFINE_CALLS = 1 << 0,
	/* Native frames will be asked for: loads what they need first. */
	BOB_CONFINE_NATIVE = 1 << 1,
	/* Signals may be sent: a command was started, and has to be ended. */
	BOB_CONFINE_CHILD = 1 << 2,
	/* Keeps CAP_DAC_OVERRIDE: files are written to folders of others. */
	BOB_CONFINE_OVERRIDE = 1 << 3
};

/*
 * Confines this process for good. Capabilities are those of the calling thread
 * and of threads that it starts later; the filter is for all threads.
 *
 * BOB_OK; WARN: the kernel takes no filter, and the context says why: the rest
 * was done; FAILED: nothing was done (out of memory).
 */
BOB_API int bob_confine(struct bob_ctx *ctx, uint32_t flags);

/* The i-th system call that is allowed with all flags, perhaps with some of its
 * arguments only; NULL behind the last. */
BOB_API const char *bob_confine_call(size_t i);

#ifdef __cplusplus
}
#endif
#endif
