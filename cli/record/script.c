/*
 * Reads the first line of a script as execve(2) does: a path, and perhaps one
 * argument, which may contain blanks. The script need not be executable.
 */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
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

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int
is_runtime_name(const char *name)
{
	static const char *const names[] = { "php", "python", "pypy" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

/* Reads the first line of a command, which is looked up as execvp(3) does. */
static int
find_shebang(const char *command, struct shebang *ret)
{
	const char *path = getenv("PATH");
	char full[4096];
	size_t n;

	if (strchr(command, '/') != NULL)
		return shebang_read(command, ret);
	for (; path != NULL && *path != '\0'; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		(void)snprintf(full, sizeof(full), "%.*s/%s", (int)n, path,
		    command);
		if (access(full, X_OK) == 0)
			return shebang_read(full, ret);
	}
	return 0;
}

int
script_is_runtime(const char *command)
{
	const char *name = last_part(command);
	struct shebang b;

	if (is_runtime_name(name) && strstr(name, ".sh") == NULL)
		return 1;
	if (!find_shebang(command, &b))
		return 0;
	name = last_part(b.interpreter);
	if (strcmp(name, "env") != 0 || b.arg == NULL)
		return is_runtime_name(name);
	if (strncmp(b.arg, "-S", 2) == 0)
		b.arg += 2 + strspn(b.arg + 2, BLANKS);
	return is_runtime_name(last_part(b.arg));
}
