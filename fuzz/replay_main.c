/*
 * Feeds files to a fuzz program that was built without a fuzzer. Arguments
 * are files and folders; no input at all is a failure, so that a lost corpus
 * is noticed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned n_inputs;

static void
replay_file(const char *path)
{
	struct stat st;
	uint8_t *p;
	size_t n;
	FILE *f = fopen(path, "rb");

	if (f == NULL || fstat(fileno(f), &st) < 0) {
		perror(path);
		exit(1);
	}
	n = (size_t)st.st_size;
	/* Exactly as large as the input: one byte too many is seen. */
	p = malloc(n == 0 ? 1 : n);
	if (p == NULL || fread(p, 1, n, f) != n) {
		perror(path);
		exit(1);
	}
	(void)fclose(f);
	/* Said first: an input that ends the program is named. */
	(void)printf("%s\n", path);
	(void)fflush(stdout);
	(void)LLVMFuzzerTestOneInput(p, n);
	free(p);
	n_inputs++;
}

static void
replay(const char *path)
{
	struct dirent **entry;
	struct stat st;
	char name[4096];
	int n, i;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		replay_file(path);
		return;
	}
	n = scandir(path, &entry, NULL, alphasort);
	if (n < 0) {
		perror(path);
		exit(1);
	}
	for (i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", path,
		    entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			replay(name);
		free(entry[i]);
	}
	free(entry);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	(void)printf("%u inputs\n", n_inputs);
	return n_inputs == 0;
}
