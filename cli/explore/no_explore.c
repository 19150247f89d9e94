/* Stands in for the explorer in a build without ncurses (-Dtui=disabled). */
#include "args/options.h"
#include "print/msg.h"

int
cmd_explore(const struct args *args)
{
	(void)args;
	msg_error("explore: built without the explorer");
	msg_hint("'bobbin analyze' reports; 'bobbin convert -o page.html' "
	    "makes a page to look around in");
	return EXIT_FAILED;
}

int
explore_key_help(size_t i, struct key_help *ret)
{
	(void)i;
	(void)ret;
	return 0;
}
