/*
 * Decodes all entries and their instructions; see ehframe.h. A common entry is
 * a CIE, an entry of a function an FDE.
 */
#include "capture/native/modules/ehframe.h"

#include <dwarf.h>
#include <string.h>

#include "capture/proc/mem.h"

/* Not a valid instruction: libdw refuses an entry that begins with it. */
#define POISON 0x3f

/* What the entries of functions need of their common entry. */
struct common {
	size_t at;        /* offset of the entry; SIZE_MAX: none */
	uint8_t encoding; /* of addresses */
	uint8_t has_size; /* entries have augmentation data with a length */
};

struct reader {
	const uint8_t *p, *end;
	int is_bad;
};

static uint8_t
read_byte(struct reader *r)
{
	if (r->p >= r->end) {
		r->is_bad = 1;
		return 0;
	}
	return *r->p++;
}

static void
skip_bytes(struct reader *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->p))
		r->is_bad = 1;
	else
		r->p += n;
}

/* Reads a LEB128 number; also skips a signed one. */
static uint64_t
read_leb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = read_byte(r);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while ((b & 0x80) != 0 && !r->is_bad);
	return v;
}

static void
skip_address(struct reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		skip_bytes(r, 8);
		break;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		skip_bytes(r, 2);
		break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		skip_bytes(r, 4);
		break;
	case DW_EH_PE_uleb128:
	case DW_EH_PE_sleb128:
		(void)read_leb(r);
		break;
	default:
		r->is_bad = 1;
	}
}

static void
read_reg(struct reader *r)
{
	if (read_leb(r) >= EHFRAME_MAX_REG)
		r->is_bad = 1;
}

/* Returns the operands of an instruction: r is a register, n a number, b a
 * block, a an address, 1 to 8 so many bytes. NULL: no such instruction. */
static const char *
operands_of(uint8_t op)
{
	static const char *const of[] = {
		[DW_CFA_nop] = "", [DW_CFA_set_loc] = "a",
		[DW_CFA_advance_loc1] = "1", [DW_CFA_advance_loc2] = "2",
		[DW_CFA_advance_loc4] = "4", [DW_CFA_offset_extended] = "rn",
		[DW_CFA_restore_extended] = "r", [DW_CFA_undefined] = "r",
		[DW_CFA_same_value] = "r", [DW_CFA_register] = "rr",
		[DW_CFA_remember_state] = "", [DW_CFA_restore_state] = "",
		[DW_CFA_def_cfa] = "rn", [DW_CFA_def_cfa_register] = "r",
		[DW_CFA_def_cfa_offset] = "n",
		[DW_CFA_def_cfa_expression] = "b", [DW_CFA_expression] = "rb",
		[DW_CFA_offset_extended_sf] = "rn", [DW_CFA_def_cfa_sf] = "rn",
		[DW_CFA_def_cfa_offset_sf] = "n", [DW_CFA_val_offset] = "rn",
		[DW_CFA_val_offset_sf] = "rn", [DW_CFA_val_expression] = "rb",
		[DW_CFA_MIPS_advance_loc8] = "8",
		[DW_CFA_GNU_window_save] = "", [DW_CFA_GNU_args_size] = "n",
		[DW_CFA_GNU_negative_offset_extended] = "rn",
	};

	if ((op & 0xc0) != 0)
		return (op & 0xc0) == DW_CFA_offset ? "n" : "";
	return op < sizeof(of) / sizeof(of[0]) ? of[op] : NULL;
}

static void
walk_operands(struct reader *r, const char *what, uint8_t encoding)
{
	for (; *what != '\0'; what++)
		if (*what == 'r')
			read_reg(r);
		else if (*what == 'n')
			(void)read_leb(r);
		else if (*what == 'b')
			skip_bytes(r, read_leb(r));
		else if (*what == 'a')
			skip_address(r, encoding);
		else
			skip_bytes(r, (uint64_t)(*what - '0'));
}

/* Decodes all instructions, and sets is_bad if one is not acceptable. Returns
 * the steps for the quota. */
