/*
 * Gives up capabilities and system calls that a capture does not need; see
 * bobbin/confine.h.
 *
 * libseccomp makes the filter from the table in syscalls.c. A system call of
 * another architecture (32 bits) ends the process.
 */
#include <bobbin/confine.h>

#include <errno.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/confine/confine.h"
#include "capture/native/modules/elfutils.h"
#include "core/error.h"

#define CAP(x) (UINT64_C(1) << (x))

const char *
bob_confine_call(size_t i)
{
	const struct confine_call *c = i <= UINT32_MAX
	    ? confine_call_get((unsigned)i) : NULL;

	return c != NULL ? c->name : NULL;
}

/* --- capabilities -------------------------------------------------------- */

static uint64_t
needed_caps(uint32_t flags)
{
	uint64_t needed = CAP(CAP_SYS_PTRACE) | CAP(CAP_DAC_READ_SEARCH) |
	    CAP(CAP_SYS_NICE);

	if ((flags & BOB_CONFINE_OVERRIDE) != 0)
		needed |= CAP(CAP_DAC_OVERRIDE);
	return needed;
}

/* Drops all other capabilities. Errors are ignored: what cannot be dropped is
 * not held. */
static void
drop_caps(uint64_t needed)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	unsigned long cap;
	int i;

	/* First, as dropping from the bounding set needs CAP_SETPCAP. */
	for (cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0;
	    cap++)
		if ((needed & CAP(cap)) == 0)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &head, data) < 0)
		return;
	for (i = 0; i < 2; i++) {
		data[i].effective &= (uint32_t)(needed >> (32 * i));
		data[i].permitted &= (uint32_t)(needed >> (32 * i));
		data[i].inheritable = 0;
	}
	(void)syscall(SYS_capset, &head, data);
}

/* --- system calls -------------------------------------------------------- */

static int
add_call(scmp_filter_ctx f, const struct confine_call *c)
{
	int nr = seccomp_syscall_resolve_name(c->name);
	struct scmp_arg_cmp cmp = { .arg = c->at, .op = SCMP_CMP_EQ,
		.datum_a = c->value };

	/* Below 0: this machine does not have it. */
	if (nr < 0)
		return 0;
	if (c->how == CONFINE_MASK) {
		cmp.op = SCMP_CMP_MASKED_EQ;
		cmp.datum_a = c->mask;
		cmp.datum_b = c->value;
	}
	return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, nr,
	    c->how == CONFINE_ANY ? 0 : 1, &cmp);
}

/* Allows signals to our own process, which abort(3) and raise(3) send. */
static int
add_own_signals(scmp_filter_ctx f)
{
	struct scmp_arg_cmp cmp = { .arg = 0, .op = SCMP_CMP_EQ,
		.datum_a = (scmp_datum_t)getpid() };
	int r = seccomp_rule_add_array(f, SCMP_ACT_ALLOW,
	    SCMP_SYS(tgkill), 1, &cmp);

	return r < 0 ? r : seccomp_rule_add_array(f, SCMP_ACT_ALLOW,
	    SCMP_SYS(rt_tgsigqueueinfo), 1, &cmp);
}

/* Makes clone3 look missing, so that the C library uses clone: a filter cannot
 * see the arguments of clone3. */
static int
hide_clone3(scmp_filter_ctx f)
{
	int nr = seccomp_syscall_resolve_name("clone3");

	return nr < 0 ? 0
	    : seccomp_rule_add_array(f, SCMP_ACT_ERRNO(ENOSYS), nr, 0, NULL);
}

static int
fill_filter(scmp_filter_ctx f, uint32_t flags)
{
	const struct confine_call *c;
	unsigned i;
	int r = 0;

	for (i = 0; r == 0 && (c = confine_call_get(i)) != NULL; i++)
		if (c->flag == 0 || (c->flag & flags) != 0)
			r = add_call(f, c);
	if (r == 0)
		r = add_own_signals(f);
	if (r == 0)
		r = hide_clone3(f);
	if (r == 0)
		r = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH,
		    SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	/* For speed only; older libraries have neither. The second keeps old
	 * kernels from switching on a mitigation that slows everything down. */
	if (r == 0) {
		(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
		(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
	}
	return r;
}

static int
filter_calls(struct bob_ctx *ctx, uint32_t flags)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = f != NULL ? fill_filter(f, flags) : -ENOMEM;

	if (r == 0)
		r = seccomp_load(f);
	seccomp_release(f);
	return r == 0 ? BOB_OK : err_sys(ctx, BOB_WARN, -r,
	    "system calls cannot be restricted");
}

int
bob_confine(struct bob_ctx *ctx, uint32_t flags)
{
	struct elfutils eu;

	/* Never closed: no library can be loaded later. If it is missing, that
	 * is reported when native frames are asked for. */
	if ((flags & BOB_CONFINE_NATIVE) != 0)
		(void)elfutils_open(ctx, &eu);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	drop_caps(needed_caps(flags));
	return (flags & BOB_CONFINE_CALLS) != 0 ? filter_calls(ctx, flags)
	                                        : BOB_OK;
}
