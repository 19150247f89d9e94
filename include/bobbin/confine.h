/*
 * Dropping privileges before a capture. The process gives up, for good, what a
 * capture does not need. An attacker who takes it over through a hostile
 * process or file then gets little.
 *
 * The library never does this by itself, because the program around it may
 * need more. Start what has to be started, then confine, then attach:
 *
 *     bob_confine(ctx, BOB_CONFINE_CALLS);
 *
 * Afterwards the process cannot:
 *
 *   - start a program or fork (threads are allowed);
 *   - make memory executable or load a library;
 *   - signal another process, make it run anything, or write to it with
 *     ptrace(2) or process_vm_writev(2);
 *   - open sockets other than AF_UNIX;
 *   - gain rights by executing a file (no_new_privs).
 *
 * Of its capabilities it keeps only CAP_SYS_PTRACE (to read other users'
 * processes), CAP_DAC_READ_SEARCH (their files) and CAP_SYS_NICE (its own
 * priority).
 *
 * A forbidden system call fails with EPERM. Files can still be read and written
 * as the user's permissions allow, because the kernel's filter does not see
 * paths. With CAP_SYS_PTRACE this includes /proc/PID/mem.
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
	/* Install the filter of system calls. Without this flag only
	 * capabilities are dropped. */
	BOB_CONFINE_CALLS = 1 << 0,
	/* Native frames will be captured: load the libraries for that first. */
	BOB_CONFINE_NATIVE = 1 << 1,
	/* Allow signals, to end a command that was started before. */
	BOB_CONFINE_CHILD = 1 << 2,
	/* Keep CAP_DAC_OVERRIDE, to write files into folders of other users. */
	BOB_CONFINE_OVERRIDE = 1 << 3
};

/*
 * Confines the calling process for good; flags are of enum bob_confine_flags.
 * Capabilities are dropped in the calling thread and in threads that it starts
 * later. The filter applies to all threads.
 *
 * Returns BOB_OK; WARN if the kernel refuses the filter (the context's error
 * says why; the rest was done); FAILED without memory: nothing was done.
 */
BOB_API int bob_confine(struct bob_ctx *ctx, uint32_t flags);

/* Returns the name of the i-th system call that the filter allows with all
 * flags, NULL after the last one. Some calls are allowed with certain arguments
 * only. */
BOB_API const char *bob_confine_call(size_t i);

#ifdef __cplusplus
}
#endif
#endif
