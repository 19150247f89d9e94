/* Names, checks; see the header. */
#include "capture/native/debugfile.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/native/module.h"
#include "capture/proc/proc.h"

#define FOLDER "/usr/lib/debug"
#define MAX_PATH 4096

static void
put_hex(const uint8_t *p, size_t n, char *ret, size_t cap)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	if (n > MODULE_MAX_ID || 2 * n + 1 > cap)
		return;
	for (i = 0; i < n; i++) {
		ret[2 * i] = digits[p[i] >> 4];
		ret[2 * i + 1] = digits[p[i] & 15];
	}
	ret[2 * n] = '\0';
}

/* Notes of one segment: 1 when the id was among them. */
static int
look_at_notes(const struct elfutils *eu, Elf_Data *data, char *ret, size_t cap)
{
	size_t at = 0, name, desc;
	GElf_Nhdr h;

	while (data != NULL &&
	    (at = eu->gelf_getnote(data, at, &h, &name, &desc)) > 0)
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp((char *)data->d_buf + name, "GNU", 4) == 0) {
			put_hex((uint8_t *)data->d_buf + desc, h.n_descsz,
			    ret, cap);
			return 1;
		}
	return 0;
}

void
debugfile_build_id(const struct elfutils *eu, Elf *elf, char *ret, size_t cap)
{
	Elf_Scn *scn = NULL;
	size_t n = 0, i;
	GElf_Phdr p;
	GElf_Shdr s;

	ret[0] = '\0';
	(void)eu->elf_getphdrnum(elf, &n);
	for (i = 0; i < n && eu->gelf_getphdr(elf, (int)i, &p) != NULL; i++)
		if (p.p_type == PT_NOTE && p.p_filesz < 1 << 20 &&
		    look_at_notes(eu, eu->elf_getdata_rawchunk(elf,
		        (int64_t)p.p_offset, p.p_filesz, p.p_align == 8
		            ? ELF_T_NHDR8 : ELF_T_NHDR), ret, cap))
			return;
	/* A file with names alone has no bytes where its segments were. */
	while ((scn = eu->elf_nextscn(elf, scn)) != NULL)
		if (eu->gelf_getshdr(scn, &s) != NULL &&
		    s.sh_type == SHT_NOTE && s.sh_size < 1 << 20 &&
		    look_at_notes(eu, eu->elf_getdata(scn, NULL), ret, cap))
			return;
}

/* A file that is not too large; -1. */
static int
open_file(const char *root, const char *path)
{
	int fd = proc_open_below(root, path, 0);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 ||
	    (uint64_t)st.st_size > MODULE_MAX_BYTES)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

static int
has_checksum(int fd, uint32_t want)
{
	unsigned char buf[16384];
	uLong crc = crc32(0, NULL, 0);
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return n == 0 && (uint32_t)crc == want;
}

/* What a file must be to be believed. */
struct wanted {
	const struct elfutils *eu;
	const char *build_id; /* "" when there is none */
	uint32_t crc;
};

static int
is_wanted(const struct wanted *w, Elf *elf, int fd)
{
	char id[2 * MODULE_MAX_ID + 1];

	if (w->eu->elf_kind(elf) != ELF_K_ELF ||
	    w->eu->gelf_getclass(elf) != ELFCLASS64)
		return 0;
	if (*w->build_id == '\0')
		return has_checksum(fd, w->crc);
	debugfile_build_id(w->eu, elf, id, sizeof(id));
	return strcmp(id, w->build_id) == 0;
}

static Elf *
try_path(const struct wanted *w, const char *root, const char *path,
    int *ret_fd)
{
	int fd = open_file(root, path);
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf = w->eu->elf_begin(fd, ELF_C_READ, NULL);
	if (elf != NULL && is_wanted(w, elf, fd)) {
		*ret_fd = fd;
		return elf;
	}
	(void)w->eu->elf_end(elf);
	(void)close(fd);
	return NULL;
}

static Elf *
try_roots(const struct wanted *w, const char *root, const char *path,
    int *ret_fd)
{
	Elf *elf = try_path(w, root, path, ret_fd);

	return elf != NULL ? elf : try_path(w, "", path, ret_fd);
}

/* The name and the checksum in .gnu_debuglink. 1, or 0: there is none. */
static int
read_link(const struct elfutils *eu, Elf *elf, char *name, size_t cap,
    uint32_t *ret_crc)
{
	Elf_Scn *scn = NULL;
	size_t strings, n;
	GElf_Shdr h;
	Elf_Data *d;

	if (eu->elf_getshdrstrndx(elf, &strings) < 0)
		return 0;
	while ((scn = eu->elf_nextscn(elf, scn)) != NULL) {
		const char *s = eu->gelf_getshdr(scn, &h) != NULL
		    ? eu->elf_strptr(elf, strings, h.sh_name) : NULL;

		if (s == NULL || strcmp(s, ".gnu_debuglink") != 0)
			continue;
		d = eu->elf_rawdata(scn, NULL);
		if (d == NULL || d->d_size < 8)
			return 0;
		n = strnlen(d->d_buf, d->d_size);
		if (n == 0 || n >= cap || (n + 4) / 4 * 4 + 4 > d->d_size ||
		    memchr(d->d_buf, '/', n) != NULL)
			return 0;
		memcpy(name, d->d_buf, n + 1);
		memcpy(ret_crc, (char *)d->d_buf + (n + 4) / 4 * 4, 4);
		return 1;
	}
	return 0;
}

static Elf *
find_by_link(const struct wanted *w, const char *path, const char *name,
    const char *root, int *ret_fd)
{
	static const struct {
		const char *before, *behind; /* the folder of the program */
	} place[] = { { FOLDER, "/" }, { "", "/.debug/" }, { "", "/" } };
	const char *slash = strrchr(path, '/');
	char buf[MAX_PATH];
	Elf *elf = NULL;
	size_t i;
	int n;

	for (i = 0; slash != NULL && elf == NULL && i < 3; i++) {
		n = snprintf(buf, sizeof(buf), "%s%.*s%s%s", place[i].before,
		    (int)(slash - path), path, place[i].behind, name);
		if (n > 0 && (size_t)n < sizeof(buf) && strcmp(buf, path) != 0)
			elf = try_roots(w, root, buf, ret_fd);
	}
	return elf;
}

Elf *
debugfile_find(const struct elfutils *eu, Elf *elf, const char *build_id,
    const char *path, const char *root, int *ret_fd)
{
	struct wanted w = { eu, build_id, 0 };
	char name[256], buf[MAX_PATH];
	Elf *found = NULL;

	if (strlen(build_id) > 2) {
		(void)snprintf(buf, sizeof(buf), FOLDER
		    "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
		found = try_roots(&w, root, buf, ret_fd);
	}
	if (found == NULL && read_link(eu, elf, name, sizeof(name), &w.crc))
		found = find_by_link(&w, path, name, root, ret_fd);
	return found;
}
