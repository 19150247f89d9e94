/* TACH's dialects: where each keeps what in its header, and byte order. */
#include <string.h>

#include "format/tach/tach.h"

const struct tach_layout tach_layouts[TACH_N_DIALECTS] = {
	[TACH_V2] = { .name = "v2", .version = 2, .start = 8, .interval = 16,
	    .samples = 24, .samples_size = 4, .threads = 28, .strings = 32,
	    .frames = 40, .compression = 48, .frame_fields = 3 },
	[TACH_EARLY_1] = { .name = "early-1", .version = 1, .python = 8,
	    .start = 12, .interval = 20, .samples = 28, .samples_size = 4,
	    .threads = 32, .strings = 36, .frames = 44, .compression = 52,
	    .frame_fields = 3 },
	[TACH_1A] = { .name = "1a", .version = 1, .python = 8, .start = 12,
	    .interval = 20, .samples = 28, .samples_size = 4, .threads = 32,
	    .strings = 36, .frames = 44, .compression = 52,
	    .frame_fields = 7 },
	[TACH_1B] = { .name = "1b", .version = 1, .python = 8, .start = 12,
	    .interval = 20, .samples = 28, .samples_size = 8, .threads = 36,
	    .strings = 40, .frames = 48, .compression = 56,
	    .frame_fields = 7 },
	[TACH_1C] = { .name = "1c", .version = 1, .python = 8, .start = 12,
	    .interval = 20, .samples = 28, .samples_size = 8, .threads = 36,
	    .strings = 40, .frames = 48, .compression = 56, .mode = 60,
	    .frame_fields = 7 },
};

int
tach_dialect_named(const char *name)
{
	int i;

	for (i = 0; i < TACH_N_DIALECTS; i++)
		if (strcmp(tach_layouts[i].name, name) == 0)
			return i;
	return -1;
}

static uint32_t
swap_u32(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static uint64_t
swap_u64(uint64_t v)
{
	return (uint64_t)swap_u32((uint32_t)v) << 32 |
	    swap_u32((uint32_t)(v >> 32));
}

uint32_t
tach_u32(const uint8_t *p, int is_swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return is_swapped ? swap_u32(v) : v;
}

uint64_t
tach_u64(const uint8_t *p, int is_swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return is_swapped ? swap_u64(v) : v;
}

void
tach_put_u32(uint8_t *p, uint32_t v, int is_swapped)
{
	v = is_swapped ? swap_u32(v) : v;
	memcpy(p, &v, sizeof(v));
}

void
tach_put_u64(uint8_t *p, uint64_t v, int is_swapped)
{
	v = is_swapped ? swap_u64(v) : v;
	memcpy(p, &v, sizeof(v));
}

void
tach_head_get(const uint8_t *p, const struct tach_layout *layout,
    int is_swapped, struct tach_head *ret)
{
	*ret = (struct tach_head){
		.start_us = tach_u64(p + layout->start, is_swapped),
		.interval_us = tach_u64(p + layout->interval, is_swapped),
		.n_samples = layout->samples_size == 8 ?
		    tach_u64(p + layout->samples, is_swapped) :
		    tach_u32(p + layout->samples, is_swapped),
		.n_threads = tach_u32(p + layout->threads, is_swapped),
		.strings = tach_u64(p + layout->strings, is_swapped),
		.frames = tach_u64(p + layout->frames, is_swapped),
		.compression = tach_u32(p + layout->compression, is_swapped),
	};
	if (layout->python != 0)
		memcpy(ret->python, p + layout->python, sizeof(ret->python));
	if (layout->mode != 0)
		ret->mode = tach_u32(p + layout->mode, is_swapped);
}

void
tach_head_put(uint8_t *p, const struct tach_layout *layout, int is_swapped,
    const struct tach_head *head)
{
	memset(p, 0, TACH_HEADER);
	tach_put_u32(p, TACH_MAGIC, is_swapped);
	tach_put_u32(p + 4, layout->version, is_swapped);
	if (layout->python != 0)
		memcpy(p + layout->python, head->python,
		    sizeof(head->python));
	tach_put_u64(p + layout->start, head->start_us, is_swapped);
	tach_put_u64(p + layout->interval, head->interval_us, is_swapped);
	if (layout->samples_size == 8)
		tach_put_u64(p + layout->samples, head->n_samples, is_swapped);
	else
		tach_put_u32(p + layout->samples, (uint32_t)head->n_samples,
		    is_swapped);
	tach_put_u32(p + layout->threads, head->n_threads, is_swapped);
	tach_put_u64(p + layout->strings, head->strings, is_swapped);
	tach_put_u64(p + layout->frames, head->frames, is_swapped);
	tach_put_u32(p + layout->compression, head->compression, is_swapped);
	if (layout->mode != 0)
		tach_put_u32(p + layout->mode, head->mode, is_swapped);
}
