/*
 * bobbin, the command: parses the command line, runs the command, and checks
 * that standard output could be written.
 *
 * SIGPIPE keeps its default action: if the reader of our output ends early, as
 * head(1) does, that is no error to report.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/api.h>

#include "args/args.h"
#include "help/help.h"
#include "print/msg.h"
#include "system/streams.h"

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
	(void)msg_usage("--color '%s' is not auto, always or never", color);
	msg_hint("'bobbin --help-all' explains it");
	return EXIT_USAGE;
}

static int
run_command(const struct args *a)
{
	if (args_has(a, OPT_VERSION)) {
		(void)printf("bobbin %s\n", bob_version());
		return EXIT_OK;
	}
	if (args_has(a, OPT_HELP) || args_has(a, OPT_HELP_ALL)) {
		help_print(stdout, a->command, args_has(a, OPT_HELP_ALL));
		return EXIT_OK;
	}
	if (a->command == NULL) {
		help_print(stderr, NULL, 0);
		return EXIT_USAGE;
	}
	return a->command->run(a);
}

/* If a standard descriptor is closed at the start, the first file that we open
 * would get its number, and our messages. So /dev/null takes the number, opened
 * the wrong way round: using it fails as with a closed one. */
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
	streams_set_up();
	msg_setup(COLOR_AUTO, 0);
	code = args_parse(&args, argc, argv);
	if (code == EXIT_OK)
		code = set_up_messages(&args);
	if (code == EXIT_OK)
		code = run_command(&args);
	args_done(&args);
	if (msg_close_stdout() != EXIT_OK && code == EXIT_OK)
		code = EXIT_FAILED;
	return code;
}
