/* Files of a process that is not trusted: which are opened, and which not. */
#define _GNU_SOURCE /* O_PATH, unshare */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/beneath.h"
#include "capture/proc/proc.h"
#include "support.h"

#define FOLDER "/tmp/bobbin-open-XXXXXX"

/*
 * A root with files, links and what is no file in it. `secret` stands beside
 * the root, and no path may lead there.
 */
struct tree {
	char top[sizeof(FOLDER)];
	char root[sizeof(FOLDER) + 8];
};

static void
make_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
make_link(const char *folder, const char *name, const char *to)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(symlink(to, path), 0);
}

static int
set_up(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	char path[256];

	assert_non_null(t);
	(void)snprintf(t->top, sizeof(t->top), "%s", FOLDER);
	assert_non_null(mkdtemp(t->top));
	(void)snprintf(t->root, sizeof(t->root), "%s/root", t->top);
	assert_int_equal(mkdir(t->root, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/sub", t->root);
	assert_int_equal(mkdir(path, 0700), 0);
	make_file(t->top, "secret", "secret");
	make_file(t->root, "file", "file");
	make_file(t->root, "sub/file", "sub");
	make_link(t->root, "up", "../secret");
	make_link(t->root, "far", t->top);
	make_link(t->root, "top", "/file");
	make_link(t->root, "sub/back", "../file");
	make_link(t->root, "sub/out", "../../../../file");
	make_link(t->root, "loop", "loop");
	make_link(t->root, "magic", "/proc/self/cwd/file");
	make_link(t->root, "folder", "sub");
	(void)snprintf(path, sizeof(path), "%s/fifo", t->root);
	assert_int_equal(mkfifo(path, 0600), 0);
	*state = t;
	return 0;
}

static int
tear_down(void **state)
{
	struct tree *t = *state;
	char cmd[64];

	(void)snprintf(cmd, sizeof(cmd), "rm -r %s", t->top);
	assert_int_equal(system(cmd), 0);
	free(t);
	return 0;
}

/* Which file it is; "" when none was found. */
static void
name_of(int fd, char *buf, size_t cap)
{
	char path[64];
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, buf, cap - 1);
	assert_true(n > 0);
	buf[n] = '\0';
	(void)close(fd);
}

static const struct {
	const char *path;
	int flags;
	const char *found; /* below the root; NULL: nothing */
} place[] = {
	{ "file", 0, "/file" },
	{ "/file", 0, "/file" },
	{ "//sub/.//file", 0, "/sub/file" },
	{ "/sub/../file", 0, "/file" },
	{ "/../../file", 0, "/file" },
	{ "/../secret", 0, NULL },
	{ "up", 0, NULL },
	{ "far/secret", 0, NULL },
	{ "top", 0, "/file" },
	{ "top", O_NOFOLLOW, "/top" },
	{ "sub/back", 0, "/file" },
	{ "sub/out", 0, "/file" },
	{ "folder/file", O_NOFOLLOW, "/sub/file" },
	{ "folder/../file", 0, "/file" },
	{ "loop", 0, NULL },
	{ "magic", 0, NULL },
	{ "none", 0, NULL },
	{ "file/none", 0, NULL },
};

static void
no_path_leads_out_of_the_root(void **state)
{
	static int (*const way[])(int, const char *, int) = { beneath_find,
		beneath_walk };
	const struct tree *t = *state;
	char name[256], want[256];
	int root = open(t->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i, k;

	assert_true(root >= 0);
	for (k = 0; k < COUNT_OF(way); k++)
		for (i = 0; i < COUNT_OF(place); i++) {
			name_of(way[k](root, place[i].path, place[i].flags),
			    name, sizeof(name));
			(void)snprintf(want, sizeof(want), "%s%s",
			    place[i].found != NULL ? t->root : "",
			    place[i].found != NULL ? place[i].found : "");
			if (strcmp(name, want) != 0)
				fail_msg("way %zu, %s: '%s' is not '%s'", k,
				    place[i].path, name, want);
		}
	(void)close(root);
}

/* A FIFO without a writer would block, a device would do something. */
static void
only_regular_files_are_opened(void **state)
{
	const struct tree *t = *state;
	int fd = proc_open_below(t->root, "/file", 0);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	(void)close(fd);
	assert_int_equal(proc_open_below(t->root, "fifo", 0), -EINVAL);
	assert_int_equal(proc_open_below(t->root, "sub", 0), -EINVAL);
	assert_int_equal(proc_open_below(t->root, "top", O_NOFOLLOW),
	    -EINVAL);
	assert_int_equal(proc_open_below("", "/dev/null", 0), -EINVAL);
	assert_int_equal(proc_open_below(t->root, "up", 0), -ENOENT);
}

/* What the list of mappings says about a file. */
static struct map_file
map_of(const char *path, const void *p)
{
	struct map_file f = { .start = (uint64_t)(uintptr_t)p, .path = path };
	struct stat st;

	f.end = f.first_end = f.start + (uint64_t)sysconf(_SC_PAGESIZE);
	assert_int_equal(stat(path, &st), 0);
	f.dev = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev);
	f.inode = st.st_ino;
	return f;
}

static void
only_the_file_that_is_mapped_is_believed(void **state)
{
	const struct tree *t = *state;
	char path[256], other[256], name[256];
	struct map_file f, g;
	void *p;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/file", t->root);
	(void)snprintf(other, sizeof(other), "%s/sub/file", t->root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	p = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(p != MAP_FAILED);
	(void)close(fd);
	f = map_of(path, p);
	name_of(proc_open_mapped(getpid(), &f), name, sizeof(name));
	assert_string_equal(name, path);
	/* The same name and inode on another device. */
	g = f;
	g.dev++;
	assert_int_equal(proc_open_mapped(getpid(), &g), -ESTALE);
	g = f;
	g.inode++;
	assert_int_equal(proc_open_mapped(getpid(), &g), -ESTALE);
	/* Another file has the name now. */
	assert_int_equal(rename(other, path), 0);
	fd = proc_open_mapped(getpid(), &f);
	if (fd >= 0) {
		/* By the mapping, if that may be used. */
		name_of(fd, name, sizeof(name));
		assert_non_null(strstr(name, " (deleted)"));
	} else {
		assert_int_equal(fd, -ESTALE);
	}
	(void)munmap(p, 4);
}

/* File systems that lie on each other, as containers have them. 0: we may not
 * mount any. */
static int
mount_overlay(const struct tree *t)
{
	char upper[64], options[256], folder[3][96];
	static const char *const name[] = { "up", "work", "on" };
	size_t i;

	(void)snprintf(upper, sizeof(upper), "%s/u", t->top);
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL,
	        MS_REC | MS_PRIVATE, NULL) < 0 || mkdir(upper, 0700) < 0 ||
	    mount("none", upper, "tmpfs", 0, NULL) < 0)
		return 0;
	for (i = 0; i < COUNT_OF(name); i++) {
		(void)snprintf(folder[i], sizeof(folder[i]), "%s/%s", upper,
		    name[i]);
		assert_int_equal(mkdir(folder[i], 0700), 0);
	}
	(void)snprintf(options, sizeof(options),
	    "lowerdir=%s,upperdir=%s,workdir=%s", t->root, folder[0],
	    folder[1]);
	return mount("none", folder[2], "overlay", 0, options) == 0;
}

