/* Entries and their instructions; see the header. */
#include "capture/native/ehframe.h"

#include <dwarf.h>
#include <string.h>

#include "capture/proc/mem.h"

/* An instruction that there is none of: libdw refuses the entry. */
#define POISON 0x3f

/* Of a common entry, as far as those that refer to it need it. */
struct common {
	size_t at;        /* of its length, in the tables; SIZE_MAX: none */
	uint8_t encoding; /* of addresses */
	uint8_t has_size; /* of augmentations */
};

struct reader {
	const uint8_t *p, *end;
	int is_bad;
};

static uint8_t
take_byte(struct reader *r)
{
	if (r->p >= r->end) {
		r->is_bad = 1;
		return 0;
	}
	return *r->p++;
}

static void
skip(struct reader *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->p))
		r->is_bad = 1;
	else
		r->p += n;
}

/* A number of 7 bits a byte, also a signed one where only its end counts. */
static uint64_t
take_leb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = take_byte(r);
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
		skip(r, 8);
		break;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		skip(r, 2);
		break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		skip(r, 4);
		break;
	case DW_EH_PE_uleb128:
	case DW_EH_PE_sleb128:
		(void)take_leb(r);
		break;
	default:
		r->is_bad = 1;
	}
}

static void
take_reg(struct reader *r)
{
	if (take_leb(r) >= EHFRAME_MAX_REG)
		r->is_bad = 1;
}

/* What follows an instruction: r a register, n a number, b a block, 1 to 8
 * bytes, a an address. NULL: there is none such. */
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
			take_reg(r);
		else if (*what == 'n')
			(void)take_leb(r);
		else if (*what == 'b')
			skip(r, take_leb(r));
		else if (*what == 'a')
			skip_address(r, encoding);
		else
			skip(r, (uint64_t)(*what - '0'));
}

/* Steps are what it took; is_bad when they are not to be believed. */
static uint64_t
walk_instructions(struct reader *r, uint8_t encoding)
{
	uint64_t steps = 1;
	int states = 0;

	for (; r->p < r->end && !r->is_bad; steps++) {
		uint8_t op = take_byte(r);
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
take_augmentation(struct reader *r, const char *text, struct common *ret)
{
	uint64_t n;
	struct reader part;

	if (*text != 'z') {
		r->is_bad |= *text != '\0';
		return;
	}
	ret->has_size = 1;
	n = take_leb(r);
	part = *r;
	skip(r, n);
	part.end = r->p;
	for (text++; *text != '\0' && !part.is_bad; text++)
		if (*text == 'R')
			ret->encoding = take_byte(&part);
		else if (*text == 'L')
			(void)take_byte(&part);
		else if (*text == 'P')
			skip_address(&part, take_byte(&part));
	r->is_bad |= part.is_bad;
}

/* To the instructions of a common entry. */
static void
enter_common(struct reader *r, struct common *ret)
{
	uint8_t version = take_byte(r);
	const char *text = (const char *)r->p;

	ret->encoding = DW_EH_PE_absptr;
	ret->has_size = 0;
	while (take_byte(r) != 0 && !r->is_bad)
		;
	if (version == 4)
		skip(r, 2);
	(void)take_leb(r);
	(void)take_leb(r);
	if (version == 1)
		(void)take_byte(r);
	else
		take_reg(r);
	if (!r->is_bad)
		take_augmentation(r, text, ret);
}

/* To those of an entry of a function. */
static void
enter_function(struct reader *r, const struct common *c)
{
	skip_address(r, c->encoding);
	skip_address(r, c->encoding & 0x0f);
	if (c->has_size)
		skip(r, take_leb(r));
}

/* Reads the common entry at a place, unless it is the one that was last. */
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

/* An entry of `size` bytes behind its length: steps. */
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
	/* From the front on: what is behind it may be read as anything. */
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
		/* The end, one with 64 bits, or no table at all. */
		if (size < 4 || size > n - at - 4)
			break;
		if (!quota_step(b, check_entry(p, n, at, size, &c)))
			return 0;
		at += 4 + (size_t)size;
	}
	return at;
}
