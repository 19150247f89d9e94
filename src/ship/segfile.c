/* Segments as files; see the header. */
#include "ship/segfile.h"

#include <errno.h>
#include <unistd.h>

#define PIECE 65536

static int
write_all(int fd, const uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

int
segfile_copy(int from, int to, const volatile int *stop,
    uint8_t ret[SHA256_BYTES])
{
	uint8_t piece[PIECE];
	struct sha256 h;
	ssize_t n;

	sha256_init(&h);
	if (lseek(from, 0, SEEK_SET) < 0)
		return -1;
	while ((n = read(from, piece, sizeof(piece))) > 0) {
		sha256_add(&h, piece, (size_t)n);
		if (to >= 0 && write_all(to, piece, (size_t)n) < 0)
			return -1;
		if (stop != NULL && *stop != 0) {
			errno = EINTR;
			return -1;
		}
	}
	sha256_end(&h, ret);
	return n < 0 ? -1 : 0;
}

int
segfile_is(const uint8_t hash[SHA256_BYTES], uint64_t seg)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)hash[i] << 8 * i;
	return v == seg;
}

int
segfile_changed(struct bob_ctx *ctx, const char *name)
{
	return err_set(ctx, BOB_FAILED, BOB_E_CORRUPT, BOB_NO_OFFSET,
	    "%s: it was changed since it was sealed", name);
}

void
segfile_name(char to[SEGFILE_NAME], const char *name)
{
	size_t i;

	if (*name == '\0' || *name == '.')
		name = "unknown";
	for (i = 0; name[i] != '\0' && i < SEGFILE_NAME - 1; i++)
		to[i] = name[i] > ' ' && name[i] <= '~' && name[i] != '/'
		    ? name[i] : '_';
	to[i] = '\0';
}