/* There fstat(2) and the list of mappings name different devices. */
static void
a_file_of_an_overlay_is_the_one_that_is_mapped(void **state)
{
	const struct tree *t = *state;
	struct bob_ctx *ctx = bob_ctx_new();
	struct maps maps;
	char path[96], upper[64];
	void *p;
	size_t i;
	int fd = -1, found = 0;

	(void)snprintf(upper, sizeof(upper), "%s/u", t->top);
	(void)snprintf(path, sizeof(path), "%s/on/file", upper);
	if (!mount_overlay(t)) {
		(void)umount2(upper, MNT_DETACH);
		bob_ctx_free(ctx);
		skip();
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	p = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	assert_true(p != MAP_FAILED);
	assert_int_equal(maps_read(ctx, &maps, getpid()), BOB_OK);
	for (i = 0; i < maps.n_file; i++) {
		if (strcmp(maps.file[i].path, path) != 0)
			continue;
		fd = proc_open_mapped(getpid(), &maps.file[i]);
		assert_true(fd >= 0);
		(void)close(fd);
		maps.file[i].dev++;
		assert_int_equal(proc_open_mapped(getpid(), &maps.file[i]),
		    -ESTALE);
		found = 1;
	}
	assert_true(found);
	maps_done(&maps);
	(void)munmap(p, 4);
	assert_int_equal(umount2(upper, MNT_DETACH), 0);
	bob_ctx_free(ctx);
}

static void
a_program_is_opened_as_a_file(void **state)
{
	char name[256], self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(n > 0);
	self[n] = '\0';
	name_of(proc_open_program(getpid()), name, sizeof(name));
	assert_string_equal(name, self);
	assert_true(proc_open_program(INT32_MAX) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_path_leads_out_of_the_root,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_regular_files_are_opened,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    only_the_file_that_is_mapped_is_believed, set_up,
		    tear_down),
		cmocka_unit_test(a_program_is_opened_as_a_file),
		/* Mounts: what comes behind it has another view. */
		cmocka_unit_test_setup_teardown(
		    a_file_of_an_overlay_is_the_one_that_is_mapped, set_up,
		    tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
