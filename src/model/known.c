/* Comparing frames with tables of names; see the header. */
#include "model/known.h"

#include <assert.h>
#include <string.h>

/* The part behind the last `sep`. */
static struct bob_bytes
part_behind(struct bob_bytes s, char sep)
{
	size_t at = s.n;

	while (at > 0 && s.p[at - 1] != sep)
		at--;
	return (struct bob_bytes){ s.p + at, s.n - at };
}

void
known_ends_add(struct known_ends *ends, struct bob_bytes name)
{
	assert(name.n > 0);
	ends->lengths[(uint8_t)name.p[name.n - 1] % 64] |=
	    UINT32_C(1) << name.n % 32;
}

struct bob_bytes
known_last_part(struct bob_bytes name)
{
	return part_behind(name, '.');
}

int
known_python(struct bob_bytes name, const char *known)
{
	if (strchr(known, '.') == NULL)
		name = part_behind(name, '.');
	return bytes_are(name, known);
}

/* Returns 1 if a path ends in `end`, at the beginning of a folder or name. */
static int
ends_in(struct bob_bytes path, const char *end)
{
	size_t n = strlen(end);

	return path.n >= n && memcmp(path.p + path.n - n, end, n) == 0 &&
	    (path.n == n || path.p[path.n - n - 1] == '/');
}

/* Returns 1 if the file is `end` of the standard library: the folder before it
 * begins with "python", or there is none. */
static int
is_of_python(struct bob_bytes path, const char *end)
{
	struct bob_bytes folder = path;

	if (!ends_in(path, end))
		return 0;
	if (path.n == strlen(end))
		return 1;
	folder.n -= strlen(end) + 1;
	folder = part_behind(folder, '/');
	return folder.n >= 6 && memcmp(folder.p, "python", 6) == 0;
}

int
known_file(struct bob_bytes path, const char *file)
{
	static const char std[] = "python*/";
	size_t n = sizeof(std) - 1;

	return strncmp(file, std, n) == 0 ? is_of_python(path, file + n)
	                                  : ends_in(path, file);
}

struct bob_bytes
known_php(const struct bob_dict *d, bob_fid id, char buf[KNOWN_NAME])
{
	size_t n = bob_frame_name(d, id, buf, KNOWN_NAME);

	return (struct bob_bytes){ buf, n <= KNOWN_NAME ? n : 0 };
}
