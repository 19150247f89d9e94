/*
 * bobbin, the command: takes the command line apart, runs the command, and
 * makes sure that what was printed has arrived.
 *
 * SIGPIPE keeps its default action: whoever reads our output may stop when it
 * has had enough, and then there is nothing to say.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/api.h>

#include "args.h"
#include "help/help.h"
#include "msg.h"

static int
set_up_messages(const struct args *a)
{
	static const char *const when[] = { "auto", "always", "never" };
	const char *color = args_value(a, OPT_COLOR);
	int i;

	msg_setup(COLOR_AUTO, args_has(a, OPT_QUIET));
	if (color == NULL)
		return EXIT_OK;
	for (i = COLOR_AUTO; i <= COLOR_NEVER; i++) {
		if (strcmp(color, when[i]) == 0) {
			msg_setup((enum color_when)i,
			    args_has(a, OPT_QUIET));
			return EXIT_OK;
		}
	}
	(void)msg_usage("--color '%s' is none of auto, always, never", color);
	msg_hint("'bobbin help' explains it");
	return EXIT_USAGE;
}

static int
run(const struct args *a)
{
	if (args_has(a, OPT_VERSION)) {
		(void)printf("bobbin %s\n", bob_version());
		return EXIT_OK;
	}
	if (args_has(a, OPT_HELP)) {
		if (a->command == NULL)
			help_overview(stdout);
		else
			help_command(stdout, a->command);
		return EXIT_OK;
	}
	if (a->command == NULL) {
		help_short(stderr);
		return EXIT_USAGE;
	}
	return a->command->run(a);
}

/* Started with a standard file closed, the first one we open would take its
 * number, and our messages. What stands in its place fails as a closed one
 * does: it is open the other way round. */
static void
occupy_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY
			                                           : O_RDONLY);
}

int
main(int argc, char **argv)
{
	struct args args;
	int code;

	occupy_standard_files();
	/* A write(2) per line, not per character. */
	(void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	msg_setup(COLOR_AUTO, 0);
	code = args_parse(&args, argc, argv);
	if (code == EXIT_OK)
		code = set_up_messages(&args);
	if (code == EXIT_OK)
		code = run(&args);
	args_done(&args);
	if (msg_close_stdout() != EXIT_OK && code == EXIT_OK)
		code = EXIT_FAILED;
	return code;
}
