/* Reads build ids, and tries the paths of debug files; see debugfile.h. */
#include "capture/native/modules/debugfile.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/elf/read.h"
#include "capture/proc/proc.h"

#define FOLDER "/usr/lib/debug"
#define MAX_PATH 4096

/* Limit of a section of notes; usual ones have some hundred bytes. */
#define MAX_NOTES 65536

/* --- the build id -------------------------------------------------------- */

static void
put_hex(const uint8_t *p, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	if (n > DEBUGFILE_MAX_ID)
		return;
	for (i = 0; i < n; i++) {
		ret[2 * i] = digits[p[i] >> 4];
		ret[2 * i + 1] = digits[p[i] & 15];
	}
	ret[2 * n] = '\0';
}

static uint64_t
pad_to_4(uint64_t n)
{
	return (n + 3) / 4 * 4;
}

/* Returns 1 and sets ret if a build id is in n bytes of notes; else 0. */
static int
find_build_id(const uint8_t *p, size_t n, char *ret)
{
	Elf64_Nhdr h;
	uint64_t name, desc;

	while (n >= sizeof(h)) {
		memcpy(&h, p, sizeof(h));
		name = sizeof(h);
		desc = name + pad_to_4(h.n_namesz);
		if (desc > n || h.n_descsz > n - desc)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(p + name, "GNU", 4) == 0) {
			put_hex(p + desc, h.n_descsz, ret);
			return 1;
		}
		desc += pad_to_4(h.n_descsz);
		if (desc > n)
			return 0;
		p += desc;
		n -= (size_t)desc;
	}
	return 0;
}

static int
read_notes(struct elf *e, uint64_t at, uint64_t n, char *ret)
{
	uint8_t buf[4096];

	/* A build id would be among the first bytes. */
	if (n > MAX_NOTES)
		return 0;
	if (n > sizeof(buf))
		n = sizeof(buf);
	return n > 0 && elf_read(e, at, buf, (size_t)n) == 0 &&
	    find_build_id(buf, (size_t)n, ret);
}

void
debugfile_build_id(struct elf *e, char ret[DEBUGFILE_ID])
{
	size_t i, tried = 0;

	ret[0] = '\0';
	for (i = 0; i < e->n_note; i++)
		if (read_notes(e, e->note[i].offset, e->note[i].size, ret))
			return;
	/* A debug file has no bytes for its segments, but has sections. */
	for (i = 0; i < e->n_section && tried < ELF_MAX_NOTES; i++)
		if (e->section[i].type == SHT_NOTE) {
			tried++;
			if (read_notes(e, e->section[i].offset,
			        e->section[i].size, ret))
				return;
		}
}

/* --- the file ------------------------------------------------------------ */

static int
has_checksum(struct elf *e, uint32_t want)
{
	unsigned char buf[16384];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	uint64_t at = 0, n;

	if (fstat(e->fd, &st) < 0 ||
	    (uint64_t)st.st_size > DEBUGFILE_MAX_CHECKED)
		return 0;
	for (; at < (uint64_t)st.st_size; at += n) {
		n = (uint64_t)st.st_size - at;
		if (n > sizeof(buf))
			n = sizeof(buf);
		if (elf_read(e, at, buf, (size_t)n) < 0)
			return 0;
		crc = crc32(crc, buf, (uInt)n);
	}
	return (uint32_t)crc == want;
}

/* What identifies the debug file. */
struct wanted {
	struct elf *program;
	const char *build_id; /* "" when there is none */
	uint32_t crc;
};

static int
is_wanted(const struct wanted *w, struct elf *e)
{
	char id[DEBUGFILE_ID];

	if (*w->build_id == '\0')
		return has_checksum(e, w->crc);
	debugfile_build_id(e, id);
	return strcmp(id, w->build_id) == 0;
}

static int
try_path(const struct wanted *w, const char *root, const char *path,
    struct elf *ret)
{
	int fd = proc_open_below(root, path, 0);

	if (fd < 0)
		return 0;
	if (elf_open(w->program->ctx, ret, fd, &w->program->quota) ==
	        BOB_OK && is_wanted(w, ret)) {
		ret->owns_fd = 1;
		return 1;
	}
	elf_done(ret);
	(void)close(fd);
	return 0;
}

static int
try_roots(const struct wanted *w, const char *root, const char *path,
    struct elf *ret)
{
	return try_path(w, root, path, ret) || try_path(w, "", path, ret);
}

/* Reads name and checksum in .gnu_debuglink. Returns 1, or 0 if there is
 * none. */
static int
read_link(struct elf *e, char *name, size_t cap, uint32_t *ret_crc)
{
	const struct elf_section *s = elf_section(e, ".gnu_debuglink");
	char buf[512];
	size_t n, size;

	if (s == NULL || s->size < 8)
		return 0;
	size = s->size < sizeof(buf) ? (size_t)s->size : sizeof(buf);
	if (elf_read(e, s->offset, buf, size) < 0)
		return 0;
	n = strnlen(buf, size);
	if (n == 0 || n >= cap || (n + 4) / 4 * 4 + 4 > size ||
	    memchr(buf, '/', n) != NULL)
		return 0;
	memcpy(name, buf, n + 1);
	memcpy(ret_crc, buf + (n + 4) / 4 * 4, 4);
	return 1;
}

static int
find_by_link(const struct wanted *w, const char *path, const char *name,
    const char *root, struct elf *ret)
{
	static const struct {
		const char *before, *behind; /* the folder of the program */
	} place[] = { { FOLDER, "/" }, { "", "/.debug/" }, { "", "/" } };
	const char *slash = strrchr(path, '/');
	char buf[MAX_PATH];
	size_t i;
	int n;

	for (i = 0; slash != NULL && i < 3; i++) {
		n = snprintf(buf, sizeof(buf), "%s%.*s%s%s", place[i].before,
		    (int)(slash - path), path, place[i].behind, name);
		if (n > 0 && (size_t)n < sizeof(buf) &&
		    strcmp(buf, path) != 0 && try_roots(w, root, buf, ret))
			return 1;
	}
	return 0;
}

int
debugfile_find(struct elf *e, const char *build_id, const char *path,
    const char *root, struct elf *ret)
{
	struct wanted w = { e, build_id, 0 };
	char name[256], buf[MAX_PATH];

	if (strlen(build_id) > 2) {
		(void)snprintf(buf, sizeof(buf), FOLDER
		    "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
		if (try_roots(&w, root, buf, ret))
			return 1;
	}
	return read_link(e, name, sizeof(name), &w.crc) &&
	    find_by_link(&w, path, name, root, ret);
}
