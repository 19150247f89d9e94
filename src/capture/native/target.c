/* Two ways to call; see the header. */
#include "capture/native/target.h"

#include "capture/native/stub.h"

#if defined(__x86_64__)

/* Bytes of `call *x(%rip)`; `call x` has one less. */
#define CALL_BYTES 6

/* `x` of an instruction counts from behind it; its last four bytes. */
static uint64_t
relative(const uint8_t *x, uint64_t behind)
{
	return behind + (uint64_t)(int64_t)(int32_t)mem_u32(x, 0);
}

int
target_of_call(struct mem *mem, uint64_t ret, uint64_t *to)
{
	uint8_t b[CALL_BYTES], code[STUB_BYTES];
	size_t jump;

	if (mem_read(mem, ret - sizeof(b), b, sizeof(b)) < 0)
		return 0;
	if (b[0] == 0xff && b[1] == 0x15)
		return mem_read_u64(mem, relative(b + 2, ret), to) == 0;
	if (b[1] != 0xe8)
		return 0;
	*to = relative(b + 2, ret);
	jump = mem_read(mem, *to, code, sizeof(code)) == 0
	    ? stub_x86_64(code, sizeof(code)) : 0;
	return jump == 0 || mem_read_u64(mem, relative(code + jump - 4,
	    *to + jump), to) == 0;
}

#else

int
target_of_call(struct mem *mem, uint64_t ret, uint64_t *to)
{
	(void)mem;
	(void)ret;
	(void)to;
	return 0;
}

#endif
