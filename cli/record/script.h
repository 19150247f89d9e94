/* Scripts: what the kernel would start for them. */
#ifndef CLI_RECORD_SCRIPT_H
#define CLI_RECORD_SCRIPT_H

/* Of a first line that is longer the kernel takes no more, either. */
#define SCRIPT_MAX_LINE 256

/* The interpreter that the first line of a script names behind "#!". */
struct shebang {
	char line[SCRIPT_MAX_LINE];
	const char *interpreter; /* in the line */
	const char *arg;         /* all words behind it, as one; or NULL */
};

/* 1 and *ret when there is one that can be started here; else 0. */
int shebang_read(const char *path, struct shebang *ret);

/* Whether a script is PHP's by its name. */
int script_is_php(const char *path);

#endif
