/* The interpreter of a script. */
#ifndef CLI_RECORD_SCRIPT_H
#define CLI_RECORD_SCRIPT_H

/* The kernel reads no more of the first line. */
#define SCRIPT_MAX_LINE 256

/* The interpreter that the first line of a script names behind "#!". */
struct shebang {
	char line[SCRIPT_MAX_LINE];
	const char *interpreter; /* in the line */
	const char *arg;         /* all words behind it, as one; or NULL */
};

/* Returns 1 and sets *ret if the script names an interpreter that can be
 * started; else 0. */
int shebang_read(const char *path, struct shebang *ret);

/* True if the name ends in .php. */
int script_is_php(const char *path);

/* True if a command is PHP or Python by its name, or is a script of them. Then
 * it is sampled itself; otherwise what it starts. */
int script_is_runtime(const char *command);

#endif
