/* Kinds of characters, by tables of ranges; see bobbin/chars.h. */
#include "core/chars.h"

#include "core/utf8.h"

struct range {
	uint32_t first, last;
};

static const struct range acting[] = {
	{ 0, 0x1f },          /* C0 */
	{ 0x7f, 0x9f },       /* DEL, C1 */
	{ 0x61c, 0x61c },     /* direction mark */
	{ 0x200e, 0x200f },   /* direction marks */
	{ 0x2028, 0x202e },   /* line separators; embeddings and overrides */
	{ 0x2066, 0x2069 },   /* isolates */
	{ 0xd800, 0xdfff },   /* surrogates */
	{ 0x110000, UINT32_MAX }, /* no code points */
};

/* Unicode's Default_Ignorable_Code_Point without the ranges above and without
 * variation selectors, which change how a character looks; and interlinear
 * annotation marks. */
static const struct range hidden[] = {
	{ 0xad, 0xad }, { 0x34f, 0x34f }, { 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 }, { 0x180e, 0x180e }, { 0x200b, 0x200d },
	{ 0x2060, 0x2065 }, { 0x206a, 0x206f }, { 0x3164, 0x3164 },
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe00ff },
	{ 0xe01f0, 0xe0fff },
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static int
ranges_have(const struct range *r, size_t n, uint32_t c)
{
	size_t i;

	for (i = 0; i < n && r[i].first <= c; i++)
		if (c <= r[i].last)
			return 1;
	return 0;
}

enum bob_char_kind
bob_char_kind(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return BOB_CHAR_PLAIN;
	if (ranges_have(acting, N(acting), c))
		return BOB_CHAR_ACTS;
	return ranges_have(hidden, N(hidden), c) ? BOB_CHAR_HIDDEN :
	    BOB_CHAR_PLAIN;
}

size_t
bob_char_take(const char *p, size_t n, uint32_t *ret)
{
	const uint8_t *q = (const uint8_t *)p;
	size_t len, i;
	int is_whole;

	if (n == 0)
		return 0;
	len = utf8_take(p, n, &is_whole);
	if (!is_whole)
		return 0;
	*ret = len == 1 ? q[0] : q[0] & (0x7fu >> len);
	for (i = 1; i < len; i++)
		*ret = *ret << 6 | (q[i] & 0x3fu);
	return len;
}

size_t
chars_acting(const char *p, size_t n)
{
	uint32_t c;
	size_t len = bob_char_take(p, n, &c);

	return len > 0 && bob_char_kind(c) == BOB_CHAR_ACTS ? len : 0;
}
