/* Decodes and executes the instructions of epilogues; see epilogue.h. */
#include "capture/native/unwind/epilogue.h"

#include <errno.h>

#include "capture/proc/mem.h"

#if defined(__x86_64__)

/* From the number of a register in instructions to that in DWARF. */
static const uint8_t dwarf_of[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11,
	12, 13, 14, 15 };

enum { RET = 0xc3, POP = 0x58, REX_B = 0x41, REX_W = 0x48 };

static int
execute_pop(struct regs *g, unsigned reg, expr_load_fn *load, void *user)
{
	uint64_t v;
	int r = load(user, g->r[REGS_SP], &v);

	if (r < 0)
		return r;
	g->r[REGS_SP] += 8;
	if (reg != REGS_SP)
		regs_set(g, reg, v);
	return 0;
}

/* Executes one instruction. Returns its length; 0 if it is any other; or
 * -errno. */
static int
execute(const uint8_t *c, size_t n, struct regs *g, expr_load_fn *load,
    void *user)
{
	int r;

	if (n >= 4 && c[0] == REX_W && c[1] == 0x83 && c[2] == 0xc4) {
		g->r[REGS_SP] += (uint64_t)(int8_t)c[3];
		return 4; /* add $imm8, %rsp */
	}
	if (n >= 7 && c[0] == REX_W && c[1] == 0x81 && c[2] == 0xc4) {
		g->r[REGS_SP] += (uint64_t)(int32_t)mem_u32(c, 3);
		return 7; /* add $imm32, %rsp */
	}
	if (n >= 1 && (c[0] & 0xf8) == POP) {
		r = execute_pop(g, dwarf_of[c[0] & 7], load, user);
		return r < 0 ? r : 1;
	}
	if (n >= 2 && c[0] == REX_B && (c[1] & 0xf8) == POP) {
		r = execute_pop(g, dwarf_of[8 + (c[1] & 7)], load, user);
		return r < 0 ? r : 2;
	}
	return 0;
}

int
epilogue_run(const uint8_t *code, size_t n, struct regs *g,
    expr_load_fn *load, void *user)
{
	struct regs next = *g;
	int k = 1, r;

	while (n > 0 && *code != RET) {
		k = execute(code, n, &next, load, user);
		if (k <= 0)
			return k < 0 ? k : -EINVAL;
		code += k;
		n -= (size_t)k;
	}
	if (n == 0)
		return -EINVAL;
	r = load(user, next.r[REGS_SP], &next.pc);
	if (r < 0)
		return r;
	next.r[REGS_SP] += 8;
	*g = next;
	return 0;
}

#else

int
epilogue_run(const uint8_t *code, size_t n, struct regs *g,
    expr_load_fn *load, void *user)
{
	(void)code;
	(void)n;
	(void)g;
	(void)load;
	(void)user;
	return -EINVAL;
}

#endif
