/* Searches the thread's descriptor for its entry; see zts.h. */
#include "capture/php/layout/zts.h"

#include <errno.h>
#include <string.h>

/* struct _tsrm_tls_entry */
enum {
	ENTRY_RESOURCES = 0,
	ENTRY_COUNT = 8,
	ENTRY_THREAD = 16,
	ENTRY_SIZE = 24
};

/* The heap lies in its first chunk, whose first word points to the heap. */
#define CHUNK ((uint64_t)2 << 20)
#define CHUNK_HEAP 64

/* The descriptor of a thread begins at the thread pointer, or ends there. */
#if defined(__x86_64__)
#define IS_ABOVE 1
#else
#define IS_ABOVE 0
#endif

#define PAGE 4096

/* Bytes of the descriptor in which a pointer to an array of keys is
 * searched. */
#define HEAD 256

struct resources {
	uint64_t v[ZTS_MAX_RESOURCES];
	uint32_t n;
};

/* True if it is the pthread_t of the thread with this thread pointer. */
static int
is_self(uint64_t thread, uint64_t tp)
{
	return IS_ABOVE ? thread == tp
	                : thread <= tp && tp - thread <= ZTS_AREA;
}

/* Returns 1 and sets *ret if there is an entry of this thread at the address;
 * else 0. */
static int
read_entry(struct mem *m, uint64_t at, uint64_t tp, struct resources *ret)
{
	uint8_t e[ENTRY_SIZE];
	uint64_t list;

	if (at % 8 != 0 || at == tp || !mem_is_user(at, sizeof(e)) ||
	    mem_read(m, at, e, sizeof(e)) < 0 ||
	    !is_self(mem_u64(e, ENTRY_THREAD), tp))
		return 0;
	list = mem_u64(e, ENTRY_RESOURCES);
	ret->n = mem_u32(e, ENTRY_COUNT);
	return ret->n > 0 && ret->n <= ZTS_MAX_RESOURCES &&
	    mem_is_user(list, ret->n * 8u) &&
	    mem_read(m, list, ret->v, ret->n * 8u) == 0;
}

/* Returns the address of a resource whose number is at id_at; 0 if there is
 * none. */
static uint64_t
resource(struct mem *m, const struct resources *r, uint64_t id_at)
{
	uint32_t id;

	if (id_at == 0 || mem_read(m, id_at, &id, sizeof(id)) < 0 ||
	    id == 0 || id > r->n || !mem_is_user(r->v[id - 1], 1))
		return 0;
	return r->v[id - 1];
}

/* Returns the address of the resource that is a pointer to the heap; 0 if there
 * is none. Its number is not exported. */
static uint64_t
find_thread_heap(struct mem *m, const struct resources *r)
{
	uint64_t heap, back;
	uint32_t i;

	for (i = 0; i < r->n; i++)
		if (mem_is_user(r->v[i], 8) &&
		    mem_read_u64(m, r->v[i], &heap) == 0 &&
		    heap % CHUNK == CHUNK_HEAP && mem_is_user(heap, 1) &&
		    mem_read_u64(m, heap - CHUNK_HEAP, &back) == 0 &&
		    back == heap)
			return r->v[i];
	return 0;
}

static int
read_globals(struct mem *m, const struct zts *z, uint64_t entry, uint64_t tp,
    struct php_globals *ret)
{
	struct resources r;

	if (!read_entry(m, entry, tp, &r))
		return -ENOENT;
	ret->eg = resource(m, &r, z->eg_id);
	ret->sg = resource(m, &r, z->sg_id);
	ret->cg = resource(m, &r, z->cg_id);
	ret->heap = ret->eg != 0 ? find_thread_heap(m, &r) : 0;
	return ret->eg != 0 ? 0 : -ENOENT;
}

/* The address from which on ZTS_AREA bytes are searched. */
static uint64_t
area_of(uint64_t tp)
{
	return IS_ABOVE ? tp : tp - ZTS_AREA;
}

/* Searches n bytes for a pointer to the entry of this thread. Returns 0 and
 * sets *ret_at, its offset, and *ret; or -ENOENT. */
static int
search_words(struct mem *m, const struct zts *z, uint64_t tp, const uint8_t *p,
    size_t n, uint32_t *ret_at, struct php_globals *ret)
{
	uint32_t at;

	for (at = 0; at + 8 <= n; at += 8)
		if (read_globals(m, z, mem_u64(p, at), tp, ret) == 0) {
			*ret_at = at;
			return 0;
		}
	return -ENOENT;
}

static int
search_lists(struct mem *m, struct zts *z, uint64_t tp, const uint8_t *p,
    struct php_globals *ret)
{
	uint8_t list[ZTS_LIST];
	uint32_t from = IS_ABOVE ? 0 : ZTS_AREA - HEAD, i;

	for (i = from; i < from + HEAD; i += 8) {
		uint64_t at = mem_u64(p, i);
		long n = at % 8 == 0 && mem_is_user(at, sizeof(list)) &&
		        at != tp
		    ? mem_read_some(m, at, list, sizeof(list)) : 0;

		if (n > 0 && search_words(m, z, tp, list, (size_t)n, &z->second,
		        ret) == 0) {
			z->way = ZTS_LISTED_KEY;
			z->first = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* Where the descriptor is at the beginning of a mapping and smaller than the
 * area, the first page of the area is not mapped. Reads what follows it.
 * Returns 1, or 0. */
static int
read_end(struct mem *m, uint64_t from, uint8_t area[ZTS_AREA])
{
	size_t skip = PAGE - from % PAGE;

	return skip < ZTS_AREA &&
	    mem_read(m, from + skip, area + skip, ZTS_AREA - skip) == 0;
}

/* Tries all ways: the variable, the keys, the array of keys. As zts_find(). */
static int
look_everywhere(struct mem *m, struct zts *z, uint64_t tp,
    struct php_globals *ret)
{
	uint8_t area[ZTS_AREA] = { 0 };
	uint64_t from = area_of(tp), cache;

	if (z->cache_offset != 0 &&
	    mem_read_u64(m, tp + (uint64_t)z->cache_offset, &cache) == 0 &&
	    read_globals(m, z, cache, tp, ret) == 0) {
		z->way = ZTS_CACHE;
		return 0;
	}
	if (mem_read_some(m, from, area, sizeof(area)) < 0 &&
	    (IS_ABOVE || !read_end(m, from, area)))
		return -EFAULT;
	if (search_words(m, z, tp, area, sizeof(area), &z->first, ret) == 0) {
		z->way = ZTS_KEY;
		return 0;
	}
	return search_lists(m, z, tp, area, ret);
}

int
zts_find(struct mem *m, struct zts *z, uint64_t tp, struct php_globals *ret)
{
	uint64_t at;
	int r;

	memset(ret, 0, sizeof(*ret));
	switch (z->way) {
	case ZTS_NONE:
		return look_everywhere(m, z, tp, ret);
	case ZTS_CACHE:
		r = mem_read_u64(m, tp + (uint64_t)z->cache_offset, &at);
		break;
	default:
		r = mem_read_u64(m, area_of(tp) + z->first, &at);
		if (r == 0 && at != 0 && z->way == ZTS_LISTED_KEY)
			r = mem_read_u64(m, at + z->second, &at);
	}
	if (r < 0)
		return r;
	return at != 0 ? read_globals(m, z, at, tp, ret) : -ENOENT;
}