static uint64_t
walk_instructions(struct reader *r, uint8_t encoding)
{
	uint64_t steps = 1;
	int states = 0;

	for (; r->p < r->end && !r->is_bad; steps++) {
		uint8_t op = read_byte(r);
		const char *what = operands_of(op);

		states += op == DW_CFA_remember_state;
		states -= op == DW_CFA_restore_state && states > 0;
		if (what == NULL || states > EHFRAME_MAX_STATES)
			r->is_bad = 1;
		else
			walk_operands(r, what, encoding);
	}
	return steps;
}

static void
read_augmentation(struct reader *r, const char *text, struct common *ret)
{
	uint64_t n;
	struct reader part;

	if (*text != 'z') {
		r->is_bad |= *text != '\0';
		return;
	}
	ret->has_size = 1;
	n = read_leb(r);
	part = *r;
	skip_bytes(r, n);
	part.end = r->p;
	for (text++; *text != '\0' && !part.is_bad; text++)
		if (*text == 'R')
			ret->encoding = read_byte(&part);
		else if (*text == 'L')
			(void)read_byte(&part);
		else if (*text == 'P')
			skip_address(&part, read_byte(&part));
	r->is_bad |= part.is_bad;
}

/* Reads a common entry up to its instructions. */
static void
enter_common(struct reader *r, struct common *ret)
{
	uint8_t version = read_byte(r);
	const char *text = (const char *)r->p;

	ret->encoding = DW_EH_PE_absptr;
	ret->has_size = 0;
	while (read_byte(r) != 0 && !r->is_bad)
		;
	if (version == 4)
		skip_bytes(r, 2);
	(void)read_leb(r);
	(void)read_leb(r);
	if (version == 1)
		(void)read_byte(r);
	else
		read_reg(r);
	if (!r->is_bad)
		read_augmentation(r, text, ret);
}

/* Reads an entry of a function up to its instructions. */
static void
enter_function(struct reader *r, const struct common *c)
{
	skip_address(r, c->encoding);
	skip_address(r, c->encoding & 0x0f);
	if (c->has_size)
		skip_bytes(r, read_leb(r));
}

/* Reads the common entry at an offset, unless *c already is that one. Sets
 * c->at to SIZE_MAX if there is none. */
static void
find_common(const uint8_t *p, size_t n, size_t at, struct common *c)
{
	struct reader r;
	uint32_t size;

	if (c->at == at)
		return;
	c->at = SIZE_MAX;
	if (at >= n || n - at < 8)
		return;
	size = mem_u32(p, at);
	if (mem_u32(p, at + 4) != 0 || size < 4 || size > n - at - 4 ||
	    size > EHFRAME_MAX_ENTRY)
		return;
	r = (struct reader){ p + at + 8, p + at + 4 + size, 0 };
	enter_common(&r, c);
	if (!r.is_bad)
		c->at = at;
}

/* Checks an entry, which has `size` bytes behind its length. Returns the steps
 * for the quota. */
static uint64_t
check_entry(uint8_t *p, size_t n, size_t at, uint32_t size, struct common *c)
{
	struct reader r = { p + at + 8, p + at + 4 + size, 0 };
	uint32_t id = mem_u32(p, at + 4);
	uint64_t steps = 1;
	size_t to = id == 0 ? at : at + 4 - id;

	find_common(p, n, id <= at + 4 ? to : SIZE_MAX - 1, c);
	r.is_bad = c->at == SIZE_MAX || size > EHFRAME_MAX_ENTRY;
	if (!r.is_bad && id == 0)
		enter_common(&r, c);
	else if (!r.is_bad)
		enter_function(&r, c);
	if (!r.is_bad)
		steps += walk_instructions(&r, c->encoding);
	/* All of it: libdw may read any part of a bad entry. */
	if (r.is_bad)
		memset(p + at + 8, POISON, size - 4);
	return steps;
}

size_t
ehframe_check(uint8_t *p, size_t n, struct quota *b)
{
	struct common c = { .at = SIZE_MAX };
	size_t at = 0;
	uint32_t size;

	while (n - at >= 8) {
		size = mem_u32(p, at);
		/* The end, an entry with a 64-bit length, or no table. */
		if (size < 4 || size > n - at - 4)
			break;
		if (!quota_step(b, check_entry(p, n, at, size, &c)))
			return 0;
		at += 4 + (size_t)size;
	}
	return at;
}
