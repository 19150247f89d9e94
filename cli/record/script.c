/*
 * Reads the first line of a script as execve(2) does: a path, and perhaps one
 * argument, which may contain blanks. The script need not be executable.
 */
#include "script.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLANKS " \t"

static void
cut_end(char *s)
{
	size_t n = strlen(s);

	while (n > 0 && strchr(BLANKS "\n", s[n - 1]) != NULL)
		s[--n] = '\0';
}

int
shebang_read(const char *path, struct shebang *ret)
{
	FILE *f = fopen(path, "r");
	char *p = ret->line, *end;
	int is_read;

	if (f == NULL)
		return 0;
	is_read = fgets(p, sizeof(ret->line), f) != NULL;
	(void)fclose(f);
	if (!is_read || strncmp(p, "#!", 2) != 0)
		return 0;
	p += 2 + strspn(p + 2, BLANKS);
	cut_end(p);
	end = p + strcspn(p, BLANKS);
	ret->interpreter = p;
	ret->arg = NULL;
	if (*end != '\0') {
		*end = '\0';
		ret->arg = end + 1 + strspn(end + 1, BLANKS);
	}
	return *p == '/' && access(p, X_OK) == 0;
}

int
script_is_php(const char *path)
{
	size_t n = strlen(path);

	return n >= 4 && strcmp(path + n - 4, ".php") == 0;
}
